//! The lines of a file: the header, and all events by name. \[QLOG]

use manypath_sctp as sctp;
use manypath_tcp as tcp;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::blocked::Blocked;
use crate::content::Content;

/// A line of the file.
#[derive(Debug, JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "it is the schema of a file, whose lines are written one by one")]
pub(crate) enum Record<'a> {
    /// The first line.
    Header(Header<'a>),
    /// A line of a flow.
    Line(Line<'a>),
    /// A line of a link of an emulation.
    LinkLine(LinkLine<'a>),
}

/// The first line, which describes the observed system.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Header<'a> {
    /// Name and version of the format.
    pub file_schema: &'static str,
    /// One JSON document per line.
    pub serialization_format: &'static str,
    /// The flows of the scenario.
    pub title: String,
    /// The program that wrote the file.
    pub generator: Generator,
    /// Unit of all times: the second.
    pub time_unit: &'static str,
    /// Seed of the run.
    pub seed: u64,
    /// Replication number of the run.
    pub replication: u64,
    /// Hosts with events.
    pub vantage_points: Vec<VantagePoint<'a>>,
    /// Links with events, including access links.
    pub links: &'a [String],
    /// The scenario in base units: rates in bit/s, times in nanoseconds, sizes in bytes.
    #[schemars(with = "serde_json::Map<String, serde_json::Value>")]
    pub scenario: &'a RawValue,
}

/// The program that wrote a file.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Generator {
    /// Name of the program.
    pub name: &'static str,
    /// Version of the program.
    pub version: &'static str,
    /// A hash of the engine's sources.
    pub engine: &'static str,
}

/// A host.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct VantagePoint<'a> {
    /// Name of its flow.
    pub flow: &'a str,
    /// Its end of the flow.
    pub host: Side,
    /// Its protocol.
    pub protocol: &'static str,
    /// Paths of the flow.
    pub paths: &'a [String],
}

/// An end of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// The end that sends messages.
    Source,
    /// The end that reads messages.
    Sink,
}

/// Any line of a flow.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Line<'a> {
    /// Seconds since the start of the run.
    pub time: f64,
    /// Name of the flow.
    pub flow: &'a str,
    /// The host of the event; for events of links, the host that sent the packet.
    pub host: Side,
    /// The path, if it concerns one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<&'a str>,
    /// The event.
    #[serde(flatten)]
    pub event: &'a Event<'a>,
}

/// A line that belongs to a link and not to a flow.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct LinkLine<'a> {
    /// Seconds since the start of the run.
    pub(crate) time: f64,
    /// The event.
    #[serde(flatten)]
    pub(crate) event: LinkEvent<'a>,
}

/// An event of a link of an emulation. The Python package writes it from the reports of the emulator, which has no
/// flows.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "name", content = "data")]
#[expect(dead_code, reason = "it is the schema of lines that Python writes")]
pub(crate) enum LinkEvent<'a> {
    /// The counters of a link; they count from the start of the emulation.
    #[serde(rename = "link:metrics_updated")]
    MetricsUpdated(LinkMetrics<'a>),
}

/// The counters of one direction of a link. Bytes are network-layer bytes.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct LinkMetrics<'a> {
    /// Name of the link.
    pub(crate) link: &'a str,
    /// Packets in the queue.
    pub(crate) queue: u64,
    /// Packets offered.
    pub(crate) arrived: u64,
    /// Packets delivered at the far end.
    pub(crate) delivered: u64,
    /// Delivered packets with a wrong bit.
    pub(crate) damaged: u64,
    /// Packets dropped before their transmission.
    pub(crate) dropped: u64,
    /// Dropped packets for which there was room.
    pub(crate) dropped_early: u64,
    /// Packets lost after their transmission, or when the link went down.
    pub(crate) lost: u64,
    /// Bytes offered.
    pub(crate) bytes_arrived: u64,
    /// Bytes delivered at the far end.
    pub(crate) bytes_delivered: u64,
}

