//! Sending: the core of `sendmsg`, `send`, `write` and their variants.

#![expect(unsafe_code, reason = "the caller's message is behind pointers")]

use super::ancillary;
use super::name::given;
use super::receive;
use super::system::{self, Result, part};
use crate::abi::address;
use crate::abi::constants::{SCTP_ABORT, SCTP_EOF};
use crate::record::{HEAD, LARGEST_MESSAGE, Sent};
use libc::{c_int, iovec, msghdr};
use std::slice;

/// `sendmsg`.
///
/// # Errors
/// Its `errno`.
///
/// # Safety
/// As for `sendmsg`.
pub unsafe fn send(fd: c_int, message: *const msghdr, flags: c_int) -> Result<usize> {
    if message.is_null() {
        return Err(libc::EFAULT);
    }
    // SAFETY: the caller's promise
    let message = unsafe { &*message };
    let mut sent = Sent { info: None, reliability: None, destination: None, bytes: &[] };
    if !message.msg_name.is_null() && message.msg_namelen > 0 {
        // SAFETY: the caller's promise
        let name = unsafe { given(message.msg_name.cast(), message.msg_namelen) }?;
        sent.destination = Some(address::decode(name).ok_or(libc::EINVAL)?.0);
    }
    // SAFETY: the caller's promise
    unsafe { ancillary::read(message, &mut sent) }?;
    let parts = match message.msg_iovlen {
        0 => &[],
        // SAFETY: the caller's promise
        length => unsafe { slice::from_raw_parts(message.msg_iov, length as _) },
    };
    // SAFETY: the caller's promise
    unsafe { send_parts(fd, parts, &sent, flags) }
}

/// Sends a message with the socket's defaults.
pub(super) fn send_bytes(fd: c_int, bytes: &[u8]) -> Result<usize> {
    let sent = Sent { info: None, reliability: None, destination: None, bytes: &[] };
    // SAFETY: the part is a slice
    unsafe { send_parts(fd, &[part(bytes)], &sent, 0) }
}

/// # Safety
/// The parts must be readable.
unsafe fn send_parts(fd: c_int, parts: &[iovec], sent: &Sent<'_>, flags: c_int) -> Result<usize> {
    /// Parts on the stack.
    const FEW: usize = 16;
    let length = parts
        .iter()
        .try_fold(0_usize, |sum, part| sum.checked_add(part.iov_len))
        .ok_or(libc::EINVAL)?;
    if length > LARGEST_MESSAGE {
        return Err(libc::EMSGSIZE);
    }
    // net/sctp/socket.c, sctp_sendmsg_parse
    let ends = sent.info.map_or(0, |info| info.flags);
    if ends & SCTP_EOF != 0 && length > 0 || ends & (SCTP_EOF | SCTP_ABORT) == 0 && length == 0 {
        return Err(libc::EINVAL);
    }
    // The daemon reads records of an association that has ended no more
    if system::has_ended(fd) {
        return Err(refuse(fd, flags));
    }
    let head = sent.head(length);
    let flags = flags & (libc::MSG_DONTWAIT | libc::MSG_NOSIGNAL);
    let written = if parts.len() < FEW {
        let mut all = [part(&head); FEW];
        all[1..=parts.len()].copy_from_slice(parts);
        // SAFETY: the head is an array, the parts are the caller's promise
        unsafe { system::send(fd, &all[..=parts.len()], None, flags) }
    } else {
        let all = [&[part(&head)], parts].concat();
        // SAFETY: as above
        unsafe { system::send(fd, &all, None, flags) }
    };
    match written {
        Err(libc::EPIPE) => Err(refuse(fd, flags)),
        written => written.map(|written| written.saturating_sub(HEAD)),
    }
}

/// The error of a message behind the end of its association: first why it ended, unless that was read, and then `EPIPE`
/// with its signal. net/sctp/socket.c, sctp_error
fn refuse(fd: c_int, flags: c_int) -> c_int {
    if let Some(why) = receive::take_error(fd) {
        return why;
    }
    // A Unix socket of this type gives no signal
    if flags & libc::MSG_NOSIGNAL == 0 {
        system::raise_pipe();
    }
    libc::EPIPE
}
