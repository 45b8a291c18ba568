//! Receiving: the core of `recvmsg`, `recv`, `read` and their variants.

#![expect(unsafe_code, reason = "the caller's message is behind pointers")]

use super::ancillary;
use super::control::call;
use super::held::Held;
use super::lock::RECORDS;
use super::many;
use super::mark::{self, Mark};
use super::name::{copy, put};
use super::system::{self, MOST_PARTS, Result, part_mut};
use crate::abi::address;
use crate::abi::constants::MSG_NOTIFICATION;
use crate::record::{Answer, Call, HEAD, Operation, Received};
use libc::{c_int, c_void, iovec, msghdr, sockaddr, socklen_t};

/// Bytes that were copied to the caller.
struct Delivered {
    /// The message.
    message: Received<'static>,
    /// The number of bytes.
    length: usize,
    /// Whether the record ends with them.
    whole: bool,
}

/// `recvmsg`.
///
/// # Errors
/// Its `errno`.
///
/// # Safety
/// As for `recvmsg`.
pub unsafe fn receive(fd: c_int, message: *mut msghdr, flags: c_int) -> Result<usize> {
    if message.is_null() {
        return Err(libc::EFAULT);
    }
    // SAFETY: the caller's promise
    let message = unsafe { &mut *message };
    // SAFETY: the caller's promise
    let parts = unsafe { system::parts(message) }?;
    // SAFETY: the caller's promise
    let delivered = unsafe { deliver(fd, parts, flags) }?;
    message.msg_flags = 0;
    let Some(Delivered { message: received, length, whole }) = delivered else {
        message.msg_namelen = 0;
        message.msg_controllen = 0;
        return Ok(0);
    };
    if whole && received.end_of_record {
        message.msg_flags |= libc::MSG_EOR;
    }
    if received.notification {
        message.msg_flags |= MSG_NOTIFICATION;
    }
    if !message.msg_name.is_null() {
        let source = received.source.map(address::encode).unwrap_or_default();
        // SAFETY: the caller's promise
        message.msg_namelen =
            unsafe { copy(&source, message.msg_name.cast(), message.msg_namelen) }?;
    }
    // SAFETY: the caller's promise
    unsafe { ancillary::write(&received, message) };
    Ok(length)
}

/// `recvfrom`. As in the kernel, `length` is ignored if `address` is null, and wrong pointers are noticed after the
/// message was taken: `net/socket.c`, `__sys_recvfrom`.
///
/// # Errors
/// Its `errno`.
///
/// # Safety
/// As for `recvfrom`.
pub unsafe fn receive_from(
    fd: c_int,
    bytes: *mut c_void,
    count: usize,
    flags: c_int,
    address: *mut sockaddr,
    length: *mut socklen_t,
) -> Result<usize> {
    let part = iovec { iov_base: bytes, iov_len: count };
    // SAFETY: the caller's promise
    let delivered = unsafe { deliver(fd, &[part], flags) }?;
    if !address.is_null() {
        let source = delivered.as_ref().and_then(|it| it.message.source);
        let source = source.map(address::encode).unwrap_or_default();
        // SAFETY: the caller's promise
        unsafe { put(&source, address, length) }?;
    }
    Ok(delivered.map_or(0, |it| it.length))
}

/// Copies the next bytes, and waits for them if the flags and the socket let it; none at the end of the association.
///
/// # Safety
/// The parts must be writable.
unsafe fn deliver(fd: c_int, parts: &[iovec], flags: c_int) -> Result<Option<Delivered>> {
    if flags & libc::MSG_ERRQUEUE != 0 {
        return Err(libc::EAGAIN);
    }
    // SAFETY: the caller's promise
    let attempt = |fd| unsafe { attempt(fd, parts, flags & libc::MSG_PEEK != 0) };
    let mut held: Option<Held> = None;
    loop {
        let fd = held.as_ref().map_or(fd, Held::fd);
        match attempt(fd) {
            Err(libc::EAGAIN) if flags & libc::MSG_DONTWAIT == 0 => {
                match may_wait(fd) {
                    // The last record of an association may have arrived before the daemon's answer
                    Err(libc::ENOTCONN) => match attempt(fd) {
                        Err(libc::EAGAIN) => return Err(libc::ENOTCONN),
                        other => return other,
                    },
                    permission => permission?,
                }
                let waiting = match held.take() {
                    Some(held) => held,
                    None => Held::to_wait(fd)?,
                };
                system::wait(held.insert(waiting).fd())?;
            }
            other => return other,
        }
    }
}

/// Lets receiving wait: the socket has an association, or is a one-to-many socket.
pub(super) fn let_wait(fd: c_int) -> Result<()> {
    let _guard = RECORDS.take()?;
    // Another thread may have read a part of the first record already
    if saved_offset(fd)? < 0 { set_offset(fd, 0) } else { Ok(()) }
}

/// The unread bytes of the first message, 0 if there is none.
pub(super) fn unread(fd: c_int) -> Result<usize> {
    let _guard = RECORDS.take()?;
    let saved = saved_offset(fd)?;
    let offset = usize::try_from(saved).unwrap_or(0);
    let mut head = [0; HEAD];
    match first_head(fd, saved, &mut head) {
        Ok(0) | Err(libc::EAGAIN) => Ok(0),
        Ok(_) => match Answer::decode_head(&head) {
            Ok((Answer::Data(_), length)) => Ok(length - HEAD.max(offset).min(length)),
            _ => Ok(0),
        },
        Err(errno) => Err(errno),
    }
}

