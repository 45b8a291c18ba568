//! Two endpoint states that exchange packets directly, for tests without sockets and tasks.

use std::sync::Arc;

use manypath_core::{Address, Packet as _, SansIo, Via};
use manypath_sctp as sctp;
use manypath_sctp::{AssociationId, Config, Control, Packet};

use super::carriers::Carriers;
use super::clock::Clock;
use super::link::Link;
use super::membership::Membership;
use super::state::State;
use crate::socket::Carrier;
use crate::socket::errors::Quoted;

/// Two endpoints; the second one listens.
pub(crate) struct Pair {
    pub(crate) ends: [State; 2],
}

impl Pair {
    pub(crate) fn new() -> Self {
        let mut ends = [0, 1].map(|index| {
            let config = Config {
                port: PORTS[index],
                local: vec![ADDRESSES[index]],
                ..Config::for_real_networks()
            };
            let core = sctp::Endpoint::with_seed(config, [index as u8; 32]);
            let link = (Clock::new(), Link::new(Arc::<Membership>::default(), 0));
            State::new(core, Carriers::new(Carrier::Raw), PORTS[index], link, None, None)
        });
        ends[1].core.listen(8);
        Self { ends }
    }

    /// The first endpoint begins to open an association.
    pub(crate) fn begin(&mut self) -> AssociationId {
        let now = self.ends[0].clock.now();
        let id = self.ends[0].core.connect(now, &[VIA], PORTS[1]);
        self.ends[0].entry(id);
        id
    }

    /// Establishes an association; returns its identifier on both ends. The second end has accepted it.
    pub(crate) fn connect(&mut self) -> [AssociationId; 2] {
        let opened = self.begin();
        self.exchange();
        let accepted = self.ends[1].core.accept().expect("it stands");
        [opened, accepted]
    }

    /// Exchanges packets until neither end has one to send, and handles the events after each exchange.
    pub(crate) fn exchange(&mut self) {
        while (0..2).any(|from| self.deliver(from)) {}
    }

    /// Discards the next packet of the first end; returns the part that an ICMP message quotes.
    pub(crate) fn lose(&mut self) -> Quoted {
        let [end, _] = &mut self.ends;
        let mut packet = Packet::default();
        end.core.poll_transmit(end.clock.now(), &mut packet).expect("it has something to send");
        let initiate_tag = match packet.control.first() {
            Some(Control::Init(init)) => Some(init.tag),
            _ => None,
        };
        let Packet { source_port, destination_port, tag, .. } = packet;
        Quoted { source_port, destination_port, tag, initiate_tag }
    }

    /// Delivers the packets of one end; returns whether there were any.
    fn deliver(&mut self, from: usize) -> bool {
        let mut has_sent = false;
        let mut packet = Packet::default();
        loop {
            let now = self.ends[from].clock.now();
            packet.clear();
            let Some(via) = self.ends[from].core.poll_transmit(now, &mut packet) else { break };
            has_sent = true;
            let back = Via { local: via.remote, remote: via.local };
            let to = &mut self.ends[1 - from];
            to.core.handle_packet(to.clock.now(), back, &mut packet);
        }
        // As in the driver, packets are sent before applications are notified
        let end = &mut self.ends[from];
        end.tell(end.clock.now());
        has_sent
    }
}

/// SCTP ports of both ends.
pub(crate) const PORTS: [u16; 2] = [1001, 1002];
/// Addresses of both ends.
pub(crate) const ADDRESSES: [Address; 2] = [Address::v4(10, 0, 0, 1), Address::v4(10, 0, 0, 2)];
/// The path from the first end.
const VIA: Via = Via { local: ADDRESSES[0], remote: ADDRESSES[1] };
