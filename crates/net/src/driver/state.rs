//! The state of an endpoint that applications and its driver share under one lock.

use std::net::SocketAddr;

use manypath_core::{Address, Packet as _, PathId, SansIo, Time, Via};
use manypath_sctp as sctp;
use manypath_sctp::{AssociationId, Config, Control, Rule};

use super::carriers::{Carriers, peer_addresses};
use super::clock::Clock;
use super::entry::{Entry, slot};
use super::io::Io;
use super::link::Link;
use super::wakers::Wakers;
use crate::Error;
use crate::capture::Tap;
use crate::counters::Counters;
use crate::event_log::Recorder;
use crate::events::{Event, subject};
use crate::metrics::{AssociationSnapshot, Snapshot};
use crate::path::Path;
use crate::paths::interfaces::Change;
use crate::socket::Arrival;

/// The state machine, and the state of the tasks that use it.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) core: sctp::Endpoint,
    pub(crate) clock: Clock,
    pub(crate) carriers: Carriers,
    /// By the slot of the association.
    entries: Vec<Option<Entry>>,
    /// Entries whose association has not ended.
    open: usize,
    /// SCTP port.
    pub(crate) port: u16,
    /// Reaches the driver.
    link: Link,
    /// The driver has been notified that there is work.
    pub(crate) is_woken: bool,
    /// The time at which the driver handles the next timer.
    pub(crate) alarm: Time,
    /// Number of handles; clones of a handle count once.
    pub(crate) handles: usize,
    /// Tasks that wait for a peer.
    pub(crate) accepting: Wakers,
    /// Tasks that wait for the end of the endpoint.
    pub(crate) stopping: Wakers,
    /// No association is opened any more; the endpoint ends after the last one.
    pub(crate) is_closing: bool,
    /// The endpoint has ended.
    pub(crate) has_stopped: bool,
    /// All counters except those of the host.
    counters: Counters,
    /// Local addresses that do not work.
    down: Vec<Address>,
    /// Captures every packet, if requested.
    tap: Option<Tap>,
    /// Records events, if requested.
    pub(crate) recorder: Option<Recorder>,
}

impl State {
    pub(crate) fn new(
        core: sctp::Endpoint,
        carriers: Carriers,
        port: u16,
        (clock, link): (Clock, Link),
        tap: Option<Tap>,
        recorder: Option<Recorder>,
    ) -> Self {
        Self {
            core,
            clock,
            carriers,
            entries: Vec::new(),
            open: 0,
            port,
            link,
            is_woken: false,
            alarm: Time::ZERO,
            handles: 1,
            accepting: Wakers::default(),
            stopping: Wakers::default(),
            is_closing: false,
            has_stopped: false,
            counters: Counters::default(),
            down: Vec::new(),
            tap,
            recorder,
        }
    }

    /// Wakes the driver after a command.
    pub(crate) fn wake_driver(&mut self) {
        if !std::mem::replace(&mut self.is_woken, true) {
            self.link.wake();
        }
    }

    /// Wakes the driver if it has work to do before its timer expires.
    pub(crate) fn wake_driver_if_needed(&mut self) {
        if self.core.may_transmit() || self.core.may_time_out_before(self.alarm) {
            self.wake_driver();
        }
    }

    /// The entry of an association, created on first use.
    pub(crate) fn entry(&mut self, id: AssociationId) -> &mut Entry {
        let slot = slot(id);
        if slot >= self.entries.len() {
            self.entries.resize_with(slot + 1, || None);
        }
        let place = &mut self.entries[slot];
        // The slot may still have the entry of an ended association that the application never accepted
        if place.as_ref().is_none_or(|entry| entry.id != id) {
            *place = None;
            self.open += 1;
        }
        place.get_or_insert_with(|| Entry::new(id))
    }

    /// The number of associations that have not ended.
    pub(crate) fn open(&self) -> usize {
        self.open
    }

    /// Associations that have not ended and pass the test.
    pub(crate) fn open_ids(&self, passes: impl Fn(&Entry) -> bool) -> Vec<AssociationId> {
        let open = self.entries.iter().flatten().filter(|entry| entry.ending.is_none());
        open.filter(|entry| passes(entry)).map(|entry| entry.id).collect()
    }

