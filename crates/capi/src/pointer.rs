//! Checks of pointers that the caller passes. Wild pointers are the caller's mistake, as in libc.

use crate::Result;
use libc::{c_int, iovec};
use manypath_posix::guest::MOST_PARTS;
use std::ffi::CStr;

/// Refuses null and misaligned pointers.
pub(crate) fn check<T>(pointer: *const T) -> Result<()> {
    if pointer.is_null() || !pointer.is_aligned() { Err(libc::EFAULT) } else { Ok(()) }
}

/// The same, but null is allowed.
pub(crate) fn check_optional<T>(pointer: *const T) -> Result<()> {
    if pointer.is_aligned() { Ok(()) } else { Err(libc::EFAULT) }
}

/// Checks the parts of a message; returns their number.
pub(crate) fn check_parts(parts: *const iovec, count: c_int) -> Result<usize> {
    let count = usize::try_from(count).map_err(|_| libc::EINVAL)?;
    if count > MOST_PARTS {
        return Err(libc::EMSGSIZE);
    }
    if count > 0 {
        check(parts)?;
    }
    Ok(count)
}

/// The text that a pointer refers to; none for null.
///
/// # Safety
/// The pointer is null, or the text ends with a zero.
pub(crate) unsafe fn text<'a>(pointer: *const std::ffi::c_char) -> Option<&'a CStr> {
    // SAFETY: the caller's promise
    (!pointer.is_null()).then(|| unsafe { CStr::from_ptr(pointer) })
}
