//! Runs a random story: two applications, two endpoints, and the faults of the network.

use std::cell::Cell;

use manypath_core::{Ranges, Span};
use manypath_sctp::{Data, Event, Message, SendError};

use super::counters::SeenPackets;
use super::faults::Faults;
use super::party::Party;
use super::script::{Flood, Script};
use super::setting::{Link, Setting};
use super::step::{Length, Step};
use super::tally::{Subject, Tally};
use crate::pair::{A, Network, Pair, Sent, Side, Z};

/// A running story.
pub(crate) struct Story {
    pub(super) pair: Pair,
    pub(super) setting: Setting,
    pub(super) faults: Faults,
    /// A and Z.
    pub(super) parties: [Party; 2],
    pub(super) seen_packets: SeenPackets,
    /// An endpoint has lost all its state and opened the association again.
    pub(super) rebooted: bool,
    pub(super) tally: Tally,
    /// Receives a line per packet.
    narrator: Option<Narrator>,
}

/// The receiver of a story's lines.
pub(crate) type Narrator = fn(&str);

/// Runs a story to its end; returns what it reached.
///
/// # Panics
/// If any check fails.
pub(crate) fn play(script: &Script, narrator: Option<Narrator>) -> Tally {
    let mut story = Story::begin(&script.setting, narrator);
    story.look();
    for step in &script.steps {
        story.narrate(|| format!("{step:?}"));
        story.take(*step);
        story.look();
    }
    story.narrate(|| "all paths work from now on".to_owned());
    story.heal();
    if let Some(flood) = script.flood {
        story.flood(flood);
    }
    story.end(script.closes)
}

impl Story {
    fn begin(setting: &Setting, narrator: Option<Narrator>) -> Self {
        let links: Vec<_> = setting.links.iter().map(Link::config).collect();
        let mut network = Network::of(&links);
        let faults = Faults::over(&mut network, setting.seed);
        let mut pair = Pair::across(network, setting.seed, |side, config| {
            let (port, local) = (config.port, std::mem::take(&mut config.local));
            *config = setting.ends[side as usize].config.clone();
            (config.port, config.local) = (port, local);
        });
        let mut parties = [Party::new(), Party::new()];
        for side in [A, Z] {
            if side == A || setting.both_open {
                pair.open(side);
                parties[side as usize].begun = true;
            }
        }
        Self {
            pair,
            setting: setting.clone(),
            faults,
            parties,
            seen_packets: SeenPackets::default(),
            rebooted: false,
            tally: Tally::default(),
            narrator,
        }
    }

    fn take(&mut self, step: Step) {
        let paths = self.setting.links.len();
        match step {
            Step::Send { side, stream, length, unordered, count } => {
                for _ in 0..count {
                    self.send(side, stream, length, unordered);
                }
            }
            Step::Read { side, most } => self.read(side, most),
            Step::Pass(span) => self.pass(span),
            Step::Treat { side, path, packets, fault } => {
                self.faults.apply_to_next(side, path % paths, packets, fault);
            }
            Step::SetRates { side, path, rates } => {
                self.faults.set_rates(side, path % paths, rates);
            }
            Step::Cut { side, path } => self.faults.cut(side, path % paths),
            Step::Restore { path } => self.faults.clear_path(path % paths),
            Step::Release => self.pair.release(),
            Step::Shutdown(side) => self.shut_down(side),
            Step::Abort(side) => self.abort(side),
            Step::Reboot(side) => self.reboot(side),
        }
        self.listen();
    }

    /// Length of the longest message from `side` that can be delivered: it fits into the send buffer, and into the
    /// receive buffer as a whole or chunk by chunk.
    fn most(&self, side: Side) -> usize {
        let [from, to] = [side, side.other()].map(|side| &self.setting.ends[side as usize].config);
        let in_parts = to.partial_delivery && usize::from(from.mtu) <= to.receive_buffer;
        if in_parts { from.send_buffer } else { from.send_buffer.min(to.receive_buffer) }
    }

