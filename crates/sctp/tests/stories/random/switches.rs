//! All switches of an endpoint with random values.

use std::fmt::Debug;

use manypath_cc::Profile;
use manypath_sctp::{
    BufferSplit, Burst, Config, CumAck, LimitingWindow, MtuDiscovery, PathBlocking, Rescheduling,
    RttSample, SackPath, SackRequest, SendOrder, SplitBy, T3Path, T3Reset, WindowOverrun,
    WindowProbe,
};
use proptest::prelude::*;
use proptest::sample::select;

/// A switch of an endpoint.
pub(crate) struct Switch {
    /// The field of [`Config`].
    pub(crate) name: &'static str,
    /// Its value.
    pub(crate) position: String,
    /// All possible values.
    pub(crate) positions: Vec<String>,
}

impl Switch {
    fn new<T: Debug>(name: &'static str, position: &T, positions: &[T]) -> Self {
        let show = |position: &T| format!("{position:?}");
        Self { name, position: show(position), positions: positions.iter().map(show).collect() }
    }
}

/// Fields of [`Config`] with all their values, the default first.
macro_rules! switches {
    ($($field:ident: $positions:expr;)*) => {
        prop_compose! {
            /// Random values of all switches; shrinks towards the first value of each.
            pub(super) fn switches()($($field in select(Vec::from($positions))),*) -> Config {
                Config { $($field,)* ..Config::default() }
            }
        }

        /// All switches with their values.
        pub(crate) fn positions(config: &Config) -> Vec<Switch> {
            vec![$(Switch::new(stringify!($field), &config.$field, &$positions)),*]
        }
    };
}

switches! {
    profile: Profile::ALL;
    cc: congestions();
    copy_payloads_below: [0, 400];
    partial_delivery: [true, false];
    concurrent: ON_AND_OFF;
    cuc: [CumAck::Association, CumAck::PathV1, CumAck::PathV2];
    sfr: ON_AND_OFF;
    dac: ON_AND_OFF;
    path_fast_recovery: ON_AND_OFF;
    smart_fast_rtx: ON_AND_OFF;
    nr_sack: ON_AND_OFF;
    never_renege: [true, false];
    packet_drop_reports: ON_AND_OFF;
    buffer_split: [
        BufferSplit::None,
        BufferSplit::Sender,
        BufferSplit::Receiver,
        BufferSplit::Both,
    ];
    split_by: [SplitBy::Outstanding, SplitBy::Buffered];
    rescheduling: [Rescheduling::None, Rescheduling::Threshold, Rescheduling::Inet];
    path_blocking: [PathBlocking::None, PathBlocking::Rto, PathBlocking::RtoTimesPaths];
    sack_path: [
        SackPath::LastData,
        SackPath::FirstData,
        SackPath::Primary,
        SackPath::RoundRobin,
        SackPath::SmallestSrtt,
    ];
    rtt_sample: [RttSample::SamePath, RttSample::AnySack];
    setup_timer_per_address: ON_AND_OFF;
    window_probe_waits: ON_AND_OFF;
    mtu_discovery: [None, Some(MtuDiscovery { max: 3000, ..MtuDiscovery::RFC8899 })];
    udp_encapsulation: ON_AND_OFF;
    sack_immediately: [SackRequest::Never, SackRequest::FullWindow, SackRequest::Stalled];
    sack_immediately_at: [LimitingWindow::Any, LimitingWindow::Congestion];
    burst: [Burst::None, Burst::MaxBurst, Burst::UseItOrLoseIt];
    pacing: ON_AND_OFF;
    send_order: [
        SendOrder::Address,
        SendOrder::RoundRobin,
        SendOrder::SmallestLastTransmission,
        SendOrder::LargestSpace,
        SendOrder::LargestSsthresh,
    ];
    t3_reset: [T3Reset::Rfc9260, T3Reset::Smart];
    t3_path: [T3Path::Next, T3Path::Same, T3Path::LargestWindow, T3Path::LargestSsthresh];
    t3_divergent: ON_AND_OFF;
    every_path_must_fail: ON_AND_OFF;
    nagle: [true, false];
    window_overrun: [WindowOverrun::Never, WindowOverrun::Packet, WindowOverrun::Wraps];
    window_probe: [WindowProbe::Association, WindowProbe::Path];
    potentially_failed_after: [None, Some(0), Some(1), Some(3)];
}

const ON_AND_OFF: [bool; 2] = [false, true];

fn congestions() -> Vec<String> {
    manypath_cc::algorithms().iter().map(|entry| entry.name.to_owned()).collect()
}
