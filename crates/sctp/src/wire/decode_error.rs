//! The reason why a packet, or the rest of one, could not be decoded.

use std::fmt;

use super::kind;

/// A packet broke a rule of the wire format.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct DecodeError {
    /// The chunk that breaks the rule; `None` if it is the packet itself.
    pub chunk: Option<ChunkPlace>,
    /// Offset of the error in bytes from the beginning of the common header.
    pub offset: usize,
    /// The broken rule.
    pub rule: Rule,
}

/// The position of a chunk in a packet.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct ChunkPlace {
    /// The type of the chunk.
    pub kind: u8,
    /// The index among the chunks of the packet, from 0.
    pub index: usize,
}

/// A rule of the wire format.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Rule {
    /// A packet begins with a common header of 12 bytes.
    CommonHeader,
    /// The checksum matches the packet.
    Checksum,
    /// A chunk's length includes its header of 4 bytes.
    ChunkLength,
    /// A chunk ends within its packet.
    PartialChunk,
    /// A chunk has all fixed fields of its type.
    ChunkFields,
    /// INIT, INIT ACK and SHUTDOWN COMPLETE are not bundled with other chunks.
    NotAlone,
    /// The length of a parameter or an error cause includes its header of 4 bytes, it ends within its chunk, and it has
    /// all fields of its type.
    Parameter,
    /// HEARTBEAT and HEARTBEAT ACK carry the parameter Heartbeat Info.
    HeartbeatInfo,
    /// Gap blocks begin above the cumulative TSN, do not overlap, and are in ascending order.
    GapBlocks,
}

impl DecodeError {
    pub(super) fn of_packet(offset: usize, rule: Rule) -> Self {
        Self { chunk: None, offset, rule }
    }

    /// Whether the whole packet must be discarded. Otherwise the chunks before the faulty one are valid.
    #[must_use]
    pub fn discards_packet(&self) -> bool {
        matches!(self.rule, Rule::CommonHeader | Rule::Checksum | Rule::NotAlone)
    }
}

impl Rule {
    /// The section of RFC 9260 with the rule.
    #[must_use]
    pub const fn section(self) -> &'static str {
        match self {
            Self::CommonHeader => "3.1",
            Self::Checksum => "6.8",
            Self::ChunkLength => "3.2",
            Self::PartialChunk | Self::NotAlone => "6.10",
            Self::ChunkFields => "3.3",
            Self::Parameter => "3.2.1",
            Self::HeartbeatInfo => "3.3.5",
            Self::GapBlocks => "3.3.4",
        }
    }

    const fn text(self) -> &'static str {
        match self {
            Self::CommonHeader => "the common header is cut short",
            Self::Checksum => "the checksum is wrong",
            Self::ChunkLength => "the length does not count the chunk's header",
            Self::PartialChunk => "the chunk is longer than the rest of the packet",
            Self::ChunkFields => "the chunk is too short for its fields",
            Self::NotAlone => "the chunk shares its packet with others",
            Self::Parameter => "a parameter or an error cause has an impossible length",
            Self::HeartbeatInfo => "the Heartbeat Info parameter is missing",
            Self::GapBlocks => "the gap blocks are not in ascending order",
        }
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(ChunkPlace { kind, index }) = self.chunk {
            write!(f, "chunk {index} ({}): ", kind::Name(kind))?;
        }
        let Self { offset, rule, .. } = self;
        write!(f, "{} at byte {offset} (RFC 9260 §{})", rule.text(), rule.section())
    }
}

impl std::error::Error for DecodeError {}
