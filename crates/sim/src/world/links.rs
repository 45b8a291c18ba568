//! Packets on their way: from link to link, into computed links ahead of time or late, and to a host.

use manypath_core::{SansIo, Time};
use manypath_link::{Entry, Passage, Popped, Verdict};

use super::line::{Arrival, Computed, Line, Piped};
use super::{OptionalObserver, World};
use crate::digest::Fate;
use crate::observer::PacketEvent;
use crate::routes::{End, Leave, LinkId, Step};
use crate::slab::{Handle, Journey};

/// A packet that a computed link drops, loses or damages, from the time of the computation until it happens.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mishap {
    at: Time,
    link: LinkId,
    /// The route of the packet.
    flow: u32,
    size: u32,
    passage: Passage,
}

impl Mishap {
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
    #[inline]
    pub(super) fn link_is_due(&mut self, id: LinkId, observer: &mut OptionalObserver<'_, N>) {
        match &mut self.lines[id.index()] {
            Line::Piped(line) => {
                let popped = line.pipe.pop(self.now);
                self.schedule.set(line.component, line.pipe.poll_timeout());
                self.leave_pipe(id, popped, observer);
            }
            Line::Computed(_) => self.leave_computed(id, observer),
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
    fn leave_computed(&mut self, id: LinkId, observer: &mut OptionalObserver<'_, N>) {
        self.collect(id);
        let Line::Computed(line) = &mut self.lines[id.index()] else { return };
        let landed = line.link.pop(self.now);
        self.schedule.set(line.component, line.due());
        if let Some(handle) = landed {
            self.forward(handle, observer);
        }
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
        match &mut self.lines[id.index()] {
            Line::Computed(line) => {
                if line.is_behind(self.reached) {
                    self.collect(id);
                }
                self.enter(id, self.now, entry.item);
            }
            Line::Piped(Piped { component, pipe }) => {
                let verdict = pipe.push(self.now, entry);
                self.schedule.set(*component, pipe.poll_timeout());
                if let Some(observer) = observer {
                    self.show_offered(id, entry.item, verdict, *observer);
                }
                if let Verdict::Dropped(_) = verdict {
                    self.bury(id, entry.item, Fate::Dropped);
                }
            }
        }
    }

    /// A packet enters a computed link at `at`, and further links as far as no other packet can come between.
    #[inline]
    fn enter(&mut self, mut id: LinkId, mut at: Time, handle: Handle) {
        let Journey { mut step, size, .. } = *self.packets.journey_mut(handle);
        loop {
            let Line::Computed(line) = &mut self.lines[id.index()] else {
                unreachable!("a packet enters a link with events at its time")
            };
            let component = line.component;
            let leave = self.routes.leave(step);
            let item = (leave == Leave::Event).then_some(handle);
            let arrives = match line.link.push(self.now, at, size, item) {
                Passage::Arrives(arrives) => arrives,
                failed => match self.fail(id, at, step, handle, failed) {
                    Some(arrives) => arrives,
                    None => return,
                },
            };
            self.digest.add(arrives, id, size, Fate::Delivered);
            match leave {
                Leave::Ahead(next) => {
                    step += 1;
                    (id, at) = (next, arrives);
                }
                Leave::Inbox(next) => {
                    self.packets.journey_mut(handle).step = step + 1;
                    return self.await_packet(next, Arrival::new(arrives, component, handle));
                }
                Leave::Event => {
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
        let Line::Computed(line) = &mut self.lines[id.index()] else { return };
        if line.await_packet(arrival) {
            let due = line.link.earliest_arrival(arrival.at());
            if due < self.schedule.at(line.component) {
                self.schedule.set(line.component, due);
            }
        }
    }

    /// Lets packets enter that come from other computed links before the current event.
    #[inline]
    pub(super) fn collect(&mut self, id: LinkId) {
        while let Line::Computed(line) = &mut self.lines[id.index()]
            && let Some(arrival) = line.take(self.reached)
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
        self.note_mishaps();
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
        let mishap = Mishap { at, link, flow, size: journey.size, passage };
        if mishap.is_end() {
            self.packets.release(handle);
        }
        if self.mishaps.len() == self.mishaps.capacity() {
            self.note_mishaps();
            // Half of the list is free, so that it is read rarely.
            self.mishaps.reserve(self.mishaps.len() + 1);
        }
        self.mishaps.push(mishap);
        arrives
    }

    /// When the last of the mishaps happens that have been computed.
    pub(super) fn last_mishap(&self) -> Time {
        self.mishaps.iter().map(|mishap| mishap.at).max().unwrap_or(Time::ZERO)
    }

    /// Counts what has happened by now.
    fn note_mishaps(&mut self) {
        let mut mishaps = std::mem::take(&mut self.mishaps);
        mishaps.retain(|mishap| {
            let has_happened = mishap.at <= self.now;
            if has_happened {
                self.note_mishap(mishap);
            }
            !has_happened
        });
        self.mishaps = mishaps;
    }

    fn note_mishap(&mut self, &Mishap { at, link, flow, size, passage }: &Mishap) {
        let Line::Computed(Computed { link: line, .. }) = &mut self.lines[link.index()] else {
            return;
        };
        line.count(passage, size);
        let (bytes, fate) = match passage {
            Passage::Damaged { byte, .. } => (byte, Fate::Damaged),
            Passage::Lost(_) => (size, Fate::Lost),
            Passage::Dropped(_) | Passage::Arrives(_) => (size, Fate::Dropped),
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
                self.bury(id, handle, Fate::Lost);
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

    fn bury(&mut self, link: LinkId, handle: Handle, fate: Fate) {
        let Journey { step, size, .. } = *self.packets.journey_mut(handle);
        self.digest.add(self.now, link, size, fate);
        self.lost[self.routes.number_of(step)] += 1;
        self.packets.release(handle);
    }
}
