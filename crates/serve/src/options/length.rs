//! The lengths of the values of SCTP's options that Linux accepts. net/sctp/socket.c

use manypath_posix::abi::Layout;
use manypath_posix::abi::constants::*;
use manypath_posix::abi::message::{InitMsg, SndInfo, SndRcvInfo};
use manypath_posix::abi::option::{
    AssocParams, AssocValue, DefaultPrInfo, PaddrParams, RtoInfo, SackInfo, SetPrim, UdpEncaps,
};

/// Whether a program may set an option to a value of this length. Other options than these take longer values too.
pub(super) fn suits(option: i32, length: usize) -> bool {
    let whole = match option {
        SCTP_RTOINFO => RtoInfo::SIZE,
        SCTP_ASSOCINFO => AssocParams::SIZE,
        SCTP_INITMSG => InitMsg::SIZE,
        SCTP_PRIMARY_ADDR => SetPrim::SIZE,
        SCTP_DEFAULT_SEND_PARAM => SndRcvInfo::SIZE,
        SCTP_DEFAULT_SNDINFO => SndInfo::SIZE,
        SCTP_DEFAULT_PRINFO => DefaultPrInfo::SIZE,
        SCTP_CONTEXT => AssocValue::SIZE,
        SCTP_REMOTE_UDP_ENCAPS_PORT => UdpEncaps::SIZE,
        SCTP_FRAGMENT_INTERLEAVE => i32::SIZE,
        // Programs of older header files have shorter ones
        SCTP_PEER_ADDR_PARAMS => {
            return matches!(length, OLD_PADDR_PARAMS | PaddrParams::SIZE);
        }
        SCTP_DELAYED_SACK => return matches!(length, AssocValue::SIZE | SackInfo::SIZE),
        SCTP_MAXSEG => return matches!(length, u32::SIZE | AssocValue::SIZE),
        _ => return true,
    };
    length == whole
}

/// The number of bytes that a program with `room` bytes must take of a value of `full` bytes. Linux gives programs of
/// older header files a part of some structures, and refuses others.
pub(crate) fn least(option: i32, full: usize, room: usize) -> usize {
    match option {
        SCTP_EVENTS => 1,
        SCTP_MAXSEG if room == u32::SIZE => u32::SIZE,
        SCTP_DELAYED_SACK if room == AssocValue::SIZE => AssocValue::SIZE,
        SCTP_PEER_ADDR_PARAMS if room == OLD_PADDR_PARAMS => OLD_PADDR_PARAMS,
        _ => full,
    }
}

/// A shorter structure, of an older header file, has no values of the last fields.
pub(super) fn complete_parameters(bytes: &[u8]) -> Option<PaddrParams> {
    let mut all = bytes.to_vec();
    if bytes.len() == OLD_PADDR_PARAMS {
        all.resize(PaddrParams::SIZE, 0);
    }
    PaddrParams::decode(&all)
}

/// `struct sctp_paddrparams` before its last two fields.
pub(super) const OLD_PADDR_PARAMS: usize = 152;
