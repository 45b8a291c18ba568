//! Information on messages: as `sctp_sendv` and `sctp_recvv` have it, and as ancillary data. RFC 6458 §5.3, §9.12

use crate::Result;
use libc::{c_int, c_uint, cmsghdr, msghdr};
use manypath_posix::abi::Layout;
use manypath_posix::abi::constants::{
    IPPROTO_SCTP, SCTP_AUTHINFO, SCTP_PRINFO, SCTP_RCVINFO, SCTP_SNDINFO,
};
use manypath_posix::abi::message::{PrInfo, RcvInfo, SndInfo};
use std::ops::Range;
use std::slice;

/// Information of `manypath_sctp_sendv`: none.
pub const MANYPATH_SCTP_SENDV_NOINFO: c_uint = 0;
/// Information of `manypath_sctp_sendv`: a `struct sctp_sndinfo`.
pub const MANYPATH_SCTP_SENDV_SNDINFO: c_uint = 1;
/// Information of `manypath_sctp_sendv`: a `struct sctp_prinfo`.
pub const MANYPATH_SCTP_SENDV_PRINFO: c_uint = 2;
/// Information of `manypath_sctp_sendv`: a `struct sctp_authinfo`, which the stack refuses with `EINVAL`.
pub const MANYPATH_SCTP_SENDV_AUTHINFO: c_uint = 3;
/// Information of `manypath_sctp_sendv`: a `struct manypath_sctp_sendv_spa`.
pub const MANYPATH_SCTP_SENDV_SPA: c_uint = 4;

/// Flag of `struct manypath_sctp_sendv_spa`: `sendv_sndinfo` is valid.
pub const MANYPATH_SCTP_SEND_SNDINFO_VALID: u32 = 1;
/// Flag of `struct manypath_sctp_sendv_spa`: `sendv_prinfo` is valid.
pub const MANYPATH_SCTP_SEND_PRINFO_VALID: u32 = 2;
/// Flag of `struct manypath_sctp_sendv_spa`: `sendv_authinfo` is valid.
pub const MANYPATH_SCTP_SEND_AUTHINFO_VALID: u32 = 4;

/// Information of `manypath_sctp_recvv`: none.
pub const MANYPATH_SCTP_RECVV_NOINFO: c_uint = 0;
/// Information of `manypath_sctp_recvv`: a `struct sctp_rcvinfo`.
pub const MANYPATH_SCTP_RECVV_RCVINFO: c_uint = 1;
/// Ancillary data of one message, aligned as `struct cmsghdr`.
#[repr(C, align(8))]
pub(crate) struct Control {
    bytes: [u8; ROOM],
    length: usize,
}

/// Room for all information on a message, with a head for each.
const ROOM: usize = 256;
/// The fields of `struct manypath_sctp_sendv_spa`, and its size; a test compares them with those of the C compiler.
const SPA_FLAGS: Range<usize> = 0..4;
const SPA_SNDINFO: Range<usize> = 4..20;
const SPA_PRINFO: Range<usize> = 20..28;
const SPA_AUTHINFO: Range<usize> = 28..30;
const SPA: usize = 32;
/// The size of `struct sctp_authinfo`.
const AUTHINFO: usize = 2;

impl Default for Control {
    fn default() -> Self {
        Self { bytes: [0; ROOM], length: 0 }
    }
}

impl Control {
    /// Adds the information of `manypath_sctp_sendv`.
    pub(crate) fn push(&mut self, kind: c_uint, bytes: &[u8]) -> Result<()> {
        match (kind, bytes.len()) {
            (MANYPATH_SCTP_SENDV_NOINFO, 0) => {}
            (MANYPATH_SCTP_SENDV_SNDINFO, SndInfo::SIZE) => self.put(SCTP_SNDINFO, bytes),
            (MANYPATH_SCTP_SENDV_PRINFO, PrInfo::SIZE) => self.put(SCTP_PRINFO, bytes),
            (MANYPATH_SCTP_SENDV_AUTHINFO, AUTHINFO) => self.put(SCTP_AUTHINFO, bytes),
            (MANYPATH_SCTP_SENDV_SPA, SPA) => {
                let flags = u32::decode(&bytes[SPA_FLAGS]).ok_or(libc::EINVAL)?;
                for (flag, kind, field) in [
                    (MANYPATH_SCTP_SEND_SNDINFO_VALID, SCTP_SNDINFO, SPA_SNDINFO),
                    (MANYPATH_SCTP_SEND_PRINFO_VALID, SCTP_PRINFO, SPA_PRINFO),
                    (MANYPATH_SCTP_SEND_AUTHINFO_VALID, SCTP_AUTHINFO, SPA_AUTHINFO),
                ] {
                    if flags & flag != 0 {
                        self.put(kind, &bytes[field]);
                    }
                }
            }
            _ => return Err(libc::EINVAL),
        }
        Ok(())
    }

