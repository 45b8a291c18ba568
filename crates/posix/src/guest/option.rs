//! `getsockopt` and `setsockopt`.

#![expect(unsafe_code, reason = "the caller's values are behind pointers")]

use super::control::{Reply, call, opening_call};
use super::held::Held;
use super::many;
use super::system::{self, Result};
use crate::abi::Layout as _;
use crate::abi::constants::{
    IPPROTO_SCTP, SCTP_SOCKOPT_CONNECTX, SCTP_SOCKOPT_CONNECTX_OLD, SCTP_SOCKOPT_CONNECTX3,
    SCTP_SOCKOPT_PEELOFF, SCTP_SOCKOPT_PEELOFF_FLAGS,
};
use crate::record::{Call, Operation};
use libc::{c_int, c_void, socklen_t};
use std::ptr::copy_nonoverlapping;
use std::slice;

/// The longest value of an option in bytes. A longer one is cut: `getsockopt` never fills more.
const LONGEST: usize = 65_536;
/// The longest value on the stack.
const SHORT: usize = 512;

/// Whether the kernel has the option of the Unix socket: it is about blocking, not about SCTP.
#[must_use]
pub fn is_of_descriptor(level: c_int, option: c_int) -> bool {
    /// `SO_RCVTIMEO_NEW` and `SO_SNDTIMEO_NEW`, which libc has on some machines only.
    const TIMEOUTS: [c_int; 2] = [66, 67];
    level == libc::SOL_SOCKET
        && (matches!(option, libc::SO_RCVTIMEO | libc::SO_SNDTIMEO | libc::SO_RCVLOWAT)
            || option == libc::SO_COOKIE
            || TIMEOUTS.contains(&option))
}

/// `setsockopt`.
///
/// # Errors
/// Its `errno`.
///
/// # Safety
/// As for `setsockopt`.
pub unsafe fn set_option(
    fd: c_int,
    level: c_int,
    option: c_int,
    value: *const c_void,
    length: socklen_t,
) -> Result<c_int> {
    let length = length as usize;
    if length > LONGEST {
        return Err(libc::EINVAL);
    }
    if value.is_null() && length > 0 {
        return Err(libc::EFAULT);
    }
    let bytes = match length {
        0 => &[],
        // SAFETY: the caller's promise
        _ => unsafe { slice::from_raw_parts(value.cast(), length) },
    };
    let request = Call { level, option, bytes, ..Call::new(Operation::SetOption) };
    ask(fd, &request, &mut []).map(|reply| reply.value)
}

/// `getsockopt`.
///
/// # Errors
/// Its `errno`.
///
/// # Safety
/// As for `getsockopt`.
pub unsafe fn get_option(
    fd: c_int,
    level: c_int,
    option: c_int,
    value: *mut c_void,
    length: *mut socklen_t,
) -> Result<c_int> {
    system::check_mapped(length, size_of::<socklen_t>())?;
    // SAFETY: the caller's promise
    let room = unsafe { *length };
    if c_int::try_from(room).is_err() {
        return Err(libc::EINVAL);
    }
    let used = (room as usize).min(LONGEST);
    system::check_mapped(value, used)?;
    let (mut short, mut long);
    let buffer = if used <= SHORT {
        short = [0; 2 * SHORT];
        &mut short[..]
    } else {
        long = vec![0; 2 * used];
        &mut long[..]
    };
    let (given, answer) = buffer.split_at_mut(used);
    let answer = &mut answer[..used];
    // SAFETY: the caller's promise
    unsafe { copy_nonoverlapping(value.cast(), given.as_mut_ptr(), used) };
    let (returned, written) = if is_peel_off(level, option) {
        many::peel_off(fd, option, given, answer)?
    } else {
        let bytes = match (level, option) {
            // SAFETY: the caller's promise
            (IPPROTO_SCTP, SCTP_SOCKOPT_CONNECTX3) => unsafe { addresses(given) }?,
            _ => given,
        };
        let request = Call { level, option, room, bytes, ..Call::new(Operation::GetOption) };
        let reply = ask(fd, &request, answer)?;
        (reply.value, reply.length)
    };
    // SAFETY: the caller's promise
    unsafe {
        copy_nonoverlapping(answer.as_ptr(), value.cast(), written);
        *length = written as socklen_t;
    }
    Ok(returned)
}

/// The addresses of `SCTP_SOCKOPT_CONNECTX3`, to which a pointer leads: `struct sctp_getaddrs_old` of Linux has the
/// number of the association, the length of the addresses in bytes, and the pointer.
///
/// # Safety
/// The pointer is null, or the addresses are readable.
unsafe fn addresses<'a>(given: &[u8]) -> Result<&'a [u8]> {
    let length = given.get(4..).and_then(i32::decode).ok_or(libc::EINVAL)?;
    let pointer = given.get(8..).and_then(<[u8]>::first_chunk).ok_or(libc::EINVAL)?;
    let pointer = usize::from_ne_bytes(*pointer) as *const u8;
    let length = usize::try_from(length).map_err(|_| libc::EINVAL)?;
    match length {
        0 | LONGEST.. => Err(libc::EINVAL),
        _ => {
            system::check_mapped(pointer, length)?;
            // SAFETY: the caller's promise
            Ok(unsafe { slice::from_raw_parts(pointer, length) })
        }
    }
}

fn is_peel_off(level: c_int, option: c_int) -> bool {
    level == IPPROTO_SCTP && matches!(option, SCTP_SOCKOPT_PEELOFF | SCTP_SOCKOPT_PEELOFF_FLAGS)
}

fn ask(fd: c_int, request: &Call<'_>, answer: &mut [u8]) -> Result<Reply> {
    let connects = matches!(
        request.option,
        SCTP_SOCKOPT_CONNECTX | SCTP_SOCKOPT_CONNECTX_OLD | SCTP_SOCKOPT_CONNECTX3
    );
    match request.level == IPPROTO_SCTP && connects {
        true => opening_call(Held::of(fd).fd(), request, answer),
        false => call(fd, request, answer),
    }
}
