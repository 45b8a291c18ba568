//! The two system calls that no library offers safely: setting a TUN's name, and real-time priority.
#![expect(unsafe_code, reason = "ioctl and sched_setscheduler read a structure behind a pointer")]

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;

/// Makes the open `/dev/net/tun` the interface called `name`, which carries IP packets without another header.
///
/// # Errors
/// The kernel's error.
pub(crate) fn become_tun(file: &File, name: &str) -> io::Result<()> {
    let mut request = Request { name: [0; 16], flags: IFF_TUN | IFF_NO_PI, rest: [0; 22] };
    // The last byte stays zero
    for (to, from) in request.name[..15].iter_mut().zip(name.bytes()) {
        *to = from;
    }
    // SAFETY: the kernel reads and writes one `struct ifreq`, whose layout and size `Request` has, and it outlives the call.
    let done = unsafe { libc::ioctl(file.as_raw_fd(), libc::TUNSETIFF, &raw mut request) };
    if done < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Gives the calling thread real-time priority over all ordinary threads.
///
/// # Errors
/// The kernel's error.
pub(crate) fn become_fifo(priority: i32) -> io::Result<()> {
    let parameters = libc::sched_param { sched_priority: priority };
    // SAFETY: the kernel reads one `struct sched_param`, which outlives the call.
    let done = unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO, &raw const parameters) };
    if done < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// The layout of `struct ifreq` for `TUNSETIFF`.
#[repr(C)]
struct Request {
    name: [u8; 16],
    flags: u16,
    rest: [u8; 22],
}

const IFF_TUN: u16 = 0x0001;
const IFF_NO_PI: u16 = 0x1000;