/// An event.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "name", content = "data")]
pub enum Event<'a> {
    /// The application opened an association or connection.
    #[serde(rename = "connectivity:connection_started")]
    ConnectionStarted(Nothing),
    /// The association or connection is established: data may be sent.
    #[serde(rename = "connectivity:connection_established")]
    ConnectionEstablished(Nothing),
    /// The association or connection ended.
    #[serde(rename = "connectivity:connection_closed")]
    ConnectionClosed(Closed),
    /// The state of a path at a host changed.
    #[serde(rename = "connectivity:path_updated")]
    PathUpdated(PathUpdated),
    /// A host sent a packet.
    #[serde(rename = "transport:packet_sent")]
    PacketSent(Content<'a>),
    /// A packet reached its host whole.
    #[serde(rename = "transport:packet_received")]
    PacketReceived(Content<'a>),
    /// A packet reached its host damaged, as the checksum shows; it is discarded.
    #[serde(rename = "transport:packet_dropped")]
    PacketDiscarded(Discarded<'a>),
    /// The retransmission timer of a path expired.
    #[serde(rename = "recovery:loss_timer_expired")]
    LossTimerExpired(Count),
    /// Chunks or segments were marked for retransmission, or retransmitted.
    #[serde(rename = "recovery:marked_for_retransmit")]
    MarkedForRetransmit(Marked),
    /// Fast retransmission cut the window of a path.
    #[serde(rename = "recovery:window_cut")]
    WindowCut(Count),
    /// The congestion control state of a path changed.
    #[serde(rename = "recovery:congestion_state_updated")]
    CongestionStateUpdated(CongestionStateUpdated),
    /// Metrics of a path changed; only changed metrics are listed.
    #[serde(rename = "recovery:metrics_updated")]
    MetricsUpdated(Metrics),
    /// A limit stopped a path from sending new data for some time.
    #[serde(rename = "recovery:sending_blocked")]
    SendingBlocked(Blocked),
    /// A link refused a packet, or its queue dropped a packet that it had accepted.
    #[serde(rename = "link:packet_dropped")]
    PacketDropped(Dropped<'a>),
    /// A packet was lost on a link.
    #[serde(rename = "link:packet_lost")]
    PacketLost(Lost<'a>),
    /// A link damaged a packet, which is still delivered.
    #[serde(rename = "link:packet_damaged")]
    PacketDamaged(Damaged<'a>),
}

impl Event<'_> {
    /// Its index in [`NAMES`].
    pub(crate) const fn index(&self) -> usize {
        match self {
            Self::ConnectionStarted(_) => 0,
            Self::ConnectionEstablished(_) => 1,
            Self::ConnectionClosed(_) => 2,
            Self::PathUpdated(_) => 3,
            Self::PacketSent(_) => 4,
            Self::PacketReceived(_) => 5,
            Self::PacketDiscarded(_) => 6,
            Self::LossTimerExpired(_) => 7,
            Self::MarkedForRetransmit(_) => 8,
            Self::WindowCut(_) => 9,
            Self::CongestionStateUpdated(_) => 10,
            Self::MetricsUpdated(_) => 11,
            Self::SendingBlocked(_) => 12,
            Self::PacketDropped(_) => 13,
            Self::PacketLost(_) => 14,
            Self::PacketDamaged(_) => 15,
        }
    }
}

/// No further data.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Nothing {}

/// The end of an association or connection.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Closed {
    /// The reason, as in the outcome of a run.
    pub reason: &'static str,
}

/// The state of a path.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct PathUpdated {
    /// The previous state; missing for a new path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old: Option<Standing>,
    /// The new state.
    pub new: Standing,
}

/// The state of a path at a host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// Its address is not confirmed, or its subflow is not open.
    #[default]
    Connecting,
    /// It works.
    Up,
    /// Potentially failed: several packets had no answer, so that other paths are preferred. RFC 7829 §3.2
    PotentiallyFailed,
    /// It has failed, or is closed.
    Down,
}

/// A packet that was discarded.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Discarded<'a> {
    /// Offset of the wrong byte from the network header.
    pub damaged_byte: u32,
    /// The packet as it was sent.
    pub packet: Content<'a>,
}