    fn send(&mut self, side: Side, stream: u16, length: Length, unordered: bool) -> bool {
        let [from, to] = [side, side.other()].map(|side| &self.setting.ends[side as usize].config);
        let streams = from.outbound_streams.min(to.inbound_streams);
        let length = match length {
            Length::Bytes(bytes) => bytes.min(self.most(side)),
            Length::Most => self.most(side),
        };
        let party = &mut self.parties[side as usize];
        let message = party.outgoing.next(stream % streams, length, unordered);
        let id = party.association;
        let result = self.pair.act(side, |endpoint, now| endpoint.send(now, id, message.clone()));
        match result {
            Ok(()) => party.outgoing.note_taken(&message, party.life),
            Err(SendError::BufferFull) => party.waits_for_room = true,
            Err(SendError::NotConnected) => {
                let may_close = |party: &Party| party.shut_down || party.end.is_some();
                let excused = !party.begun || self.rebooted;
                assert!(excused || self.parties.iter().any(may_close), "neither side has closed");
            }
            Err(error) => panic!("{error:?}"),
        }
        result.is_ok()
    }

    /// Reads up to `most` messages, if there was a notification.
    pub(super) fn read(&mut self, side: Side, most: usize) {
        for _ in 0..most {
            if !self.parties[side as usize].may_read {
                return;
            }
            let id = self.parties[side as usize].association;
            let message = self.pair.act(side, |endpoint, now| endpoint.receive(now, id));
            match message {
                Some(message) => self.note_read(side, &message),
                None => self.parties[side as usize].may_read = false,
            }
        }
    }

    fn note_read(&mut self, side: Side, message: &Message) {
        let Party { life, reopened, restarted, .. } = self.parties[side as usize];
        let may_come_again = reopened || restarted;
        let Some(message) = &self.parties[side as usize].join(message) else { return };
        self.parties[side.other() as usize].outgoing.note_read(message, life, may_come_again);
    }

    pub(super) fn shut_down(&mut self, side: Side) {
        let party = &mut self.parties[side as usize];
        party.shut_down = party.begun;
        let id = party.association;
        self.pair.act(side, |endpoint, now| endpoint.shutdown(now, id));
    }

    fn abort(&mut self, side: Side) {
        let id = self.parties[side as usize].association;
        self.pair.act(side, |endpoint, now| endpoint.abort(now, id));
    }

    /// While the peer opens the association, it cannot know which endpoint received its messages, so no endpoint
    /// reboots then.
    fn reboot(&mut self, side: Side) {
        let peer = &self.parties[side.other() as usize];
        let peer_opens = peer.begun && !peer.connected && peer.end.is_none();
        if !peer_opens && !std::mem::replace(&mut self.rebooted, true) {
            self.pair.reboot(side);
            self.pair.events(side);
            let association = self.pair.open(side);
            let party = &mut self.parties[side as usize];
            party.reopen(association);
            party.begun = true;
        }
    }

    /// Advances the time; applications that read at once do so.
    pub(super) fn pass(&mut self, span: Span) {
        let end = self.pair.now + span;
        while self.pair.next() <= end {
            self.instant();
        }
        self.pair.now = end;
    }

    /// Advances to the next instant at which something happens; returns false if there is none.
    pub(super) fn instant(&mut self) -> bool {
        INSTANTS.set(INSTANTS.get() + 1);
        let happened = self.pair.step();
        self.listen();
        if self.narrator.is_some() {
            self.look();
        }
        happened
    }

    pub(super) fn narrate(&self, line: impl FnOnce() -> String) {
        if let Some(narrator) = self.narrator {
            narrator(&format!("{} {}", self.pair.now, line()));
        }
    }

    /// Passes the events of both endpoints to the applications.
    fn listen(&mut self) {
        for side in [A, Z] {
            for event in self.pair.events(side) {
                self.narrate(|| format!("{side:?}: {event:?}"));
                if matches!(event, Event::Connected(_)) {
                    // Messages of the previous association can still be read
                    self.read(side, usize::MAX);
                }
                let party = &mut self.parties[side as usize];
                let life = party.life;
                party.handle_event(self.pair.now, &event);
                if party.life > life && party.reopened {
                    self.parties[side.other() as usize].outgoing.excuse_unread();
                }
                self.tally.add(Subject::Event, event_name(&event), 1);
            }
            if self.setting.ends[side as usize].reads_at_once {
                self.read(side, usize::MAX);
            }
        }
    }