    fn put(&mut self, kind: c_int, bytes: &[u8]) {
        let length = bytes.len() as c_uint;
        // SAFETY: the functions compute sizes
        let (whole, space) = unsafe { (libc::CMSG_LEN(length), libc::CMSG_SPACE(length)) };
        // SAFETY: zero is a valid value of each field
        let mut head: cmsghdr = unsafe { std::mem::zeroed() };
        head.cmsg_len = whole as _;
        head.cmsg_level = IPPROTO_SCTP;
        head.cmsg_type = kind;
        let place = &mut self.bytes[self.length..][..space as usize];
        let start = place.as_mut_ptr();
        let data = whole as usize - bytes.len();
        // SAFETY: the head fits into the place, which has all of it and the bytes
        unsafe { start.cast::<cmsghdr>().write_unaligned(head) };
        place[data..][..bytes.len()].copy_from_slice(bytes);
        self.length += space as usize;
    }

    /// Lets a message to send have what was added.
    pub(crate) fn attach(&mut self, message: &mut msghdr) {
        if self.length > 0 {
            message.msg_control = self.bytes.as_mut_ptr().cast();
            message.msg_controllen = self.length as _;
        }
    }

    /// Lets a received message write its ancillary data.
    pub(crate) fn offer(&mut self, message: &mut msghdr) {
        message.msg_control = self.bytes.as_mut_ptr().cast();
        message.msg_controllen = ROOM as _;
    }

    /// The `struct sctp_rcvinfo` that receiving `message` has written.
    pub(crate) fn receive_info(&mut self, message: &msghdr) -> Option<[u8; RcvInfo::SIZE]> {
        // Our pointer in the message is older than this borrow
        let message = msghdr { msg_control: self.bytes.as_mut_ptr().cast(), ..*message };
        find(&message, SCTP_RCVINFO)?.try_into().ok()
    }
}

/// The structure of a kind in the ancillary data that were received.
fn find(message: &msghdr, kind: c_int) -> Option<&[u8]> {
    // SAFETY: the ancillary data are those of `Control`, written by the library
    unsafe {
        let mut next = libc::CMSG_FIRSTHDR(message);
        while !next.is_null() {
            let head = next.read();
            if head.cmsg_level == IPPROTO_SCTP && head.cmsg_type == kind {
                let length = head.cmsg_len.checked_sub(libc::CMSG_LEN(0) as usize)?;
                return Some(slice::from_raw_parts(libc::CMSG_DATA(next), length));
            }
            next = libc::CMSG_NXTHDR(message, next);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message() -> msghdr {
        // SAFETY: zero is a valid value of each field
        unsafe { std::mem::zeroed() }
    }

    #[test]
    fn information_for_sending_becomes_ancillary_data() {
        let info = SndInfo { sid: 7, ppid: 9, ..SndInfo::default() }.encode();
        let reliability = PrInfo { policy: 0x10, value: 100 }.encode();
        let flags = MANYPATH_SCTP_SEND_SNDINFO_VALID | MANYPATH_SCTP_SEND_PRINFO_VALID;
        let mut all = [flags.encode(), info.clone(), reliability.clone()].concat();
        all.resize(SPA, 0);
        let mut control = Control::default();
        control.push(MANYPATH_SCTP_SENDV_SPA, &all).expect("it is valid");
        let mut message = message();
        control.attach(&mut message);
        assert_eq!(find(&message, SCTP_SNDINFO), Some(&info[..]));
        assert_eq!(find(&message, SCTP_PRINFO), Some(&reliability[..]));
        assert_eq!(find(&message, SCTP_AUTHINFO), None);
    }

    #[test]
    fn information_of_another_size_or_type_is_refused() {
        let mut control = Control::default();
        for (kind, size) in [(0, 1), (1, 15), (2, 9), (3, 4), (4, 31), (5, 0)] {
            assert_eq!(control.push(kind, &vec![0; size]), Err(libc::EINVAL), "{kind} {size}");
        }
        let mut message = message();
        control.attach(&mut message);
        assert!(message.msg_control.is_null());
    }

    #[test]
    fn information_on_a_received_message_is_found_among_other_data() {
        let info = [1; RcvInfo::SIZE];
        let other = [2; SndInfo::SIZE];
        for (received, expected) in [
            (&[][..], None),
            (&[(SCTP_SNDINFO, &other[..])], None),
            (&[(SCTP_SNDINFO, &other[..]), (SCTP_RCVINFO, &info)], Some(info)),
            (&[(SCTP_RCVINFO, &info[1..])], None),
        ] {
            let mut control = Control::default();
            received.iter().for_each(|(kind, bytes)| control.put(*kind, bytes));
            let mut message = message();
            control.attach(&mut message);
            assert_eq!(control.receive_info(&message), expected);
        }
    }
}