/// A number of occurrences.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Count {
    /// Number of occurrences since the last event of this kind.
    pub count: u64,
}

/// Retransmitted chunks or segments.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Marked {
    /// The reason.
    pub trigger: Trigger,
    /// Number of DATA chunks of SCTP that were marked, or of TCP segments that were sent.
    pub count: u64,
}

/// The reason of a retransmission.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Trigger {
    /// Acknowledgements reported the loss.
    FastRetransmission,
    /// The retransmission timer expired.
    Timeout,
    /// The peer returned a damaged packet.
    DropReport,
    /// It blocked the buffer of another path (rescheduling).
    Rescheduling,
    /// The peer's receive buffer was full when the chunk arrived, and has room again.
    WindowProbe,
}

/// A change of the congestion control state.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct CongestionStateUpdated {
    /// The previous state; missing for a new path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old: Option<CongestionState>,
    /// The new state.
    pub new: CongestionState,
}

/// The congestion control states that all algorithms share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CongestionState {
    /// Slow start: the window is below the slow-start threshold, or equal to it with some profiles.
    #[default]
    SlowStart,
    /// Congestion avoidance: the window is above the threshold.
    CongestionAvoidance,
    /// Fast recovery of this path: the window does not grow.
    Recovery,
}

/// Changed metrics.
#[derive(Debug, Default, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Metrics {
    /// Congestion window in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwnd: Option<u64>,
    /// Slow-start threshold in bytes; 4294967296 before a path has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ssthresh: Option<u64>,
    /// Smoothed round-trip time in seconds; 0 before the first sample.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub srtt: Option<f64>,
    /// Retransmission timeout in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rto: Option<f64>,
    /// Outstanding bytes in the accounting of the congestion control.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outstanding: Option<u64>,
}

/// A packet that a link or its queue dropped.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Dropped<'a> {
    /// Name of the link.
    pub link: &'a str,
    /// The reason.
    pub reason: DropReason,
    /// Packets in the queue afterwards.
    pub queue: usize,
    /// The packet.
    pub packet: Content<'a>,
}

/// The reason of a drop.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DropReason {
    /// The queue was full.
    Full,
    /// The queue had room, and signals congestion.
    Early,
    /// The queue had accepted the packet and dropped it while it waited.
    Late,
    /// The link was down.
    Down,
}

/// A packet that a link lost.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Lost<'a> {
    /// Name of the link.
    pub link: &'a str,
    /// The reason.
    pub reason: LossReason,
    /// The packet.
    pub packet: Content<'a>,
}

/// The reason of a loss.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LossReason {
    /// The loss model.
    Chance,
    /// The link went down while the packet was queued or transmitted.
    Down,
}

/// A packet that a link damaged.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Damaged<'a> {
    /// Name of the link.
    pub link: &'a str,
    /// Offset of the wrong byte from the network header.
    pub damaged_byte: u32,
    /// The packet as it was sent.
    pub packet: Content<'a>,
}

impl Side {
    /// Its name, as in a line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Source => "source",
            Self::Sink => "sink",
        }
    }
}

impl From<&sctp::PathStats> for Standing {
    fn from(stats: &sctp::PathStats) -> Self {
        match stats.state {
            sctp::PathState::Active if stats.confirmed => Self::Up,
            sctp::PathState::Active => Self::Connecting,
            sctp::PathState::PotentiallyFailed => Self::PotentiallyFailed,
            sctp::PathState::Inactive => Self::Down,
        }
    }
}

impl From<&tcp::PathStats> for Standing {
    fn from(stats: &tcp::PathStats) -> Self {
        match (stats.usable, stats.closed) {
            (true, _) => Self::Up,
            (false, true) => Self::Down,
            (false, false) => Self::Connecting,
        }
    }
}

