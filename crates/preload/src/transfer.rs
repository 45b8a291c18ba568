//! The functions that send and receive.

use crate::real::real;
use libc::{
    c_int, c_uint, c_void, iovec, mmsghdr, msghdr, size_t, sockaddr, socklen_t, ssize_t, timespec,
};
use manypath_posix::guest::{self, message, returned_bytes};
use std::ptr;

/// The message of `readv` and `writev`; none if it has no bytes, for which the kernel calls no socket: `fs/read_write.c`.
///
/// # Safety
/// As for `readv`.
unsafe fn vector(parts: *const iovec, count: c_int) -> Result<Option<msghdr>, c_int> {
    let count = usize::try_from(count).ok().filter(|count| *count <= guest::MOST_PARTS);
    let message = message(parts, count.ok_or(libc::EINVAL)?);
    // SAFETY: the caller's promise
    let parts = unsafe { guest::parts(&message) }?;
    Ok(parts.iter().any(|part| part.iov_len > 0).then_some(message))
}

/// Receives into one buffer, with the sender's address if `address` is not null.
///
/// # Safety
/// As for `recvfrom`.
unsafe fn receive(
    fd: c_int,
    bytes: *mut c_void,
    count: size_t,
    flags: c_int,
    address: *mut sockaddr,
    length: *mut socklen_t,
) -> ssize_t {
    // SAFETY: the caller's promise
    returned_bytes(unsafe { guest::receive_from(fd, bytes, count, flags, address, length) })
}

/// Sends one buffer, to an address if it is not null.
///
/// # Safety
/// As for `sendto`.
unsafe fn transmit(
    fd: c_int,
    bytes: *const c_void,
    count: size_t,
    flags: c_int,
    address: *const sockaddr,
    length: socklen_t,
) -> ssize_t {
    let part = iovec { iov_base: bytes.cast_mut(), iov_len: count };
    let mut message = message(&raw const part, 1);
    message.msg_name = address.cast_mut().cast();
    message.msg_namelen = length;
    // SAFETY: the caller's promise
    returned_bytes(unsafe { guest::send(fd, &raw const message, flags) })
}

/// `read(2)`
///
/// # Safety
/// As in C.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn read(fd: c_int, bytes: *mut c_void, count: size_t) -> ssize_t {
    if guest::is_ours(fd) {
        if count == 0 {
            // net/socket.c, sock_read_iter
            return 0;
        }
        // SAFETY: the caller's promise
        return unsafe { receive(fd, bytes, count, 0, ptr::null_mut(), ptr::null_mut()) };
    }
    real!(read as fn(c_int, *mut c_void, size_t) -> ssize_t, fd, bytes, count)
}

/// `read` of programs that were built with `_FORTIFY_SOURCE`.
///
/// # Safety
/// As in C.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __read_chk(
    fd: c_int,
    bytes: *mut c_void,
    count: size_t,
    size: size_t,
) -> ssize_t {
    if count <= size && guest::is_ours(fd) {
        // SAFETY: the caller's promise
        return unsafe { receive(fd, bytes, count, 0, ptr::null_mut(), ptr::null_mut()) };
    }
    real!(__read_chk as fn(c_int, *mut c_void, size_t, size_t) -> ssize_t, fd, bytes, count, size)
}

/// `readv(2)`
///
/// # Safety
/// As in C.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn readv(fd: c_int, parts: *const iovec, count: c_int) -> ssize_t {
    if guest::is_ours(fd) {
        // SAFETY: the caller's promise
        return returned_bytes(match unsafe { vector(parts, count) } {
            // SAFETY: the caller's promise
            Ok(Some(mut message)) => unsafe { guest::receive(fd, &raw mut message, 0) },
            Ok(None) => Ok(0),
            Err(errno) => Err(errno),
        });
    }
    real!(readv as fn(c_int, *const iovec, c_int) -> ssize_t, fd, parts, count)
}

/// `recv(2)`
///
/// # Safety
/// As in C.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recv(
    fd: c_int,
    bytes: *mut c_void,
    count: size_t,
    flags: c_int,
) -> ssize_t {
    if guest::is_ours(fd) {
        // SAFETY: the caller's promise
        return unsafe { receive(fd, bytes, count, flags, ptr::null_mut(), ptr::null_mut()) };
    }
    real!(recv as fn(c_int, *mut c_void, size_t, c_int) -> ssize_t, fd, bytes, count, flags)
}

