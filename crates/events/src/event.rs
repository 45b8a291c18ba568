//! What a line says: the header, and every event by its name. \[QLOG]

use manypath_sctp as sctp;
use manypath_tcp as tcp;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::content::Content;

/// A line of the file.
#[derive(Debug, JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "it is the schema of a file, whose lines are written one by one")]
pub(crate) enum Record<'a> {
    /// The first one.
    Header(Header<'a>),
    /// All others.
    Line(Line<'a>),
}

/// The first line: what is observed.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Header<'a> {
    /// Name and version of this form.
    pub file_schema: &'static str,
    /// One JSON document a line.
    pub serialization_format: &'static str,
    /// The flows of the scenario.
    pub title: String,
    /// What wrote the file.
    pub generator: Generator,
    /// Unit of all times: the second.
    pub time_unit: &'static str,
    /// Seed of the run.
    pub seed: u64,
    /// Number of the repetition.
    pub replication: u64,
    /// Hosts where events are seen.
    pub vantage_points: Vec<VantagePoint<'a>>,
    /// Links where events are seen, access links included.
    pub links: &'a [String],
    /// The scenario as the engine reads it: rates in bit/s, times in nanoseconds, sizes in bytes.
    #[schemars(with = "serde_json::Map<String, serde_json::Value>")]
    pub scenario: &'a RawValue,
}

/// What wrote a file.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Generator {
    /// The program.
    pub name: &'static str,
    /// Its version.
    pub version: &'static str,
    /// A hash of the engine's sources.
    pub engine: &'static str,
}

/// A host.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct VantagePoint<'a> {
    /// Its flow.
    pub flow: &'a str,
    /// Which end of the flow it is.
    pub host: Side,
    /// What it speaks.
    pub protocol: &'static str,
    /// Paths of the flow.
    pub paths: &'a [String],
}

/// Which end of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// It sends messages.
    Source,
    /// It reads them.
    Sink,
}

/// Any line but the first.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Line<'a> {
    /// Seconds since the run began.
    pub time: f64,
    /// The flow.
    pub flow: &'a str,
    /// The host where it happened; at links, the host that sent the packet.
    pub host: Side,
    /// The path, if it concerns one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<&'a str>,
    /// What happened.
    #[serde(flatten)]
    pub event: &'a Event<'a>,
}

/// What can happen.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "name", content = "data")]
pub enum Event<'a> {
    /// The application opened an association or connection.
    #[serde(rename = "connectivity:connection_started")]
    ConnectionStarted(Nothing),
    /// The association or connection stands: data may be sent.
    #[serde(rename = "connectivity:connection_established")]
    ConnectionEstablished(Nothing),
    /// The association or connection ended.
    #[serde(rename = "connectivity:connection_closed")]
    ConnectionClosed(Closed),
    /// A host thinks otherwise of a path than before.
    #[serde(rename = "connectivity:path_updated")]
    PathUpdated(PathUpdated),
    /// A host sent a packet.
    #[serde(rename = "transport:packet_sent")]
    PacketSent(Content<'a>),
    /// A packet reached its host whole.
    #[serde(rename = "transport:packet_received")]
    PacketReceived(Content<'a>),
    /// A packet reached its host damaged, which the checksum tells; its content is not used.
    #[serde(rename = "transport:packet_dropped")]
    PacketDiscarded(Discarded<'a>),
    /// The retransmission timer of a path ran out.
    #[serde(rename = "recovery:loss_timer_expired")]
    LossTimerExpired(Count),
    /// Chunks or segments are sent again, or shall be.
    #[serde(rename = "recovery:marked_for_retransmit")]
    MarkedForRetransmit(Marked),
    /// Fast retransmission cut the window of a path.
    #[serde(rename = "recovery:window_cut")]
    WindowCut(Count),
    /// Something else decides now how the window of a path grows.
    #[serde(rename = "recovery:congestion_state_updated")]
    CongestionStateUpdated(CongestionStateUpdated),
    /// A path has other metrics than before; those that changed are told.
    #[serde(rename = "recovery:metrics_updated")]
    MetricsUpdated(Metrics),
    /// A link refused a packet, or its queue threw out a packet that it had taken.
    #[serde(rename = "link:packet_dropped")]
    PacketDropped(Dropped<'a>),
    /// A packet was lost on a link.
    #[serde(rename = "link:packet_lost")]
    PacketLost(Lost<'a>),
    /// A link damaged a packet, which travels on.
    #[serde(rename = "link:packet_damaged")]
    PacketDamaged(Damaged<'a>),
}

impl Event<'_> {
    /// Its place in [`NAMES`].
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
            Self::PacketDropped(_) => 12,
            Self::PacketLost(_) => 13,
            Self::PacketDamaged(_) => 14,
        }
    }
}

/// No more is to be said.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Nothing {}

/// How an association or connection ended.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Closed {
    /// Why, as in the outcome of a run.
    pub reason: &'static str,
}

/// How a path stands.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct PathUpdated {
    /// How it stood; nothing for a path that is new.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old: Option<Standing>,
    /// How it stands.
    pub new: Standing,
}

