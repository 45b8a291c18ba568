//! The switches of an endpoint that have more than two values. Those of a scenario's document have their names
//! there (feature `serde`).

#[cfg(feature = "schema")]
use schemars::{JsonSchema, Schema, json_schema};
#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

/// Which acknowledgements let the window of a path grow.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(rename_all = "kebab-case"))]
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(transform = names))]
pub enum CumAck {
    /// A cumulative acknowledgement that covers a chunk of the path.
    #[cfg_attr(feature = "serde", serde(rename = "none"))]
    Association,
    /// CUCv1: an acknowledgement of the lowest outstanding TSN of the path, retransmissions included.
    #[cfg_attr(feature = "serde", serde(rename = "v1"))]
    PathV1,
    /// CUCv2: like CUCv1, with separate lowest TSNs of first transmissions and of retransmissions.
    #[cfg_attr(feature = "serde", serde(rename = "v2"))]
    PathV2,
}

/// The buffers that are divided among the paths. Each path may use one share. \[D10] IV-B
///
/// There are as many shares as paths that may carry new data. A failed path has no share; a path that carries all data
/// has the whole buffer.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(rename_all = "kebab-case"))]
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(transform = names))]
pub enum BufferSplit {
    /// All paths share both buffers.
    None,
    /// The send buffer is divided.
    Sender,
    /// The receive buffer is divided.
    Receiver,
    /// Both are divided.
    Both,
}

impl BufferSplit {
    /// Whether the send buffer is divided.
    pub const fn sender(self) -> bool {
        matches!(self, Self::Sender | Self::Both)
    }

    /// Whether the receive buffer is divided.
    pub const fn receiver(self) -> bool {
        matches!(self, Self::Receiver | Self::Both)
    }
}

/// What counts against a path's share of a divided buffer.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(rename_all = "kebab-case"))]
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(transform = names))]
pub enum SplitBy {
    /// Bytes in flight. The receiver's share may be exceeded by one packet. \[D11] V, after Adhari et al. 2011
    Outstanding,
    /// Bytes of the path's chunks in the send buffer, including acknowledged ones. \[D10] eq. 1, 2
    Buffered,
}

/// Whether a path may retransmit the chunk of another path that blocks its buffer. \[D10] IV-C
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(rename_all = "kebab-case"))]
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(transform = names))]
pub enum Rescheduling {
    /// Chunks are not rescheduled.
    None,
    /// As in the paper: the window of the chunk's previous path is reduced by the size of the chunk.
    Threshold,
    /// As in INET: the chunk's previous path reacts as to a loss.
    Inet,
}

/// Whether a path pauses if a loss would reduce its window below one packet.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(rename_all = "kebab-case"))]
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(transform = names))]
pub enum PathBlocking {
    /// No pause: the path continues with a window of one packet.
    None,
    /// A pause of one RTO.
    Rto,
    /// A pause of one RTO times the number of paths.
    RtoTimesPaths,
}

/// The path of a SACK.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(rename_all = "kebab-case"))]
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(transform = names))]
pub enum SackPath {
    /// The path of the first DATA packet since the last SACK.
    FirstData,
    /// The path of the latest DATA packet. RFC 9260 §6.2
    LastData,
    /// The primary path.
    Primary,
    /// Of the paths with DATA since the last SACK, the one whose own last SACK is oldest.
    RoundRobin,
    /// Of the paths with DATA since the last SACK, the one with the smallest smoothed RTT.
    SmallestSrtt,
}

/// Which packets request an immediate SACK. RFC 7053 §4
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum SackRequest {
    /// None, except at the request of the application.
    Never,
    /// Each packet that is the last one of a window, and the last packet of all data of the application, as in INET.
    FullWindow,
    /// Only a packet whose delayed SACK would stop the sender: a packet that fills a window and is alone in flight on its
    /// path, and the last packet in SHUTDOWN-PENDING. The peer acknowledges every second packet without delay in any
    /// case. RFC 7053 §4.2
    Stalled,
}

