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
    flow.applied_to(Config {
        port: PORT,
        local,
        outbound_streams: flow.streams,
        inbound_streams: flow.streams,
        send_buffer: usize::try_from(flow.send_buffer).unwrap_or(usize::MAX),
        receive_buffer: usize::try_from(flow.receive_buffer).unwrap_or(usize::MAX),
        cc: flow.cc.clone(),
        profile: Profile::by_name(&flow.profile).unwrap_or(Profile::RFC9260),
        concurrent: flow.concurrent && flow.paths.len() > 1,
        sack_immediately: match flow.sack_immediately {
            true => SackRequest::FullWindow,
            false => SackRequest::Never,
        },
        rto: rto(flow.rto),
        // All paths must carry data from the first round trip on
        heartbeat_burst: u32::MAX,
        // The ledger of a sink only supports whole messages
        partial_delivery: false,
        ..Config::default()
    })
}

fn rto(flow: Rto) -> RtoLimits {
    let Rto { initial, min, max, granularity } = flow;
    RtoLimits { initial, min, max, granularity, rule: RtoRule::Standard }
}
