//! A typed SCTP packet: its parts in wire order, recycled from packet to packet.
//!
//! The simulator moves these values; the bytes of a real wire are an encoding of them. RFC 9260 §3

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
/// The fields lie in memory as they stand here: the last 48 bytes are what a packet with DATA alone needs. They begin with
/// the length of `control`.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Packet {
    /// The selective acknowledgement, meaningful where [`Self::has_sack`] is set; kept for its capacity.
    pub sack: Sack,
    /// Control chunks other than SACK.
    pub control: Vec<Control>,
    /// Port of the endpoint that sent the packet.
    pub source_port: u16,
    /// Port of the endpoint that shall receive it.
    pub destination_port: u16,
    /// Verification tag: the value that the receiver chose, 0 for INIT.
    pub tag: u32,
    /// Bytes below SCTP's common header: the IP header, and the UDP header where SCTP is encapsulated.
    pub network_header: u16,
    /// Whether the packet carries the SACK.
    pub has_sack: bool,
    /// Whether IP may fragment the packet: it holds one chunk that was made for a larger MTU, or one that
    /// returns more bytes of the peer than a packet takes. RFC 9260 §6.9
    pub may_fragment: bool,
    /// DATA chunks.
    pub data: Vec<Data>,
}

/// An empty packet with room for what most packets carry, so that recycled packets allocate nothing.
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

/// Equal packets are equal on the wire: a SACK that is not sent does not count.
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
        // Whoever takes a packet takes its chunks out: only one that was lost still has some
        if !self.control.is_empty() || !self.data.is_empty() {
            self.drop_chunks();
        }
    }
}

impl Packet {
    /// Bytes from the common header on.
    #[inline]
    pub(crate) fn sctp_size(&self) -> usize {
        let sack = if self.has_sack { self.sack.length() } else { 0 };
        let chunks = match (self.control.as_slice(), self.data.as_slice()) {
            ([], []) => 0,
            // As most packets with DATA
            ([], [only]) => padded(only.length()),
            _ => self.length_of_chunks(),
        };
        COMMON_HEADER + sack + chunks
    }

    /// Whether there is no chunk in it yet.
    pub(crate) fn is_empty(&self) -> bool {
        !self.has_sack && self.data.is_empty() && self.control.is_empty()
    }

    /// Bytes of all chunks but the SACK, with their padding.
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
    /// Stream that the message belongs to.
    pub stream: u16,
    /// Position of an ordered message in its stream.
    pub ssn: Ssn,
    /// Payload protocol identifier, opaque to SCTP.
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
    /// U: delivered without regard to order.
    pub const UNORDERED: Self = Self(0x04);
    /// I: the receiver shall acknowledge at once. RFC 9260 §3.3.1
    pub const IMMEDIATE: Self = Self(0x08);
    /// A message in one chunk.
    pub const WHOLE: Self = Self(0x03);

    /// Whether every bit of `other` is set.
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Both sets of bits.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// These bits without those of `other`.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

/// A SACK or an NR-SACK chunk; gap blocks are kept as absolute TSNs. RFC 9260 §3.3.4, draft-natarajan-tsvwg-sctp-nrsack
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Sack {
    /// Whether this is the NR-SACK chunk (type 0x10).
    pub non_renegable_chunk: bool,
    /// Every TSN up to this one has arrived.
    pub cumulative: Tsn,
    /// Receive buffer that is left, in bytes.
    pub window: u32,
    /// TSNs above the cumulative one that arrived and that the receiver may still give up.
    pub gaps: Ranges,
    /// TSNs above the cumulative one that the receiver promises to keep; empty in a plain SACK.
    pub kept_gaps: Ranges,
    /// TSNs that arrived more than once since the last SACK.
    pub duplicates: Vec<Tsn>,
    /// DATA packets since the last SACK, 0 to 3, for delayed acknowledgement with CMT; 0 where not in use.
    pub packets: u8,
}

impl Sack {
    /// Bytes of the chunk (a multiple of four).
    pub fn length(&self) -> usize {
        let header = if self.non_renegable_chunk { NR_SACK_HEADER } else { SACK_HEADER };
        header + 4 * (self.gaps.len() + self.kept_gaps.len() + self.duplicates.len())
    }
}

/// A length rounded up to the next multiple of four.
pub(crate) const fn padded(length: usize) -> usize {
    length.next_multiple_of(4)
}

/// Bytes of an IPv4 header without options.
pub(crate) const IPV4_HEADER: usize = 20;
/// Bytes of the common header.
pub(crate) const COMMON_HEADER: usize = 12;
/// Bytes before the user data of a DATA chunk.
pub(crate) const DATA_HEADER: usize = 16;
pub(crate) const CHUNK_HEADER: usize = 4;
pub(crate) const PARAMETER_HEADER: usize = 4;
const USUAL_CHUNKS: usize = 4;
const SACK_HEADER: usize = 16;
const NR_SACK_HEADER: usize = 20;
