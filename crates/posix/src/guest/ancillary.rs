//! Ancillary data of messages. RFC 6458 §5.3

#![expect(unsafe_code, reason = "the caller's ancillary data are behind pointers")]

use super::refusal::Once;
use super::system::Result;
use crate::abi::Layout;
use crate::abi::constants::{
    IPPROTO_SCTP, SCTP_ABORT, SCTP_ADDR_OVER, SCTP_AUTHINFO, SCTP_DSTADDRV4, SCTP_DSTADDRV6,
    SCTP_EOF, SCTP_INIT, SCTP_PR_SCTP_MASK, SCTP_PR_SCTP_NONE, SCTP_PR_SCTP_TTL, SCTP_PRINFO,
    SCTP_RCVINFO, SCTP_SACK_IMMEDIATELY, SCTP_SENDALL, SCTP_SNDINFO, SCTP_SNDRCV, SCTP_UNORDERED,
};
use crate::abi::message::{PrInfo, RcvInfo, SndInfo, SndRcvInfo};
use crate::record::{
    ANCILLARY_RCVINFO, ANCILLARY_SNDRCV, PartialReliability, Received, SendInfo, Sent,
};
use libc::{c_int, cmsghdr, msghdr};
use std::slice;

/// Flags that a message may have. `net/sctp/socket.c` refuses others with `EINVAL`.
const FLAGS: u16 = SCTP_UNORDERED
    | SCTP_ADDR_OVER
    | SCTP_SACK_IMMEDIATELY
    | SCTP_SENDALL
    | SCTP_PR_SCTP_MASK
    | SCTP_ABORT
    | SCTP_EOF;

static AUTHENTICATION: Once = Once::new("ancillary data SCTP_AUTHINFO are not supported");
static DESTINATIONS: Once = Once::new("ancillary data SCTP_DSTADDRV4 and V6 are not supported");

/// Reads what the application gave with a message to send.
///
/// # Safety
/// The ancillary data of `message` are valid.
pub(super) unsafe fn read(message: &msghdr, sent: &mut Sent<'_>) -> Result<()> {
    // net/socket.c, ____sys_sendmsg
    if message.msg_controllen > c_int::MAX as usize {
        return Err(libc::ENOBUFS);
    }
    if message.msg_control.is_null() {
        return if message.msg_controllen == 0 { Ok(()) } else { Err(libc::EFAULT) };
    }
    // SAFETY: the caller's promise
    let mut next = unsafe { libc::CMSG_FIRSTHDR(message) };
    while !next.is_null() {
        // SAFETY: the macros of C return a head inside of the ancillary data
        let (level, kind, bytes) = unsafe {
            let head = next.read_unaligned();
            let empty = libc::CMSG_LEN(0) as usize;
            let length = head.cmsg_len;
            let start = next as usize - message.msg_control as usize;
            if length < empty || length > message.msg_controllen - start {
                return Err(libc::EINVAL);
            }
            let data = slice::from_raw_parts(libc::CMSG_DATA(next), length - empty);
            (head.cmsg_level, head.cmsg_type, data)
        };
        if level == IPPROTO_SCTP {
            apply(kind, bytes, sent)?;
        }
        // SAFETY: the caller's promise
        next = unsafe { libc::CMSG_NXTHDR(message, next) };
    }
    Ok(())
}

/// The structure in `bytes`, which have exactly its length.
fn exactly<L: Layout>(bytes: &[u8]) -> Result<L> {
    if bytes.len() == L::SIZE { L::decode(bytes).ok_or(libc::EINVAL) } else { Err(libc::EINVAL) }
}

