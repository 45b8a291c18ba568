//! The functions that make, name, configure and end sockets. Each has the arguments, results and `errno`s of the
//! function of libc that its name ends with.

use crate::pointer::check as check_pointer;
use crate::{Result, check};
use libc::{c_int, c_void, sockaddr, socklen_t};
use manypath_posix::abi::Layout;
use manypath_posix::abi::constants::{IPPROTO_SCTP, SCTP_SOCKOPT_PEELOFF_FLAGS};
use manypath_posix::abi::option::PeeloffArg;
use manypath_posix::guest::{self, errno, returned};
use std::ptr;

/// A new socket. `domain` is `AF_INET` or `AF_INET6`, `type` is `SOCK_STREAM` (one-to-one) or `SOCK_SEQPACKET`
/// (one-to-many), perhaps with `SOCK_NONBLOCK` and `SOCK_CLOEXEC`, `protocol` is `IPPROTO_SCTP` or 0.
///
/// Fails with `EPROTONOSUPPORT` if no stack was started or attached, and with `ESOCKTNOSUPPORT` for other types.
#[unsafe(no_mangle)]
pub extern "C" fn manypath_sctp_socket(domain: c_int, r#type: c_int, protocol: c_int) -> c_int {
    returned(socket(domain, r#type, protocol))
}

fn socket(domain: c_int, kind: c_int, protocol: c_int) -> Result<c_int> {
    if !matches!(domain, libc::AF_INET | libc::AF_INET6) {
        return Err(libc::EAFNOSUPPORT);
    }
    if !matches!(protocol, 0 | IPPROTO_SCTP) {
        return Err(libc::EPROTONOSUPPORT);
    }
    let flags = libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK;
    if !matches!(kind & !flags, libc::SOCK_STREAM | libc::SOCK_SEQPACKET) {
        return Err(libc::ESOCKTNOSUPPORT);
    }
    guest::socket(domain, kind, IPPROTO_SCTP).unwrap_or(Err(libc::EPROTONOSUPPORT))
}

/// `bind(2)`
///
/// # Safety
/// As for `bind`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manypath_sctp_bind(
    fd: c_int,
    address: *const sockaddr,
    length: socklen_t,
) -> c_int {
    // SAFETY: the caller's promise
    returned(check(fd).and_then(|()| unsafe { guest::bind(fd, address, length) }).map(|()| 0))
}

/// `listen(2)`. A one-to-one socket is readable when an association can be accepted. A one-to-many socket accepts
/// associations by itself; a `backlog` of 0 ends that.
#[unsafe(no_mangle)]
pub extern "C" fn manypath_sctp_listen(fd: c_int, backlog: c_int) -> c_int {
    returned(check(fd).and_then(|()| guest::listen(fd, backlog)).map(|()| 0))
}

/// `accept4(2)` of a one-to-one socket; `flags` are 0, or `SOCK_NONBLOCK` and `SOCK_CLOEXEC`. `address` and `length` may be NULL.
///
/// # Safety
/// As for `accept4`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manypath_sctp_accept(
    fd: c_int,
    address: *mut sockaddr,
    length: *mut socklen_t,
    flags: c_int,
) -> c_int {
    let checked = check(fd).and_then(|()| match address.is_null() {
        true => Ok(()),
        // Before an association leaves the queue
        false => check_pointer(length),
    });
    // SAFETY: the caller's promise
    returned(checked.and_then(|()| unsafe { guest::accept(fd, address, length, flags) }))
}

/// `connect(2)`. A non-blocking socket is writable when the attempt has ended; `SO_ERROR` is its result.
///
/// # Safety
/// As for `connect`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manypath_sctp_connect(
    fd: c_int,
    address: *const sockaddr,
    length: socklen_t,
) -> c_int {
    // SAFETY: the caller's promise
    returned(check(fd).and_then(|()| unsafe { guest::connect(fd, address, length) }).map(|()| 0))
}

/// `getsockname(2)`
///
/// # Safety
/// As for `getsockname`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manypath_sctp_getsockname(
    fd: c_int,
    address: *mut sockaddr,
    length: *mut socklen_t,
) -> c_int {
    let checked = check(fd).and_then(|()| check_pointer(length));
    // SAFETY: the caller's promise
    let named = checked.and_then(|()| unsafe { guest::socket_name(fd, address, length) });
    returned(named.map(|()| 0))
}

