//! Several addresses of a socket: `sctp_bindx`, `sctp_connectx`, `sctp_getpaddrs` and `sctp_getladdrs`. RFC 6458 §9

use crate::pointer::{check as check_pointer, check_optional};
use crate::{Result, check};
use libc::{c_int, c_void, sockaddr, socklen_t};
use manypath_posix::abi::Layout;
use manypath_posix::abi::address;
use manypath_posix::abi::constants::{
    IPPROTO_SCTP, SCTP_GET_LOCAL_ADDRS, SCTP_GET_PEER_ADDRS, SCTP_SOCKOPT_BINDX_ADD,
    SCTP_SOCKOPT_BINDX_REM, SCTP_SOCKOPT_CONNECTX,
};
use manypath_posix::abi::option::GetAddrs;
use manypath_posix::guest::{self, returned};
use std::ptr;

/// Flag of `manypath_sctp_bindx`: add the addresses.
pub const MANYPATH_SCTP_BINDX_ADD_ADDR: c_int = 1;
/// Flag of `manypath_sctp_bindx`: remove the addresses.
pub const MANYPATH_SCTP_BINDX_REM_ADDR: c_int = 2;

/// `sctp_bindx`: binds `count` addresses, which are one after the other, each with its own length. `flags` is
/// `MANYPATH_SCTP_BINDX_ADD_ADDR` or `MANYPATH_SCTP_BINDX_REM_ADDR`. RFC 6458 §9.1
///
/// # Safety
/// `addresses` has `count` addresses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manypath_sctp_bindx(
    fd: c_int,
    addresses: *const sockaddr,
    count: c_int,
    flags: c_int,
) -> c_int {
    let option = match flags {
        MANYPATH_SCTP_BINDX_ADD_ADDR => Ok(SCTP_SOCKOPT_BINDX_ADD),
        MANYPATH_SCTP_BINDX_REM_ADDR => Ok(SCTP_SOCKOPT_BINDX_REM),
        _ => Err(libc::EINVAL),
    };
    returned(check(fd).and(option).and_then(|option| {
        // SAFETY: the caller's promise
        unsafe { pass(fd, option, addresses, count) }.map(|_| 0)
    }))
}

/// `sctp_connectx`: connects to a peer with several addresses. Stores the number of the association in `association`,
/// unless it is NULL or the socket is non-blocking. RFC 6458 §9.9
///
/// # Safety
/// `addresses` has `count` addresses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manypath_sctp_connectx(
    fd: c_int,
    addresses: *const sockaddr,
    count: c_int,
    association: *mut i32,
) -> c_int {
    let checked = check(fd).and_then(|()| check_optional(association));
    returned(checked.and_then(|()| {
        // SAFETY: the caller's promise
        let number = unsafe { pass(fd, SCTP_SOCKOPT_CONNECTX, addresses, count) }?;
        if !association.is_null() {
            // SAFETY: the caller's promise; the pointer is aligned
            unsafe { association.write(number) };
        }
        Ok(0)
    }))
}

/// Sets an option whose value is addresses; returns what the daemon answers.
///
/// # Safety
/// `addresses` has `count` addresses.
unsafe fn pass(
    fd: c_int,
    option: c_int,
    addresses: *const sockaddr,
    count: c_int,
) -> Result<c_int> {
    if addresses.is_null() {
        return Err(libc::EFAULT);
    }
    if count <= 0 {
        return Err(libc::EINVAL);
    }
    let mut length = 0;
    for _ in 0..count {
        // SAFETY: the caller's promise
        let family = unsafe { addresses.byte_add(length).cast::<u16>().read_unaligned() };
        length += address::length(family).ok_or(libc::EINVAL)?;
    }
    let length = socklen_t::try_from(length).map_err(|_| libc::EINVAL)?;
    // SAFETY: the caller's promise
    unsafe { guest::set_option(fd, IPPROTO_SCTP, option, addresses.cast(), length) }
}

/// `sctp_getpaddrs`: stores the addresses of the peer, one after the other, in memory that
/// `manypath_sctp_freepaddrs` frees. Returns their number. `association` is 0 for one-to-one sockets. RFC 6458 §9.3
///
/// # Safety
/// `addresses` can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manypath_sctp_getpaddrs(
    fd: c_int,
    association: i32,
    addresses: *mut *mut sockaddr,
) -> c_int {
    // SAFETY: the caller's promise
    returned(unsafe { get(fd, SCTP_GET_PEER_ADDRS, association, addresses) })
}

/// `sctp_getladdrs`: the same for the local addresses. `manypath_sctp_freeladdrs` frees them. RFC 6458 §9.5
///
/// # Safety
/// `addresses` can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manypath_sctp_getladdrs(
    fd: c_int,
    association: i32,
    addresses: *mut *mut sockaddr,
) -> c_int {
    // SAFETY: the caller's promise
    returned(unsafe { get(fd, SCTP_GET_LOCAL_ADDRS, association, addresses) })
}

/// Frees what `manypath_sctp_getpaddrs` stored. NULL is allowed.
///
/// # Safety
/// The pointer is one of that function, and was not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manypath_sctp_freepaddrs(addresses: *mut sockaddr) {
    // SAFETY: the caller's promise; the memory is that of malloc
    unsafe { libc::free(addresses.cast()) };
}

/// Frees what `manypath_sctp_getladdrs` stored. NULL is allowed.
///
/// # Safety
/// The pointer is one of that function, and was not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manypath_sctp_freeladdrs(addresses: *mut sockaddr) {
    // SAFETY: the caller's promise; the memory is that of malloc
    unsafe { libc::free(addresses.cast()) };
}

/// Reads an option whose value is addresses.
///
/// # Safety
/// `addresses` can be written.
unsafe fn get(
    fd: c_int,
    option: c_int,
    association: i32,
    addresses: *mut *mut sockaddr,
) -> Result<c_int> {
    check(fd)?;
    check_pointer(addresses)?;
    let mut value = [0; ROOM];
    let head = GetAddrs { assoc_id: association, addr_num: 0 };
    head.put(&mut value[..GetAddrs::SIZE]);
    let mut length = ROOM as socklen_t;
    let start: *mut c_void = value.as_mut_ptr().cast();
    // SAFETY: the value has as many bytes as the length says
    unsafe { guest::get_option(fd, IPPROTO_SCTP, option, start, &raw mut length) }?;
    let value = value.get(..length as usize).ok_or(libc::EPROTO)?;
    let count = GetAddrs::decode(value).ok_or(libc::EPROTO)?.addr_num;
    let count = c_int::try_from(count).map_err(|_| libc::EPROTO)?;
    let packed = &value[GetAddrs::SIZE..];
    let copy = if packed.is_empty() {
        ptr::null_mut()
    } else {
        // SAFETY: the memory has as many bytes as are copied
        unsafe {
            let copy = libc::malloc(packed.len());
            if copy.is_null() {
                return Err(libc::ENOMEM);
            }
            ptr::copy_nonoverlapping(packed.as_ptr(), copy.cast(), packed.len());
            copy.cast()
        }
    };
    // SAFETY: the caller's promise; the pointer is aligned
    unsafe { addresses.write(copy) };
    Ok(count)
}

/// Bytes for the addresses of an association or a socket: more than 100 of them.
const ROOM: usize = 4096;
