//! Packets to ports without an endpoint. RFC 9260 §8.4

use manypath_core::{Packet as _, SansIo, Time};
use manypath_sctp as sctp;
use manypath_sctp::Config;

use super::io::Io;
use crate::socket::{Arrival, Carrier};

/// Answers packets to ports of the host without an endpoint. It has no association.
#[derive(Debug)]
pub(crate) struct Unowned {
    core: sctp::Endpoint,
}

impl Unowned {
    pub(crate) fn new() -> Self {
        // The seed is not secret: the answers have the tags of the received packets
        Self { core: sctp::Endpoint::with_seed(Config::for_real_networks(), [0; 32]) }
    }

    /// Answers a packet with ABORT. Inside UDP, no other endpoint can answer, because the socket owns the UDP port. A
    /// raw socket ignores such packets, because they may belong to other programs.
    #[cold]
    pub(crate) fn answer(&mut self, now: Time, arrival: Arrival<'_>, io: &mut Io) {
        let Arrival { via, carrier, bytes } = arrival;
        if carrier == Carrier::Raw {
            return;
        }
        let datagram = io.slab.copy(bytes);
        if io.incoming.decode(&datagram, 0).is_err() {
            return;
        }
        self.core.refuse_other_port(via, &io.incoming);
        loop {
            io.outgoing.clear();
            let Some(via) = self.core.poll_transmit(now, &mut io.outgoing) else { return };
            io.sockets.push(via, carrier, &io.outgoing);
        }
    }
}
