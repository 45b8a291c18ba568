//! Sending and receiving messages. RFC 6458 §9.12 and §9.13

use crate::ancillary::{Control, MANYPATH_SCTP_RECVV_NOINFO, MANYPATH_SCTP_RECVV_RCVINFO};
use crate::pointer::{check as check_pointer, check_optional, check_parts};
use crate::{Result, check};
use libc::{c_int, c_uint, c_void, cmsghdr, iovec, msghdr, sockaddr, socklen_t, ssize_t};
use manypath_posix::abi::Layout;
use manypath_posix::abi::address;
use manypath_posix::abi::message::RcvInfo;
use manypath_posix::guest::{self, message, returned_bytes};
use std::{ptr, slice};

/// `send(2)`: sends a message on the stream of `SCTP_DEFAULT_SNDINFO`. A peer that is gone raises `SIGPIPE` unless
/// `flags` has `MSG_NOSIGNAL`. A message has at most 200,000 bytes.
///
/// # Safety
/// As for `send`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manypath_sctp_send(
    fd: c_int,
    bytes: *const c_void,
    length: usize,
    flags: c_int,
) -> ssize_t {
    let part = iovec { iov_base: bytes.cast_mut(), iov_len: length };
    let message = message(&raw const part, 1);
    // SAFETY: the caller's promise
    returned_bytes(check(fd).and_then(|()| unsafe { guest::send(fd, &raw const message, flags) }))
}

/// `recv(2)`: receives a message or the next part of one. Returns 0 at the end of the association.
///
/// # Safety
/// As for `recv`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manypath_sctp_recv(
    fd: c_int,
    bytes: *mut c_void,
    length: usize,
    flags: c_int,
) -> ssize_t {
    let part = iovec { iov_base: bytes, iov_len: length };
    let mut message = message(&raw const part, 1);
    // SAFETY: the caller's promise
    returned_bytes(check(fd).and_then(|()| unsafe { guest::receive(fd, &raw mut message, flags) }))
}

/// `sendmsg(2)`, with the ancillary data of RFC 6458 §5.3.
///
/// # Safety
/// As for `sendmsg`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manypath_sctp_sendmsg(
    fd: c_int,
    message: *const msghdr,
    flags: c_int,
) -> ssize_t {
    // SAFETY: the caller's promise
    let checked = check(fd).and_then(|()| unsafe { check_message(message) });
    // SAFETY: the caller's promise
    returned_bytes(checked.and_then(|()| unsafe { guest::send(fd, message, flags) }))
}

/// `recvmsg(2)`, with the ancillary data of RFC 6458 §5.3. `msg_flags` has `MSG_EOR` at the end of a message, and
/// `MSG_NOTIFICATION` (0x8000) for a notification.
///
/// # Safety
/// As for `recvmsg`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manypath_sctp_recvmsg(
    fd: c_int,
    message: *mut msghdr,
    flags: c_int,
) -> ssize_t {
    // SAFETY: the caller's promise
    let checked = check(fd).and_then(|()| unsafe { check_message(message) });
    // SAFETY: the caller's promise
    returned_bytes(checked.and_then(|()| unsafe { guest::receive(fd, message, flags) }))
}

/// # Safety
/// The message is null, misaligned or readable.
unsafe fn check_message(message: *const msghdr) -> Result<()> {
    check_pointer(message)?;
    // SAFETY: the caller's promise
    let message = unsafe { &*message };
    let count = c_int::try_from(message.msg_iovlen).map_err(|_| libc::EMSGSIZE)?;
    check_parts(message.msg_iov, count)?;
    check_optional(message.msg_control.cast::<cmsghdr>())
}

