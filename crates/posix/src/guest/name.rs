//! `bind`, `getsockname` and `getpeername`.

#![expect(unsafe_code, reason = "the caller's addresses are behind pointers")]

use super::control::call;
use super::system::{self, Result};
use crate::abi::Address;
use crate::abi::Layout as _;
use crate::record::{Call, Operation};
use libc::{c_int, sockaddr, socklen_t};
use std::slice;

/// `bind`.
///
/// # Errors
/// Its `errno`.
///
/// # Safety
/// As for `bind`.
pub unsafe fn bind(fd: c_int, address: *const sockaddr, length: socklen_t) -> Result<()> {
    // SAFETY: the caller's promise
    let bytes = unsafe { given(address, length) }?;
    call(fd, &Call { bytes, ..Call::new(Operation::Bind) }, &mut []).map(drop)
}

/// `getsockname`.
///
/// # Errors
/// Its `errno`.
///
/// # Safety
/// As for `getsockname`.
pub unsafe fn socket_name(fd: c_int, address: *mut sockaddr, length: *mut socklen_t) -> Result<()> {
    // SAFETY: the caller's promise
    unsafe { name(fd, Operation::SocketName, address, length) }
}

/// `getpeername`.
///
/// # Errors
/// Its `errno`.
///
/// # Safety
/// As for `getpeername`.
pub unsafe fn peer_name(fd: c_int, address: *mut sockaddr, length: *mut socklen_t) -> Result<()> {
    // SAFETY: the caller's promise
    unsafe { name(fd, Operation::PeerName, address, length) }
}

unsafe fn name(
    fd: c_int,
    operation: Operation,
    address: *mut sockaddr,
    length: *mut socklen_t,
) -> Result<()> {
    let mut buffer = [0; Address::SIZE];
    let reply = call(fd, &Call::new(operation), &mut buffer)?;
    // SAFETY: the caller's promise
    unsafe { put(&buffer[..reply.length], address, length) }
}

/// The bytes of an address that the caller gave.
///
/// # Safety
/// `address` has `length` bytes, or is null.
pub(super) unsafe fn given<'a>(address: *const sockaddr, length: socklen_t) -> Result<&'a [u8]> {
    let length = length as usize;
    if length > Address::SIZE {
        Err(libc::EINVAL)
    } else if address.is_null() {
        if length == 0 { Ok(&[]) } else { Err(libc::EFAULT) }
    } else {
        system::check_mapped(address, length)?;
        // SAFETY: the caller's promise
        Ok(unsafe { slice::from_raw_parts(address.cast(), length) })
    }
}

/// Writes an address for the caller, cut to the room that `length` gives, and its full length.
///
/// # Errors
/// `EINVAL` if `*length` is negative in C, `EFAULT` for pointers to no memory: `net/socket.c`, `move_addr_to_user`.
///
/// # Safety
/// The pointers are null, or `length` is valid and `address` has room for `*length` bytes.
pub(super) unsafe fn put(
    bytes: &[u8],
    address: *mut sockaddr,
    length: *mut socklen_t,
) -> Result<()> {
    system::check_mapped(length, size_of::<socklen_t>())?;
    // SAFETY: the caller's promise
    unsafe { *length = copy(bytes, address, *length)? };
    Ok(())
}

/// Writes an address for the caller, cut to `room` bytes. Returns its full length.
///
/// # Errors
/// `EINVAL` if `room` is negative in C, `EFAULT` for a pointer to no memory.
///
/// # Safety
/// `address` is null or has room for `room` bytes.
pub(super) unsafe fn copy(
    bytes: &[u8],
    address: *mut sockaddr,
    room: socklen_t,
) -> Result<socklen_t> {
    if room.cast_signed() < 0 {
        return Err(libc::EINVAL);
    }
    let room = (room as usize).min(bytes.len());
    system::check_mapped(address, room)?;
    // SAFETY: the caller's promise
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), address.cast(), room) };
    Ok(bytes.len() as socklen_t)
}
