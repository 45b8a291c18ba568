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
    /// Hands the state cookie back.
    CookieEcho(Bytes),
    /// The association stands.
    CookieAck,
    /// Probes a path. RFC 9260 §3.3.5
    Heartbeat(Heartbeat),
    /// Returns the information of a probe byte for byte. RFC 9260 §3.3.6
    HeartbeatAck(Heartbeat),
    /// No new data will come; carries the cumulative TSN.
    Shutdown(Tsn),
    /// All outstanding data has arrived.
    ShutdownAck,
    /// The association is gone; `reflected` is the T bit.
    ShutdownComplete {
        /// T bit: the tag is the receiver's own, reflected.
        reflected: bool,
    },
    /// Ends the association at once. RFC 9260 §3.3.7
    Abort {
        /// T bit: the tag is the receiver's own, reflected.
        reflected: bool,
        /// Why, as far as the sender says so.
        causes: Vec<Cause>,
    },
    /// Reports errors that do not end the association. RFC 9260 §3.3.10
    Error(Vec<Cause>),
    /// Returns a packet that arrived damaged.
    PacketDrop(Box<PacketDrop>),
    /// So many bytes without meaning, which make the packet larger. RFC 4820 §3
    Padding(u16),
    /// Chunks of unknown types whose sender wants to be told, each complete with its header. They are the last control
    /// chunk of a packet that was read, and never sent. RFC 9260 §3.2
    Unrecognized(Vec<Bytes>),
}

impl Control {
    /// Bytes of the chunk without padding.
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
}

/// The chunk's length does not count the padding behind the last cause. RFC 9260 §3.2
fn length_of_causes(causes: &[Cause]) -> usize {
    causes.iter().fold(0, |length, cause| padded(length) + cause.length())
}

fn length_of_chunks(chunks: &[Bytes]) -> usize {
    chunks.iter().fold(0, |length, chunk| padded(length) + chunk.len())
}

/// The information of a probe, which only its sender understands. RFC 9260 §3.3.5
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Heartbeat {
    /// As probes of this stack look, to the last bit.
    Own(HeartbeatInfo),
    /// Anything else.
    Foreign(Bytes),
}

impl Heartbeat {
    /// Bytes of the information.
    fn length(&self) -> usize {
        match self {
            Self::Own(_) => HeartbeatInfo::LENGTH,
            Self::Foreign(bytes) => bytes.len(),
        }
    }

    /// The information, if it looks like that of this stack.
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

/// What a HEARTBEAT of this stack carries to the peer and back. RFC 9260 §8.3
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct HeartbeatInfo {
    /// Random value that proves that the path's owner answered.
    pub nonce: u64,
    /// When the probe was sent, in nanoseconds. Only a reader of captures uses it: the association has its own record.
    pub sent_at: u64,
    /// Address that was probed.
    pub address: Address,
}