impl CongestionState {
    /// The state from the flags of the protocols.
    #[must_use]
    pub const fn new(in_slow_start: bool, in_recovery: bool) -> Self {
        match (in_recovery, in_slow_start) {
            (true, _) => Self::Recovery,
            (false, true) => Self::SlowStart,
            (false, false) => Self::CongestionAvoidance,
        }
    }
}

impl From<sctp::CloseReason> for Closed {
    fn from(reason: sctp::CloseReason) -> Self {
        use sctp::CloseReason;
        let reason = match reason {
            CloseReason::Shutdown => "shutdown",
            CloseReason::AbortedByPeer => "aborted-by-peer",
            CloseReason::AbortedHere => "aborted-here",
            CloseReason::Unreachable => "unreachable",
            CloseReason::ProtocolViolation => "protocol-violation",
        };
        Self { reason }
    }
}

impl From<tcp::CloseReason> for Closed {
    fn from(reason: tcp::CloseReason) -> Self {
        use tcp::CloseReason;
        let reason = match reason {
            CloseReason::Finished => "finished",
            CloseReason::ResetByPeer => "reset-by-peer",
            CloseReason::ResetHere => "reset-here",
            CloseReason::Unreachable => "unreachable",
            CloseReason::ProtocolViolation => "protocol-violation",
        };
        Self { reason }
    }
}

/// The names of all events: a category, a colon, and the event.
pub const NAMES: [&str; 16] = [
    "connectivity:connection_started",
    "connectivity:connection_established",
    "connectivity:connection_closed",
    "connectivity:path_updated",
    "transport:packet_sent",
    "transport:packet_received",
    "transport:packet_dropped",
    "recovery:loss_timer_expired",
    "recovery:marked_for_retransmit",
    "recovery:window_cut",
    "recovery:congestion_state_updated",
    "recovery:metrics_updated",
    "recovery:sending_blocked",
    "link:packet_dropped",
    "link:packet_lost",
    "link:packet_damaged",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::Form;

    #[test]
    fn every_event_has_its_name_in_the_list() {
        let schema = schemars::schema_for!(Event<'_>).to_value();
        let variants = schema["oneOf"].as_array().expect("a schema for each event");
        let names: Vec<_> = variants
            .iter()
            .map(|variant| variant["properties"]["name"]["const"].as_str().expect("a name"))
            .collect();
        assert_eq!(names, NAMES);
    }

    #[test]
    fn the_index_of_an_event_is_its_place_in_the_list() {
        let packet = sctp::Packet::default();
        let content = || Content { form: Form::Sctp(&packet), length: 0 };
        let (count, link) = (|| Count { count: 1 }, "south");
        let events = [
            Event::ConnectionStarted(Nothing {}),
            Event::ConnectionEstablished(Nothing {}),
            Event::ConnectionClosed(Closed { reason: "shutdown" }),
            Event::PathUpdated(PathUpdated { old: None, new: Standing::Up }),
            Event::PacketSent(content()),
            Event::PacketReceived(content()),
            Event::PacketDiscarded(Discarded { damaged_byte: 7, packet: content() }),
            Event::LossTimerExpired(count()),
            Event::MarkedForRetransmit(Marked { trigger: Trigger::Timeout, count: 1 }),
            Event::WindowCut(count()),
            Event::CongestionStateUpdated(CongestionStateUpdated {
                old: None,
                new: CongestionState::Recovery,
            }),
            Event::MetricsUpdated(Metrics::default()),
            Event::SendingBlocked(Blocked::default()),
            Event::PacketDropped(Dropped {
                link,
                reason: DropReason::Full,
                queue: 3,
                packet: content(),
            }),
            Event::PacketLost(Lost { link, reason: LossReason::Down, packet: content() }),
            Event::PacketDamaged(Damaged { link, damaged_byte: 7, packet: content() }),
        ];
        assert_eq!(events.len(), NAMES.len());
        for event in &events {
            let written = serde_json::to_value(event).expect("an event can be written");
            assert_eq!(written["name"], NAMES[event.index()]);
        }
    }
}
