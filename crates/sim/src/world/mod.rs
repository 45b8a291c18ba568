//! A network in simulated time: hosts, links, routes, and the loop that moves packets between them.

use manypath_core::{Packet, SansIo, Span, Time, Via};
use manypath_link::queue::Queue as _;
use manypath_link::{Entry, Pipe, Popped, Verdict};

use crate::conservation::{Totals, Violation};
use crate::digest::{Digest, Fate};
use crate::host::{Host, HostCounters, HostId};
use crate::observer::{Observer, PacketEvent, Sight};
use crate::routes::{End, LinkId, Routes, Step};
use crate::schedule::{Component, Schedule};
use crate::slab::{Handle, Journey, Slab};

/// A network of hosts that run the protocol `N`.
///
/// Events of the protocol ([`SansIo::poll_event`]) stay in the host until the owner of the world reads them through
/// [`host_mut`](Self::host_mut). The world itself does not read them.
#[derive(Debug)]
pub struct World<N: SansIo> {
    now: Time,
    schedule: Schedule,
    /// The link or host of each component of the schedule.
    owners: Vec<Owner>,
    links: Vec<Link>,
    hosts: Vec<Host<N>>,
    routes: Routes,
    packets: Slab<N::Packet>,
    digest: Digest,
    /// Hosts whose protocols may have been given commands by the owner of the world.
    touched: Vec<HostId>,
    /// For each route, the packets that did not arrive intact.
    lost: Vec<u64>,
}

#[derive(Debug, Clone, Copy)]
enum Owner {
    Link(LinkId),
    Host(HostId),
}

/// The fields keep this order in memory: the first cache lines hold the fields that every packet needs.
#[derive(Debug)]
#[repr(C, align(64))]
struct Link {
    component: Component,
    pipe: Pipe<Handle>,
}

/// The observer, if there is one.
type OptionalObserver<'a, N> = Option<&'a mut dyn Observer<N>>;

impl<N: SansIo> Default for World<N> {
    fn default() -> Self {
        Self::new()
    }
}

impl<N: SansIo> World<N> {
    /// An empty world at time zero.
    #[must_use]
    pub fn new() -> Self {
        Self {
            now: Time::ZERO,
            schedule: Schedule::default(),
            owners: Vec::new(),
            links: Vec::new(),
            hosts: Vec::new(),
            routes: Routes::default(),
            packets: Slab::new(),
            digest: Digest::default(),
            touched: Vec::new(),
            lost: Vec::new(),
        }
    }

    /// Adds one direction of a link.
    pub fn add_link(&mut self, pipe: Pipe<Handle>) -> LinkId {
        let id = LinkId(self.links.len() as u32);
        let component = self.schedule.add();
        self.schedule.set(component, pipe.poll_timeout());
        self.owners.push(Owner::Link(id));
        self.links.push(Link { pipe, component });
        id
    }

    /// Adds a host. Its protocol is polled for the first time when the world runs.
    pub fn add_host(&mut self, protocol: N) -> HostId {
        let id = HostId(self.hosts.len() as u32);
        let component = self.schedule.add();
        self.owners.push(Owner::Host(id));
        self.hosts.push(Host::new(protocol, component));
        self.touch(id);
        id
    }

    /// Adds a route: packets that `from` sends by `via`, as `from` sees it, cross `links` and arrive at `to`.
    ///
    /// # Panics
    /// If `links` is empty, or if `from` has a route for `via` already.
    pub fn add_route(&mut self, from: HostId, via: Via, links: &[LinkId], to: HostId) {
        assert!(!links.is_empty(), "the route {via} needs a link");
        let first_step = self.routes.add(links, End { host: to, via: via.reversed() });
        let is_new = self.hosts[from.index()].add_route(via, first_step);
        assert!(is_new, "host {} has a route for {via} already", from.index());
        self.lost.push(0);
    }

    /// Processes every event that is due at or before `until`; then the time is `until`.
    ///
    /// With [`Time::NEVER`] it runs until no event is pending, and the time stays at the last event.
    pub fn run_until(&mut self, until: Time) {
        self.run(None, until);
    }

