//! The functions that make, name and configure sockets.

use crate::real::real;
use libc::{c_int, c_uint, c_ulong, c_void, off_t, size_t, sockaddr, socklen_t, ssize_t};
use manypath_posix::guest::{self, returned, returned_bytes};

/// `socket(2)`
#[unsafe(no_mangle)]
pub extern "C" fn socket(domain: c_int, kind: c_int, protocol: c_int) -> c_int {
    match guest::socket(domain, kind, protocol) {
        Some(result) => returned(result),
        None => {
            real!(socket as fn(c_int, c_int, c_int) -> c_int, domain, kind, protocol)
        }
    }
}

/// `bind(2)`
///
/// # Safety
/// As in C.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bind(fd: c_int, address: *const sockaddr, length: socklen_t) -> c_int {
    if guest::is_ours(fd) {
        // SAFETY: the caller's promise
        return returned(unsafe { guest::bind(fd, address, length) }.map(|()| 0));
    }
    real!(bind as fn(c_int, *const sockaddr, socklen_t) -> c_int, fd, address, length)
}

/// `listen(2)`
#[unsafe(no_mangle)]
pub extern "C" fn listen(fd: c_int, backlog: c_int) -> c_int {
    if guest::is_ours(fd) {
        return returned(guest::listen(fd, backlog).map(|()| 0));
    }
    real!(listen as fn(c_int, c_int) -> c_int, fd, backlog)
}

/// `connect(2)`
///
/// # Safety
/// As in C.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn connect(fd: c_int, address: *const sockaddr, length: socklen_t) -> c_int {
    if guest::is_ours(fd) {
        // SAFETY: the caller's promise
        return returned(unsafe { guest::connect(fd, address, length) }.map(|()| 0));
    }
    real!(connect as fn(c_int, *const sockaddr, socklen_t) -> c_int, fd, address, length)
}

/// `accept(2)`
///
/// # Safety
/// As in C.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn accept(
    fd: c_int,
    address: *mut sockaddr,
    length: *mut socklen_t,
) -> c_int {
    if guest::is_ours(fd) {
        // SAFETY: the caller's promise
        return returned(unsafe { guest::accept(fd, address, length, 0) });
    }
    real!(accept as fn(c_int, *mut sockaddr, *mut socklen_t) -> c_int, fd, address, length)
}

/// `accept4(2)`
///
/// # Safety
/// As in C.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn accept4(
    fd: c_int,
    address: *mut sockaddr,
    length: *mut socklen_t,
    flags: c_int,
) -> c_int {
    if guest::is_ours(fd) {
        // SAFETY: the caller's promise
        return returned(unsafe { guest::accept(fd, address, length, flags) });
    }
    real!(
        accept4 as fn(c_int, *mut sockaddr, *mut socklen_t, c_int) -> c_int,
        fd,
        address,
        length,
        flags
    )
}

/// `getsockname(2)`
///
/// # Safety
/// As in C.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn getsockname(
    fd: c_int,
    address: *mut sockaddr,
    length: *mut socklen_t,
) -> c_int {
    if guest::is_ours(fd) {
        // SAFETY: the caller's promise
        return returned(unsafe { guest::socket_name(fd, address, length) }.map(|()| 0));
    }
    real!(getsockname as fn(c_int, *mut sockaddr, *mut socklen_t) -> c_int, fd, address, length)
}

/// `getpeername(2)`
///
/// # Safety
/// As in C.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn getpeername(
    fd: c_int,
    address: *mut sockaddr,
    length: *mut socklen_t,
) -> c_int {
    if guest::is_ours(fd) {
        // SAFETY: the caller's promise
        return returned(unsafe { guest::peer_name(fd, address, length) }.map(|()| 0));
    }
    real!(getpeername as fn(c_int, *mut sockaddr, *mut socklen_t) -> c_int, fd, address, length)
}