    /// Handles a received datagram for this port.
    pub(crate) fn receive(&mut self, now: Time, arrival: Arrival<'_>, io: &mut Io) {
        let Arrival { via, carrier, bytes } = arrival;
        self.counters.packets_received += 1;
        if let Some(tap) = &self.tap {
            tap.received(now, arrival);
        }
        let datagram = io.slab.copy(bytes);
        let packet = &mut io.incoming;
        // Only packet drop reports need the length of the lower headers
        if let Err(error) = packet.decode(&datagram, 0) {
            self.counters.malformed_packets += 1;
            if error.rule == Rule::Checksum {
                self.core.handle_damaged_bytes(via, packet, &datagram, None);
            }
            if error.discards_packet() {
                return self.transmit(now, io);
            }
        }
        let is_init = matches!(packet.control.first(), Some(Control::Init(_)));
        self.carriers.arrives(via, packet.source_port, carrier);
        if let Some(recorder) = &self.recorder {
            recorder.receives(now, &self.core, arrival, packet);
        }
        self.core.handle_packet(now, via, packet);
        if let Some(recorder) = &mut self.recorder {
            recorder.has_handled(now, &self.core, packet);
        }
        if !is_init {
            self.carriers.note(&self.core, via, packet, carrier);
        }
        self.transmit(now, io);
    }

    /// Handles the loss or the return of a local address.
    pub(crate) fn change_address(&mut self, now: Time, change: Change) {
        match change {
            Change::Down(address) => {
                self.down.push(address);
                self.core.local_address_down(now, address);
            }
            Change::Up(address) => {
                self.down.retain(|known| *known != address);
                self.core.local_address_up(now, address);
            }
        }
    }

    /// Handles expired timers.
    pub(crate) fn act(&mut self, now: Time, io: &mut Io) {
        if self.core.poll_timeout() <= now {
            self.core.handle_timeout(now);
            if let Some(recorder) = &mut self.recorder {
                recorder.times_out(now, &self.core);
            }
            self.transmit(now, io);
        }
    }

    /// Passes all packets that the state machine can send to the sockets.
    pub(crate) fn transmit(&mut self, now: Time, io: &mut Io) {
        let Io { sockets, outgoing, .. } = io;
        while self.core.may_transmit() {
            outgoing.clear();
            let Some(via) = self.core.poll_transmit(now, outgoing) else { break };
            let carrier = self.carriers.carrier(via, outgoing);
            self.counters.packets_sent += 1;
            if let Some(recorder) = &mut self.recorder {
                recorder.sends(now, &self.core, via, outgoing);
            }
            let bytes = sockets.push(via, carrier, outgoing);
            self.counters.dropped_packets += u64::from(bytes.is_none());
            if let Some(tap) = &self.tap
                && let Some(bytes) = bytes
            {
                tap.sent(now, via, carrier, bytes);
            }
        }
        if let Some(recorder) = &mut self.recorder {
            recorder.has_sent(now, &self.core);
        }
    }

    /// Passes events to applications; returns whether there were any.
    pub(crate) fn tell(&mut self, now: Time) -> bool {
        let mut has_news = false;
        while let Some(event) = self.core.poll_event() {
            has_news = true;
            self.dispatch(now, event);
        }
        has_news
    }

    fn dispatch(&mut self, now: Time, event: sctp::Event) {
        if let Some(recorder) = &mut self.recorder {
            recorder.hears(now, &self.core, &event);
        }
        let (id, path) = subject(&event);
        let via = path.and_then(|path| self.core.path_via(id, path));
        let is_closing = self.is_closing;
        let begins = matches!(event, sctp::Event::Connected(_) | sctp::Event::Incoming(_));
        let entry = self.entry(id);
        match event {
            sctp::Event::Connected(_) => {
                entry.connected = true;
                entry.changed.wake();
                self.forget_unlisted(id);
            }
            sctp::Event::Incoming(_) => {
                entry.connected = true;
                if is_closing {
                    entry.is_orphan = true;
                    self.close(now, id);
                } else {
                    self.accepting.wake();
                }
            }
            sctp::Event::Readable(_) if entry.discards() => self.discard(now, id),
            sctp::Event::Readable(_) => entry.readable.wake(),
            sctp::Event::Writable(_) => self.tell_of_room(id),
            sctp::Event::Closed { reason, .. } => self.end(id, reason),
            sctp::Event::PathUp { .. }
            | sctp::Event::PathPotentiallyFailed { .. }
            | sctp::Event::PathDown { .. } => {
                entry.emit(|| Event::of_path(&event, via?));
            }
            _ => {
                if matches!(event, sctp::Event::PeerShutdown(_)) {
                    entry.peer_is_done = true;
                    entry.readable.wake();
                    entry.writable.wake();
                }
                entry.emit(|| Event::of_association(event));
            }
        }
        if begins {
            // Paths of other associations from these addresses have failed already
            self.down.iter().for_each(|&address| self.core.local_address_down(now, address));
        }
    }