    /// Like [`run_until`](Self::run_until), and calls `observer` for each event of a packet or host.
    pub fn run_until_seen_by(&mut self, observer: &mut dyn Observer<N>, until: Time) {
        self.run(Some(observer), until);
    }

    /// The event loop. Both callers share one copy; with two copies the compiler inlines less and the loop is slower.
    #[inline(never)]
    fn run(&mut self, mut observer: OptionalObserver<'_, N>, until: Time) {
        self.poll_touched(&mut observer);
        while let Some((at, component)) = self.schedule.first()
            && at <= until
        {
            self.now = self.now.max(at);
            match self.owners[component.index()] {
                Owner::Link(link) => self.link_is_due(link, &mut observer),
                Owner::Host(host) => self.host_is_due(host, &mut observer),
            }
        }
        if until != Time::NEVER {
            self.now = self.now.max(until);
        }
    }

    /// The current time.
    #[must_use]
    pub fn now(&self) -> Time {
        self.now
    }

    /// The protocol of a host.
    #[must_use]
    pub fn host(&self, id: HostId) -> &N {
        &self.hosts[id.index()].protocol
    }

    /// The protocol of a host, for commands. Packets that it then wants to send leave when the world runs again.
    pub fn host_mut(&mut self, id: HostId) -> &mut N {
        self.touch(id);
        &mut self.hosts[id.index()].protocol
    }

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

    /// A link, with its counters and its queue.
    #[must_use]
    pub fn link(&self, id: LinkId) -> &Pipe<Handle> {
        &self.links[id.index()].pipe
    }

    /// All links, in the order in which they were added.
    pub fn links(&self) -> impl ExactSizeIterator<Item = LinkId> + use<N> {
        (0..self.links.len() as u32).map(LinkId)
    }

    /// Packets that wait for the transmitter of a link at the current time.
    pub fn queue_len(&mut self, id: LinkId) -> usize {
        self.links[id.index()].pipe.queue_len(self.now)
    }

    /// The integral over time of the packets that wait for the transmitter of a link, in packets times nanoseconds.
    pub fn queue_integral(&mut self, id: LinkId) -> u128 {
        self.links[id.index()].pipe.queue_integral(self.now)
    }

    /// The time for which the transmitter of a link was busy.
    pub fn busy(&mut self, id: LinkId) -> Span {
        self.links[id.index()].pipe.busy(self.now)
    }

    /// The storage of the packets in flight.
    #[must_use]
    pub fn packets(&self) -> &Slab<N::Packet> {
        &self.packets
    }

    /// The hash of all events on the links so far.
    #[must_use]
    pub fn digest(&self) -> u64 {
        self.digest.value()
    }

    /// The totals of all packets so far. Reads every host and link.
    #[must_use]
    pub fn totals(&self) -> Totals {
        let mut totals =
            Totals { in_flight: self.packets.travelling() as u64, ..Totals::default() };
        for Host { counters, .. } in &self.hosts {
            totals.sent += counters.sent;
            totals.delivered += counters.received;
            totals.damaged += counters.damaged;
            totals.no_route += counters.no_route;
        }
        for Link { pipe, .. } in &self.links {
            totals.dropped += pipe.counters().dropped();
            totals.lost += pipe.counters().lost_in_all();
            totals.hops += pipe.counters().delivered;
        }
        totals
    }

