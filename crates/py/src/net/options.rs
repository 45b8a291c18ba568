//! Settings of an endpoint from Python.

use manypath_core::Span;
use manypath_net::Builder;
use pyo3::prelude::*;

/// The fields of `manypath.sctp.Options`: sizes in bytes, spans in nanoseconds.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Options {
    send_buffer: usize,
    receive_buffer: usize,
    mtu: u16,
    rto_initial: u64,
    rto_min: u64,
    rto_max: u64,
    heartbeat_interval: u64,
    path_max_retransmissions: u32,
    association_max_retransmissions: u32,
    init_max_retransmissions: u32,
    sack_every: u32,
    sack_delay: u64,
    pacing: bool,
    nodelay: bool,
}

impl Options {
    /// Applies the settings to a builder.
    pub(crate) fn apply(self, builder: Builder) -> Builder {
        builder
            .buffers(self.send_buffer, self.receive_buffer)
            .pacing(self.pacing)
            .nodelay(self.nodelay)
            .configure(|config| {
                config.mtu = self.mtu;
                config.rto.initial = Span::from_nanos(self.rto_initial);
                config.rto.min = Span::from_nanos(self.rto_min);
                config.rto.max = Span::from_nanos(self.rto_max);
                config.heartbeat_interval = Span::from_nanos(self.heartbeat_interval);
                config.path_max_retransmissions = self.path_max_retransmissions;
                config.association_max_retransmissions = self.association_max_retransmissions;
                config.init_max_retransmissions = self.init_max_retransmissions;
                config.sack_every = self.sack_every;
                config.sack_delay = Span::from_nanos(self.sack_delay);
            })
    }
}
