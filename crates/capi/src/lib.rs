//! SCTP sockets as a C library, `libmanypath_sctp`: the interface of `include/manypath_sctp.h`.
//!
//! The sockets are those of [`manypath_posix::guest`], as in `crates/preload`. The functions have the prefix
//! `manypath_sctp_`. Their daemon is another process, or runs in a thread of this one ([`stack`]).
//!
//! Functions return -1 and set `errno`. A panic in a function aborts the program, because the functions have the ABI of
//! C: the state after a panic is unknown, and no `errno` means that the library has failed. A panic of the stack's
//! thread ends only the stack; its sockets then behave like those of a killed daemon.

#![expect(unsafe_code, reason = "functions of C take pointers and have unmangled names")]

pub mod addresses;
pub mod ancillary;
pub mod calls;
pub mod failure;
mod pointer;
pub mod settings;
pub mod stack;
pub mod transfer;
mod worker;

use libc::c_int;
use manypath_posix::guest;

/// The result of a function before it is that of C: `Err(errno)`.
type Result<T> = std::result::Result<T, c_int>;

/// Checks that the descriptor is an SCTP socket of this library. Others would get records that only a daemon reads.
fn check(fd: c_int) -> Result<()> {
    if guest::is_ours(fd) {
        return Ok(());
    }
    // SAFETY: no pointers
    match unsafe { libc::fcntl(fd, libc::F_GETFD) } {
        -1 => Err(libc::EBADF),
        _ => Err(libc::ENOTSOCK),
    }
}
