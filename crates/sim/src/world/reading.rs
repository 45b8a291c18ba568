//! What can be read from a world: counters, queues, the digest, and the check of conservation.

use manypath_core::{SansIo, Span, Via};
use manypath_link::Counters;

use super::World;
use super::link::Link;
use crate::conservation::{Totals, Violation};
use crate::digest::Fate;
use crate::host::{Host, HostCounters, HostId};
use crate::routes::LinkId;
use crate::slab::Slab;

impl<N: SansIo> World<N> {
    /// The counters of a host.
    #[must_use]
    pub fn host_counters(&self, id: HostId) -> &HostCounters {
        &self.hosts[id.index()].counters
    }

    /// Packets that `from` sent by `via` and that links dropped or lost, or that arrived damaged; 0 if there is no such
    /// route.
    #[must_use]
    pub fn lost(&self, from: HostId, via: Via) -> u64 {
        let first_step = self.hosts[from.index()].route(via);
        first_step.map_or(0, |step| self.lost[self.routes.number_of(step)])
    }

    /// All hosts, in the order in which they were added.
    pub fn hosts(&self) -> impl ExactSizeIterator<Item = HostId> + use<N> {
        (0..self.hosts.len() as u32).map(HostId)
    }

    /// The counters of a link.
    #[must_use]
    pub fn link_counters(&self, id: LinkId) -> Counters {
        self.links[id.index()].counters(self.now)
    }

    /// All links, in the order in which they were added.
    pub fn links(&self) -> impl ExactSizeIterator<Item = LinkId> + use<N> {
        (0..self.links.len() as u32).map(LinkId)
    }

    /// Packets that wait for the transmitter of a link at the current time.
    pub fn queue_len(&mut self, id: LinkId) -> usize {
        self.links[id.index()].queue_len(self.now)
    }

    /// The integral over time of the packets that wait for the transmitter of a link, in packets times nanoseconds.
    pub fn queue_integral(&mut self, id: LinkId) -> u128 {
        self.links[id.index()].queue_integral(self.now)
    }

    /// The time for which the transmitter of a link was busy.
    pub fn busy(&mut self, id: LinkId) -> Span {
        self.links[id.index()].busy(self.now)
    }

    /// The storage of the packets in flight.
    #[must_use]
    pub fn packets(&self) -> &Slab<N::Packet> {
        &self.packets
    }

    /// The hash of all events on the links so far.
    #[must_use]
    pub fn digest(&self) -> u64 {
        let mut digest = self.digest;
        for (id, link) in self.links().zip(&self.links) {
            if let Link::Computed(link) = link {
                for (at, size) in link.computed.arrivals_after(self.now) {
                    digest.remove(at, id, size, Fate::Delivered);
                }
            }
        }
        // Lost packets were not added.
        for failure in &self.failures {
            if let Some((at, link, size)) = failure.loss() {
                digest.add(at, link, size, Fate::Delivered);
            }
        }
        digest.value()
    }

    /// The totals of all packets so far. Reads every host and link.
    #[must_use]
    pub fn totals(&self) -> Totals {
        let mut totals = Totals { in_flight: self.travelling(), ..Totals::default() };
        for Host { counters, .. } in &self.hosts {
            totals.sent += counters.sent;
            totals.delivered += counters.received;
            totals.damaged += counters.damaged;
            totals.no_route += counters.no_route;
        }
        for link in &self.links {
            let counters = link.counters(self.now);
            totals.dropped += counters.dropped();
            totals.lost += counters.lost_in_all();
            totals.hops += counters.delivered;
        }
        totals
    }

    /// Checks that the simulator itself neither lost nor duplicated a packet. Reads every host and link.
    ///
    /// # Errors
    /// The first check that fails.
    pub fn check_conservation(&self) -> Result<(), Violation> {
        let (mut in_links, mut damaged) = (0, 0);
        for (link, state) in self.links().zip(&self.links) {
            let counters = state.counters(self.now);
            let (arrived, settled) = (counters.arrived, counters.settled());
            let in_flight = state.in_flight(self.now);
            if arrived != settled + in_flight {
                return Err(Violation::Link { link, arrived, settled, in_flight });
            }
            in_links += in_flight;
            damaged += counters.damaged;
        }
        let totals = self.totals();
        if !totals.balance() {
            return Err(Violation::World(totals));
        }
        if totals.damaged > damaged {
            return Err(Violation::Damage { received: totals.damaged, damaged });
        }
        if totals.in_flight != in_links {
            return Err(Violation::Stray { travelling: totals.in_flight, in_links });
        }
        Ok(())
    }

    /// Packets in flight now. Computed links have freed the storage of those that they will drop or lose.
    fn travelling(&self) -> u64 {
        let freed = self.failures.iter().filter(|failure| failure.is_end()).count();
        (self.packets.travelling() + freed) as u64
    }
}
