//! The hops of packets: from link to link, into computed links ahead of time or late, and to a host.

use manypath_core::{SansIo, Time};
use manypath_link::{Entry, Passage, Popped, Verdict};

use super::link::{Arrival, Computed, Link};
use super::{OptionalObserver, World};
use crate::digest::Fate;
use crate::observer::PacketEvent;
use crate::routes::{End, LinkId, NextHop, Step};
use crate::slab::{Handle, Journey};

/// A packet that a computed link drops, loses or damages, from the time of the computation until it happens.
#[derive(Debug, Clone, Copy)]
pub(super) struct Failure {
    at: Time,
    link: LinkId,
    /// The route of the packet.
    flow: u32,
    size: u32,
    passage: Passage,
}

impl Failure {
    /// Whether the packet ends here. Its storage is free from the time of the computation on.
    pub(super) fn is_end(&self) -> bool {
        !matches!(self.passage, Passage::Damaged { .. })
    }

    /// Time, link and size of a packet that is lost at the far end.
    pub(super) fn loss(&self) -> Option<(Time, LinkId, u32)> {
        matches!(self.passage, Passage::Lost(_)).then_some((self.at, self.link, self.size))
    }
}

impl<N: SansIo> World<N> {
    /// Handles the event of a link. Returns false if it was needed only to take packets.
    #[inline]
    pub(super) fn link_is_due(
        &mut self,
        id: LinkId,
        observer: &mut OptionalObserver<'_, N>,
    ) -> bool {
        match &mut self.links[id.index()] {
            Link::Piped(link) => {
                let popped = link.pipe.pop(self.now);
                self.schedule.set(link.component, link.pipe.poll_timeout());
                self.leave_pipe(id, popped, observer);
                true
            }
            Link::Computed(_) => self.computed_is_due(id, observer),
        }
    }

    #[inline]
    fn leave_pipe(
        &mut self,
        id: LinkId,
        popped: Option<Popped<Handle>>,
        observer: &mut OptionalObserver<'_, N>,
    ) {
        let delivered = match popped {
            // The usual case: an intact packet, and no observer.
            Some(Popped::Delivered(handle)) if observer.is_none() => Some(handle),
            Some(popped) => self.note_popped(id, popped, observer),
            None => None,
        };
        if let Some(handle) = delivered {
            let size = self.packets.journey_mut(handle).size;
            self.digest.add(self.now, id, size, Fate::Delivered);
            self.forward(handle, observer);
        }
    }

    /// The event of a computed link: packets enter that come from other computed links, and one may arrive.
    #[inline]
    fn computed_is_due(&mut self, id: LinkId, observer: &mut OptionalObserver<'_, N>) -> bool {
        self.collect(id);
        let link = computed(&mut self.links, id);
        let landed = link.computed.pop(self.now);
        self.schedule.set(link.component, link.due());
        if let Some(handle) = landed {
            self.forward(handle, observer);
        }
        landed.is_some()
    }

    /// Moves a packet that came out of a link to the next link or to its host.
    #[inline]
    fn forward(&mut self, handle: Handle, observer: &mut OptionalObserver<'_, N>) {
        let Journey { step, size, .. } = self.packets.journey_mut(handle);
        *step += 1;
        let (step, size) = (*step, *size);
        match self.routes.step(step) {
            Step::Link { link, flow } => {
                self.offer(link, Entry { item: handle, size, flow }, observer);
            }
            Step::End(end) => self.arrive(end, handle, observer),
        }
    }

    /// A packet enters a link now.
    #[inline]
    pub(super) fn offer(
        &mut self,
        id: LinkId,
        entry: Entry<Handle>,
        observer: &mut OptionalObserver<'_, N>,
    ) {
        match &mut self.links[id.index()] {
            Link::Computed(link) => {
                if link.is_behind(self.reached) {
                    self.collect(id);
                }
                self.enter(id, self.now, entry.item);
            }
            Link::Piped(link) => {
                let verdict = link.pipe.push(self.now, entry);
                self.schedule.set(link.component, link.pipe.poll_timeout());
                if let Some(observer) = observer {
                    self.show_offered(id, entry.item, verdict, *observer);
                }
                if let Verdict::Dropped(_) = verdict {
                    self.discard(id, entry.item, Fate::Dropped);
                }
            }
        }
    }

    /// A packet enters a computed link at `at`, and further links as far as no other packet can come between.
    #[inline]
    fn enter(&mut self, mut id: LinkId, mut at: Time, handle: Handle) {
        let Journey { mut step, size, .. } = *self.packets.journey_mut(handle);
        loop {
            let link = computed(&mut self.links, id);
            let component = link.component;
            let next_hop = self.routes.next_hop(step);
            let item = (next_hop == NextHop::Event).then_some(handle);
            let arrives = match link.computed.push(self.now, at, size, item) {
                Passage::Arrives(arrives) => arrives,
                failed => match self.fail(id, at, step, handle, failed) {
                    Some(arrives) => arrives,
                    None => return,
                },
            };
            self.digest.add(arrives, id, size, Fate::Delivered);
            match next_hop {
                NextHop::Ahead(next) => {
                    step += 1;
                    (id, at) = (next, arrives);
                }
                NextHop::Wait(next) => {
                    self.packets.journey_mut(handle).step = step + 1;
                    return self.await_packet(next, Arrival::new(arrives, component, handle));
                }
                NextHop::Event => {
                    self.packets.journey_mut(handle).step = step;
                    if arrives < self.schedule.at(component) {
                        self.schedule.set(component, arrives);
                    }
                    return;
                }
            }
        }
    }