/// Whether the first record has data of an association.
pub(super) fn has_data(fd: c_int) -> Result<bool> {
    let _guard = RECORDS.take()?;
    let saved = saved_offset(fd)?;
    let mut head = [0; HEAD];
    let read = first_head(fd, saved, &mut head);
    Ok(read.is_ok_and(|length| length == HEAD)
        && matches!(Answer::decode_head(&head), Ok((Answer::Data(_), _))))
}

/// Removes the error of an association that has ended, if no unread message precedes it.
pub(super) fn take_error(fd: c_int) -> Option<c_int> {
    let _guard = RECORDS.take().ok()?;
    let saved = saved_offset(fd).ok()?;
    let mut head = [0; HEAD];
    let read = first_head(fd, saved, &mut head);
    let (Ok(1..), Ok((Answer::Error { errno }, _))) = (read, Answer::decode_head(&head)) else {
        return None;
    };
    system::drop_record(fd).ok()?;
    restore_offset(fd, saved).ok()?;
    Some(errno)
}

/// Copies the next bytes without blocking; none at the end of the association.
///
/// # Safety
/// The parts must be writable.
unsafe fn attempt(fd: c_int, parts: &[iovec], peek: bool) -> Result<Option<Delivered>> {
    let _guard = RECORDS.take()?;
    let saved = saved_offset(fd)?;
    let start = usize::try_from(saved).unwrap_or(0);
    let mut head = [0; HEAD];
    let position = if start == 0 && parts.len() < MOST_PARTS {
        // SAFETY: the caller's promise
        match unsafe { peek_with_head(fd, &mut head, parts) }? {
            0 => return Ok(None),
            length => length,
        }
    } else {
        // The record's first part was read earlier, or the head is one part too many
        if first_head(fd, saved, &mut head)? == 0 {
            return Ok(None);
        }
        let from = start.max(HEAD);
        let whole = Answer::decode_head(&head).map_or(0, |(_, length)| length);
        if whole <= from {
            // The kernel would copy the next record
            from
        } else {
            set_offset(fd, from)?;
            // SAFETY: the caller's promise
            match unsafe { system::peek(fd, parts) } {
                Ok(length) => from + length,
                Err(errno) => {
                    restore_offset(fd, saved)?;
                    return Err(errno);
                }
            }
        }
    };
    let (received, length) = match Answer::decode_head(&head) {
        Ok((Answer::Data(received), length)) if length > HEAD => (received, length),
        Ok((Answer::Error { errno }, _)) => {
            system::drop_record(fd)?;
            mark::doubt(fd)?;
            return Err(errno);
        }
        Ok((Answer::Accept { .. }, _)) => {
            restore_offset(fd, saved)?;
            return Err(libc::ENOTCONN);
        }
        _ => {
            system::drop_record(fd)?;
            return Err(libc::EPROTO);
        }
    };
    let whole = position >= length;
    if peek {
        set_offset(fd, start)?;
    } else if whole {
        system::drop_record(fd)?;
    } else if saved < 0 {
        set_offset(fd, position)?;
    }
    Ok(Some(Delivered { message: received, length: position - start.max(HEAD), whole }))
}

/// Copies the first record: its head and the bytes after it. Returns the length of both.
///
/// # Safety
/// The parts must be writable.
unsafe fn peek_with_head(fd: c_int, head: &mut [u8; HEAD], parts: &[iovec]) -> Result<usize> {
    /// Parts on the stack.
    const FEW: usize = 16;
    let first = part_mut(head);
    if parts.len() < FEW {
        let mut all = [first; FEW];
        all[1..=parts.len()].copy_from_slice(parts);
        // SAFETY: the head is an array, the parts are the caller's promise
        unsafe { system::peek(fd, &all[..=parts.len()]) }
    } else {
        let all = [&[first], parts].concat();
        // SAFETY: as above
        unsafe { system::peek(fd, &all) }
    }
}

/// Copies the head of the first record. The peek offset is `saved` before and afterwards.
fn first_head(fd: c_int, saved: c_int, head: &mut [u8; HEAD]) -> Result<usize> {
    set_offset(fd, 0)?;
    // SAFETY: the part is an array that nothing else uses
    let read = unsafe { system::peek(fd, &[part_mut(head)]) };
    restore_offset(fd, saved)?;
    read
}

/// Refuses to wait for a message of a socket without association: `ENOTCONN`. A one-to-many socket may also listen. The
/// daemon is asked until that is so; the peek offset is negative until then. net/sctp/socket.c, sctp_wait_for_packet
fn may_wait(fd: c_int) -> Result<()> {
    if saved_offset(fd)? >= 0 || system::is_non_blocking(fd)? {
        return Ok(());
    }
    if mark::get(fd)? != Mark::Many {
        call(fd, &Call::new(Operation::PeerName), &mut [])?;
    } else if !many::may_receive(fd)? {
        return Err(libc::ENOTCONN);
    }
    let_wait(fd)
}

/// How much of the first record was read, its head included.
pub(super) fn offset(fd: c_int) -> Result<usize> {
    Ok(usize::try_from(saved_offset(fd)?).unwrap_or(0))
}

/// The peek offset as the kernel has it. It is negative until an association is known; peeking does not move it then.
fn saved_offset(fd: c_int) -> Result<c_int> {
    system::option(fd, libc::SO_PEEK_OFF, 0)
}

fn set_offset(fd: c_int, offset: usize) -> Result<()> {
    restore_offset(fd, offset as c_int)
}

fn restore_offset(fd: c_int, offset: c_int) -> Result<()> {
    system::set_option(fd, libc::SO_PEEK_OFF, &offset)
}
