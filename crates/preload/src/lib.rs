//! A library for `LD_PRELOAD`. Its functions replace those of libc, so that SCTP sockets of a program are sockets of
//! the daemon.
//!
//! Each function checks by [`guest::is_ours`] whether the descriptor is such a socket. If not, it calls the function of
//! libc. In a program that never opens an SCTP socket, the check is the load of a flag.
//!
//! A panic in a function aborts the program, because the functions have the ABI of C.
//!
//! Not covered: static binaries, raw system calls (Go), setuid programs, `io_uring`, and streams of stdio on a socket.

#![expect(unsafe_code, reason = "the functions have the types of libc and pass pointers on")]

pub mod calls;
mod real;
pub mod transfer;

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