/// How a host thinks of a path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// Its address is not confirmed, or its subflow not open.
    #[default]
    Connecting,
    /// It works.
    Up,
    /// So much had no answer that others are preferred. RFC 7829 §3.2
    PotentiallyFailed,
    /// It failed, or is over.
    Down,
}

/// A packet that arrived in vain.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Discarded<'a> {
    /// The byte that is wrong, counted from the network header on.
    pub damaged_byte: u32,
    /// The packet as it was sent.
    pub packet: Content<'a>,
}

/// How often.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Count {
    /// Times.
    pub count: u64,
}

/// What is sent again.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Marked {
    /// Why.
    pub trigger: Trigger,
    /// DATA chunks of SCTP when they are marked, segments of TCP when they leave.
    pub count: u64,
}

/// Why something is sent again.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Trigger {
    /// Acknowledgements show the loss.
    FastRetransmission,
    /// The retransmission timer ran out.
    Timeout,
    /// The peer returned a damaged packet.
    DropReport,
    /// It blocked the buffer of another path.
    Rescheduling,
    /// The peer's buffer was full when it came, and has room for it now.
    WindowProbe,
}

/// What decides how a window grows.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct CongestionStateUpdated {
    /// What decided; nothing for a path that is new.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old: Option<CongestionState>,
    /// What decides.
    pub new: CongestionState,
}

/// The states of congestion control that all algorithms share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CongestionState {
    /// The window is below the slow-start threshold, or at it where the profile says so.
    #[default]
    SlowStart,
    /// The window is above it.
    CongestionAvoidance,
    /// Fast recovery of this path: the window waits.
    Recovery,
}

/// Metrics that changed.
#[derive(Debug, Default, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Metrics {
    /// Congestion window in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwnd: Option<u64>,
    /// Slow-start threshold in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ssthresh: Option<u64>,
    /// Smoothed round-trip time in seconds; 0 before the first measurement.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub srtt: Option<f64>,
    /// Retransmission timeout in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rto: Option<f64>,
    /// Outstanding bytes as the congestion control counts them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outstanding: Option<u64>,
}

/// A packet that a link or its queue dropped.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Dropped<'a> {
    /// The link.
    pub link: &'a str,
    /// Why.
    pub reason: DropReason,
    /// Packets that wait there afterwards.
    pub queue: usize,
    /// The packet.
    pub packet: Content<'a>,
}

/// Why a packet was dropped.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DropReason {
    /// The queue had no room.
    Full,
    /// The queue had room, and wants the sender to slow down.
    Early,
    /// The queue had taken it, and dropped it while it waited.
    Late,
    /// The link was down.
    Down,
}

/// A packet that a link lost.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Lost<'a> {
    /// The link.
    pub link: &'a str,
    /// Why.
    pub reason: LossReason,
    /// The packet.
    pub packet: Content<'a>,
}

/// Why a packet was lost.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LossReason {
    /// By the loss model.
    Chance,
    /// The link went down while it waited or was transmitted.
    Down,
}

/// A packet that a link damaged.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Damaged<'a> {
    /// The link.
    pub link: &'a str,
    /// The byte that is wrong, counted from the network header on.
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
    /// What the protocols say of it.
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

/// The names of all events: a category, a colon, and what happened.
pub const NAMES: [&str; 15] = [
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
    fn an_event_knows_its_place_in_the_list() {
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
