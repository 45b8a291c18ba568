//! Receiving: the core of `recvmsg`, `recv`, `read` and their variants.

#![expect(unsafe_code, reason = "the caller's message is behind pointers")]

use super::ancillary;
use super::lock;
use super::name::put;
use super::system::{self, Result, part_mut};
use crate::abi::address;
use crate::abi::constants::MSG_NOTIFICATION;
use crate::record::{Answer, HEAD, Received};
use libc::{c_int, iovec, msghdr, socklen_t};
use std::slice;

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
    if flags & libc::MSG_ERRQUEUE != 0 {
        return Err(libc::EAGAIN);
    }
    // SAFETY: the caller's promise
    let message = unsafe { &mut *message };
    let parts = match message.msg_iovlen {
        0 => &[],
        // SAFETY: the caller's promise
        length => unsafe { slice::from_raw_parts(message.msg_iov, length as _) },
    };
    let delivered = loop {
        // SAFETY: the caller's promise
        match unsafe { attempt(fd, parts, flags & libc::MSG_PEEK != 0) } {
            Err(libc::EAGAIN) if flags & libc::MSG_DONTWAIT == 0 => system::wait(fd)?,
            other => break other?,
        }
    };
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
    let source = received.source.map(address::encode).unwrap_or_default();
    if !message.msg_name.is_null() {
        let mut room: socklen_t = message.msg_namelen;
        // SAFETY: the caller's promise
        unsafe { put(&source, message.msg_name.cast(), &raw mut room) };
        message.msg_namelen = room;
    }
    // SAFETY: the caller's promise
    unsafe { ancillary::write(&received, message) };
    Ok(length)
}

/// The unread bytes of the first message, 0 if there is none.
pub(super) fn unread(fd: c_int) -> Result<usize> {
    let _guard = lock::take()?;
    let offset = offset(fd)?;
    let mut head = [0; HEAD];
    let read = first_head(fd, &mut head);
    set_offset(fd, offset)?;
    match read {
        Ok(0) | Err(libc::EAGAIN) => Ok(0),
        Ok(_) => match Answer::decode_head(&head) {
            Ok((Answer::Data(_), length)) => Ok(length - HEAD.max(offset).min(length)),
            _ => Ok(0),
        },
        Err(errno) => Err(errno),
    }
}

/// Removes the error of an association that has ended, if no unread message precedes it.
pub(super) fn take_error(fd: c_int) -> Option<c_int> {
    let _guard = lock::take().ok()?;
    let offset = offset(fd).ok()?;
    let mut head = [0; HEAD];
    let read = first_head(fd, &mut head);
    match (read, Answer::decode_head(&head)) {
        (Ok(1..), Ok((Answer::Error { errno }, _))) => {
            // The next record has not been read
            system::drop_record(fd).and_then(|()| set_offset(fd, 0)).ok()?;
            Some(errno)
        }
        _ => {
            set_offset(fd, offset).ok()?;
            None
        }
    }
}

/// Copies the next bytes without blocking; none at the end of the association.
///
/// # Safety
/// The parts must be writable.
unsafe fn attempt(fd: c_int, parts: &[iovec], peek: bool) -> Result<Option<Delivered>> {
    let _guard = lock::take()?;
    let start = offset(fd)?;
    let mut head = [0; HEAD];
    let position = if start == 0 {
        // SAFETY: the caller's promise
        match unsafe { peek_with_head(fd, &mut head, parts) }? {
            0 => return Ok(None),
            length => length,
        }
    } else {
        // The record's first part was read earlier
        let length = first_head(fd, &mut head);
        set_offset(fd, start)?;
        if length? == 0 {
            return Ok(None);
        }
        // SAFETY: the caller's promise
        start + unsafe { system::peek(fd, parts) }?
    };
    let (received, length) = match Answer::decode_head(&head) {
        Ok((Answer::Data(received), length)) if length > HEAD => (received, length),
        Ok((Answer::Error { errno }, _)) => {
            system::drop_record(fd)?;
            return Err(errno);
        }
        Ok((Answer::Accept { .. }, _)) => {
            set_offset(fd, 0)?;
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
    }
    Ok(Some(Delivered { message: received, length: position - start.max(HEAD), whole }))
}

/// Copies the first record: its head and the bytes behind it. Returns the length of both.
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

/// Copies the head of the first record. The peek offset must be set afterwards.
fn first_head(fd: c_int, head: &mut [u8; HEAD]) -> Result<usize> {
    set_offset(fd, 0)?;
    // SAFETY: the part is an array that nothing else uses
    unsafe { system::peek(fd, &[part_mut(head)]) }
}

/// How much of the first record was read, its head included.
fn offset(fd: c_int) -> Result<usize> {
    match usize::try_from(system::option::<c_int>(fd, libc::SO_PEEK_OFF, 0)?) {
        Ok(offset) => Ok(offset),
        // The daemon made this socket; until then peeking does not move on
        Err(_) => set_offset(fd, 0).map(|()| 0),
    }
}

fn set_offset(fd: c_int, offset: usize) -> Result<()> {
    system::set_option(fd, libc::SO_PEEK_OFF, &(offset as c_int))
}
