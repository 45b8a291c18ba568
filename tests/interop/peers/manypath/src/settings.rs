//! The endpoint that the arguments describe.

use manypath_core::{RtoLimits, Span};
use manypath_net::{Builder, Config, Endpoint, Peer};
use peer_contract::Options;
use std::time::Duration;

/// Settings of an endpoint.
pub fn builder(options: &Options) -> Builder {
    let buffer = usize::try_from(options.buffer).unwrap_or(usize::MAX);
    let builder = Endpoint::builder().local(options.local.clone()).buffers(buffer, buffer);
    let builder = match options.udp {
        Some(port) => builder.encapsulation(port),
        None => builder.without_encapsulation(),
    };
    let builder = if options.listen { builder.listen(1) } else { builder };
    let builder = match options.cmt {
        0 => builder,
        1 => builder.concurrent("newreno"),
        2 => builder.concurrent("cmt-rpv1"),
        3 => builder.concurrent("cmt-rpv2"),
        _ => builder.concurrent("mptcp-like"),
    };
    builder.configure(|config| configure(config, options))
}

fn configure(config: &mut Config, options: &Options) {
    config.outbound_streams = options.streams;
    config.inbound_streams = MAX_STREAMS;
    config.nr_sack = options.nr_sack;
    config.packet_drop_reports = options.pktdrop;
    config.dac = options.dac;
    config.rto = RtoLimits {
        initial: span(options.rto_min),
        min: span(options.rto_min),
        max: span(options.rto_max),
        ..config.rto
    };
    config.sack_delay = span(options.sack_delay);
    config.heartbeat_interval = span(options.heartbeat);
    config.path_max_retransmissions = options.path_retransmissions;
    if let Some(timeouts) = options.association_retransmissions {
        config.association_max_retransmissions = timeouts;
        config.init_max_retransmissions = timeouts;
    }
}

/// Where the other end is.
#[must_use]
pub fn peer(options: &Options) -> Peer {
    let peer = Peer::new(options.remote.clone(), options.port);
    match options.udp {
        Some(port) => peer.encapsulation(port),
        None => peer.raw(),
    }
}

fn span(duration: Duration) -> Span {
    Span::from_nanos(duration.as_nanos() as u64)
}

/// Streams that the other end may use.
const MAX_STREAMS: u16 = 64;
