//! The content of packets.

use manypath_core::{Ranges, Tsn};
use manypath_sctp::{Control, Data, DataFlags, Packet, Sack};
use manypath_tcp::{Flags, MultipathOption, Segment};
use schemars::JsonSchema;
use serde::Serialize;

/// A packet of either protocol.
// It is converted only when it is written, because that takes memory.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(into = "Opened<'a>")]
#[schemars(with = "Opened<'a>")]
pub struct Content<'a> {
    /// The packet.
    pub form: Form<'a>,
    /// Length on the network layer in bytes.
    pub length: u32,
}

/// A packet of one of the protocols.
#[derive(Clone, Copy, Debug)]
pub enum Form<'a> {
    /// Of SCTP.
    Sctp(&'a Packet),
    /// Of TCP or Multipath TCP.
    Tcp(&'a Segment),
}

/// The written content of a packet.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
enum Opened<'a> {
    /// An SCTP packet.
    Sctp(SctpContent<'a>),
    /// A TCP or Multipath TCP segment.
    Tcp(TcpContent),
}

/// An SCTP packet.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct SctpContent<'a> {
    /// Length on the network layer in bytes.
    length: u32,
    /// Chunks in wire order.
    chunks: Vec<Chunk<'a>>,
}

/// An SCTP chunk. RFC 9260 §3.3
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
#[schemars(deny_unknown_fields)]
enum Chunk<'a> {
    Data(DataChunk),
    Sack(SackChunk<'a>),
    /// draft-natarajan-tsvwg-sctp-nrsack
    NrSack(SackChunk<'a>),
    Init(InitChunk),
    InitAck(InitChunk),
    CookieEcho,
    CookieAck,
    Heartbeat,
    HeartbeatAck,
    Shutdown {
        /// Cumulative TSN: every TSN up to it has arrived.
        cumulative: u32,
    },
    ShutdownAck,
    ShutdownComplete,
    Abort,
    Error,
    /// Returns a damaged packet. draft-stewart-sctp-pktdrprep
    PacketDrop,
}

/// A message, or a fragment of one.
#[derive(Debug, Serialize, JsonSchema)]
struct DataChunk {
    /// Transmission sequence number.
    tsn: u32,
    /// Stream of the message.
    stream: u16,
    /// Stream sequence number; missing for an unordered message.
    #[serde(skip_serializing_if = "Option::is_none")]
    ssn: Option<u16>,
    /// Payload length in bytes.
    payload: usize,
    /// Position of the fragment in its message; missing for a whole message.
    #[serde(skip_serializing_if = "Option::is_none")]
    fragment: Option<Fragment>,
    /// The I bit: the receiver should send a SACK at once.
    #[serde(skip_serializing_if = "is_false")]
    immediate: bool,
}

/// The position of a fragment.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Fragment {
    First,
    Middle,
    Last,
}

/// The content of a SACK.
#[derive(Debug, Serialize, JsonSchema)]
struct SackChunk<'a> {
    /// Cumulative TSN: every TSN up to it has arrived.
    cumulative: u32,
    /// Advertised receive window in bytes.
    window: u32,
    /// First and last TSN of each range above the cumulative TSN that the receiver may still drop.
    #[serde(skip_serializing_if = "is_none_in")]
    gaps: Gaps<'a>,
    /// First and last TSN of each range that the receiver will not drop.
    #[serde(skip_serializing_if = "is_none_in")]
    kept_gaps: Gaps<'a>,
    /// TSNs that arrived more than once.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    duplicates: Vec<u32>,
    /// Number of packets that it acknowledges, for delayed acknowledgement for CMT; missing without that.
    #[serde(skip_serializing_if = "Option::is_none")]
    packets: Option<u8>,
}

/// The content of INIT and INIT ACK.
#[derive(Debug, Serialize, JsonSchema)]
struct InitChunk {
    /// TSN of the first DATA chunk.
    initial_tsn: u32,
    /// Advertised receive window in bytes.
    window: u32,
}

/// A TCP segment. RFC 9293 §3.1
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct TcpContent {
    /// Length on the network layer in bytes.
    length: u32,
    /// Control bits.
    flags: Vec<Bit>,
    /// Sequence number of the first byte of payload, or of SYN or FIN.
    seq: u32,
    /// Acknowledgement number, with ACK.
    #[serde(skip_serializing_if = "Option::is_none")]
    ack: Option<u32>,
    /// Receive window, before the window scale of the handshake is applied.
    window: u16,
    /// Payload length in bytes.
    payload: usize,
    /// SACK blocks: the first sequence number of each, and the one after its last.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    sack: Vec<[u32; 2]>,
    /// The Multipath TCP option.
    #[serde(skip_serializing_if = "Option::is_none")]
    mptcp: Option<Multipath>,
}

/// A control bit.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Bit {
    Syn,
    Ack,
    Fin,
    Rst,
}

/// A Multipath TCP option. RFC 8684 §3
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "option", rename_all = "snake_case")]
#[schemars(deny_unknown_fields)]
enum Multipath {
    /// Opens the first subflow of a connection.
    Capable,
    /// Opens a further subflow.
    Join,
    /// The data sequence signal; numbers count bytes of the stream from 0.
    Dss {
        /// Data acknowledgement: the next expected byte of the other direction.
        data_ack: u64,
        /// Data sequence number of the first payload byte.
        data: u64,
        /// Whether the stream ends after the payload (DATA_FIN).
        is_last: bool,
    },
    /// Closes the whole connection at once.
    FastClose,
}

