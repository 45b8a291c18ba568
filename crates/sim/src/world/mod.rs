//! A network in simulated time: hosts, links, routes, and the loop that moves packets between them.

mod hops;
mod link;
mod reading;
mod show;

use manypath_core::{Packet, SansIo, Streams, Time, Via};
use manypath_link::{ComputedLink, Entry, LinkConfig, Pipe};

use crate::digest::Digest;
use crate::host::{Host, HostId};
use crate::observer::{Observer, PacketEvent};
use crate::routes::{End, LinkId, Routes, Step};
use crate::schedule::Schedule;
use crate::slab::{Journey, Slab};
use hops::Failure;
use link::{Computed, Link, Piped};

/// A network of hosts that run the protocol `N`.
///
/// Events of the protocol ([`SansIo::poll_event`]) stay in the host until the owner of the world reads them through
/// [`host_mut`](Self::host_mut). The world itself does not read them.
#[derive(Debug)]
pub struct World<N: SansIo> {
    now: Time,
    /// The latest place in the order of all events that was reached; between runs, the first place of the next instant.
    reached: u128,
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
    /// Packets that computed links drop, lose or damage, if that happens after `now` or was not yet counted.
    failures: Vec<Failure>,
    /// Whether links may be computed.
    is_computed: bool,
    /// Whether the world has run, so that the routes are known.
    has_run: bool,
}

#[derive(Debug, Clone, Copy)]
enum Owner {
    Link(LinkId),
    Host(HostId),
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
            reached: 0,
            schedule: Schedule::default(),
            owners: Vec::new(),
            links: Vec::new(),
            hosts: Vec::new(),
            routes: Routes::default(),
            packets: Slab::new(),
            digest: Digest::default(),
            touched: Vec::new(),
            lost: Vec::new(),
            failures: Vec::new(),
            is_computed: true,
            has_run: false,
        }
    }

    /// An empty world in which every step of a packet is an event, as observers need it. It gives the same results as
    /// [`new`](Self::new) and is slower.
    #[must_use]
    pub fn event_by_event() -> Self {
        Self { is_computed: false, ..Self::new() }
    }

    /// Adds one direction of a link called `name`, which names its streams of random numbers. Packets have at least 20
    /// bytes ([`Packet::size`]).
    ///
    /// # Panics
    /// If `config` does not [validate](LinkConfig::validate).
    pub fn add_link(&mut self, config: &LinkConfig, streams: &Streams, name: &str) -> LinkId {
        let id = LinkId(self.links.len() as u32);
        let component = self.schedule.add();
        self.owners.push(Owner::Link(id));
        let new = || ComputedLink::new(config, streams, name);
        self.links.push(match self.is_computed.then(new).flatten() {
            Some(link) => Link::Computed(Computed::new(link, component)),
            None => {
                let pipe = Pipe::new(config, streams, name);
                self.schedule.set(component, pipe.poll_timeout());
                Link::Piped(Box::new(Piped { component, pipe }))
            }
        });
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
    /// If `links` is empty, if `from` has a route for `via` already, or if the world has run.
    pub fn add_route(&mut self, from: HostId, via: Via, links: &[LinkId], to: HostId) {
        assert!(!self.has_run, "routes are added before the world runs");
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
    ///
    /// # Panics
    /// If the world does not run [event by event](Self::event_by_event).
    pub fn run_until_seen_by(&mut self, observer: &mut dyn Observer<N>, until: Time) {
        assert!(!self.is_computed, "an observed world runs event by event");
        self.run(Some(observer), until);
    }

    /// The event loop. Both callers share one copy; with two copies the compiler inlines less and the loop is slower.
    #[inline(never)]
    fn run(&mut self, mut observer: OptionalObserver<'_, N>, until: Time) {
        if !self.has_run {
            self.has_run = true;
            let is_computed = |link: LinkId| matches!(self.links[link.index()], Link::Computed(_));
            self.routes.plan(self.links.len(), is_computed);
        }
        self.poll_touched(&mut observer);
        let mut last = self.now;
        while let Some((at, component)) = self.schedule.first()
            && at <= until
        {
            self.now = self.now.max(at);
            self.reached = self.reached.max(component.key(at));
            let has_happened = match self.owners[component.index()] {
                Owner::Link(link) => self.link_is_due(link, &mut observer),
                Owner::Host(host) => {
                    self.host_is_due(host, &mut observer);
                    true
                }
            };
            if has_happened {
                last = self.now;
            }
        }
        self.now =
            if until == Time::NEVER { last.max(self.last_failure()) } else { self.now.max(until) };
        self.reached = (u128::from(self.now.as_nanos()) + 1) << 64;
        self.collect_all();
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
}

#[cfg(test)]
mod tests;
