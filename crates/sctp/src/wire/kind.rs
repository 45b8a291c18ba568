//! Chunk types, and the handling of unknown types. RFC 9260 §3.2

use std::fmt;

/// RFC 9260 §3.3.1
pub const DATA: u8 = 0;
/// RFC 9260 §3.3.2
pub const INIT: u8 = 1;
/// RFC 9260 §3.3.3
pub const INIT_ACK: u8 = 2;
/// RFC 9260 §3.3.4
pub const SACK: u8 = 3;
/// RFC 9260 §3.3.5
pub const HEARTBEAT: u8 = 4;
/// RFC 9260 §3.3.6
pub const HEARTBEAT_ACK: u8 = 5;
/// RFC 9260 §3.3.7
pub const ABORT: u8 = 6;
/// RFC 9260 §3.3.8
pub const SHUTDOWN: u8 = 7;
/// RFC 9260 §3.3.9
pub const SHUTDOWN_ACK: u8 = 8;
/// RFC 9260 §3.3.10
pub const ERROR: u8 = 9;
/// RFC 9260 §3.3.11
pub const COOKIE_ECHO: u8 = 10;
/// RFC 9260 §3.3.12
pub const COOKIE_ACK: u8 = 11;
/// Reserved for the congestion echo of ECN, which this stack never negotiates. RFC 9260 §3.2
pub const ECNE: u8 = 12;
/// Reserved for the reply to ECNE. RFC 9260 §3.2
pub const CWR: u8 = 13;
/// RFC 9260 §3.3.13
pub const SHUTDOWN_COMPLETE: u8 = 14;
/// Not assigned by IANA; only sent if both sides announced it. draft-natarajan-tsvwg-sctp-nrsack
pub const NR_SACK: u8 = 0x10;
/// Not assigned by IANA; only sent if both sides announced it. draft-stewart-sctp-pktdrprep
pub const PACKET_DROP: u8 = 0x81;
/// RFC 4820 §3
pub const PADDING: u8 = 0x84;

/// Bit of an unknown chunk type: skip the chunk and read the next one. RFC 9260 §3.2
pub const SKIP: u8 = 0x80;
/// Bit of an unknown chunk type: report the chunk. RFC 9260 §3.2
pub(super) const REPORT: u8 = 0x40;

/// Whether the type is SACK or NR-SACK.
pub(crate) fn is_sack(kind: u8) -> bool {
    matches!(kind, SACK | NR_SACK)
}

/// A chunk type, displayed by its name.
pub(super) struct Name(pub(super) u8);

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self.0 {
            DATA => "DATA",
            INIT => "INIT",
            INIT_ACK => "INIT ACK",
            SACK => "SACK",
            HEARTBEAT => "HEARTBEAT",
            HEARTBEAT_ACK => "HEARTBEAT ACK",
            ABORT => "ABORT",
            SHUTDOWN => "SHUTDOWN",
            SHUTDOWN_ACK => "SHUTDOWN ACK",
            ERROR => "ERROR",
            COOKIE_ECHO => "COOKIE ECHO",
            COOKIE_ACK => "COOKIE ACK",
            ECNE => "ECNE",
            CWR => "CWR",
            SHUTDOWN_COMPLETE => "SHUTDOWN COMPLETE",
            NR_SACK => "NR-SACK",
            PACKET_DROP => "PKTDROP",
            PADDING => "PAD",
            other => return write!(f, "type {other}"),
        };
        f.write_str(name)
    }
}
