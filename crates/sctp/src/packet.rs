//! A typed SCTP packet: its parts in wire order, recycled from packet to packet.
//!
//! The simulator moves these values; the bytes of a real wire are an encoding of them. RFC 9260 §3

mod packet_drop;

use bytes::Bytes;
use manypath_core::{Address, Ranges, Ssn, Tsn};

pub use packet_drop::PacketDrop;
pub(crate) use packet_drop::{COMPARED, Part};

/// One SCTP packet. On the wire control chunks come first, then the SACK, then DATA. RFC 9260 §6.10
///
/// The fields lie in memory as they stand here: those of a packet with DATA alone share a cache line.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Packet {
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
    /// DATA chunks.
    pub data: Vec<Data>,
    /// Control chunks other than SACK.
    pub control: Vec<Control>,
    /// The selective acknowledgement, meaningful where [`Self::has_sack`] is set; kept for its capacity.
    pub sack: Sack,
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
            data: Vec::with_capacity(USUAL_CHUNKS),
        }
    }
}

impl manypath_core::Packet for Packet {
    fn size(&self) -> usize {
        let sack = if self.has_sack { self.sack.length() } else { 0 };
        let chunks = match (self.control.as_slice(), self.data.as_slice()) {
            ([], []) => 0,
            // As most packets with DATA
            ([], [only]) => padded(only.length()),
            _ => self.length_of_chunks(),
        };
        usize::from(self.network_header) + COMMON_HEADER + sack + chunks
    }

    #[inline]
    fn clear(&mut self) {
        self.has_sack = false;
        // Whoever takes a packet takes its chunks out: only one that was lost still has some
        if !self.control.is_empty() || !self.data.is_empty() {
            self.drop_chunks();
        }
    }
}

impl Packet {
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
#[derive(Clone, Debug)]
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
#[derive(Clone, Debug, Default)]
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

/// A control chunk other than SACK. RFC 9260 §3.3
#[derive(Clone, Debug)]
pub enum Control {
    /// Opens an association.
    Init(Box<Init>),
    /// Answers INIT; carries the state cookie.
    InitAck(Box<Init>),
    /// Hands the state cookie back.
    CookieEcho(Bytes),
    /// The association stands.
    CookieAck,
    /// Probes a path; the peer returns the information as it is.
    Heartbeat(HeartbeatInfo),
    /// Returns the probe.
    HeartbeatAck(HeartbeatInfo),
    /// No new data will come; carries the cumulative TSN.
    Shutdown(Tsn),
    /// All outstanding data has arrived.
    ShutdownAck,
    /// The association is gone; `reflected` is the T bit.
    ShutdownComplete {
        /// T bit: the tag is the receiver's own, reflected.
        reflected: bool,
    },
    /// Ends the association at once.
    Abort {
        /// T bit: the tag is the receiver's own, reflected.
        reflected: bool,
        /// Why, if the sender says so.
        cause: Option<Cause>,
    },
    /// Reports an error that does not end the association.
    Error(Cause),
    /// Returns a packet that arrived damaged.
    PacketDrop(Box<PacketDrop>),
}

impl Control {
    /// Bytes of the chunk without padding.
    pub fn length(&self) -> usize {
        CHUNK_HEADER
            + match self {
                Self::Init(init) | Self::InitAck(init) => init.length(),
                Self::CookieEcho(cookie) => cookie.len(),
                Self::CookieAck | Self::ShutdownAck | Self::ShutdownComplete { .. } => 0,
                Self::Heartbeat(_) | Self::HeartbeatAck(_) => HEARTBEAT_PARAMETER,
                Self::Shutdown(_) => 4,
                Self::Abort { cause, .. } => cause.as_ref().map_or(0, Cause::length),
                Self::Error(cause) => cause.length(),
                Self::PacketDrop(report) => report.length(),
            }
    }
}

/// The body of INIT and INIT ACK. RFC 9260 §3.3.2, §3.3.3
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Init {
    /// Tag that the receiver of this chunk puts into every packet; never 0.
    pub tag: u32,
    /// Advertised receive window in bytes.
    pub window: u32,
    /// Streams that the sender wants to send on.
    pub outbound_streams: u16,
    /// Streams that the sender accepts at most.
    pub inbound_streams: u16,
    /// TSN of the first DATA chunk.
    pub initial_tsn: Tsn,
    /// All addresses of the sender in its own order; none if the packet's source address is the only one.
    pub addresses: Vec<Address>,
    /// Whether the sender understands NR-SACK (Supported Extensions lists type 0x10).
    pub nr_sack: bool,
    /// Whether the sender understands packet drop reports (Supported Extensions lists type 0x81).
    pub packet_drop_reports: bool,
    /// State cookie, INIT ACK only.
    pub cookie: Option<Bytes>,
}

impl Init {
    fn length(&self) -> usize {
        let addresses: usize =
            self.addresses.iter().map(|address| if address.is_v4() { 8 } else { 20 }).sum();
        let types = usize::from(self.nr_sack) + usize::from(self.packet_drop_reports);
        let extensions = if types > 0 { padded(PARAMETER_HEADER + types) } else { 0 };
        let cookie =
            self.cookie.as_ref().map_or(0, |cookie| padded(PARAMETER_HEADER + cookie.len()));
        INIT_BODY + addresses + extensions + cookie
    }
}

/// What a HEARTBEAT carries to the peer and back. RFC 9260 §8.3
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct HeartbeatInfo {
    /// Random value that proves that the path's owner answered.
    pub nonce: u64,
    /// When the probe was sent, in nanoseconds.
    pub sent_at: u64,
    /// Address that was probed.
    pub address: Address,
}

/// Error causes that ABORT and ERROR carry. RFC 9260 §3.3.10
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Cause {
    /// A DATA chunk named a stream that does not exist (1).
    InvalidStream(u16),
    /// The cookie was older than its lifetime by so many microseconds (3).
    StaleCookie(u32),
    /// The endpoint has no room for another association (4).
    OutOfResource,
    /// A mandatory parameter holds a value that cannot be (7).
    InvalidMandatoryParameter,
    /// A DATA chunk without a byte of data (9).
    NoUserData(Tsn),
    /// COOKIE ECHO arrived while the association shuts down (10).
    CookieWhileShuttingDown,
    /// A restart named an address that the association did not have (11).
    RestartWithNewAddresses(Address),
    /// The user ended the association (12).
    UserInitiated,
    /// The peer broke the protocol (13).
    ProtocolViolation,
}

impl Cause {
    fn length(&self) -> usize {
        match self {
            Self::OutOfResource
            | Self::InvalidMandatoryParameter
            | Self::CookieWhileShuttingDown
            | Self::UserInitiated
            | Self::ProtocolViolation => 4,
            Self::InvalidStream(_) | Self::StaleCookie(_) | Self::NoUserData(_) => 8,
            Self::RestartWithNewAddresses(address) => {
                if address.is_v4() {
                    12
                } else {
                    24
                }
            }
        }
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
const CHUNK_HEADER: usize = 4;
const PARAMETER_HEADER: usize = 4;
const USUAL_CHUNKS: usize = 4;
const SACK_HEADER: usize = 16;
const NR_SACK_HEADER: usize = 20;
const INIT_BODY: usize = 16;
/// Heartbeat Info parameter: header, nonce, time, family and padding, address.
const HEARTBEAT_PARAMETER: usize = 4 + 8 + 8 + 4 + 16;
