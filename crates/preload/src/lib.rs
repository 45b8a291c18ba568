//! A library for `LD_PRELOAD`: its functions replace those of libc, and give a program SCTP sockets of the daemon.
//!
//! Each function asks [`guest::is_ours`] whether the descriptor is such a socket, and else calls the function of libc.
//! A program that never opens an SCTP socket pays for one load of a flag.
//!
//! A panic in a function aborts the program, because the functions have the ABI of C.
//!
//! Not covered: static binaries, raw system calls (Go), setuid programs, `io_uring`, and streams of stdio on a socket.

#![expect(unsafe_code, reason = "the functions have the types of libc and pass pointers on")]

pub mod calls;
mod real;
pub mod transfer;

use libc::{c_int, ssize_t};
use manypath_posix::guest;

/// Runs before the program.
#[used]
#[unsafe(link_section = ".init_array")]
static START: extern "C" fn() = {
    extern "C" fn start() {
        guest::start();
    }
    start
};

/// What a function of C returns for `result`: -1 and `errno` for an error.
fn returned(result: Result<c_int, c_int>) -> c_int {
    result.unwrap_or_else(|errno| {
        set_errno(errno);
        -1
    })
}

/// The same for a number of bytes.
fn returned_bytes(result: Result<usize, c_int>) -> ssize_t {
    match result {
        Ok(bytes) => bytes.cast_signed(),
        Err(errno) => {
            set_errno(errno);
            -1
        }
    }
}

fn set_errno(errno: c_int) {
    // SAFETY: the pointer is valid in the calling thread
    unsafe { *libc::__errno_location() = errno };
}
