//! The settings of an SCTP flow for its endpoints.

use manypath_cc::Profile;
use manypath_core::{Address, RtoLimits, RtoRule};
use manypath_sctp::{Config, SackRequest};

use super::PORT;
use crate::scenario::{Rto, SctpFlow};

/// The settings of one endpoint of a flow with these local addresses. Both endpoints have the same settings; buffers
/// and streams of the direction without data do not matter.
#[must_use]
pub fn config(flow: &SctpFlow, local: Vec<Address>) -> Config {
    Config {
        port: PORT,
        local,
        mtu: flow.mtu,
        udp_encapsulation: flow.udp_encapsulation,
        outbound_streams: flow.streams,
        inbound_streams: flow.streams,
        send_buffer: usize::try_from(flow.send_buffer).unwrap_or(usize::MAX),
        receive_buffer: usize::try_from(flow.receive_buffer).unwrap_or(usize::MAX),
        cc: flow.cc.clone(),
        profile: Profile::by_name(&flow.profile).unwrap_or(Profile::RFC9260),
        concurrent: flow.concurrent && flow.paths.len() > 1,
        cuc: flow.cuc,
        sfr: flow.sfr,
        dac: flow.dac,
        path_fast_recovery: flow.path_fast_recovery,
        smart_fast_rtx: flow.smart_fast_rtx,
        nr_sack: flow.nr_sack,
        never_renege: flow.never_renege,
        packet_drop_reports: flow.packet_drop_reports,
        buffer_split: flow.buffer_split,
        split_by: flow.split_by,
        rescheduling: flow.rescheduling,
        path_blocking: flow.path_blocking,
        sack_path: flow.sack_path,
        sack_immediately: if flow.sack_immediately {
            SackRequest::FullWindow
        } else {
            SackRequest::Never
        },
        sack_immediately_at: flow.sack_immediately_at,
        sack_every: flow.sack_every,
        sack_delay: flow.sack_delay,
        burst: flow.burst,
        max_burst: flow.max_burst,
        pacing: flow.pacing,
        send_order: flow.send_order,
        t3_reset: flow.t3_reset,
        t3_path: flow.t3_path,
        nagle: flow.nagle,
        peer_window_threshold: flow.peer_window_threshold,
        window_probe: flow.window_probe,
        window_overrun: flow.window_overrun,
        rto: rto(flow.rto),
        heartbeat_interval: flow.heartbeat_interval,
        // All paths must carry data from the first round trip on
        heartbeat_burst: u32::MAX,
        path_max_retransmissions: flow.path_max_retransmissions,
        potentially_failed_after: flow.potentially_failed_after,
        association_max_retransmissions: flow.association_max_retransmissions,
        // The ledger of a sink only supports whole messages
        partial_delivery: false,
        ..Config::default()
    }
}

fn rto(flow: Rto) -> RtoLimits {
    let Rto { initial, min, max, granularity } = flow;
    RtoLimits { initial, min, max, granularity, rule: RtoRule::Standard }
}
