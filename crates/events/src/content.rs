//! What is in a packet.

use manypath_core::{Ranges, Tsn};
use manypath_sctp::{Control, Data, DataFlags, Packet, Sack};
use manypath_tcp::{Flags, MultipathOption, Segment};
use schemars::JsonSchema;
use serde::Serialize;

/// A packet of either protocol.
// It is opened, which takes memory, only when it is written.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(into = "Opened<'a>")]
#[schemars(with = "Opened<'a>")]
pub struct Content<'a> {
    /// The packet.
    pub form: Form<'a>,
    /// Bytes on the network layer.
    pub length: u32,
}

/// A packet as one of its protocol.
#[derive(Clone, Copy, Debug)]
pub enum Form<'a> {
    /// Of SCTP.
    Sctp(&'a Packet),
    /// Of TCP or Multipath TCP.
    Tcp(&'a Segment),
}

/// What is written of a packet.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
enum Opened<'a> {
    /// Of SCTP.
    Sctp(SctpContent<'a>),
    /// Of TCP or Multipath TCP.
    Tcp(TcpContent),
}

/// A packet of SCTP.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct SctpContent<'a> {
    /// Bytes on the network layer.
    length: u32,
    /// Chunks in the order of the wire.
    chunks: Vec<Chunk<'a>>,
}

/// A chunk of SCTP. RFC 9260 §3.3
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
        /// Every TSN up to this one has arrived.
        cumulative: u32,
    },
    ShutdownAck,
    ShutdownComplete,
    Abort,
    Error,
    /// Returns a packet that arrived damaged. draft-stewart-sctp-pktdrprep
    PacketDrop,
}

/// A message, or a fragment of one.
#[derive(Debug, Serialize, JsonSchema)]
struct DataChunk {
    /// Transmission sequence number.
    tsn: u32,
    /// Stream of the message.
    stream: u16,
    /// Place of the message in its stream; nothing for a message without order.
    #[serde(skip_serializing_if = "Option::is_none")]
    ssn: Option<u16>,
    /// Bytes of payload.
    payload: usize,
    /// Which part of its message it is; nothing for a whole one.
    #[serde(skip_serializing_if = "Option::is_none")]
    fragment: Option<Fragment>,
    /// The receiver shall acknowledge at once.
    #[serde(skip_serializing_if = "is_false")]
    immediate: bool,
}

/// A part of a message.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Fragment {
    First,
    Middle,
    Last,
}

/// What has arrived.
#[derive(Debug, Serialize, JsonSchema)]
struct SackChunk<'a> {
    /// Every TSN up to this one has arrived.
    cumulative: u32,
    /// Room in the receive buffer, bytes.
    window: u32,
    /// First and last TSN of each range that arrived beyond the cumulative one and may still be given up.
    #[serde(skip_serializing_if = "is_none_in")]
    gaps: Gaps<'a>,
    /// The same for what the receiver promises to keep.
    #[serde(skip_serializing_if = "is_none_in")]
    kept_gaps: Gaps<'a>,
    /// TSNs that arrived more than once.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    duplicates: Vec<u32>,
    /// Packets that it stands for, for delayed acknowledgement with CMT; nothing where that is not in use.
    #[serde(skip_serializing_if = "Option::is_none")]
    packets: Option<u8>,
}

/// The beginning of an association.
#[derive(Debug, Serialize, JsonSchema)]
struct InitChunk {
    /// The first TSN that will be sent.
    initial_tsn: u32,
    /// Size of the receive buffer in bytes.
    window: u32,
}

/// A segment of TCP. RFC 9293 §3.1
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct TcpContent {
    /// Bytes on the network layer.
    length: u32,
    /// Control bits.
    flags: Vec<Bit>,
    /// Sequence number of the first byte of payload, or of SYN or FIN.
    seq: u32,
    /// The sequence number that the sender expects next, with ACK.
    #[serde(skip_serializing_if = "Option::is_none")]
    ack: Option<u32>,
    /// Receive window, to be shifted by what the handshake agreed on.
    window: u16,
    /// Bytes of payload.
    payload: usize,
    /// SACK blocks: the first sequence number of each and the one after its last.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    sack: Vec<[u32; 2]>,
    /// Option of Multipath TCP.
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

/// An option of Multipath TCP. RFC 8684 §3
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "option", rename_all = "snake_case")]
#[schemars(deny_unknown_fields)]
enum Multipath {
    /// The first subflow of a connection.
    Capable,
    /// A further subflow.
    Join,
    /// The data sequence signal; numbers count the bytes of the stream from 0.
    Dss {
        /// The byte of the other direction that the sender expects next.
        data_ack: u64,
        /// The first byte of the payload, or where it would be.
        data: u64,
        /// The stream ends after the payload.
        is_last: bool,
    },
    /// The whole connection ends.
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
    /// A control chunk; none if this stack does not write it.
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