    /// Checks all packets that were sent since the last call.
    pub(super) fn look(&mut self) {
        for sent in std::mem::take(&mut self.pair.network.log) {
            self.narrate(|| format!("{sent}{}", details(&sent)));
            let side = sent.from as usize;
            let config = &self.setting.ends[side].config;
            let mtu = config.mtu_discovery.map_or(config.mtu, |it| it.max.max(config.mtu));
            assert!(sent.size <= usize::from(mtu), "{} bytes in {sent}", sent.size);
            for chunk in &sent.data {
                assert!(
                    self.parties[side].outgoing.holds(chunk),
                    "{chunk:?} was never sent by the application"
                );
            }
            self.seen_packets.note(&sent);
            self.count_chunks(Subject::ChunkSent, &sent.label);
        }
        for (_, label) in std::mem::take(&mut self.pair.network.arrived) {
            self.count_chunks(Subject::ChunkReceived, &label);
        }
        if !self.rebooted {
            self.seen_packets.compare(&mut self.pair, &self.parties);
        }
    }

    fn count_chunks(&mut self, subject: Subject, label: &str) {
        for chunk in label.split(" + ") {
            self.tally.add(subject, chunk, 1);
        }
    }

    /// Removes all faults and waits until the protocol has recovered.
    fn heal(&mut self) {
        for path in 0..self.setting.links.len() {
            self.faults.clear_path(path);
        }
        self.pair.release();
        let patience = self.pair.now + Span::from_secs(3600);
        while self.pair.now < patience && !self.is_done() {
            self.rest(Span::from_millis(200));
        }
    }

    /// Advances the time while both applications read everything.
    pub(super) fn rest(&mut self, span: Span) {
        self.pass(span);
        self.read(A, usize::MAX);
        self.read(Z, usize::MAX);
        self.look();
    }

    /// Whether nothing more is expected to happen.
    fn is_done(&self) -> bool {
        let stand = self.parties.iter().all(|party| party.connected && party.end.is_none());
        let ended = self.parties.iter().all(|party| party.end.is_some() || !party.begun);
        ended || stand && self.parties.iter().all(|party| party.outgoing.is_complete(party.life))
    }

    fn flood(&mut self, flood: Flood) {
        let Flood { side, stream, messages } = flood;
        let patience = self.pair.now + Span::from_secs(36_000);
        let mut left = messages;
        while left > 0 && self.pair.now < patience && self.parties[side as usize].end.is_none() {
            while left > 0 && self.send(side, stream, Length::Bytes(1), false) {
                left -= 1;
            }
            self.rest(Span::from_millis(20));
        }
        self.heal();
    }
}

thread_local! {
    static INSTANTS: Cell<u64> = const { Cell::new(0) };
}

/// Number of instants in the stories of this thread, including failed ones.
pub(crate) fn instants_so_far() -> u64 {
    INSTANTS.get()
}

/// The content of a packet's chunks.
fn details(sent: &Sent) -> String {
    let mut words = format!(" path {}", sent.path);
    for Data { tsn, stream, ssn, flags, payload, .. } in &sent.data {
        let (flags, length) = (flags.0, payload.len());
        words += &format!(", {} {stream}/{} {flags:04b} {length} B", tsn.0, ssn.0);
    }
    if let Some(sack) = &sent.sack {
        let ranges = |ranges: &Ranges| -> Vec<_> {
            ranges.iter().map(|range| (range.first.0, range.last.0)).collect()
        };
        let (gaps, kept) = (ranges(&sack.gaps), ranges(&sack.kept_gaps));
        words +=
            &format!(", up to {} {gaps:?} kept {kept:?} window {}", sack.cumulative.0, sack.window);
    }
    words
}

fn event_name(event: &Event) -> &'static str {
    match event {
        Event::Connected(_) => "Connected",
        Event::Readable(_) => "Readable",
        Event::Writable(_) => "Writable",
        Event::PathPotentiallyFailed { .. } => "PathPotentiallyFailed",
        Event::PathDown { .. } => "PathDown",
        Event::PathUp { .. } => "PathUp",
        Event::Restarted(_) => "Restarted",
        Event::Closed { .. } => "Closed",
        _ => "another",
    }
}