/// The window whose last packet requests an immediate SACK.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(rename_all = "kebab-case"))]
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(transform = names))]
pub enum LimitingWindow {
    /// The congestion window of the path, as in INET.
    Congestion,
    /// The congestion window of the path, or the peer's receive window. RFC 7053 §4
    Any,
}

/// Which paths may send one chunk into a full receive window of the peer.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(rename_all = "kebab-case"))]
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(transform = names))]
pub enum WindowProbe {
    /// Any path, if the association has nothing in flight. RFC 9260 §6.1 A
    Association,
    /// Each path that has nothing in flight, as in INET.
    Path,
}

/// Whether new data may exceed the peer's receive window.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(rename_all = "kebab-case"))]
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(transform = names))]
pub enum WindowOverrun {
    /// No: a chunk that does not fit waits. RFC 9260 §6.1 A
    Never,
    /// By one packet: a packet may be sent as long as one byte of the window is free, as with a congestion window.
    Packet,
    /// Like `Packet`; in addition, an exceeded window does not limit anything until the next SACK.
    ///
    /// INET decrements the window without a sign, so that it wraps around. This bug is reproduced to explain INET's
    /// results.
    Wraps,
}

/// The SACKs and chunks that give RTT samples of a path. A chunk that was sent twice gives none (Karn's rule).
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(rename_all = "kebab-case"))]
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(transform = names))]
pub enum RttSample {
    /// All SACKs, and each chunk unless a chunk with the same or a lower TSN was retransmitted after its transmission. A
    /// sample may be the sum of the forward delay of one path and the reverse delay of another. RFC 9260 §6.3.1 C4, C5
    AnySack,
    /// SACKs on the path of the acknowledged chunks, and each chunk that was sent once, as in INET. A path whose data is
    /// first acknowledged by SACKs on a faster path has samples from heartbeats only.
    SamePath,
}

/// The limit of bursts on a path.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(rename_all = "kebab-case"))]
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(transform = names))]
pub enum Burst {
    /// Only the window.
    None,
    /// At most `max_burst` packets per SACK.
    MaxBurst,
    /// The window is reduced to the bytes in flight plus `max_burst` packets.
    UseItOrLoseIt,
}

/// The order in which paths send after the path of the current event; the order of all paths if the event concerns no
/// path, such as new data from the application.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(rename_all = "kebab-case"))]
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(transform = names))]
pub enum SendOrder {
    /// By index.
    Address,
    /// By index, beginning after the path of the event.
    RoundRobin,
    /// The path whose last transmission is oldest is first.
    SmallestLastTransmission,
    /// The path with the most free window is first.
    LargestSpace,
    /// The path with the largest slow-start threshold is first.
    LargestSsthresh,
}

/// The events that restart the retransmission timer of a path.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(rename_all = "kebab-case"))]
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(transform = names))]
pub enum T3Reset {
    /// The earliest outstanding TSN of the path is acknowledged. RFC 9260 §6.3.2 R3
    Rfc9260,
    /// The transmission time of the oldest outstanding chunk of the path changes.
    Smart,
}

/// The path of retransmissions after a timeout.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(rename_all = "kebab-case"))]
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(transform = names))]
pub enum T3Path {
    /// The same path while it is active (RTX-SAME).
    Same,
    /// The next active path in order.
    Next,
    /// The active path with the largest congestion window (RTX-CWND).
    LargestWindow,
    /// The active path with the largest slow-start threshold (RTX-SSTHRESH).
    LargestSsthresh,
}

/// Reduces the schema of an enum to its names, without descriptions of the values.
#[cfg(feature = "schema")]
fn names(schema: &mut Schema) {
    let variants = schema.get("oneOf").and_then(|it| it.as_array()).into_iter().flatten();
    let names: Vec<_> = variants.map(|variant| &variant["const"]).collect();
    *schema = json_schema!({ "type": "string", "enum": names });
}
