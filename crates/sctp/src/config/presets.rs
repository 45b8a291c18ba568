//! Presets of the configuration: for simulations, and for real networks.

use manypath_cc::Profile;
use manypath_core::{RtoLimits, Span};

use super::{
    BufferSplit, Burst, Config, CumAck, LimitingWindow, MtuDiscovery, PathBlocking, Rescheduling,
    RttSample, SackPath, SackRequest, SendOrder, SplitBy, T3Path, T3Reset, WindowOverrun,
    WindowProbe,
};

impl Config {
    /// Settings for an endpoint whose peers are unknown or other implementations: the constants of RFC 9260, new data
    /// on one path at a time, and protections that simulations do not need.
    ///
    /// | field | value | reason |
    /// | --- | --- | --- |
    /// | `mtu`, `mtu_discovery` | 1280, [`MtuDiscovery::RFC8899`] | passes on nearly all paths; probes find larger sizes |
    /// | `setup_timer_per_address` | true | RFC 9260 §5.1 |
    /// | `window_probe_waits` | true | RFC 9260 §6.1 A |
    /// | `sack_immediately` | a packet whose delayed SACK would stop the sender | RFC 7053 §4.2 |
    /// | `t3_divergent` | true | RFC 9260 §6.4.1 |
    /// | `max_outstanding` | 4000 | usrsctp and Linux keep track of 4096 TSNs and drop those beyond |
    /// | `chunk_overhead` | 256 bytes | the memory of a small chunk in addition to its payload |
    /// | `copy_payloads_below` | 375 bytes | waiting data keeps at most four times its payload in memory |
    /// | `heartbeat_burst` | 1 | limits probes of addresses that may belong to other hosts. RFC 9260 §5.4 |
    /// | `listens`, `backlog` | false, 0 | peers are refused until [`Endpoint::listen`](crate::Endpoint::listen) |
    /// | `detailed_events` | true | a socket reports the events of RFC 6458 §6.1 |
    /// | `initial_tsn` | none | random |
    ///
    /// The caller sets port, addresses and encapsulation. Secrets are unpredictable only in an endpoint that
    /// [`Endpoint::with_seed`](crate::Endpoint::with_seed) creates.
    #[must_use]
    pub fn for_real_networks() -> Self {
        Self {
            mtu: 1280,
            mtu_discovery: Some(MtuDiscovery::RFC8899),
            setup_timer_per_address: true,
            window_probe_waits: true,
            sack_immediately: SackRequest::Stalled,
            t3_divergent: true,
            max_outstanding: 4000,
            chunk_overhead: 256,
            copy_payloads_below: 375,
            heartbeat_burst: 1,
            listens: false,
            backlog: Some(0),
            detailed_events: true,
            initial_tsn: None,
            ..Self::default()
        }
    }
}

impl Default for Config {
    /// The constants of RFC 9260 and new data on one path at a time, for endpoints that trust each other.
    fn default() -> Self {
        Self {
            port: 5001,
            local: Vec::new(),
            mtu: 1500,
            mtu_discovery: None,
            udp_encapsulation: false,
            outbound_streams: 16,
            inbound_streams: 16,
            initial_tsn: None,
            send_buffer: 1_000_000,
            max_outstanding: 1 << 15,
            receive_buffer: 500_000,
            chunk_overhead: 0,
            copy_payloads_below: 0,
            fragmentation: true,
            partial_delivery: true,
            cc: "newreno".to_owned(),
            profile: Profile::RFC9260,
            concurrent: false,
            cuc: CumAck::Association,
            sfr: false,
            dac: false,
            path_fast_recovery: false,
            smart_fast_rtx: false,
            nr_sack: false,
            never_renege: true,
            packet_drop_reports: false,
            buffer_split: BufferSplit::None,
            split_by: SplitBy::Outstanding,
            rescheduling: Rescheduling::None,
            path_blocking: PathBlocking::None,
            sack_path: SackPath::LastData,
            sack_immediately: SackRequest::Never,
            sack_immediately_at: LimitingWindow::Any,
            sack_every: 2,
            sack_delay: Span::from_millis(200),
            burst: Burst::MaxBurst,
            max_burst: 4,
            pacing: false,
            send_order: SendOrder::Address,
            t3_reset: T3Reset::Rfc9260,
            t3_path: T3Path::Next,
            t3_divergent: false,
            nagle: true,
            peer_window_threshold: 0,
            window_probe: WindowProbe::Association,
            window_probe_waits: false,
            window_overrun: WindowOverrun::Never,
            rtt_sample: RttSample::AnySack,
            rto: RTO,
            heartbeat_interval: Span::from_secs(30),
            heartbeat_burst: 1,
            path_max_retransmissions: 5,
            potentially_failed_after: None,
            association_max_retransmissions: 10,
            every_path_must_fail: false,
            init_max_retransmissions: 8,
            setup_timer_per_address: false,
            cookie_life: Span::from_secs(60),
            listens: true,
            backlog: None,
            detailed_events: false,
            max_associations: 65_536,
        }
    }
}

/// RFC 9260 §6.3.1, §16
const RTO: RtoLimits = RtoLimits { granularity: Span::from_millis(1), ..RtoLimits::RFC9260 };
