//! Sending: the core of `sendmsg`, `send`, `write` and their variants.

#![expect(unsafe_code, reason = "the caller's message is behind pointers")]

use super::ancillary;
use super::connection::listens;
use super::control::{Reply, call};
use super::held::Held;
use super::many;
use super::mark::{self, Mark};
use super::name::given;
use super::receive;
use super::system::{self, MOST_PARTS, Result, part};
use crate::abi::address;
use crate::abi::constants::{SCTP_ABORT, SCTP_EOF};
use crate::record::{ASSOCIATION_OVER, Call, HEAD, LARGEST_MESSAGE, Operation, Sent};
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
    // SAFETY: the caller's promise
    let parts = unsafe { system::parts(message) }?;
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
    let mut held = None;
    match mark::get(fd)? {
        Mark::Many if many::has_target(sent) => {
            if flags & libc::MSG_DONTWAIT == 0 {
                held = Some(Held::of(fd));
            }
            let fd = held.as_ref().map_or(fd, Held::fd);
            // SAFETY: the caller's promise
            if let Some(done) = unsafe { ask(fd, parts, sent, length, flags) }? {
                return Ok(done);
            }
        }
        Mark::Many => return refuse(fd, flags),
        mark => match permit(fd, mark, sent) {
            Err(libc::EPIPE) => return refuse(fd, flags),
            permission => permission?,
        },
    }
    // The record goes to the socket that the daemon was asked about
    let fd = held.as_ref().map_or(fd, Held::fd);
    let head = sent.head(length);
    let flags = flags & (libc::MSG_DONTWAIT | libc::MSG_NOSIGNAL);
    let written = if parts.len() < FEW {
        let mut all = [part(&head); FEW];
        all[1..=parts.len()].copy_from_slice(parts);
        // SAFETY: the head is an array, the parts are the caller's promise
        unsafe { system::send(fd, &all[..=parts.len()], None, flags) }
    } else if parts.len() < MOST_PARTS {
        let all = [&[part(&head)], parts].concat();
        // SAFETY: as above
        unsafe { system::send(fd, &all, None, flags) }
    } else {
        // The head is one part too many
        let mut all = head.to_vec();
        // SAFETY: the caller's promise
        unsafe { gather(parts, length, &mut all) }?;
        // SAFETY: the part is a slice
        unsafe { system::send(fd, &[part(&all)], None, flags) }
    };
    match written {
        Err(libc::EPIPE) => refuse(fd, flags),
        written => written.map(|written| written.saturating_sub(HEAD)),
    }
}

/// Refuses what Linux refuses at once: a message of a one-to-one socket without association, after its shutdown, or for a
/// stream that it lacks.
fn permit(fd: c_int, mark: Mark, sent: &Sent<'_>) -> Result<()> {
    let streams = match mark {
        Mark::Open(streams) if !mark::has_end(fd) => streams,
        Mark::SendOnly(streams) if !mark::has_hung_up(fd) => streams,
        _ => match call(fd, &Call::new(Operation::PeerName), &mut []) {
            Ok(Reply { value: ASSOCIATION_OVER, .. }) => return permit_alone(fd, Mark::Shut, sent),
            Ok(_) if mark == Mark::Shut => return Err(libc::ESHUTDOWN),
            Ok(Reply { value, .. }) => match u16::try_from(value) {
                Ok(streams @ 1..) => {
                    if !matches!(mark, Mark::SendOnly(_)) {
                        mark::set(fd, Mark::Open(streams))?;
                    }
                    streams
                }
                _ => return Err(libc::ESHUTDOWN),
            },
            Err(libc::ENOTCONN) => return permit_alone(fd, mark, sent),
            // The next record shows how the daemon has ended
            Err(_) => return Ok(()),
        },
    };
    let stream = sent.info.map_or(0, |info| info.stream);
    if stream < streams { Ok(()) } else { Err(libc::EINVAL) }
}

/// The same for a socket without association, for which a message to an address opens one.
fn permit_alone(fd: c_int, mark: Mark, sent: &Sent<'_>) -> Result<()> {
    if mark == Mark::Unknown && sent.destination.is_some() && !listens(fd) {
        return Ok(());
    }
    let mut error = [0; 4];
    let (level, option, room) = (libc::SOL_SOCKET, libc::SO_ERROR, 4);
    let request = Call { level, option, room, ..Call::new(Operation::GetOption) };
    // The daemon removes a socket whose association has ended
    let known = call(fd, &request, &mut error).map_or(0, |_| i32::from_ne_bytes(error));
    Err(if known == 0 { libc::EPIPE } else { known })
}

/// Asks the daemon whether the message may be sent. Returns the result of the call if no record
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
    let mut reason = Vec::new();
    if sent.info.is_some_and(|info| info.flags & SCTP_ABORT != 0) {
        // SAFETY: the caller's promise
        unsafe { gather(parts, many::LONGEST_REASON, &mut reason) }?;
    }
    let non_blocking = flags & libc::MSG_DONTWAIT != 0 || system::is_non_blocking(fd)?;
    let sent = Sent { bytes: &reason, ..sent.clone() };
    signalling(many::ask(fd, &sent, length, non_blocking), flags)
}

/// Appends the first bytes of the parts, at most `most`. The error is `EFAULT` for a null part with a length.
///
/// # Safety
/// The parts must be readable or null.
unsafe fn gather(parts: &[iovec], mut most: usize, into: &mut Vec<u8>) -> Result<()> {
    for part in parts.iter().filter(|part| part.iov_len > 0) {
        if part.iov_base.is_null() {
            return Err(libc::EFAULT);
        }
        let length = part.iov_len.min(most);
        most -= length;
        // SAFETY: the caller's promise
        into.extend_from_slice(unsafe { slice::from_raw_parts(part.iov_base.cast(), length) });
    }
    Ok(())
}

/// Gives the signal of a failure with `EPIPE`, which a Unix socket of this type does not give.
fn signalling<T>(result: Result<T>, flags: c_int) -> Result<T> {
    if matches!(result, Err(libc::EPIPE)) && flags & libc::MSG_NOSIGNAL == 0 {
        system::raise_pipe();
    }
    result
}

/// The failure of a message after the end of its association: first why it ended, unless that was read, and then
/// `EPIPE`. net/sctp/socket.c, sctp_error
fn refuse(fd: c_int, flags: c_int) -> Result<usize> {
    match receive::take_error(fd) {
        Some(why) => Err(why),
        None => signalling(Err(libc::EPIPE), flags),
    }
}
