//! Control chunks other than SACK. RFC 9260 §3.3

use bytes::Bytes;
use manypath_core::{Address, Tsn};

use super::{CHUNK_HEADER, Cause, Init, PARAMETER_HEADER, PacketDrop, padded};

/// A control chunk other than SACK. RFC 9260 §3.3
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Control {
    /// Opens an association.
    Init(Box<Init>),
    /// Answers INIT; carries the state cookie.
    InitAck(Box<Init>),
    /// Returns the state cookie.
    CookieEcho(Bytes),
    /// Confirms that the association is established.
    CookieAck,
    /// Probes a path. RFC 9260 §3.3.5
    Heartbeat(Heartbeat),
    /// Returns the information of a probe byte for byte. RFC 9260 §3.3.6
    HeartbeatAck(Heartbeat),
    /// The sender has no more data; carries the cumulative TSN.
    Shutdown(Tsn),
    /// Acknowledges SHUTDOWN.
    ShutdownAck,
    /// Confirms the end of the association.
    ShutdownComplete {
        /// T bit: the tag is the receiver's own, reflected.
        reflected: bool,
    },
    /// Ends the association at once. RFC 9260 §3.3.7
    Abort {
        /// T bit: the tag is the receiver's own, reflected.
        reflected: bool,
        /// The causes; may be empty.
        causes: Vec<Cause>,
    },
    /// Reports errors that do not end the association. RFC 9260 §3.3.10
    Error(Vec<Cause>),
    /// Returns a packet that arrived damaged. draft-stewart-sctp-pktdrprep
    PacketDrop(Box<PacketDrop>),
    /// This number of bytes without meaning, which enlarge the packet. RFC 4820 §3
    Padding(u16),
    /// Chunks of unknown types that must be reported, with their headers. Only in decoded packets, as the last control
    /// chunk; never sent. RFC 9260 §3.2
    Unrecognized(Vec<Bytes>),
}

impl Control {
    /// Length of the chunk in bytes, without padding.
    pub fn length(&self) -> usize {
        CHUNK_HEADER
            + match self {
                Self::Init(init) | Self::InitAck(init) => init.length(),
                Self::CookieEcho(cookie) => cookie.len(),
                Self::CookieAck | Self::ShutdownAck | Self::ShutdownComplete { .. } => 0,
                Self::Heartbeat(info) | Self::HeartbeatAck(info) => {
                    PARAMETER_HEADER + info.length()
                }
                Self::Shutdown(_) => 4,
                Self::Abort { causes, .. } | Self::Error(causes) => length_of_causes(causes),
                Self::PacketDrop(report) => report.length(),
                Self::Padding(bytes) => usize::from(*bytes),
                Self::Unrecognized(chunks) => return length_of_chunks(chunks),
            }
    }

    /// Whether the chunk gets a packet of its own. RFC 9260 §6.10
    pub(crate) fn must_be_alone(&self) -> bool {
        matches!(
            self,
            Self::Init(_) | Self::InitAck(_) | Self::ShutdownComplete { .. } | Self::Abort { .. }
        )
    }
}

/// The length of a chunk does not include the padding of the last cause. RFC 9260 §3.2
fn length_of_causes(causes: &[Cause]) -> usize {
    causes.iter().fold(0, |length, cause| padded(length) + cause.length())
}

fn length_of_chunks(chunks: &[Bytes]) -> usize {
    chunks.iter().fold(0, |length, chunk| padded(length) + chunk.len())
}

/// The information of a heartbeat, which only its sender interprets. RFC 9260 §3.3.5
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Heartbeat {
    /// Information that this stack encodes with exactly these bytes.
    Own(HeartbeatInfo),
    /// Other information.
    Foreign(Bytes),
}

impl Heartbeat {
    /// Length of the information in bytes.
    fn length(&self) -> usize {
        match self {
            Self::Own(_) => HeartbeatInfo::LENGTH,
            Self::Foreign(bytes) => bytes.len(),
        }
    }

    /// The information, if it has the format of this stack.
    pub fn own(&self) -> Option<HeartbeatInfo> {
        match self {
            Self::Own(info) => Some(*info),
            Self::Foreign(_) => None,
        }
    }
}

impl From<HeartbeatInfo> for Heartbeat {
    fn from(info: HeartbeatInfo) -> Self {
        Self::Own(info)
    }
}

/// The information in a HEARTBEAT of this stack. RFC 9260 §8.3
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct HeartbeatInfo {
    /// Random value that shows that the answer comes from the probed address.
    pub nonce: u64,
    /// Sending time in nanoseconds, for readers of captures; the association stores its own copy.
    pub sent_at: u64,
    /// The probed address.
    pub address: Address,
}
