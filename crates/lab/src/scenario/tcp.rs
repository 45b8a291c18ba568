//! Flows over TCP and Multipath TCP, with their settings.

use manypath_core::Span;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::application::Application;
use super::flow::Start;

/// A TCP connection over one path. What a document leaves out has the value of [`TcpFlow::default`].
///
/// A stream of bytes is always in order, whatever the application asks for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TcpFlow {
    /// The path by its name.
    pub paths: Vec<String>,
    /// Congestion control by name.
    pub cc: String,
    /// Most bytes after the TCP header in a segment, options included. RFC 9293 §3.7.1
    pub mss: u16,
    /// First congestion window in segments. RFC 6928
    pub initial_window: u32,
    /// First slow-start threshold in segments; without it slow start goes on until the first loss. RFC 5681 §3.1
    pub initial_threshold: Option<u32>,
    /// Segments that the threshold, and the window after a fast retransmission, have at least. RFC 5681 §3.1
    pub smallest_window: u32,
    /// Acknowledge selectively. RFC 2018
    pub sack: bool,
    /// How fast recovery goes on without selective acknowledgements.
    pub recovery: Recovery,
    /// An acknowledgement for every so many full segments. RFC 5681 §4.2
    pub ack_every: u32,
    /// An acknowledgement at the latest so long after the first segment that it covers. RFC 5681 §4.2
    pub ack_delay: Span,
    /// Send new data on the first two duplicate acknowledgements. RFC 3042
    pub limited_transmit: bool,
    /// Bytes of user data that wait or are outstanding at the source at most.
    pub send_buffer: u64,
    /// Bytes of user data that wait at the sink at most.
    pub receive_buffer: u64,
    /// How the retransmission timeout is computed and bounded.
    pub rto: TcpRto,
    /// Bytes of options, beside selective acknowledgements, that every segment carries within the MSS; where gaps are
    /// reported, a pure acknowledgement leaves room for one of them.
    pub option_bytes: u16,
    /// Segments by which an acknowledgement opens the window in slow start at most. RFC 3465 §2.3
    pub abc_limit: u32,
    /// What the flow carries.
    pub app: Application,
    /// When the source opens the connection.
    pub start: Start,
}

impl Default for TcpFlow {
    /// What hosts do today; no options.
    fn default() -> Self {
        Self {
            paths: Vec::new(),
            cc: "newreno".to_owned(),
            mss: 1460,
            initial_window: 10,
            initial_threshold: None,
            smallest_window: 2,
            sack: true,
            recovery: Recovery::NewReno,
            ack_every: 2,
            ack_delay: Span::from_millis(40),
            limited_transmit: true,
            send_buffer: 1_000_000,
            receive_buffer: 1_000_000,
            rto: TcpRto::default(),
            option_bytes: 0,
            abc_limit: 2,
            app: Application::default(),
            start: Start::default(),
        }
    }
}

/// A Multipath TCP connection. What a document leaves out has the value of [`MptcpFlow::default`]. RFC 8684
///
/// A stream of bytes is always in order, whatever the application asks for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MptcpFlow {
    /// Paths by name, one subflow each; the connection opens on the first.
    pub paths: Vec<String>,
    /// Congestion control by name.
    pub cc: String,
    /// Which subflow takes the next data.
    pub scheduler: Scheduler,
    /// Send the data that blocks the receive window on another subflow, too. \[R12]
    pub opportunistic_retransmission: bool,
    /// Halve the window of the subflow whose data blocks the receive window. \[R12]
    pub penalisation: bool,
    /// Most bytes after the TCP header in a segment, options included. RFC 9293 §3.7.1
    pub mss: u16,
    /// First congestion window of each subflow in segments. RFC 6928
    pub initial_window: u32,
    /// First slow-start threshold of each subflow in segments; without it slow start goes on until the first loss. RFC 5681 §3.1
    pub initial_threshold: Option<u32>,
    /// Segments that the threshold, and the window after a fast retransmission, have at least. RFC 5681 §3.1
    pub smallest_window: u32,
    /// Acknowledge selectively. RFC 2018
    pub sack: bool,
    /// How fast recovery goes on without selective acknowledgements.
    pub recovery: Recovery,
    /// An acknowledgement for every so many full segments. RFC 5681 §4.2
    pub ack_every: u32,
    /// An acknowledgement at the latest so long after the first segment that it covers. RFC 5681 §4.2
    pub ack_delay: Span,
    /// Send new data on the first two duplicate acknowledgements. RFC 3042
    pub limited_transmit: bool,
    /// Bytes of user data that wait or are outstanding at the source at most, all subflows together.
    pub send_buffer: u64,
    /// Bytes of user data that wait at the sink at most, all subflows together.
    pub receive_buffer: u64,
    /// How the retransmission timeout is computed and bounded.
    pub rto: TcpRto,
    /// Bytes of options, beside selective acknowledgements, that every segment carries within the MSS: the mapping of
    /// its data. Where gaps are reported, a pure acknowledgement leaves room for one of them.
    pub option_bytes: u16,
    /// Segments by which an acknowledgement opens the window in slow start at most. RFC 3465 §2.3
    pub abc_limit: u32,
    /// What the flow carries.
    pub app: Application,
    /// When the source opens the connection.
    pub start: Start,
}

