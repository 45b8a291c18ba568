//! Two endpoints and several paths between them: the stage of the stories about Multipath TCP.

use bytes::Bytes;
use manypath_core::{Address, PathId, Rate, SansIo, Span, Streams, Time, Via};
use manypath_link::LinkConfig;
use manypath_tcp::{
    CloseReason, Config, ConnectionId, Endpoint, Event, Multipath, PathStats, Scheduler, Segment,
    Stats,
};

use crate::pair::{A, FIRST, Network, Side, Z, pattern};

/// Two endpoints and the paths between them.
pub(crate) struct Several {
    pub(crate) now: Time,
    /// By path.
    pub(crate) networks: Vec<Network>,
    endpoints: [Endpoint; 2],
    events: [Vec<Event>; 2],
    written: [u64; 2],
    read: [u64; 2],
    /// Instants at which something happened.
    turns: u64,
}

/// The usual rules: no switch is on.
pub(crate) const PLAIN: Multipath = Multipath {
    scheduler: Scheduler::LowestRtt,
    opportunistic_retransmission: false,
    penalisation: false,
};

/// No story has so many instants.
const MOST_TURNS: u64 = 200_000;

/// A link of so many Mbit/s and milliseconds with 100 packets of queue.
pub(crate) fn link(megabits: u64, millis: u64) -> LinkConfig {
    LinkConfig::new(Rate::from_bits_per_second(megabits * 1_000_000), Span::from_millis(millis))
}

/// The two ends of a path as a side sees them.
pub(crate) fn via(side: Side, path: usize) -> Via {
    let end = |side: Side| Address::v4(10, path as u8, 0, if side == A { 1 } else { 2 });
    Via { local: end(side), remote: end(side.other()) }
}

impl Several {
    /// Two endpoints that speak Multipath TCP by these rules, and a path over each of `links`.
    pub(crate) fn new(links: &[LinkConfig], rules: Multipath) -> Self {
        Self::configured(links, |_, config| config.multipath = Some(rules))
    }

    /// The same with what `change` makes of each configuration.
    pub(crate) fn configured(links: &[LinkConfig], change: impl Fn(Side, &mut Config)) -> Self {
        let endpoint = |side: Side| {
            let local = (0..links.len()).map(|path| via(side, path).local).collect();
            let mut config = Config {
                port: side.port(),
                local,
                data_option_bytes: 20,
                ack_option_bytes: 20,
                ..Config::default()
            };
            change(side, &mut config);
            Endpoint::new(config, &Streams::new(1, 0), &format!("{side:?}"))
        };
        Self {
            now: Time::ZERO,
            networks: links.iter().map(Network::of).collect(),
            endpoints: [A, Z].map(endpoint),
            events: [Vec::new(), Vec::new()],
            written: [0; 2],
            read: [0; 2],
            turns: 0,
        }
    }

    pub(crate) fn endpoint(&mut self, side: Side) -> &mut Endpoint {
        &mut self.endpoints[side as usize]
    }

    /// Lets the owner of an endpoint do something with it, then takes what it wants to send and to tell.
    pub(crate) fn act<T>(&mut self, side: Side, act: impl FnOnce(&mut Endpoint, Time) -> T) -> T {
        let now = self.now;
        let result = act(self.endpoint(side), now);
        self.drain(side);
        result
    }

    /// A opens a connection over all paths; when this returns, each of them works.
    pub(crate) fn connect(&mut self) {
        self.open(self.networks.len());
        self.settle();
        for side in [A, Z] {
            let events = self.events(side);
            assert_eq!(events[0], Event::Connected(FIRST));
            assert_eq!(events.len(), self.networks.len(), "{events:?}");
        }
    }

    /// A begins to open a connection over the first `paths` paths.
    pub(crate) fn open(&mut self, paths: usize) -> ConnectionId {
        let vias: Vec<Via> = (0..paths).map(|path| via(A, path)).collect();
        self.act(A, |endpoint, now| endpoint.connect(now, &vias, Z.port()))
    }

    /// Writes as many of the next `bytes` bytes of the side's pattern as the send buffer takes; how many.
    pub(crate) fn write(&mut self, side: Side, bytes: usize) -> usize {
        let from = self.written[side as usize];
        let bytes = bytes.min(self.endpoint(side).write_space(FIRST));
        let payload = pattern(side, from, bytes);
        if self.act(side, |endpoint, now| endpoint.write(now, FIRST, payload)).is_err() {
            return 0;
        }
        self.written[side as usize] += bytes as u64;
        bytes
    }

    /// Reads at most so many pieces and compares them with the pattern; how many bytes they were.
    pub(crate) fn read(&mut self, side: Side, pieces: usize) -> usize {
        let pieces: Vec<Bytes> = self.act(side, |endpoint, now| {
            std::iter::from_fn(|| endpoint.read(now, FIRST)).take(pieces).collect()
        });
        let bytes = pieces.concat();
        let from = self.read[side as usize];
        assert!(bytes == pattern(side.other(), from, bytes.len()), "wrong bytes from {from} on");
        self.read[side as usize] += bytes.len() as u64;
        bytes.len()
    }