    /// A packet will enter a computed link that several links or hosts feed.
    #[inline]
    fn await_packet(&mut self, id: LinkId, arrival: Arrival) {
        let link = computed(&mut self.links, id);
        if link.await_packet(arrival) {
            let due = link.computed.earliest_arrival(arrival.at());
            if due < self.schedule.at(link.component) {
                self.schedule.set(link.component, due);
            }
        }
    }

    /// Lets packets enter that come from other computed links before the current event.
    #[inline]
    pub(super) fn collect(&mut self, id: LinkId) {
        while let Link::Computed(link) = &mut self.links[id.index()]
            && let Some(arrival) = link.take(self.reached)
            && let Some(handle) = arrival.handle()
        {
            self.enter(id, arrival.at(), handle);
        }
    }

    /// Brings every computed link to the current time. Then everything that is read is complete.
    pub(super) fn collect_all(&mut self) {
        for id in self.links() {
            self.collect(id);
        }
        self.note_failures();
    }

    /// A computed link drops, loses or damages a packet. Returns when it arrives, if it does.
    #[cold]
    fn fail(
        &mut self,
        link: LinkId,
        entered: Time,
        step: u32,
        handle: Handle,
        passage: Passage,
    ) -> Option<Time> {
        let flow = self.routes.number_of(step) as u32;
        let (at, arrives) = match passage {
            Passage::Dropped(_) => (entered, None),
            Passage::Lost(at) => (at, None),
            Passage::Damaged { at, .. } | Passage::Arrives(at) => (at, Some(at)),
        };
        let journey = self.packets.journey_mut(handle);
        if let Passage::Damaged { byte, .. } = passage {
            journey.damaged_byte.get_or_insert(byte);
        }
        let failure = Failure { at, link, flow, size: journey.size, passage };
        if failure.is_end() {
            self.packets.release(handle);
        }
        if self.failures.len() == self.failures.capacity() {
            self.note_failures();
            // Half of the list is free, so that it is read rarely.
            self.failures.reserve(self.failures.len() + 1);
        }
        self.failures.push(failure);
        arrives
    }

    /// When the last of the failures happens that have been computed, if they ever do.
    pub(super) fn last_failure(&self) -> Time {
        let happen = self.failures.iter().map(|failure| failure.at).filter(|&at| at != Time::NEVER);
        happen.max().unwrap_or(Time::ZERO)
    }

    /// Counts what has happened by now.
    fn note_failures(&mut self) {
        let mut failures = std::mem::take(&mut self.failures);
        failures.retain(|failure| {
            let has_happened = failure.at <= self.now;
            if has_happened {
                self.note_failure(failure);
            }
            !has_happened
        });
        self.failures = failures;
    }

    fn note_failure(&mut self, &Failure { at, link, flow, size, passage }: &Failure) {
        computed(&mut self.links, link).computed.count(passage, size);
        let (bytes, fate) = match passage {
            Passage::Damaged { byte, .. } => (byte, Fate::Damaged),
            Passage::Lost(_) => (size, Fate::Lost),
            Passage::Dropped(_) => (size, Fate::Dropped),
            Passage::Arrives(_) => unreachable!("an intact packet is no failure"),
        };
        self.digest.add(at, link, bytes, fate);
        // The receiving host counts a damaged packet.
        self.lost[flow as usize] += u64::from(fate != Fate::Damaged);
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
            self.digest.add(self.now, id, byte, Fate::Damaged);
        }
        if let Some(observer) = observer {
            self.show_popped(id, popped, *observer);
        }
        match popped {
            Popped::Delivered(handle) | Popped::Damaged { item: handle, .. } => Some(handle),
            Popped::Lost { item: handle, .. } => {
                self.discard(id, handle, Fate::Lost);
                None
            }
        }
    }

    #[inline]
    pub(super) fn arrive(
        &mut self,
        end: u32,
        handle: Handle,
        observer: &mut OptionalObserver<'_, N>,
    ) {
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

    fn discard(&mut self, link: LinkId, handle: Handle, fate: Fate) {
        let Journey { step, size, .. } = *self.packets.journey_mut(handle);
        self.digest.add(self.now, link, size, fate);
        self.lost[self.routes.number_of(step)] += 1;
        self.packets.release(handle);
    }
}

/// A link that is known to be computed.
#[inline]
fn computed(links: &mut [Link], id: LinkId) -> &mut Computed {
    match &mut links[id.index()] {
        Link::Computed(link) => link,
        Link::Piped(_) => unreachable!("link {} has events of its own", id.index()),
    }
}