/// `sctp_sendv`: sends a message of `parts_count` parts. `addresses` is NULL with a count of 0, or one address of the
/// peer: on a one-to-many socket a message to a new peer opens the association. `info` has `info_length` bytes;
/// `info_type` is a constant `MANYPATH_SCTP_SENDV_...`. RFC 6458 §9.12
///
/// # Safety
/// The pointers have as many elements or bytes as the numbers say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manypath_sctp_sendv(
    fd: c_int,
    parts: *const iovec,
    parts_count: c_int,
    addresses: *const sockaddr,
    addresses_count: c_int,
    info: *const c_void,
    info_length: socklen_t,
    info_type: c_uint,
    flags: c_int,
) -> ssize_t {
    let sent = || {
        check(fd)?;
        let mut message = message(parts, check_parts(parts, parts_count)?);
        // SAFETY: the caller's promise
        (message.msg_name, message.msg_namelen) = unsafe { name(addresses, addresses_count) }?;
        if info.is_null() && info_length > 0 {
            return Err(libc::EFAULT);
        }
        let bytes = match info_length {
            0 => &[],
            // SAFETY: the caller's promise
            length => unsafe { slice::from_raw_parts(info.cast::<u8>(), length as usize) },
        };
        let mut control = Control::default();
        control.push(info_type, bytes)?;
        control.attach(&mut message);
        // SAFETY: the message has the caller's pointers and our ancillary data
        unsafe { guest::send(fd, &raw const message, flags) }
    };
    returned_bytes(sent())
}

/// `sctp_recvv`: receives a message or the next part of one. `from` and `info` may be NULL. On return `info_type` says
/// what `info` has: `MANYPATH_SCTP_RECVV_RCVINFO`, which needs the option `SCTP_RECVRCVINFO`, or
/// `MANYPATH_SCTP_RECVV_NOINFO`. The stack has no information on the next message (`struct sctp_nxtinfo`) and refuses
/// `SCTP_RECVNXTINFO`. `flags` has `MSG_EOR` at the end of a message and `MSG_NOTIFICATION` (0x8000) for a notification.
/// RFC 6458 §9.13
///
/// # Safety
/// The pointers have as many elements or bytes as the numbers say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manypath_sctp_recvv(
    fd: c_int,
    parts: *const iovec,
    parts_count: c_int,
    from: *mut sockaddr,
    from_length: *mut socklen_t,
    info: *mut c_void,
    info_length: *mut socklen_t,
    info_type: *mut c_uint,
    flags: *mut c_int,
) -> ssize_t {
    let received = || {
        check(fd)?;
        let mut message = message(parts, check_parts(parts, parts_count)?);
        check_pointer(flags)?;
        check_optional(info_type)?;
        if !from.is_null() {
            check_pointer(from_length)?;
            message.msg_name = from.cast();
            // SAFETY: the caller's promise; the pointer is aligned
            message.msg_namelen = unsafe { *from_length };
        }
        if !info.is_null() {
            check_pointer(info_length)?;
            check_pointer(info_type)?;
            // SAFETY: the caller's promise; the pointer is aligned
            if (unsafe { *info_length } as usize) < RcvInfo::SIZE {
                return Err(libc::EINVAL);
            }
        }
        let mut control = Control::default();
        control.offer(&mut message);
        // SAFETY: the message has the caller's pointers and our ancillary data
        let length = unsafe { guest::receive(fd, &raw mut message, *flags) }?;
        let found = control.receive_info(&message).filter(|_| !info.is_null());
        // SAFETY: the caller's promise; the pointers were checked
        unsafe {
            *flags = message.msg_flags;
            if !from.is_null() {
                *from_length = message.msg_namelen;
            }
            if !info_type.is_null() {
                *info_type = match found {
                    Some(_) => MANYPATH_SCTP_RECVV_RCVINFO,
                    None => MANYPATH_SCTP_RECVV_NOINFO,
                };
            }
            if let Some(bytes) = found {
                ptr::copy_nonoverlapping(bytes.as_ptr(), info.cast(), bytes.len());
            }
            if !info.is_null() {
                *info_length = found.map_or(0, |bytes| bytes.len() as socklen_t);
            }
        }
        Ok(length)
    };
    returned_bytes(received())
}

/// The destination of a message and its length.
///
/// # Safety
/// `addresses` has `count` addresses.
unsafe fn name(addresses: *const sockaddr, count: c_int) -> Result<(*mut c_void, socklen_t)> {
    match count {
        0 => Ok((ptr::null_mut(), 0)),
        1 if addresses.is_null() => Err(libc::EFAULT),
        1 => {
            // SAFETY: the caller's promise
            let family = unsafe { addresses.cast::<u16>().read_unaligned() };
            let length = address::length(family).ok_or(libc::EINVAL)?;
            Ok((addresses.cast_mut().cast(), length as socklen_t))
        }
        _ => Err(libc::EINVAL),
    }
}