/// `recv` of programs that were built with `_FORTIFY_SOURCE`.
///
/// # Safety
/// As in C.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __recv_chk(
    fd: c_int,
    bytes: *mut c_void,
    count: size_t,
    size: size_t,
    flags: c_int,
) -> ssize_t {
    if count <= size && guest::is_ours(fd) {
        // SAFETY: the caller's promise
        return unsafe { receive(fd, bytes, count, flags, ptr::null_mut(), ptr::null_mut()) };
    }
    real!(
        __recv_chk as fn(c_int, *mut c_void, size_t, size_t, c_int) -> ssize_t,
        fd,
        bytes,
        count,
        size,
        flags
    )
}

/// `recvfrom(2)`
///
/// # Safety
/// As in C.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recvfrom(
    fd: c_int,
    bytes: *mut c_void,
    count: size_t,
    flags: c_int,
    address: *mut sockaddr,
    length: *mut socklen_t,
) -> ssize_t {
    if guest::is_ours(fd) {
        // SAFETY: the caller's promise
        return unsafe { receive(fd, bytes, count, flags, address, length) };
    }
    real!(
        recvfrom as fn(c_int, *mut c_void, size_t, c_int, *mut sockaddr, *mut socklen_t) -> ssize_t,
        fd,
        bytes,
        count,
        flags,
        address,
        length
    )
}

/// `recvfrom` of programs that were built with `_FORTIFY_SOURCE`.
///
/// # Safety
/// As in C.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __recvfrom_chk(
    fd: c_int,
    bytes: *mut c_void,
    count: size_t,
    size: size_t,
    flags: c_int,
    address: *mut sockaddr,
    length: *mut socklen_t,
) -> ssize_t {
    if count <= size && guest::is_ours(fd) {
        // SAFETY: the caller's promise
        return unsafe { receive(fd, bytes, count, flags, address, length) };
    }
    real!(
        __recvfrom_chk
            as fn(
                c_int,
                *mut c_void,
                size_t,
                size_t,
                c_int,
                *mut sockaddr,
                *mut socklen_t,
            ) -> ssize_t,
        fd,
        bytes,
        count,
        size,
        flags,
        address,
        length
    )
}

/// `recvmsg(2)`
///
/// # Safety
/// As in C.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recvmsg(fd: c_int, message: *mut msghdr, flags: c_int) -> ssize_t {
    if guest::is_ours(fd) {
        // SAFETY: the caller's promise
        return returned_bytes(unsafe { guest::receive(fd, message, flags) });
    }
    let length = real!(recvmsg as fn(c_int, *mut msghdr, c_int) -> ssize_t, fd, message, flags);
    if length >= 0 {
        // SAFETY: the kernel filled the message
        unsafe { look_for_descriptors(message) };
    }
    length
}

/// Another process may have passed an SCTP socket.
///
/// # Safety
/// The ancillary data of `message` are valid.
unsafe fn look_for_descriptors(message: *const msghdr) {
    // SAFETY: the caller's promise
    unsafe {
        let mut head = libc::CMSG_FIRSTHDR(message);
        while !head.is_null() {
            if (*head).cmsg_level == libc::SOL_SOCKET && (*head).cmsg_type == libc::SCM_RIGHTS {
                return guest::received_descriptors();
            }
            head = libc::CMSG_NXTHDR(message, head);
        }
    }
}

/// `recvmmsg(2)`. As in the kernel, the time limit is checked after each message.
///
/// # Safety
/// As in C.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recvmmsg(
    fd: c_int,
    messages: *mut mmsghdr,
    count: c_uint,
    flags: c_int,
    limit: *mut timespec,
) -> c_int {
    if !guest::is_ours(fd) {
        let received = real!(
            recvmmsg as fn(c_int, *mut mmsghdr, c_uint, c_int, *mut timespec) -> c_int,
            fd,
            messages,
            count,
            flags,
            limit
        );
        for at in 0..usize::try_from(received).unwrap_or(0) {
            // SAFETY: the kernel filled so many messages
            unsafe { look_for_descriptors(&raw const (*messages.add(at)).msg_hdr) };
        }
        return received;
    }
    // SAFETY: the caller's promise
    let limit = unsafe { limit.as_ref() }.map(|limit| {
        let seconds = u64::try_from(limit.tv_sec).unwrap_or(0);
        std::time::Duration::new(seconds, u32::try_from(limit.tv_nsec).unwrap_or(0))
    });
    let start = std::time::Instant::now();
    let mut own = flags & !libc::MSG_WAITFORONE;
    each(messages, count, |message| {
        if limit.is_some_and(|limit| start.elapsed() >= limit) && own & STARTED != 0 {
            return Err(libc::EAGAIN);
        }
        // SAFETY: the caller's promise
        let result = unsafe { guest::receive(fd, message, own & !STARTED) };
        own |= STARTED;
        if flags & libc::MSG_WAITFORONE != 0 {
            own |= libc::MSG_DONTWAIT;
        }
        result
    })
}