/// Ranges of TSNs.
#[derive(Clone, Copy, Debug, JsonSchema)]
#[schemars(with = "Vec<[u32; 2]>")]
struct Gaps<'a>(&'a Ranges);

impl<'a> From<Content<'a>> for Opened<'a> {
    fn from(Content { form, length }: Content<'a>) -> Self {
        match form {
            Form::Sctp(packet) => {
                let control = packet.control.iter().filter_map(Chunk::of_control);
                let sack = packet.has_sack.then(|| Chunk::from(&packet.sack));
                let data = packet.data.iter().map(Chunk::from);
                Self::Sctp(SctpContent {
                    length,
                    chunks: control.chain(sack).chain(data).collect(),
                })
            }
            Form::Tcp(segment) => Self::Tcp(TcpContent::new(segment, length)),
        }
    }
}

impl Chunk<'_> {
    /// A control chunk; `None` if this stack does not send it.
    fn of_control(control: &Control) -> Option<Self> {
        let init = |init: &manypath_sctp::Init| InitChunk {
            initial_tsn: init.initial_tsn.0,
            window: init.window,
        };
        Some(match control {
            Control::Init(chunk) => Self::Init(init(chunk)),
            Control::InitAck(chunk) => Self::InitAck(init(chunk)),
            Control::CookieEcho(_) => Self::CookieEcho,
            Control::CookieAck => Self::CookieAck,
            Control::Heartbeat(_) => Self::Heartbeat,
            Control::HeartbeatAck(_) => Self::HeartbeatAck,
            Control::Shutdown(Tsn(cumulative)) => Self::Shutdown { cumulative: *cumulative },
            Control::ShutdownAck => Self::ShutdownAck,
            Control::ShutdownComplete { .. } => Self::ShutdownComplete,
            Control::Abort { .. } => Self::Abort,
            Control::Error(_) => Self::Error,
            Control::PacketDrop(_) => Self::PacketDrop,
            Control::Padding(_) | Control::Unrecognized(_) => return None,
        })
    }
}

impl<'a> From<&'a Sack> for Chunk<'a> {
    fn from(sack: &'a Sack) -> Self {
        let chunk = SackChunk {
            cumulative: sack.cumulative.0,
            window: sack.window,
            gaps: Gaps(&sack.gaps),
            kept_gaps: Gaps(&sack.kept_gaps),
            duplicates: sack.duplicates.iter().map(|tsn| tsn.0).collect(),
            packets: Some(sack.packets).filter(|&packets| packets > 0),
        };
        if sack.non_renegable_chunk { Self::NrSack(chunk) } else { Self::Sack(chunk) }
    }
}

impl From<&Data> for Chunk<'_> {
    fn from(data: &Data) -> Self {
        let has = |flags| data.flags.contains(flags);
        Self::Data(DataChunk {
            tsn: data.tsn.0,
            stream: data.stream,
            ssn: (!has(DataFlags::UNORDERED)).then_some(data.ssn.0),
            payload: data.payload.len(),
            fragment: match (has(DataFlags::BEGIN), has(DataFlags::END)) {
                (true, true) => None,
                (true, false) => Some(Fragment::First),
                (false, false) => Some(Fragment::Middle),
                (false, true) => Some(Fragment::Last),
            },
            immediate: has(DataFlags::IMMEDIATE),
        })
    }
}

impl TcpContent {
    fn new(segment: &Segment, length: u32) -> Self {
        let bits = [
            (Flags::SYN, Bit::Syn),
            (Flags::ACK, Bit::Ack),
            (Flags::FIN, Bit::Fin),
            (Flags::RST, Bit::Rst),
        ];
        let is_set = |flag| segment.flags.contains(flag);
        let sack = segment.options.sack.as_slice().iter();
        Self {
            length,
            flags: bits.into_iter().filter(|bit| is_set(bit.0)).map(|bit| bit.1).collect(),
            seq: segment.seq,
            ack: is_set(Flags::ACK).then_some(segment.ack),
            window: segment.window,
            payload: segment.payload_length(),
            sack: sack.map(|block| [block.start, block.end]).collect(),
            mptcp: segment.options.multipath.map(Multipath::from),
        }
    }
}

impl From<MultipathOption> for Multipath {
    fn from(option: MultipathOption) -> Self {
        match option {
            MultipathOption::Capable { .. } => Self::Capable,
            MultipathOption::Join { .. } => Self::Join,
            MultipathOption::Dss(dss) => {
                Self::Dss { data_ack: dss.data_ack, data: dss.data, is_last: dss.is_last }
            }
            MultipathOption::FastClose => Self::FastClose,
        }
    }
}

impl Serialize for Gaps<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(|range| [range.first.0, range.last.0]))
    }
}

fn is_none_in(gaps: &Gaps<'_>) -> bool {
    gaps.0.is_empty()
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks by reference")]
fn is_false(value: &bool) -> bool {
    !value
}