impl Default for MptcpFlow {
    /// As TCP, coupled, with the options that carry data sequence numbers.
    fn default() -> Self {
        let tcp = TcpFlow::default();
        Self {
            paths: tcp.paths,
            cc: "lia".to_owned(),
            scheduler: Scheduler::LowestRtt,
            opportunistic_retransmission: false,
            penalisation: false,
            mss: tcp.mss,
            initial_window: tcp.initial_window,
            initial_threshold: tcp.initial_threshold,
            smallest_window: tcp.smallest_window,
            sack: tcp.sack,
            recovery: tcp.recovery,
            ack_every: tcp.ack_every,
            ack_delay: tcp.ack_delay,
            limited_transmit: tcp.limited_transmit,
            send_buffer: tcp.send_buffer,
            receive_buffer: tcp.receive_buffer,
            rto: tcp.rto,
            option_bytes: 20,
            abc_limit: tcp.abc_limit,
            app: tcp.app,
            start: tcp.start,
        }
    }
}

impl MptcpFlow {
    /// The settings that TCP has, too.
    #[must_use]
    pub fn tcp(&self) -> TcpFlow {
        TcpFlow {
            paths: self.paths.clone(),
            cc: self.cc.clone(),
            mss: self.mss,
            initial_window: self.initial_window,
            initial_threshold: self.initial_threshold,
            smallest_window: self.smallest_window,
            sack: self.sack,
            recovery: self.recovery,
            ack_every: self.ack_every,
            ack_delay: self.ack_delay,
            limited_transmit: self.limited_transmit,
            send_buffer: self.send_buffer,
            receive_buffer: self.receive_buffer,
            rto: self.rto,
            option_bytes: self.option_bytes,
            abc_limit: self.abc_limit,
            app: self.app.clone(),
            start: self.start,
        }
    }
}

/// How fast recovery goes on without selective acknowledgements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Recovery {
    /// Acknowledgements of a part show one loss after the other. RFC 6582
    NewReno,
    /// The first new acknowledgement ends it. RFC 5681 §3.2
    Reno,
}

/// Which subflow takes the next data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Scheduler {
    /// The one with the smallest round-trip time among those whose windows have room.
    LowestRtt,
    /// Each in turn.
    RoundRobin,
    /// All of them: the same data on each.
    Redundant,
}

/// How the retransmission timeout is computed and bounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TcpRto {
    /// Before the first measurement.
    pub initial: Span,
    /// Never shorter; the rule says what else it bounds.
    pub min: Span,
    /// Never longer.
    pub max: Span,
    /// How the timeout follows from the round-trip times.
    pub rule: RtoRule,
}

/// How a timeout follows from round-trip times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RtoRule {
    /// SRTT plus a margin that follows the largest deviation of each round and is never smaller than `min`.
    Linux,
    /// SRTT + 4·RTTVAR, and not less than `min`. RFC 6298 §2
    Rfc6298,
}

impl Default for TcpRto {
    /// RFC 6298 begins with 1 s; rule and bounds are those of Linux.
    fn default() -> Self {
        Self {
            initial: Span::from_secs(1),
            min: Span::from_millis(200),
            max: Span::from_secs(120),
            rule: RtoRule::Linux,
        }
    }
}
