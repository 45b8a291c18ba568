//! The settings of a TCP or Multipath TCP flow for its endpoints.

use manypath_core::{Address, RtoLimits, Span};
use manypath_tcp::{Config, Multipath};

use super::PORT;
use crate::scenario::{MptcpFlow, TcpFlow, TcpRto};

/// The settings of both endpoints of a flow. A host is either source or sink, so the settings of the other direction do
/// not matter.
pub(super) fn config(flow: &TcpFlow, local: Vec<Address>) -> Config {
    let option_bytes = u8::try_from(flow.option_bytes).unwrap_or(u8::MAX);
    flow.applied_to(Config {
        port: PORT,
        local,
        send_buffer: usize::try_from(flow.send_buffer).unwrap_or(usize::MAX),
        receive_buffer: usize::try_from(flow.receive_buffer).unwrap_or(usize::MAX),
        cc: flow.cc.clone(),
        data_option_bytes: option_bytes,
        // An acknowledgement has the options of data except the mapping, and hosts leave room for one SACK block.
        // RFC 2018 §3
        ack_option_bytes: if flow.sack { option_bytes.min(MAX_BESIDE_GAPS) } else { option_bytes },
        rto: rto(flow.rto),
        ..Config::default()
    })
}

fn rto(flow: TcpRto) -> RtoLimits {
    let TcpRto { initial, min, max, rule } = flow;
    RtoLimits { initial, min, max, granularity: Span::ZERO, rule }
}

/// Like `config`, for several paths.
pub(super) fn multipath_config(flow: &MptcpFlow, local: Vec<Address>) -> Config {
    let multipath = Multipath {
        scheduler: flow.scheduler,
        opportunistic_retransmission: flow.opportunistic_retransmission,
        penalisation: flow.penalisation,
    };
    Config { multipath: Some(multipath), ..config(&flow.tcp(), local) }
}

/// Bytes of options that leave room for one SACK block in a header.
const MAX_BESIDE_GAPS: u8 = 28;
