//! A flow over SCTP: one association, with every switch that the papers or their simulator leave open.

use manypath_core::Span;
use manypath_sctp::{
    BufferSplit, Burst, CumAck, LimitingWindow, PathBlocking, Rescheduling, SackPath, SendOrder,
    SplitBy, T3Path, T3Reset, WindowOverrun, WindowProbe,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::application::Application;
use super::error::ScenarioError;
use super::flow::Start;
use super::switches::{
    BufferSplitName, BurstName, CumAckName, LimitingWindowName, PathBlockingName, ReschedulingName,
    SackPathName, SendOrderName, SplitByName, T3PathName, T3ResetName, WindowOverrunName,
    WindowProbeName,
};

/// An SCTP association, concurrent over several paths where it has several. What a document leaves out has the value of
/// [`SctpFlow::default`]. RFC 9260
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SctpFlow {
    /// Paths by name; the first is the primary one.
    pub paths: Vec<String>,
    /// Use all paths at once; else the primary one, and another only if that one fails.
    pub concurrent: bool,
    /// Congestion control by name.
    pub cc: String,
    /// How the congestion control counts and rounds, by name.
    pub profile: String,
    /// Largest IP packet in bytes.
    pub mtu: u16,
    /// Packets travel inside UDP, whose header takes 8 bytes of each. RFC 6951
    pub udp_encapsulation: bool,
    /// Streams in the direction of the data.
    pub streams: u16,
    /// Bytes of user data that wait or are outstanding at the source at most.
    pub send_buffer: u64,
    /// Bytes of user data that wait at the sink at most.
    pub receive_buffer: u64,
    /// Acknowledge gaps for good (NR-SACK).
    pub nr_sack: bool,
    /// With NR-SACK, promise to keep whatever arrived; else only what the application has been offered.
    pub never_renege: bool,
    /// Report packets that arrive damaged, so that they are sent again without a window cut.
    pub packet_drop_reports: bool,
    /// Which buffers are divided among the paths that may send new data.
    #[serde(with = "BufferSplitName")]
    #[schemars(with = "BufferSplitName")]
    pub buffer_split: BufferSplit,
    /// What fills a path's share of a divided buffer.
    #[serde(with = "SplitByName")]
    #[schemars(with = "SplitByName")]
    pub split_by: SplitBy,
    /// Whether a path may send the chunk of another path that blocks its buffer.
    #[serde(with = "ReschedulingName")]
    #[schemars(with = "ReschedulingName")]
    pub rescheduling: Rescheduling,
    /// Whether a path whose window a loss would bring below one packet pauses.
    #[serde(with = "PathBlockingName")]
    #[schemars(with = "PathBlockingName")]
    pub path_blocking: PathBlocking,
    /// Congestion window update for CMT.
    #[serde(with = "CumAckName")]
    #[schemars(with = "CumAckName")]
    pub cuc: CumAck,
    /// Split Fast Retransmit.
    pub sfr: bool,
    /// Delayed Acknowledgement for CMT.
    pub dac: bool,
    /// Fast Recovery path by path.
    pub path_fast_recovery: bool,
    /// Chunks that a timeout moved tell nothing about losses on their new path.
    pub smart_fast_rtx: bool,
    /// Which path a SACK takes.
    #[serde(with = "SackPathName")]
    #[schemars(with = "SackPathName")]
    pub sack_path: SackPath,
    /// Ask for a SACK with the last packet that a window admits.
    pub sack_immediately: bool,
    /// Which window that is.
    #[serde(with = "LimitingWindowName")]
    #[schemars(with = "LimitingWindowName")]
    pub sack_immediately_at: LimitingWindow,
    /// A SACK for every so many DATA packets.
    pub sack_every: u32,
    /// A SACK at the latest so long after the first DATA packet that it covers.
    pub sack_delay: Span,
    /// What limits a burst.
    #[serde(with = "BurstName")]
    #[schemars(with = "BurstName")]
    pub burst: Burst,
    /// Packets in one burst.
    pub max_burst: u32,
    /// Spread the packets of each path over its round trip, in place of `burst` once the path has an RTT sample.
    pub pacing: bool,
    /// Order in which the paths are served.
    #[serde(with = "SendOrderName")]
    #[schemars(with = "SendOrderName")]
    pub send_order: SendOrder,
    /// What restarts the retransmission timer.
    #[serde(with = "T3ResetName")]
    #[schemars(with = "T3ResetName")]
    pub t3_reset: T3Reset,
    /// Where chunks go whose timer expired.
    #[serde(with = "T3PathName")]
    #[schemars(with = "T3PathName")]
    pub t3_path: T3Path,
    /// Hold packets that are not full while data is outstanding.
    pub nagle: bool,
    /// Bytes of the peer's receive window below which it counts as full.
    pub peer_window_threshold: u32,
    /// Who may send one chunk into a full window of the peer.
    #[serde(with = "WindowProbeName")]
    #[schemars(with = "WindowProbeName")]
    pub window_probe: WindowProbe,
    /// Whether new data may overrun the peer's window.
    #[serde(with = "WindowOverrunName")]
    #[schemars(with = "WindowOverrunName")]
    pub window_overrun: WindowOverrun,
    /// Bounds of the retransmission timeout.
    pub rto: Rto,
    /// Pause between two probes of an idle path.
    pub heartbeat_interval: Span,
    /// Errors in a row after which a path counts as failed.
    pub path_max_retransmissions: u32,
    /// Errors in a row after which a path counts as potentially failed (PFMR); never without a number, or if it is not
    /// below `path_max_retransmissions`. RFC 7829 §3.2
    pub potentially_failed_after: Option<u32>,
    /// Errors in a row after which the peer counts as gone.
    pub association_max_retransmissions: u32,
    /// What the flow carries.
    pub app: Application,
    /// When the source opens the association.
    pub start: Start,
}

impl SctpFlow {
    /// Reads one flow from its part of a scenario, in JSON, and checks its settings. Paths and congestion control are only
    /// names here.
    ///
    /// # Errors
    /// The first thing that is wrong, in one line. Another protocol than SCTP is wrong.
    pub fn parse(json: &str) -> Result<Self, ScenarioError> {
        let mut fields: Map<String, Value> = super::read(json)?;
        if let Some(other) = fields.remove("transport").filter(|name| name != "sctp") {
            return Err(ScenarioError::value("transport", other, "\"sctp\""));
        }
        let flow: Self =
            serde_path_to_error::deserialize(Value::Object(fields)).map_err(|error| {
                ScenarioError::from_serde(&error.path().to_string(), &error.into_inner())
            })?;
        flow.validate(&str::to_owned)?;
        Ok(flow)
    }
}

impl Default for SctpFlow {
    /// The settings of \[D11]'s authors; the congestion control of a single path.
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

/// Bounds of the retransmission timeout. RFC 9260 §16
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Rto {
    /// Before the first measurement.
    pub initial: Span,
    /// Never shorter.
    pub min: Span,
    /// Never longer.
    pub max: Span,
    /// The clock granularity G: RTTVAR is not smaller. RFC 9260 §6.3.1 G1
    pub granularity: Span,
}

impl Default for Rto {
    /// RFC 4960's values, which the papers used; RFC 9260 starts with 1 s. The clock is that of FreeBSD.
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
            ("[]", "`scenario`: "),
        ];
        for (text, expected) in table {
            let said = SctpFlow::parse(text).expect_err(text).to_string();
            assert!(said.starts_with(expected), "{said}");
        }
    }
}
