//! A decoded SCTP packet, which is recycled to avoid allocations.
//!
//! The simulator transports these values; on real networks they are encoded. RFC 9260 §3

mod cause;
mod control;
mod init;
mod packet_drop;

use bytes::Bytes;
use manypath_core::{Ranges, Ssn, Tsn};

pub use cause::Cause;
pub use control::{Control, Heartbeat, HeartbeatInfo};
pub use init::{Init, Offers};
pub use packet_drop::PacketDrop;
pub(crate) use packet_drop::{COMPARED, DataHead, Part, must_not_be_reported};

/// One SCTP packet. On the wire control chunks come first, then the SACK, then DATA. RFC 9260 §6.10
///
/// `repr(C)` keeps the fields in this order: a packet with only DATA uses the last 48 bytes, which begin with the
/// length of `control`.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Packet {
    /// The selective acknowledgement, valid if [`Self::has_sack`] is set; kept to reuse its memory.
    pub sack: Sack,
    /// Control chunks other than SACK.
    pub control: Vec<Control>,
    /// Port of the sender.
    pub source_port: u16,
    /// Port of the receiver.
    pub destination_port: u16,
    /// Verification tag of the receiver; 0 in a packet with INIT.
    pub tag: u32,
    /// Bytes before the common header: the IP header, and the UDP header with UDP encapsulation.
    pub network_header: u16,
    /// Whether the packet contains the SACK.
    pub has_sack: bool,
    /// Whether IP may fragment the packet: it contains one chunk that was made for a larger MTU, or one that returns
    /// more bytes of the peer than fit into a packet. RFC 9260 §6.9
    pub may_fragment: bool,
    /// DATA chunks.
    pub data: Vec<Data>,
}

/// An empty packet with capacity for the usual content, so that recycled packets do not allocate.
impl Default for Packet {
    fn default() -> Self {
        Self {
            source_port: 0,
            destination_port: 0,
            tag: 0,
            network_header: 0,
            control: Vec::with_capacity(USUAL_CHUNKS),
            sack: Sack::default(),
            has_sack: false,
            may_fragment: false,
            data: Vec::with_capacity(USUAL_CHUNKS),
        }
    }
}

/// Packets are equal if their encodings are equal: a SACK without `has_sack` does not count.
impl PartialEq for Packet {
    fn eq(&self, other: &Self) -> bool {
        (self.source_port, self.destination_port, self.tag, self.network_header)
            == (other.source_port, other.destination_port, other.tag, other.network_header)
            && self.has_sack == other.has_sack
            && (!self.has_sack || self.sack == other.sack)
            && self.control == other.control
            && self.data == other.data
    }
}

impl manypath_core::Packet for Packet {
    fn size(&self) -> usize {
        usize::from(self.network_header) + self.sctp_size()
    }

    #[inline]
    fn clear(&mut self) {
        (self.has_sack, self.may_fragment) = (false, false);
        // The receiver of a packet takes its chunks, so only a lost packet still has chunks here
        if !self.control.is_empty() || !self.data.is_empty() {
            self.drop_chunks();
        }
    }
}

impl Packet {
    /// Size in bytes from the common header on.
    #[inline]
    pub(crate) fn sctp_size(&self) -> usize {
        let sack = if self.has_sack { self.sack.length() } else { 0 };
        let chunks = match (self.control.as_slice(), self.data.as_slice()) {
            ([], []) => 0,
            // Most packets with DATA
            ([], [only]) => padded(only.length()),
            _ => self.length_of_chunks(),
        };
        COMMON_HEADER + sack + chunks
    }

    /// Whether the packet has no chunks.
    pub(crate) fn is_empty(&self) -> bool {
        !self.has_sack && self.data.is_empty() && self.control.is_empty()
    }

    /// Size in bytes of all chunks except the SACK, padding included.
    #[cold]
    fn length_of_chunks(&self) -> usize {
        let control: usize = self.control.iter().map(|chunk| padded(chunk.length())).sum();
        let data: usize = self.data.iter().map(|chunk| padded(chunk.length())).sum();
        control + data
    }

    #[cold]
    fn drop_chunks(&mut self) {
        self.control.clear();
        self.data.clear();
    }
}

/// A DATA chunk: one message, or one fragment of it. RFC 9260 §3.3.1
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Data {
    /// Transmission sequence number.
    pub tsn: Tsn,
    /// Stream of the message.
    pub stream: u16,
    /// Stream sequence number of an ordered message.
    pub ssn: Ssn,
    /// Payload protocol identifier, which SCTP does not interpret.
    pub ppid: u32,
    /// B, E, U and I bits.
    pub flags: DataFlags,
    /// The user data, at least one byte.
    pub payload: Bytes,
}

impl Data {
    /// Bytes of the chunk without padding.
    pub fn length(&self) -> usize {
        DATA_HEADER + self.payload.len()
    }
}

/// Flag bits of a DATA chunk. RFC 9260 §3.3.1
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct DataFlags(pub u8);

impl DataFlags {
    /// E: last fragment of a message.
    pub const END: Self = Self(0x01);
    /// B: first fragment of a message.
    pub const BEGIN: Self = Self(0x02);
    /// U: the message is unordered.
    pub const UNORDERED: Self = Self(0x04);
    /// I: the receiver should send a SACK at once. RFC 9260 §3.3.1
    pub const IMMEDIATE: Self = Self(0x08);
    /// Both B and E: the message is not fragmented.
    pub const WHOLE: Self = Self(0x03);

    /// Whether every bit of `other` is set.
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// The union of both sets of bits.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The bits that are not in `other`.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

/// A SACK or NR-SACK chunk, with gap blocks as absolute TSNs. RFC 9260 §3.3.4, draft-natarajan-tsvwg-sctp-nrsack
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Sack {
    /// Whether this is the NR-SACK chunk (type 0x10).
    pub non_renegable_chunk: bool,
    /// Cumulative TSN: every TSN up to it has arrived.
    pub cumulative: Tsn,
    /// Advertised receive window in bytes.
    pub window: u32,
    /// TSNs above the cumulative one that have arrived and that the receiver may still drop.
    pub gaps: Ranges,
    /// TSNs above the cumulative one that the receiver will not drop; empty in a plain SACK.
    pub kept_gaps: Ranges,
    /// TSNs that arrived more than once since the last SACK.
    pub duplicates: Vec<Tsn>,
    /// Number of DATA packets since the last SACK, 0 to 3, for DAC; 0 without DAC.
    pub packets: u8,
}

impl Sack {
    /// Bytes of the chunk (a multiple of four).
    pub fn length(&self) -> usize {
        let header = if self.non_renegable_chunk { NR_SACK_HEADER } else { SACK_HEADER };
        header + 4 * (self.gaps.len() + self.kept_gaps.len() + self.duplicates.len())
    }
}

/// Rounds a length up to a multiple of four.
pub(crate) const fn padded(length: usize) -> usize {
    length.next_multiple_of(4)
}

/// Bytes of an IPv4 header without options.
pub(crate) const IPV4_HEADER: usize = 20;
/// Bytes of the common header.
pub const COMMON_HEADER: usize = 12;
/// Bytes of a DATA chunk before the user data.
pub(crate) const DATA_HEADER: usize = 16;
/// Bytes of a chunk before its value.
pub const CHUNK_HEADER: usize = 4;
pub(crate) const PARAMETER_HEADER: usize = 4;
const USUAL_CHUNKS: usize = 4;
const SACK_HEADER: usize = 16;
const NR_SACK_HEADER: usize = 20;