    /// Wakes the tasks that wait for room in the send buffer once there is room for several packets. One wake-up per
    /// SACK would cost more than the packets. Every SACK that makes room causes this call, so the last one, which
    /// empties the buffer, wakes them.
    fn tell_of_room(&mut self, id: AssociationId) {
        if self.core.send_space(id) >= MOST_AWAITED.min(self.core.send_buffer(id) / 8) {
            self.entry(id).writable.wake();
        }
    }

    /// Forgets the carriers of addresses that the application named and that the peer does not have.
    fn forget_unlisted(&mut self, id: AssociationId) {
        let mut named = std::mem::take(&mut self.entry(id).named);
        named.retain(|&named| peer_addresses(&self.core, id).all(|address| address != named));
        if let Some(port) = self.core.peer_port(id)
            && !named.is_empty()
        {
            self.carriers.forget(named.into_iter(), port);
        }
    }

    fn end(&mut self, id: AssociationId, reason: sctp::CloseReason) {
        let entry = self.entry(id);
        let stood = entry.connected;
        let ending = match entry.unreachable.first() {
            Some((_, error)) if !stood => error.clone(),
            _ => Error::of_ending(reason, self.core.abort_causes(id), stood),
        };
        let entry = self.entry(id);
        if entry.ending.is_some() {
            return;
        }
        entry.end(ending);
        let is_orphan = entry.is_orphan;
        self.open -= 1;
        // The peer may have another UDP port next time
        self.forget_unlisted(id);
        if let Some(port) = self.core.peer_port(id) {
            self.carriers.forget(peer_addresses(&self.core, id), port);
        }
        if is_orphan {
            self.forget(id);
        }
    }

    /// Ends an association whose last handle was dropped: by a shutdown, or by an abort if it is not established.
    pub(crate) fn abandon(&mut self, id: AssociationId) {
        let now = self.clock.now();
        let entry = self.entry(id);
        entry.is_orphan = true;
        if entry.ending.is_some() {
            return self.forget(id);
        }
        if entry.connected {
            self.close(now, id);
        } else {
            self.core.abort(now, id);
        }
        self.wake_driver();
    }

    /// Shuts down an association that the application does not read any more.
    pub(crate) fn close(&mut self, now: Time, id: AssociationId) {
        let entry = self.entry(id);
        if entry.ending.is_some() {
            return;
        }
        entry.stop_reading();
        self.core.shutdown(now, id);
        self.discard(now, id);
    }

    /// Reads and drops the messages of an association that the application does not read any more: without room in the
    /// receive buffer, the peer could not send what it has queued, and the shutdown would not end.
    fn discard(&mut self, now: Time, id: AssociationId) {
        let messages = std::iter::from_fn(|| self.core.receive(now, id)).count();
        self.entry(id).note_discarded(messages as u64);
    }

    /// Forgets an association that has ended.
    fn forget(&mut self, id: AssociationId) {
        self.core.forget(id);
        self.entries[slot(id)] = None;
    }

    /// Admits no more associations of peers, and shuts down those that wait to be accepted.
    pub(crate) fn stop_listening(&mut self) {
        self.core.stop_listening();
        while let Some(id) = self.core.accept() {
            self.abandon(id);
        }
    }

    /// Opens no more associations. Shuts down all associations, or only those that were not accepted.
    pub(crate) fn begin_closing(&mut self, all: bool) {
        self.is_closing = true;
        self.stop_listening();
        if all {
            let now = self.clock.now();
            for id in self.open_ids(|_| true) {
                self.close(now, id);
            }
        }
        self.accepting.wake();
        self.wake_driver();
    }

    /// Whether another handle may listen with the endpoint while its associations continue.
    pub(crate) fn may_be_reopened(&self) -> bool {
        !self.has_stopped && !self.core.listens()
    }

    /// Opens an endpoint once more, for another handle, with other settings for later associations.
    pub(crate) fn reopen(&mut self, config: Config, backlog: Option<usize>) {
        self.handles += 1;
        self.is_closing = false;
        self.core.set_config(config);
        if let Some(backlog) = backlog {
            self.core.listen(backlog);
        }
    }

    /// Whether neither an application nor a peer uses the endpoint, so that its port is free.
    pub(crate) fn is_unused(&self) -> bool {
        self.has_stopped || (self.handles == 0 && self.is_over())
    }

