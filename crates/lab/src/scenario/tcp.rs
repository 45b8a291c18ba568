//! Flows over TCP and Multipath TCP, with their settings.

use manypath_core::Span;
use manypath_tcp::{Recovery, Scheduler};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::application::Application;
use super::start::Start;

/// A TCP connection over one path. Missing fields have the values of [`TcpFlow::default`].
///
/// The data is always in order, whatever the application requests.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TcpFlow {
    /// The name of the path, as a list of one.
    pub paths: Vec<String>,
    /// Congestion control by name.
    pub cc: String,
    /// Largest number of bytes after the TCP header in a segment, options included. RFC 9293 §3.7.1
    pub mss: u16,
    /// Initial congestion window in segments. RFC 6928
    pub initial_window: u32,
    /// Initial slow-start threshold in segments; without it slow start continues until the first loss. RFC 5681 §3.1
    pub initial_threshold: Option<u32>,
    /// Smallest threshold, and smallest window after a fast retransmission, in segments. RFC 5681 §3.1
    pub smallest_window: u32,
    /// Use selective acknowledgements. RFC 2018
    pub sack: bool,
    /// Fast recovery without selective acknowledgements.
    pub recovery: Recovery,
    /// Number of full segments per acknowledgement. RFC 5681 §4.2
    pub ack_every: u32,
    /// Largest delay of an acknowledgement after the first unacknowledged segment. RFC 5681 §4.2
    pub ack_delay: Span,
    /// Send new data on the first two duplicate acknowledgements. RFC 3042
    pub limited_transmit: bool,
    /// Size of the source's send buffer: waiting and outstanding user data, in bytes.
    pub send_buffer: u64,
    /// Size of the sink's receive buffer: user data that waits for the application, in bytes.
    pub receive_buffer: u64,
    /// Computation and limits of the retransmission timeout.
    pub rto: TcpRto,
    /// Bytes of options in every segment, except selective acknowledgements; they count in the MSS. A pure
    /// acknowledgement that reports gaps leaves room for one SACK block.
    pub option_bytes: u16,
    /// Largest number of segments by which an acknowledgement opens the window in slow start. RFC 3465 §2.3
    pub abc_limit: u32,
    /// The application of the flow.
    pub app: Application,
    /// When the source opens the connection.
    pub start: Start,
}

impl Default for TcpFlow {
    /// Common settings of hosts, without options.
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

/// A Multipath TCP connection. Missing fields have the values of [`MptcpFlow::default`]. RFC 8684
///
/// The data is always in order, whatever the application requests.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MptcpFlow {
    /// Paths by name, with one subflow each; the connection opens on the first.
    pub paths: Vec<String>,
    /// Congestion control by name.
    pub cc: String,
    /// The subflow of the next data.
    pub scheduler: Scheduler,
    /// Opportunistic retransmission: resend the data that blocks the receive window on another subflow. \[R12]
    pub opportunistic_retransmission: bool,
    /// Penalisation: halve the window of the subflow whose data blocks the receive window. \[R12]
    pub penalisation: bool,
    /// Largest number of bytes after the TCP header in a segment, options included. RFC 9293 §3.7.1
    pub mss: u16,
    /// Initial congestion window of each subflow in segments. RFC 6928
    pub initial_window: u32,
    /// Initial slow-start threshold of each subflow in segments; without it slow start continues until the first loss.
    /// RFC 5681 §3.1
    pub initial_threshold: Option<u32>,
    /// Smallest threshold, and smallest window after a fast retransmission, in segments. RFC 5681 §3.1
    pub smallest_window: u32,
    /// Use selective acknowledgements. RFC 2018
    pub sack: bool,
    /// Fast recovery without selective acknowledgements.
    pub recovery: Recovery,
    /// Number of full segments per acknowledgement. RFC 5681 §4.2
    pub ack_every: u32,
    /// Largest delay of an acknowledgement after the first unacknowledged segment. RFC 5681 §4.2
    pub ack_delay: Span,
    /// Send new data on the first two duplicate acknowledgements. RFC 3042
    pub limited_transmit: bool,
    /// Size of the source's send buffer for all subflows: waiting and outstanding user data, in bytes.
    pub send_buffer: u64,
    /// Size of the sink's receive buffer for all subflows: user data that waits for the application, in bytes.
    pub receive_buffer: u64,
    /// Computation and limits of the retransmission timeout.
    pub rto: TcpRto,
    /// Bytes of options in every segment, except selective acknowledgements: the mapping of its data. They count in the
    /// MSS. A pure acknowledgement that reports gaps leaves room for one SACK block.
    pub option_bytes: u16,
    /// Largest number of segments by which an acknowledgement opens the window in slow start. RFC 3465 §2.3
    pub abc_limit: u32,
    /// The application of the flow.
    pub app: Application,
    /// When the source opens the connection.
    pub start: Start,
}

impl Default for MptcpFlow {
    /// The settings of TCP with coupled congestion control, and the options for data sequence numbers.
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
    /// The settings that TCP has too.
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

/// Computation and limits of the retransmission timeout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TcpRto {
    /// Timeout before the first RTT sample.
    pub initial: Span,
    /// Smallest timeout; its further effects depend on the rule.
    pub min: Span,
    /// Largest timeout.
    pub max: Span,
    /// The rule that computes the timeout from RTT samples.
    pub rule: RtoRule,
}

/// The rule that computes the timeout from RTT samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RtoRule {
    /// SRTT plus a margin, which follows the largest deviation of each round and is at least `min`.
    Linux,
    /// SRTT + 4·RTTVAR, but at least `min`. RFC 6298 §2
    Rfc6298,
}

impl Default for TcpRto {
    /// The initial value of RFC 6298, and Linux's rule and limits.
    fn default() -> Self {
        Self {
            initial: Span::from_secs(1),
            min: Span::from_millis(200),
            max: Span::from_secs(120),
            rule: RtoRule::Linux,
        }
    }
}