fn apply(kind: c_int, bytes: &[u8], sent: &mut Sent<'_>) -> Result<()> {
    match kind {
        SCTP_SNDRCV => {
            let info: SndRcvInfo = exactly(bytes)?;
            sent.info = Some(SendInfo {
                stream: info.stream,
                flags: info.flags,
                ppid: info.ppid,
                context: info.context,
                association: info.assoc_id,
            });
            let policy = match info.flags & SCTP_PR_SCTP_MASK {
                SCTP_PR_SCTP_NONE => SCTP_PR_SCTP_TTL,
                policy => policy,
            };
            sent.reliability = (info.timetolive != 0)
                .then_some(PartialReliability { policy, value: info.timetolive });
        }
        SCTP_SNDINFO => {
            let info: SndInfo = exactly(bytes)?;
            sent.info = Some(SendInfo {
                stream: info.sid,
                flags: info.flags,
                ppid: info.ppid,
                context: info.context,
                association: info.assoc_id,
            });
        }
        SCTP_PRINFO => {
            let info: PrInfo = exactly(bytes)?;
            if info.policy & !SCTP_PR_SCTP_MASK != 0 {
                return Err(libc::EINVAL);
            }
            let value = if info.policy == SCTP_PR_SCTP_NONE { 0 } else { info.value };
            sent.reliability = Some(PartialReliability { policy: info.policy, value });
        }
        SCTP_INIT => sent.init = Some(exactly(bytes)?),
        SCTP_AUTHINFO => return refuse(&AUTHENTICATION),
        SCTP_DSTADDRV4 | SCTP_DSTADDRV6 => return refuse(&DESTINATIONS),
        _ => return Err(libc::EINVAL),
    }
    match sent.info {
        Some(info) if info.flags & !FLAGS != 0 => Err(libc::EINVAL),
        _ => Ok(()),
    }
}

fn refuse(what: &Once) -> Result<()> {
    what.name();
    Err(libc::EINVAL)
}

/// Writes the ancillary data that the application requested with a received message. Data without room are truncated,
/// which sets `MSG_CTRUNC`: `net/core/scm.c`, `put_cmsg`.
///
/// # Safety
/// `message` has room for `msg_controllen` bytes of ancillary data.
pub(super) unsafe fn write(received: &Received<'_>, message: &mut msghdr) {
    let room = match message.msg_control.is_null() {
        true => 0,
        false => message.msg_controllen,
    };
    let mut used = 0;
    let mut put = |kind, bytes: &[u8]| {
        // SAFETY: the functions compute sizes
        let (length, space) = unsafe {
            let length = bytes.len() as u32;
            (libc::CMSG_LEN(length) as usize, libc::CMSG_SPACE(length) as usize)
        };
        let given = length.min(room - used);
        if given < length {
            message.msg_flags |= libc::MSG_CTRUNC;
        }
        // SAFETY: the function computes a size
        let Some(bytes) =
            given.checked_sub(unsafe { libc::CMSG_LEN(0) } as usize).map(|it| &bytes[..it])
        else {
            return;
        };
        // SAFETY: head and bytes are within the room
        unsafe {
            let head = message.msg_control.byte_add(used).cast::<cmsghdr>();
            let mut value: cmsghdr = std::mem::zeroed();
            value.cmsg_len = given as _;
            value.cmsg_level = IPPROTO_SCTP;
            value.cmsg_type = kind;
            head.write_unaligned(value);
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), libc::CMSG_DATA(head), bytes.len());
        }
        used = (used + space).min(room);
    };
    let wanted = if received.notification { 0 } else { received.ancillary };
    if wanted & ANCILLARY_RCVINFO != 0 {
        put(SCTP_RCVINFO, &bytes::<RcvInfo, { RcvInfo::SIZE }>(&rcvinfo(received)));
    }
    if wanted & ANCILLARY_SNDRCV != 0 {
        put(SCTP_SNDRCV, &bytes::<SndRcvInfo, { SndRcvInfo::SIZE }>(&sndrcvinfo(received)));
    }
    message.msg_controllen = used as _;
}

/// The bytes of a structure without allocation.
fn bytes<L: Layout, const SIZE: usize>(value: &L) -> [u8; SIZE] {
    let mut bytes = [0; SIZE];
    value.put(&mut bytes);
    bytes
}

fn rcvinfo(received: &Received<'_>) -> RcvInfo {
    RcvInfo {
        sid: received.stream,
        ssn: received.ssn,
        flags: received.flags,
        ppid: received.ppid,
        tsn: received.tsn,
        cumtsn: received.cumtsn,
        context: received.context,
        assoc_id: received.association,
    }
}

fn sndrcvinfo(received: &Received<'_>) -> SndRcvInfo {
    SndRcvInfo {
        stream: received.stream,
        ssn: received.ssn,
        flags: received.flags,
        ppid: received.ppid,
        context: received.context,
        timetolive: 0,
        tsn: received.tsn,
        cumtsn: received.cumtsn,
        assoc_id: received.association,
    }
}