    /// Whether the endpoint is closed and all of its associations have ended.
    pub(crate) fn is_over(&self) -> bool {
        self.is_closing && self.open() == 0
    }

    /// Ends the endpoint: tasks that wait for it get an error.
    pub(crate) fn stop(&mut self) {
        self.is_closing = true;
        self.has_stopped = true;
        for id in self.open_ids(|_| true) {
            self.entry(id).end(Error::EndpointClosed);
        }
        self.accepting.wake();
        self.stopping.wake();
    }

    /// Counts sent packets that the system refused.
    pub(crate) fn count_refused(&mut self, packets: u64) {
        self.counters.dropped_packets += packets;
    }

    pub(crate) fn counters(&self) -> Counters {
        self.counters
    }

    /// See [`Membership::foreign`](super::membership::Membership::foreign).
    pub(crate) fn foreign_packets(&self) -> u64 {
        self.link.foreign()
    }

    /// The counters of the endpoint and of all established associations.
    pub(crate) fn snapshot(&self) -> Snapshot {
        let associations = self.open_ids(|entry| entry.connected).into_iter().filter_map(|id| {
            // The state machine has forgotten associations that ended before they were accepted
            let port = self.core.peer_port(id)?;
            let paths = self.paths(self.clock.now(), id);
            let peer = SocketAddr::new(paths.first()?.remote, port);
            Some(AssociationSnapshot { peer, stats: *self.core.stats(id), paths })
        });
        Snapshot {
            counters: self.counters,
            foreign_packets: self.foreign_packets(),
            associations: associations.collect(),
        }
    }

    /// All paths of an association with their current state.
    pub(crate) fn paths(&self, now: Time, id: AssociationId) -> Vec<Path> {
        let core = &self.core;
        let primary = core.primary_path(id);
        let path = |index| {
            let (path, via) = self.via(id, index)?;
            Some(Path {
                local: via.local.into(),
                remote: via.remote.into(),
                mtu: core.path_mtu(id, path)?,
                is_primary: primary == Some(path),
                stats: core.path_stats(id, path),
                blocked: core.blocked(now, id, path),
            })
        };
        (0..).map_while(path).collect()
    }

    /// The addresses of a path.
    pub(crate) fn via(&self, id: AssociationId, path: usize) -> Option<(PathId, Via)> {
        let path = PathId(u8::try_from(path).ok()?);
        Some((path, self.core.path_via(id, path)?))
    }
}

/// With this number of free bytes, tasks that wait for send buffer are woken, however large the buffer is.
const MOST_AWAITED: usize = 256 * 1024;

#[cfg(test)]
mod tests {
    use std::task::Poll;

    use super::*;
    use crate::Message;
    use crate::PathState;
    use crate::association::poll_receive_on;
    use crate::driver::pair::{ADDRESSES, Pair};

    fn is_known(state: &State, id: AssociationId) -> bool {
        state.core.peer_port(id).is_some()
            || state.entries.get(slot(id)).is_some_and(Option::is_some)
    }

    fn send(state: &mut State, id: AssociationId, text: &'static str) {
        state.core.send(state.clock.now(), id, Message::new(text).to_core()).unwrap();
    }

    /// The messages that can be read.
    fn read(state: &mut State, id: AssociationId, stream: Option<u16>) -> Vec<bytes::Bytes> {
        let mut all = Vec::new();
        while let Poll::Ready(Ok(Some(message))) = poll_receive_on(state, id, stream) {
            all.push(message.payload);
        }
        all
    }

    #[test]
    fn a_dropped_association_is_forgotten_once_it_has_ended() {
        let mut pair = Pair::new();
        let [left, right] = pair.connect();
        pair.ends[0].abandon(left);
        assert!(is_known(&pair.ends[0], left), "the shutdown is in progress");
        pair.exchange();
        assert!(!is_known(&pair.ends[0], left));
        assert_eq!((pair.ends[0].open(), pair.ends[1].open()), (0, 0));
        // The other end still has a handle
        assert!(is_known(&pair.ends[1], right));
        pair.ends[1].abandon(right);
        assert!(!is_known(&pair.ends[1], right));
    }

