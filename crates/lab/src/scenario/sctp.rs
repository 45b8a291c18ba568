//! A flow over SCTP: one association. Every policy that the papers or their simulator do not define is a setting.

use manypath_core::Span;
use manypath_link::DocumentError;
use manypath_link::document::{read, read_part};
use manypath_sctp::{
    BufferSplit, Burst, Config, CumAck, LimitingWindow, PathBlocking, Rescheduling, RttSample,
    SackPath, SendOrder, SplitBy, T3Path, T3Reset, WindowOverrun, WindowProbe,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::application::Application;
use super::flow::define_flow;
use super::start::Start;

/// Defines the flow by its settings. Those under `same` are fields of [`Config`] as well.
macro_rules! sctp_flow {
    (
        $(#[$about:meta])*
        $name:ident { $($own:tt)* }
        same { $($(#[$doc:meta])* $same:ident: $type:ty = $default:expr,)* }
    ) => {
        define_flow! {
            $(#[$about])*
            $name { $($own)* }
            same { $($(#[$doc])* $same: $type = $default,)* }
        }

        impl $name {
            /// `config` with the settings that are the same in both.
            pub(crate) fn applied_to(&self, config: Config) -> Config {
                Config { $($same: self.$same,)* ..config }
            }
        }
    };
}

sctp_flow! {
    /// An SCTP association; with several paths it can use them concurrently. Missing fields have the values of
    /// [`SctpFlow::default`]: those of \[D11]'s authors except for `rtt_sample`, with the congestion control of a single
    /// path. RFC 9260
    SctpFlow {
        /// Paths by name; the first is the primary one.
        paths: Vec<String> = Vec::new(),
        /// Send new data on all paths at once (CMT); if false, only on the primary path while it works.
        concurrent: bool = true,
        /// Congestion control by name.
        cc: String = "newreno".to_owned(),
        /// Units, rounding and limits of the congestion control, by name.
        profile: String = "inet".to_owned(),
        /// Number of streams in each direction.
        streams: u16 = 1,
        /// Size of the source's send buffer: waiting and outstanding user data, in bytes.
        send_buffer: u64 = 1_000_000,
        /// Size of the sink's receive buffer: user data that waits for the application, in bytes.
        receive_buffer: u64 = 500_000,
        /// Request an immediate SACK with the last packet that fits into a window.
        sack_immediately: bool = true,
        /// Limits of the retransmission timeout.
        rto: Rto = Rto::default(),
        /// The application of the flow.
        app: Application = Application::default(),
        /// When the source opens the association.
        start: Start = Start::default(),
    }
    same {
        /// Largest IP packet in bytes.
        mtu: u16 = 1500,
        /// Use UDP encapsulation, whose header takes 8 bytes per packet. RFC 6951
        udp_encapsulation: bool = false,
        /// Acknowledge data non-renegably (NR-SACK).
        nr_sack: bool = true,
        /// With NR-SACK, report all arrived data as non-renegable; if false, only messages that the application can
        /// read.
        never_renege: bool = true,
        /// Report damaged packets, which are then retransmitted without a reduction of the window.
        packet_drop_reports: bool = false,
        /// The buffers that are divided among the paths that may send new data.
        buffer_split: BufferSplit = BufferSplit::Both,
        /// What counts against a path's share of a divided buffer.
        split_by: SplitBy = SplitBy::Outstanding,
        /// Whether a path may retransmit the chunk of another path that blocks its buffer.
        rescheduling: Rescheduling = Rescheduling::None,
        /// Whether a path pauses if a loss would reduce its window below one packet.
        path_blocking: PathBlocking = PathBlocking::None,
        /// Congestion window update for CMT (CUC).
        cuc: CumAck = CumAck::PathV2,
        /// Split fast retransmit (SFR).
        sfr: bool = true,
        /// Delayed acknowledgement for CMT (DAC).
        dac: bool = true,
        /// Fast Recovery per path; if false, all paths share one Fast Recovery.
        path_fast_recovery: bool = true,
        /// Chunks that a timeout moved to another path do not indicate losses on that path.
        smart_fast_rtx: bool = true,
        /// The path of a SACK.
        sack_path: SackPath = SackPath::SmallestSrtt,
        /// The window whose last packet requests the SACK of `sack_immediately`.
        sack_immediately_at: LimitingWindow = LimitingWindow::Congestion,
        /// Number of DATA packets per SACK.
        sack_every: u32 = 2,
        /// Largest delay of a SACK after the first unacknowledged DATA packet.
        sack_delay: Span = Span::from_millis(200),
        /// The limit of bursts on a path.
        burst: Burst = Burst::UseItOrLoseIt,
        /// Packets in one burst.
        max_burst: u32 = 4,
        /// Pace the packets of each path over its round trip, in place of `burst` once the path has an RTT sample.
        pacing: bool = false,
        /// The order in which paths may send.
        send_order: SendOrder = SendOrder::SmallestLastTransmission,
        /// The events that restart the retransmission timer of a path.
        t3_reset: T3Reset = T3Reset::Smart,
        /// The path of retransmissions after a timeout.
        t3_path: T3Path = T3Path::Next,
        /// Hold packets that are not full while data is outstanding (Nagle's algorithm).
        nagle: bool = true,
        /// The peer's receive window counts as full below this number of bytes.
        peer_window_threshold: u32 = 3000,
        /// Which paths may send one chunk into a full receive window of the peer.
        window_probe: WindowProbe = WindowProbe::Path,
        /// Whether new data may exceed the peer's receive window.
        window_overrun: WindowOverrun = WindowOverrun::Never,
        /// The SACKs and chunks that give RTT samples of a path.
        rtt_sample: RttSample = RttSample::AnySack,
        /// Interval between heartbeats of an idle path, to which one RTO is added.
        heartbeat_interval: Span = Span::from_secs(30),
        /// A path fails when its number of consecutive errors exceeds this.
        path_max_retransmissions: u32 = 5,
        /// A path becomes potentially failed when its number of consecutive errors exceeds this (PFMR). Disabled if
        /// `null`, or if not below `path_max_retransmissions`. RFC 7829 §3.2
        potentially_failed_after: Option<u32> = None,
        /// The peer counts as unreachable when the number of consecutive errors exceeds this.
        association_max_retransmissions: u32 = 10,
    }
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
