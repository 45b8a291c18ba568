//! Sending: the core of `sendmsg`, `send`, `write` and their variants.

#![expect(unsafe_code, reason = "the caller's message is behind pointers")]

use super::ancillary;
use super::control::call;
use super::many;
use super::name::given;
use super::receive;
use super::system::{self, Result, part};
use crate::abi::address;
use crate::abi::constants::{SCTP_ABORT, SCTP_EOF};
use crate::record::{Call, HEAD, LARGEST_MESSAGE, Operation, Sent};
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
    let mut sent = Sent::default();
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
    // SAFETY: the part is a slice
    unsafe { send_parts(fd, &[part(bytes)], &Sent::default(), 0) }
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
    // SAFETY: the caller's promise
    if let Some(done) = unsafe { ask(fd, parts, sent, length, flags) }? {
        return Ok(done);
    }
    if has_ended(fd) {
        return refuse(fd, flags);
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
        Err(libc::EPIPE) => refuse(fd, flags),
        written => written.map(|written| written.saturating_sub(HEAD)),
    }
}

/// Asks the daemon, where that is needed, whether the message may be sent. Returns the result of the call if no record
/// follows.
///
/// # Safety
/// The parts must be readable.
unsafe fn ask(
    fd: c_int,
    parts: &[iovec],
    sent: &Sent<'_>,
    length: usize,
    flags: c_int,
) -> Result<Option<usize>> {
    if !many::must_ask(fd, sent)? {
        return Ok(None);
    }
    let mut reason = Vec::new();
    if sent.info.is_some_and(|info| info.flags & SCTP_ABORT != 0) {
        for part in parts.iter().filter(|part| part.iov_len > 0) {
            let room = many::LONGEST_REASON - reason.len();
            let length = part.iov_len.min(room);
            // SAFETY: the caller's promise
            reason
                .extend_from_slice(unsafe { slice::from_raw_parts(part.iov_base.cast(), length) });
        }
    }
    let non_blocking = flags & libc::MSG_DONTWAIT != 0 || system::is_non_blocking(fd)?;
    let sent = Sent { bytes: &reason, ..sent.clone() };
    signalling(many::ask(fd, &sent, length, non_blocking), flags)
}

/// Gives the signal of a failure with `EPIPE`, which a Unix socket of this type does not give.
fn signalling<T>(result: Result<T>, flags: c_int) -> Result<T> {
    if matches!(result, Err(libc::EPIPE)) && flags & libc::MSG_NOSIGNAL == 0 {
        system::raise_pipe();
    }
    result
}

/// Whether the association has ended: the daemon reads no more records then. A program that has shut reading down must
/// ask.
fn has_ended(fd: c_int) -> bool {
    system::receives_no_more(fd)
        && matches!(
            call(fd, &Call::new(Operation::PeerName), &mut []),
            Err(libc::ENOTCONN | libc::ECONNRESET)
        )
}

/// The failure of a message behind the end of its association: first why it ended, unless that was read, and then
/// `EPIPE`. net/sctp/socket.c, sctp_error
fn refuse(fd: c_int, flags: c_int) -> Result<usize> {
    match receive::take_error(fd) {
        Some(why) => Err(why),
        None => signalling(Err(libc::EPIPE), flags),
    }
}