    #[test]
    fn a_dropped_association_is_forgotten_however_it_ends() {
        let mut pair = Pair::new();
        let [left, right] = pair.connect();
        // Data for it is discarded
        send(&mut pair.ends[1], right, "unread");
        pair.ends[0].abandon(left);
        let now = pair.ends[1].clock.now();
        pair.ends[1].core.abort(now, right);
        pair.exchange();
        assert!(!is_known(&pair.ends[0], left), "the peer aborted it");
        let begun = pair.begin();
        pair.ends[0].abandon(begun);
        pair.exchange();
        assert!(!is_known(&pair.ends[0], begun), "it was never established");
        assert_eq!(pair.ends[0].open(), 0);
    }

    #[test]
    fn a_reader_of_a_closed_association_gets_an_error_where_messages_are_missing() {
        let mut pair = Pair::new();
        let [left, right] = pair.connect();
        assert!(poll_receive_on(&mut pair.ends[0], left, None).is_pending());
        for text in ["on its way", "after it"] {
            send(&mut pair.ends[1], right, text);
        }
        let now = pair.ends[0].clock.now();
        pair.ends[0].close(now, left);
        pair.exchange();
        for state in &pair.ends {
            assert_eq!(state.open(), 0);
        }
        let end = poll_receive_on(&mut pair.ends[0], left, None);
        assert!(matches!(end, Poll::Ready(Err(Error::Closed))), "{end:?}");
        let end = poll_receive_on(&mut pair.ends[1], right, None);
        assert!(matches!(end, Poll::Ready(Ok(None))), "the other end misses nothing: {end:?}");
    }

    #[test]
    fn a_later_association_gets_no_message_of_an_earlier_one() {
        let mut pair = Pair::new();
        let [left, right] = pair.connect();
        assert!(pair.ends[1].entry(right).claim(3));
        for text in ["unread", "kept"] {
            send(&mut pair.ends[0], left, text);
        }
        pair.exchange();
        // The reader of stream 3 keeps messages for other readers
        assert_eq!(read(&mut pair.ends[1], right, Some(3)), [] as [&str; 0]);
        send(&mut pair.ends[0], left, "in the receive buffer");
        pair.exchange();
        let now = pair.ends[0].clock.now();
        pair.ends[0].core.abort(now, left);
        pair.exchange();
        for (state, id) in pair.ends.iter_mut().zip([left, right]) {
            state.abandon(id);
        }
        let [left, later] = pair.connect();
        assert_eq!(slot(later), slot(right), "it has the same slot");
        assert_eq!(read(&mut pair.ends[1], later, None), [] as [&str; 0]);
        send(&mut pair.ends[0], left, "new");
        pair.exchange();
        assert_eq!(read(&mut pair.ends[1], later, None), ["new"]);
    }

    #[test]
    fn an_association_that_begins_while_a_local_address_is_down_does_not_use_the_address() {
        let path_state = |state: &State, id| state.core.path_stats(id, PathId(0)).state;
        for end in 0..2 {
            let mut pair = Pair::new();
            let change = |pair: &mut Pair, change| {
                let now = pair.ends[end].clock.now();
                pair.ends[end].change_address(now, change);
            };
            change(&mut pair, Change::Down(ADDRESSES[end]));
            let ids = pair.connect();
            assert_eq!(path_state(&pair.ends[end], ids[end]), PathState::Inactive, "{end}");
            assert_eq!(path_state(&pair.ends[1 - end], ids[1 - end]), PathState::Active, "{end}");
            for (state, id) in pair.ends.iter_mut().zip(ids) {
                let now = state.clock.now();
                state.core.abort(now, id);
            }
            pair.exchange();
            change(&mut pair, Change::Up(ADDRESSES[end]));
            let ids = pair.connect();
            assert_eq!(path_state(&pair.ends[end], ids[end]), PathState::Active, "{end}");
        }
    }

    #[test]
    fn an_association_that_ends_before_it_is_accepted_leaves_nothing_to_the_next_one() {
        let mut pair = Pair::new();
        let gone = pair.begin();
        pair.exchange();
        send(&mut pair.ends[0], gone, "unread");
        pair.exchange();
        let now = pair.ends[0].clock.now();
        pair.ends[0].core.abort(now, gone);
        pair.exchange();
        pair.ends[0].abandon(gone);
        let left = pair.begin();
        pair.exchange();
        // The earlier one may also be accepted, with its received data
        let right = std::iter::from_fn(|| pair.ends[1].core.accept()).last().expect("it stands");
        assert_eq!(pair.ends[1].open(), 1);
        send(&mut pair.ends[0], left, "new");
        pair.exchange();
        assert_eq!(read(&mut pair.ends[1], right, None), ["new"]);
    }
}