/// `getsockopt(2)`
///
/// # Safety
/// As in C.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn getsockopt(
    fd: c_int,
    level: c_int,
    option: c_int,
    value: *mut c_void,
    length: *mut socklen_t,
) -> c_int {
    if !guest::is_of_descriptor(level, option) && guest::is_ours(fd) {
        // SAFETY: the caller's promise
        return returned(unsafe { guest::get_option(fd, level, option, value, length) });
    }
    real!(
        getsockopt as fn(c_int, c_int, c_int, *mut c_void, *mut socklen_t) -> c_int,
        fd,
        level,
        option,
        value,
        length
    )
}

/// `setsockopt(2)`
///
/// # Safety
/// As in C.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn setsockopt(
    fd: c_int,
    level: c_int,
    option: c_int,
    value: *const c_void,
    length: socklen_t,
) -> c_int {
    if !guest::is_of_descriptor(level, option) && guest::is_ours(fd) {
        // SAFETY: the caller's promise
        return returned(unsafe { guest::set_option(fd, level, option, value, length) });
    }
    real!(
        setsockopt as fn(c_int, c_int, c_int, *const c_void, socklen_t) -> c_int,
        fd,
        level,
        option,
        value,
        length
    )
}

/// `shutdown(2)`
#[unsafe(no_mangle)]
pub extern "C" fn shutdown(fd: c_int, how: c_int) -> c_int {
    if guest::is_ours(fd) {
        return returned(guest::shutdown(fd, how).map(|()| 0));
    }
    real!(shutdown as fn(c_int, c_int) -> c_int, fd, how)
}

/// `ioctl(2)`. Its third argument is passed as a variable one is: in the same register.
///
/// # Safety
/// As in C.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ioctl(fd: c_int, request: c_ulong, argument: *mut c_void) -> c_int {
    if request == libc::FIONREAD as c_ulong && guest::is_ours(fd) {
        let mapped = guest::check_mapped(argument, size_of::<c_int>());
        return returned(mapped.and_then(|()| guest::readable_bytes(fd)).map(|bytes| {
            // SAFETY: the caller's promise
            unsafe { argument.cast::<c_int>().write_unaligned(bytes) };
            0
        }));
    }
    real!(ioctl as fn(c_int, c_ulong, *mut c_void) -> c_int, fd, request, argument)
}

/// `sendfile(2)`
///
/// # Safety
/// As in C.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sendfile(
    to: c_int,
    from: c_int,
    offset: *mut off_t,
    count: size_t,
) -> ssize_t {
    if guest::is_ours(to) {
        // SAFETY: the caller's promise
        return returned_bytes(unsafe { guest::send_file(to, from, offset, count) });
    }
    real!(sendfile as fn(c_int, c_int, *mut off_t, size_t) -> ssize_t, to, from, offset, count)
}

/// `splice(2)`. An SCTP socket has no `splice`, which the kernel calls `EINVAL`: programs copy the bytes instead.
///
/// # Safety
/// As in C.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn splice(
    from: c_int,
    from_offset: *mut off_t,
    to: c_int,
    to_offset: *mut off_t,
    count: size_t,
    flags: c_uint,
) -> ssize_t {
    if guest::is_ours(from) || guest::is_ours(to) {
        return returned_bytes(Err(libc::EINVAL));
    }
    real!(
        splice as fn(c_int, *mut off_t, c_int, *mut off_t, size_t, c_uint) -> ssize_t,
        from,
        from_offset,
        to,
        to_offset,
        count,
        flags
    )
}

/// `sendfile(2)` with 64 bits for offsets, which `off_t` has too.
///
/// # Safety
/// As in C.
#[cfg(target_pointer_width = "64")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sendfile64(
    to: c_int,
    from: c_int,
    offset: *mut off_t,
    count: size_t,
) -> ssize_t {
    // SAFETY: the caller's promise
    unsafe { sendfile(to, from, offset, count) }
}
