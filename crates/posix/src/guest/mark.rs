//! The state of a socket that the library stores itself, so that it need not ask the daemon.
//!
//! The state is stored in the pacing rate of the Unix socket (`SO_MAX_PACING_RATE`), which has no effect on such a
//! socket. So all processes with the descriptor share it.

#![expect(unsafe_code, reason = "poll takes a pointer")]

use super::system::{self, Result};
use libc::c_int;
use std::ptr::null;

/// The stored state of a socket.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Mark {
    /// A one-to-one socket that may have no association.
    Unknown,
    /// It is a one-to-many socket.
    Many,
    /// It has an association with this number of streams to send on.
    Open(u16),
    /// The same, and the program has shut the socket down for reading.
    SendOnly(u16),
    /// The program has shut its association down for sending.
    Shut,
}

/// The pacing rate of a new socket.
const UNKNOWN: u32 = u32::MAX;
/// The others; those with an association have its number of streams in the lower half.
const MANY: u32 = 1 << 16;
const OPEN: u32 = 2 << 16;
const SHUT: u32 = 3 << 16;
const SEND_ONLY: u32 = 4 << 16;

/// Stores the state.
pub(super) fn set(fd: c_int, mark: Mark) -> Result<()> {
    let value = match mark {
        Mark::Unknown => UNKNOWN,
        Mark::Many => MANY,
        Mark::Open(streams) => OPEN | u32::from(streams),
        Mark::SendOnly(streams) => SEND_ONLY | u32::from(streams),
        Mark::Shut => SHUT,
    };
    system::set_option(fd, libc::SO_MAX_PACING_RATE, &value)
}

/// Reads the state.
pub(super) fn get(fd: c_int) -> Result<Mark> {
    let value = system::option(fd, libc::SO_MAX_PACING_RATE, UNKNOWN)?;
    Ok(match value & 0xffff_0000 {
        MANY => Mark::Many,
        OPEN => Mark::Open(value as u16),
        SEND_ONLY => Mark::SendOnly(value as u16),
        SHUT => Mark::Shut,
        _ => Mark::Unknown,
    })
}

/// Records that a socket may have no association any more.
pub(super) fn doubt(fd: c_int) -> Result<()> {
    if matches!(get(fd)?, Mark::Open(_)) { set(fd, Mark::Unknown) } else { Ok(()) }
}

/// Whether the association ends, so that no further records follow the unread ones.
pub(super) fn has_end(fd: c_int) -> bool {
    is_ready(fd, libc::POLLRDHUP)
}

/// Whether the association has ended and the daemon accepts no more records of a program that has shut the socket down
/// for reading.
pub(super) fn has_hung_up(fd: c_int) -> bool {
    // The kernel reports POLLHUP in any case
    is_ready(fd, 0)
}

fn is_ready(fd: c_int, events: i16) -> bool {
    let mut waits = libc::pollfd { fd, events, revents: 0 };
    // The kernel may write the time that is left
    let mut limit = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    let (signals, size) = (null::<libc::sigset_t>(), 0_usize);
    // SAFETY: the kernel writes both structures
    let ready =
        unsafe { libc::syscall(libc::SYS_ppoll, &raw mut waits, 1, &raw mut limit, signals, size) };
    ready > 0
}