    /// Bytes that `side` has written, and that the other side has read of them.
    pub(crate) fn books(&self, side: Side) -> (u64, u64) {
        (self.written[side as usize], self.read[side.other() as usize])
    }

    /// A sends `bytes` more as fast as it can to Z, which reads everything at once; how long it takes.
    pub(crate) fn transfer(&mut self, bytes: usize) -> Span {
        let start = self.now;
        let mut unwritten = bytes;
        let total = self.written[A as usize] + bytes as u64;
        loop {
            if unwritten > 0 && self.endpoint(A).write_space(FIRST) >= unwritten.min(20_000) {
                let taken = self.write(A, unwritten.min(20_000));
                assert!(taken > 0, "the connection takes nothing");
                unwritten -= taken;
                continue;
            }
            self.read(Z, usize::MAX);
            let unread = total - self.read[Z as usize];
            if unread == 0 {
                return self.now - start;
            }
            assert!(self.step(), "nothing happens any more, {unread} bytes are missing");
            assert!(self.now < start + Span::from_secs(3600), "it takes more than an hour");
        }
    }

    /// `side` opens another subflow.
    pub(crate) fn join(&mut self, side: Side, via: Via) {
        self.act(side, |endpoint, now| endpoint.add_subflow(now, FIRST, via));
    }

    /// `side` gives up a subflow.
    pub(crate) fn leave(&mut self, side: Side, path: PathId) {
        self.act(side, |endpoint, now| endpoint.remove_subflow(now, FIRST, path));
    }

    /// Both sides end the connection.
    pub(crate) fn close(&mut self) {
        for side in [A, Z] {
            self.act(side, |endpoint, now| endpoint.close(now, FIRST));
        }
    }

    /// Both sides end the connection and read what is left; why it ended for each.
    pub(crate) fn finish(&mut self) -> [CloseReason; 2] {
        self.close();
        let mut ends = [None; 2];
        let limit = self.now + Span::from_secs(36_000);
        while ends.iter().any(Option::is_none) {
            for side in [A, Z] {
                self.read(side, usize::MAX);
                for event in self.events(side) {
                    if let Event::Closed { reason, .. } = event {
                        ends[side as usize] = Some(reason);
                    }
                }
            }
            if ends.iter().any(Option::is_none) {
                assert!(self.step(), "nothing happens any more: {ends:?}");
                assert!(self.now < limit, "it does not end: {ends:?}");
            }
        }
        ends.map(|end| end.expect("both have ended"))
    }

    pub(crate) fn stats(&mut self, side: Side) -> Stats {
        *self.endpoint(side).stats(FIRST)
    }

    pub(crate) fn path_stats(&mut self, side: Side, path: usize) -> PathStats {
        self.endpoint(side).path_stats(FIRST, PathId(path as u8))
    }

    /// Events since the last call.
    pub(crate) fn events(&mut self, side: Side) -> Vec<Event> {
        std::mem::take(&mut self.events[side as usize])
    }

    /// The next instant at which something happens; false if nothing ever will.
    pub(crate) fn step(&mut self) -> bool {
        let next = self.next();
        if next == Time::NEVER {
            return false;
        }
        assert!(next >= self.now, "time goes back from {} to {next}", self.now);
        self.turns += 1;
        assert!(self.turns < MOST_TURNS, "both sides talk for ever at {next}");
        self.now = next;
        for path in 0..self.networks.len() {
            while let Some((at, mut segment)) = self.networks[path].arrival(next) {
                self.act(at, |endpoint, now| {
                    endpoint.handle_packet(now, via(at, path), &mut segment);
                });
            }
        }
        for side in [A, Z] {
            if self.endpoint(side).poll_timeout() <= next {
                self.act(side, SansIo::handle_timeout);
                assert!(
                    self.endpoint(side).poll_timeout() > next,
                    "{side:?} does not act on a timer at {next}"
                );
            }
        }
        true
    }

    /// Lets everything happen that is due within `span`.
    pub(crate) fn drive(&mut self, span: Span) {
        let end = self.now + span;
        while self.next() <= end {
            self.step();
        }
        self.now = end;
    }

    /// Lets things happen until no segment is under way.
    pub(crate) fn settle(&mut self) {
        while self.networks.iter().any(|network| network.poll_timeout() != Time::NEVER) {
            self.step();
        }
    }

    fn next(&self) -> Time {
        let networks = self.networks.iter().map(Network::poll_timeout);
        self.endpoints.iter().map(SansIo::poll_timeout).chain(networks).fold(Time::NEVER, Time::min)
    }

    fn drain(&mut self, side: Side) {
        let now = self.now;
        for segments in 0.. {
            assert!(segments < 10_000, "{side:?} never stops sending at {now}");
            let mut segment = Segment::default();
            let Some(out) = self.endpoint(side).poll_transmit(now, &mut segment) else { break };
            let path = (0..self.networks.len()).find(|path| via(side, *path) == out);
            self.networks[path.expect("the path exists")].send(now, side, segment);
        }
        while let Some(event) = self.endpoint(side).poll_event() {
            self.events[side as usize].push(event);
        }
    }
}