    /// Checks that the simulator itself neither lost nor duplicated a packet. Reads every host and link.
    ///
    /// # Errors
    /// The first check that fails.
    pub fn check_conservation(&self) -> Result<(), Violation> {
        let (mut in_links, mut damaged) = (0, 0);
        for (link, Link { pipe, .. }) in self.links().zip(&self.links) {
            let (arrived, settled) = (pipe.counters().arrived, pipe.counters().settled());
            let in_flight = pipe.in_flight() as u64;
            if arrived != settled + in_flight {
                return Err(Violation::Link { link, arrived, settled, in_flight });
            }
            in_links += in_flight;
            damaged += pipe.counters().damaged;
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

    fn touch(&mut self, id: HostId) {
        let host = &mut self.hosts[id.index()];
        if !host.is_touched {
            host.is_touched = true;
            self.touched.push(id);
        }
    }

    fn poll_touched(&mut self, observer: &mut OptionalObserver<'_, N>) {
        for index in 0..self.touched.len() {
            let id = self.touched[index];
            self.hosts[id.index()].is_touched = false;
            self.poll(id, observer);
        }
        self.touched.clear();
    }

    #[inline]
    fn link_is_due(&mut self, id: LinkId, observer: &mut OptionalObserver<'_, N>) {
        let Link { pipe, component } = &mut self.links[id.index()];
        let popped = pipe.pop(self.now);
        self.schedule.set(*component, pipe.poll_timeout());
        let delivered = match popped {
            // The usual case: an intact packet, and no observer.
            Some(Popped::Delivered(handle)) if observer.is_none() => Some(handle),
            Some(popped) => self.note_popped(id, popped, observer),
            None => None,
        };
        if let Some(handle) = delivered {
            self.forward(id, handle, observer);
        }
    }

    /// Counts what came out of a link and calls the observer; returns the packet if it continues.
    #[cold]
    fn note_popped(
        &mut self,
        id: LinkId,
        popped: Popped<Handle>,
        observer: &mut OptionalObserver<'_, N>,
    ) -> Option<Handle> {
        if let Popped::Damaged { item: handle, byte } = popped {
            self.packets.journey_mut(handle).damaged_byte.get_or_insert(byte);
            self.digest.mix(self.now, id, byte, Fate::Damaged);
        }
        if let Some(observer) = observer {
            self.show_popped(id, popped, *observer);
        }
        match popped {
            Popped::Delivered(handle) | Popped::Damaged { item: handle, .. } => Some(handle),
            Popped::Lost { item: handle, .. } => {
                self.bury(id, handle, Fate::Lost);
                None
            }
        }
    }

    /// Moves a packet that came out of the link `over` to the next link or to its host.
    #[inline]
    fn forward(&mut self, over: LinkId, handle: Handle, observer: &mut OptionalObserver<'_, N>) {
        let Journey { step, size, .. } = self.packets.journey_mut(handle);
        *step += 1;
        let (step, size) = (*step, *size);
        self.digest.mix(self.now, over, size, Fate::Delivered);
        match self.routes.step(step) {
            Step::Link { link, flow } => {
                self.offer(link, Entry { item: handle, size, flow }, observer);
            }
            Step::End(end) => self.arrive(end, handle, observer),
        }
    }

    #[inline]
    fn offer(&mut self, id: LinkId, entry: Entry<Handle>, observer: &mut OptionalObserver<'_, N>) {
        let Link { pipe, component } = &mut self.links[id.index()];
        let verdict = pipe.push(self.now, entry);
        self.schedule.set(*component, pipe.poll_timeout());
        if let Some(observer) = observer {
            self.show_offered(id, entry.item, verdict, *observer);
        }
        if let Verdict::Dropped(_) = verdict {
            self.bury(id, entry.item, Fate::Dropped);
        }
    }

    #[inline]
    fn arrive(&mut self, end: u32, handle: Handle, observer: &mut OptionalObserver<'_, N>) {
        let End { host: id, via } = self.routes.end(end);
        if let Some(observer) = observer {
            self.show(PacketEvent::Received { host: id }, handle, *observer);
        }
        let Journey { size, damaged_byte, .. } = *self.packets.journey_mut(handle);
        let packet = self.packets.packet_mut(handle);
        let host = &mut self.hosts[id.index()];
        host.counters.received += 1;
        host.counters.bytes_received += u64::from(size);
        match damaged_byte {
            None => host.protocol.handle_packet(self.now, via, packet),
            Some(byte) => {
                host.counters.damaged += 1;
                self.lost[end as usize] += 1;
                host.protocol.handle_damaged(self.now, via, packet, byte);
            }
        }
        self.packets.release(handle);
        self.poll(id, observer);
    }

    fn bury(&mut self, link: LinkId, handle: Handle, fate: Fate) {
        let Journey { step, size, .. } = *self.packets.journey_mut(handle);
        self.digest.mix(self.now, link, size, fate);
        self.lost[self.routes.number_of(step)] += 1;
        self.packets.release(handle);
    }

    /// Handles the timer of a host, unless the timer was postponed.
    #[inline]
    fn host_is_due(&mut self, id: HostId, observer: &mut OptionalObserver<'_, N>) {
        let host = &mut self.hosts[id.index()];
        host.note_wake_up(self.now);
        host.protocol.handle_timeout(self.now);
        self.poll(id, observer);
        let Host { protocol, component, .. } = &self.hosts[id.index()];
        self.schedule.set(*component, protocol.poll_timeout());
    }

    /// Sends all packets of a host, then reads its timer.
    #[inline]
    fn poll(&mut self, id: HostId, observer: &mut OptionalObserver<'_, N>) {
        if let Some(observer) = observer {
            self.show_host(id, *observer);
        }
        loop {
            let host = &mut self.hosts[id.index()];
            let (handle, packet) = self.packets.blank();
            let Some(via) = host.protocol.poll_transmit(self.now, packet) else {
                packet.clear();
                break;
            };
            let size = packet.size() as u32;
            host.counters.sent += 1;
            host.counters.bytes_sent += u64::from(size);
            let Some(step) = host.route(via) else {
                host.counters.no_route += 1;
                packet.clear();
                continue;
            };
            let may_go_on = host.protocol.may_transmit();
            self.packets.take(handle, Journey { step, size, damaged_byte: None });
            let Step::Link { link, flow } = self.routes.step(step) else {
                unreachable!("a route begins with a link")
            };
            if let Some(observer) = observer {
                self.show(PacketEvent::Sent { host: id }, handle, *observer);
            }
            self.offer(link, Entry { item: handle, size, flow }, observer);
            if !may_go_on {
                break;
            }
        }
        if let Some(observer) = observer {
            self.show_host(id, *observer);
        }
        // If the timer moves to a later instant, as it does with every acknowledgement, the scheduled event stays where
        // it is. The wake-up then finds that the timer is not yet due.
        let Host { protocol, component, .. } = &self.hosts[id.index()];
        let scheduled = self.schedule.at(*component);
        if protocol.may_time_out_before(scheduled) {
            self.schedule.set(*component, protocol.poll_timeout().min(scheduled));
        }
    }

    #[cold]
    fn show_host(&self, id: HostId, observer: &mut dyn Observer<N>) {
        observer.see_host(self.now, id, &self.hosts[id.index()].protocol);
    }

    #[cold]
    fn show(&mut self, event: PacketEvent, handle: Handle, observer: &mut dyn Observer<N>) {
        let Journey { step, size, damaged_byte } = *self.packets.journey_mut(handle);
        let via = self.routes.end_after(step).via.reversed();
        let packet = self.packets.packet_mut(handle);
        observer.see_packet(&Sight { now: self.now, event, via, packet, size, damaged_byte });
    }

    #[cold]
    fn show_offered(
        &mut self,
        link: LinkId,
        handle: Handle,
        verdict: Verdict,
        observer: &mut dyn Observer<N>,
    ) {
        let waiting = self.links[link.index()].pipe.queue().len();
        let event = match verdict {
            Verdict::Queued => PacketEvent::Queued { link, waiting },
            Verdict::Dropped(reason) => PacketEvent::Dropped { link, reason, waiting },
        };
        self.show(event, handle, observer);
    }

    #[cold]
    fn show_popped(
        &mut self,
        link: LinkId,
        popped: Popped<Handle>,
        observer: &mut dyn Observer<N>,
    ) {
        let waiting = self.links[link.index()].pipe.queue().len();
        let (handle, event) = match popped {
            Popped::Delivered(handle) => {
                (handle, PacketEvent::Delivered { link, damage: None, waiting })
            }
            Popped::Damaged { item, byte } => {
                (item, PacketEvent::Delivered { link, damage: Some(byte), waiting })
            }
            Popped::Lost { item, cause } => (item, PacketEvent::Lost { link, cause, waiting }),
        };
        self.show(event, handle, observer);
    }
}

#[cfg(test)]
mod tests;
