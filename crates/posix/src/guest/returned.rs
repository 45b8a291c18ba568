//! What functions of C return.

use super::system::{Result, set_errno};
use libc::{c_int, ssize_t};

/// The number of a result, or -1 and `errno`.
#[must_use]
pub fn returned(result: Result<c_int>) -> c_int {
    result.unwrap_or_else(|errno| {
        set_errno(errno);
        -1
    })
}

/// The same for a number of bytes.
#[must_use]
pub fn returned_bytes(result: Result<usize>) -> ssize_t {
    match result {
        Ok(bytes) => bytes.cast_signed(),
        Err(errno) => {
            set_errno(errno);
            -1
        }
    }
}