/// `getpeername(2)`: the primary address of the peer.
///
/// # Safety
/// As for `getpeername`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manypath_sctp_getpeername(
    fd: c_int,
    address: *mut sockaddr,
    length: *mut socklen_t,
) -> c_int {
    let checked = check(fd).and_then(|()| check_pointer(length));
    // SAFETY: the caller's promise
    let named = checked.and_then(|()| unsafe { guest::peer_name(fd, address, length) });
    returned(named.map(|()| 0))
}

/// `getsockopt(2)`, with the options and structures of `<linux/sctp.h>`. An option that the stack lacks fails with
/// `EOPNOTSUPP`, and one line on standard error names it.
///
/// # Safety
/// As for `getsockopt`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manypath_sctp_getsockopt(
    fd: c_int,
    level: c_int,
    option: c_int,
    value: *mut c_void,
    length: *mut socklen_t,
) -> c_int {
    let checked = check(fd).and_then(|()| check_pointer(length));
    returned(checked.and_then(|()| {
        if guest::is_of_descriptor(level, option) {
            // SAFETY: the caller's promise
            return of_libc(unsafe { libc::getsockopt(fd, level, option, value, length) });
        }
        // SAFETY: the caller's promise
        unsafe { guest::get_option(fd, level, option, value, length) }
    }))
}

/// `setsockopt(2)`, with the options and structures of `<linux/sctp.h>`.
///
/// # Safety
/// As for `setsockopt`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manypath_sctp_setsockopt(
    fd: c_int,
    level: c_int,
    option: c_int,
    value: *const c_void,
    length: socklen_t,
) -> c_int {
    returned(check(fd).and_then(|()| {
        if guest::is_of_descriptor(level, option) {
            // SAFETY: the caller's promise
            return of_libc(unsafe { libc::setsockopt(fd, level, option, value, length) });
        }
        // SAFETY: the caller's promise
        unsafe { guest::set_option(fd, level, option, value, length) }
    }))
}

fn of_libc(result: c_int) -> Result<c_int> {
    if result < 0 { Err(errno()) } else { Ok(result) }
}

/// `sctp_peeloff_flags`: makes an association of a one-to-many socket a one-to-one socket and returns its descriptor.
/// `flags` are 0, or `SOCK_NONBLOCK` and `SOCK_CLOEXEC`. Fails with `EINVAL` if there is no such association, or if the
/// socket is one-to-one. RFC 6458 §9.2
#[unsafe(no_mangle)]
pub extern "C" fn manypath_sctp_peeloff(fd: c_int, association: i32, flags: c_int) -> c_int {
    const SIZE: usize = PeeloffArg::SIZE + size_of::<c_int>();
    let mut value = [0; SIZE];
    PeeloffArg { associd: association, sd: 0 }.put(&mut value[..PeeloffArg::SIZE]);
    flags.put(&mut value[PeeloffArg::SIZE..]);
    let (option, mut length) = (SCTP_SOCKOPT_PEELOFF_FLAGS, SIZE as socklen_t);
    let value = ptr::from_mut(&mut value).cast();
    returned(check(fd).and_then(|()| {
        // SAFETY: the value has as many bytes as the length says
        unsafe { guest::get_option(fd, IPPROTO_SCTP, option, value, &raw mut length) }
    }))
}

/// `shutdown(2)`. SCTP has no half-closed associations: `SHUT_WR` and `SHUT_RDWR` shut the association down after all
/// messages that were sent.
#[unsafe(no_mangle)]
pub extern "C" fn manypath_sctp_shutdown(fd: c_int, how: c_int) -> c_int {
    returned(check(fd).and_then(|()| guest::shutdown(fd, how)).map(|()| 0))
}

/// `close(2)`. The last close of a descriptor and its duplicates shuts the association down, or aborts it if messages
/// are unread. `close` itself does the same.
#[unsafe(no_mangle)]
pub extern "C" fn manypath_sctp_close(fd: c_int) -> c_int {
    // SAFETY: the descriptor belongs to the caller
    returned(check(fd).and_then(|()| of_libc(unsafe { libc::close(fd) })))
}