/// A bit that no flag of `recvmmsg` has: a message was received.
const STARTED: c_int = 1 << 30;

/// Calls `action` for each message until it fails, and returns their number.
fn each(
    messages: *mut mmsghdr,
    count: c_uint,
    mut action: impl FnMut(*mut msghdr) -> Result<usize, c_int>,
) -> c_int {
    for at in 0..count as usize {
        // SAFETY: the caller of the function of C has `count` messages
        let message = unsafe { &mut *messages.add(at) };
        match action(&raw mut message.msg_hdr) {
            Ok(length) => message.msg_len = length as c_uint,
            Err(errno) if at == 0 => return guest::returned(Err(errno)),
            Err(_) => return at as c_int,
        }
    }
    count.cast_signed()
}

/// `write(2)`
///
/// # Safety
/// As in C.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn write(fd: c_int, bytes: *const c_void, count: size_t) -> ssize_t {
    if guest::is_ours(fd) {
        // SAFETY: the caller's promise
        return unsafe { transmit(fd, bytes, count, 0, ptr::null(), 0) };
    }
    real!(write as fn(c_int, *const c_void, size_t) -> ssize_t, fd, bytes, count)
}

/// `writev(2)`
///
/// # Safety
/// As in C.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn writev(fd: c_int, parts: *const iovec, count: c_int) -> ssize_t {
    if guest::is_ours(fd) {
        // SAFETY: the caller's promise
        return returned_bytes(match unsafe { vector(parts, count) } {
            // SAFETY: the caller's promise
            Ok(Some(message)) => unsafe { guest::send(fd, &raw const message, 0) },
            Ok(None) => Ok(0),
            Err(errno) => Err(errno),
        });
    }
    real!(writev as fn(c_int, *const iovec, c_int) -> ssize_t, fd, parts, count)
}

/// `send(2)`
///
/// # Safety
/// As in C.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn send(
    fd: c_int,
    bytes: *const c_void,
    count: size_t,
    flags: c_int,
) -> ssize_t {
    if guest::is_ours(fd) {
        // SAFETY: the caller's promise
        return unsafe { transmit(fd, bytes, count, flags, ptr::null(), 0) };
    }
    real!(send as fn(c_int, *const c_void, size_t, c_int) -> ssize_t, fd, bytes, count, flags)
}

/// `sendto(2)`
///
/// # Safety
/// As in C.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sendto(
    fd: c_int,
    bytes: *const c_void,
    count: size_t,
    flags: c_int,
    address: *const sockaddr,
    length: socklen_t,
) -> ssize_t {
    if guest::is_ours(fd) {
        // SAFETY: the caller's promise
        return unsafe { transmit(fd, bytes, count, flags, address, length) };
    }
    real!(
        sendto as fn(c_int, *const c_void, size_t, c_int, *const sockaddr, socklen_t) -> ssize_t,
        fd,
        bytes,
        count,
        flags,
        address,
        length
    )
}

/// `sendmsg(2)`
///
/// # Safety
/// As in C.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sendmsg(fd: c_int, message: *const msghdr, flags: c_int) -> ssize_t {
    if guest::is_ours(fd) {
        // SAFETY: the caller's promise
        return returned_bytes(unsafe { guest::send(fd, message, flags) });
    }
    real!(sendmsg as fn(c_int, *const msghdr, c_int) -> ssize_t, fd, message, flags)
}

/// `sendmmsg(2)`
///
/// # Safety
/// As in C.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sendmmsg(
    fd: c_int,
    messages: *mut mmsghdr,
    count: c_uint,
    flags: c_int,
) -> c_int {
    if guest::is_ours(fd) {
        // SAFETY: the caller's promise
        return each(messages, count, |message| unsafe { guest::send(fd, message, flags) });
    }
    real!(sendmmsg as fn(c_int, *mut mmsghdr, c_uint, c_int) -> c_int, fd, messages, count, flags)
}
