//! A flow over SCTP: one association. Every policy that the papers or their simulator do not define is a setting.

use manypath_core::Span;
use manypath_link::DocumentError;
use manypath_link::document::{read, read_part};
use manypath_sctp::{
    BufferSplit, Burst, CumAck, LimitingWindow, PathBlocking, Rescheduling, SackPath, SendOrder,
    SplitBy, T3Path, T3Reset, WindowOverrun, WindowProbe,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::application::Application;
use super::start::Start;

/// An SCTP association; with several paths it can use them concurrently. Missing fields have the values of
/// [`SctpFlow::default`]. RFC 9260
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SctpFlow {
    /// Paths by name; the first is the primary one.
    pub paths: Vec<String>,
    /// Send new data on all paths at once (CMT); if false, only on the primary path while it works.
    pub concurrent: bool,
    /// Congestion control by name.
    pub cc: String,
    /// Units, rounding and limits of the congestion control, by name.
    pub profile: String,
    /// Largest IP packet in bytes.
    pub mtu: u16,
    /// Use UDP encapsulation, whose header takes 8 bytes per packet. RFC 6951
    pub udp_encapsulation: bool,
    /// Number of streams in each direction.
    pub streams: u16,
    /// Size of the source's send buffer: waiting and outstanding user data, in bytes.
    pub send_buffer: u64,
    /// Size of the sink's receive buffer: user data that waits for the application, in bytes.
    pub receive_buffer: u64,
    /// Acknowledge data non-renegably (NR-SACK).
    pub nr_sack: bool,
    /// With NR-SACK, report all arrived data as non-renegable; if false, only messages that the application can read.
    pub never_renege: bool,
    /// Report damaged packets, which are then retransmitted without a reduction of the window.
    pub packet_drop_reports: bool,
    /// The buffers that are divided among the paths that may send new data.
    pub buffer_split: BufferSplit,
    /// What counts against a path's share of a divided buffer.
    pub split_by: SplitBy,
    /// Whether a path may retransmit the chunk of another path that blocks its buffer.
    pub rescheduling: Rescheduling,
    /// Whether a path pauses if a loss would reduce its window below one packet.
    pub path_blocking: PathBlocking,
    /// Congestion window update for CMT (CUC).
    pub cuc: CumAck,
    /// Split fast retransmit (SFR).
    pub sfr: bool,
    /// Delayed acknowledgement for CMT (DAC).
    pub dac: bool,
    /// Fast Recovery per path; if false, all paths share one Fast Recovery.
    pub path_fast_recovery: bool,
    /// Chunks that a timeout moved to another path do not indicate losses on that path.
    pub smart_fast_rtx: bool,
    /// The path of a SACK.
    pub sack_path: SackPath,
    /// Request an immediate SACK with the last packet that fits into a window.
    pub sack_immediately: bool,
    /// The window whose last packet requests the SACK of `sack_immediately`.
    pub sack_immediately_at: LimitingWindow,
    /// Number of DATA packets per SACK.
    pub sack_every: u32,
    /// Largest delay of a SACK after the first unacknowledged DATA packet.
    pub sack_delay: Span,
    /// The limit of bursts on a path.
    pub burst: Burst,
    /// Packets in one burst.
    pub max_burst: u32,
    /// Pace the packets of each path over its round trip, in place of `burst` once the path has an RTT sample.
    pub pacing: bool,
    /// The order in which paths may send.
    pub send_order: SendOrder,
    /// The events that restart the retransmission timer of a path.
    pub t3_reset: T3Reset,
    /// The path of retransmissions after a timeout.
    pub t3_path: T3Path,
    /// Hold packets that are not full while data is outstanding (Nagle's algorithm).
    pub nagle: bool,
    /// The peer's receive window counts as full below this number of bytes.
    pub peer_window_threshold: u32,
    /// Which paths may send one chunk into a full receive window of the peer.
    pub window_probe: WindowProbe,
    /// Whether new data may exceed the peer's receive window.
    pub window_overrun: WindowOverrun,
    /// Limits of the retransmission timeout.
    pub rto: Rto,
    /// Interval between heartbeats of an idle path, to which one RTO is added.
    pub heartbeat_interval: Span,
    /// A path fails when its number of consecutive errors exceeds this.
    pub path_max_retransmissions: u32,
    /// A path becomes potentially failed when its number of consecutive errors exceeds this (PFMR). Disabled if `null`,
    /// or if not below `path_max_retransmissions`. RFC 7829 §3.2
    pub potentially_failed_after: Option<u32>,
    /// The peer counts as unreachable when the number of consecutive errors exceeds this.
    pub association_max_retransmissions: u32,
    /// The application of the flow.
    pub app: Application,
    /// When the source opens the association.
    pub start: Start,
}

impl SctpFlow {
    /// Reads one flow of a scenario from JSON, and checks its settings. Names of paths and of the congestion control
    /// are not looked up.
    ///
    /// # Errors
    /// The first mistake, in one line. Any protocol except SCTP is a mistake.
    pub fn parse(json: &str) -> Result<Self, DocumentError> {
        let mut fields: Map<String, Value> = read(json)?;
        if let Some(other) = fields.remove("transport").filter(|name| name != "sctp") {
            return Err(DocumentError::value("transport", other, "\"sctp\""));
        }
        let flow: Self = read_part("", Value::Object(fields))?;
        flow.validate(&str::to_owned)?;
        Ok(flow)
    }
}

impl Default for SctpFlow {
    /// The settings of \[D11]'s simulations, except for the congestion control, which is that of one path.
    fn default() -> Self {
        Self {
            paths: Vec::new(),
            concurrent: true,
            cc: "newreno".to_owned(),
            profile: "inet".to_owned(),
            mtu: 1500,
            udp_encapsulation: false,
            streams: 1,
            send_buffer: 1_000_000,
            receive_buffer: 500_000,
            nr_sack: true,
            never_renege: true,
            packet_drop_reports: false,
            buffer_split: BufferSplit::Both,
            split_by: SplitBy::Outstanding,
            rescheduling: Rescheduling::None,
            path_blocking: PathBlocking::None,
            cuc: CumAck::PathV2,
            sfr: true,
            dac: true,
            path_fast_recovery: true,
            smart_fast_rtx: true,
            sack_path: SackPath::SmallestSrtt,
            sack_immediately: true,
            sack_immediately_at: LimitingWindow::Congestion,
            sack_every: 2,
            sack_delay: Span::from_millis(200),
            burst: Burst::UseItOrLoseIt,
            max_burst: 4,
            pacing: false,
            send_order: SendOrder::SmallestLastTransmission,
            t3_reset: T3Reset::Smart,
            t3_path: T3Path::Next,
            nagle: true,
            peer_window_threshold: 3000,
            window_probe: WindowProbe::Path,
            window_overrun: WindowOverrun::Never,
            rto: Rto::default(),
            heartbeat_interval: Span::from_secs(30),
            path_max_retransmissions: 5,
            potentially_failed_after: None,
            association_max_retransmissions: 10,
            app: Application::default(),
            start: Start::default(),
        }
    }
}

/// Limits of the retransmission timeout. RFC 9260 §16
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Rto {
    /// Timeout before the first RTT sample.
    pub initial: Span,
    /// Smallest timeout.
    pub min: Span,
    /// Largest timeout.
    pub max: Span,
    /// Clock granularity G, the smallest RTTVAR. Unlike RFC 9260 §6.3.1 G1: G replaces every smaller RTTVAR, not only
    /// zero, because RTTVAR is in nanoseconds; in whole units of G such a value is zero.
    pub granularity: Span,
}

impl Default for Rto {
    /// The values of RFC 4960, which the papers used, and the clock granularity of FreeBSD. In RFC 9260, RTO.Initial is 1 s.
    fn default() -> Self {
        Self {
            initial: Span::from_secs(3),
            min: Span::from_secs(1),
            max: Span::from_secs(60),
            granularity: Span::from_millis(1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_flow_is_read_with_its_settings() {
        let text = r#"{"transport": "sctp", "paths": ["a"], "udp_encapsulation": true, "rto": {"min": 200000000}}"#;
        let flow = SctpFlow::parse(text).expect("a flow");
        assert!(flow.udp_encapsulation);
        assert_eq!(flow.rto.min, Span::from_millis(200));
        assert_eq!(flow.sack_every, SctpFlow::default().sack_every);
    }

    #[test]
    fn a_flow_with_a_mistake_is_refused_by_field() {
        let table = [
            (r#"{"transport": "tcp"}"#, "`transport` is \"tcp\", expected \"sctp\""),
            (r#"{"mtu": 100}"#, "`mtu` is 100 bytes, expected"),
            (r#"{"burst": "big"}"#, "`burst`: "),
            (r#"{"speed": 1}"#, "`speed`: "),
            (r#"{"sack_every": 0}"#, "`sack_every` is 0, expected"),
            ("[]", "`document`: "),
        ];
        for (text, expected) in table {
            let said = SctpFlow::parse(text).expect_err(text).to_string();
            assert!(said.starts_with(expected), "{said}");
        }
    }
}
