//! Two endpoints, A and Z, and the path between them, in virtual time: the stage of all stories.

mod log;
mod network;

use bytes::Bytes;
use manypath_core::{Address, PathId, SansIo, Span, Streams, Time, Via};
use manypath_tcp::{CloseReason, Config, ConnectionId, Endpoint, Event, PathStats, Segment, Stats};

pub(crate) use log::Sent;
pub(crate) use network::{Fate, Network};

/// One of the two endpoints.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Side {
    /// Opens the connection in most stories.
    A,
    /// Answers.
    Z,
}

pub(crate) use Side::{A, Z};

impl Side {
    pub(crate) fn other(self) -> Self {
        match self {
            A => Z,
            Z => A,
        }
    }

    fn address(self) -> Address {
        Address::v4(10, 0, 0, if self == A { 1 } else { 2 })
    }

    /// The two ends of the path as this side sees them.
    pub(crate) fn via(self) -> Via {
        Via { local: self.address(), remote: self.other().address() }
    }

    pub(crate) fn port(self) -> u16 {
        if self == A { 1001 } else { 2002 }
    }
}

/// Two endpoints and the path between them.
pub(crate) struct Pair {
    pub(crate) now: Time,
    pub(crate) network: Network,
    endpoints: [Endpoint; 2],
    configs: [Config; 2],
    events: [Vec<Event>; 2],
    /// Bytes that each side has written, which is also where its next write stands in the pattern.
    written: [u64; 2],
    /// Bytes that each side has read.
    read: [u64; 2],
}

/// The connection of most stories, on both sides.
pub(crate) const FIRST: ConnectionId = ConnectionId(0);

impl Pair {
    /// Two endpoints with the usual constants.
    pub(crate) fn new() -> Self {
        Self::configured(|_, _| ())
    }

    /// Two endpoints, and what `change` makes of each configuration.
    pub(crate) fn configured(change: impl Fn(Side, &mut Config)) -> Self {
        Self::across(Network::new(), 1, change)
    }

    /// The same with any network between them and random numbers of their own.
    pub(crate) fn across(network: Network, seed: u64, change: impl Fn(Side, &mut Config)) -> Self {
        let configs = [A, Z].map(|side| {
            let local = vec![side.address()];
            let mut config = Config { port: side.port(), local, ..Config::default() };
            change(side, &mut config);
            config
        });
        let endpoint = |side: Side| {
            let config = configs[side as usize].clone();
            Endpoint::new(config, &Streams::new(seed, 0), &format!("{side:?}"))
        };
        Self {
            now: Time::ZERO,
            network,
            endpoints: [A, Z].map(endpoint),
            configs,
            events: [Vec::new(), Vec::new()],
            written: [0; 2],
            read: [0; 2],
        }
    }

    /// An endpoint that knows nothing any more takes the place of one that crashed.
    pub(crate) fn reboot(&mut self, side: Side) {
        let config = self.configs[side as usize].clone();
        let streams = Streams::new(7, 0);
        *self.endpoint(side) = Endpoint::new(config, &streams, &format!("{side:?}"));
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

    /// `side` begins to open a connection.
    pub(crate) fn open(&mut self, side: Side) -> ConnectionId {
        self.act(side, |endpoint, now| endpoint.connect(now, &[side.via()], side.other().port()))
    }

    /// A opens a connection, which stands when this returns; the log begins afterwards.
    pub(crate) fn connect(&mut self) {
        self.open(A);
        self.settle();
        assert_eq!(self.events(A), [Event::Connected(FIRST)]);
        assert_eq!(self.events(Z), [Event::Connected(FIRST)]);
        self.network.log.clear();
    }

    /// Writes the next so many bytes of the side's pattern.
    pub(crate) fn write(&mut self, side: Side, bytes: usize) {
        let from = self.written[side as usize];
        let payload = pattern(side, from, bytes);
        self.act(side, |endpoint, now| endpoint.write(now, FIRST, payload)).unwrap();
        self.written[side as usize] += bytes as u64;
    }

    /// Writes as much of so many bytes as there is room for, if the side still takes any.
    pub(crate) fn write_what_fits(&mut self, side: Side, bytes: usize) {
        let from = self.written[side as usize];
        let bytes = bytes.min(self.endpoint(side).write_space(FIRST));
        let payload = pattern(side, from, bytes);
        if self.act(side, |endpoint, now| endpoint.write(now, FIRST, payload)).is_ok() {
            self.written[side as usize] += bytes as u64;
        }
    }

    /// Bytes that `side` has written, and those of them that the other side has read.
    pub(crate) fn books(&self, side: Side) -> (u64, u64) {
        (self.written[side as usize], self.read[side.other() as usize])
    }

    /// Reads everything that waits and compares it with the pattern; how many bytes it was.
    pub(crate) fn read(&mut self, side: Side) -> usize {
        self.read_at_most(side, usize::MAX)
    }

    /// Reads so many pieces at most.
    pub(crate) fn read_at_most(&mut self, side: Side, most: usize) -> usize {
        let pieces: Vec<Bytes> = self.act(side, |endpoint, now| {
            std::iter::from_fn(|| endpoint.read(now, FIRST)).take(most).collect()
        });
        let bytes = pieces.concat();
        let from = self.read[side as usize];
        assert!(bytes == pattern(side.other(), from, bytes.len()), "wrong bytes from {from} on");
        self.read[side as usize] += bytes.len() as u64;
        bytes.len()
    }

    pub(crate) fn close(&mut self, side: Side) {
        self.act(side, |endpoint, now| endpoint.close(now, FIRST));
    }

    pub(crate) fn abort(&mut self, side: Side) {
        self.act(side, |endpoint, now| endpoint.abort(now, FIRST));
    }

    /// A segment from nowhere arrives at `to`, as if from the other side.
    pub(crate) fn inject(&mut self, to: Side, mut segment: Segment) {
        self.act(to, |endpoint, now| endpoint.handle_packet(now, to.via(), &mut segment));
    }

    pub(crate) fn stats(&mut self, side: Side) -> Stats {
        *self.endpoint(side).stats(FIRST)
    }

    pub(crate) fn path_stats(&mut self, side: Side) -> PathStats {
        self.endpoint(side).path_stats(FIRST, PathId(0))
    }

    /// Data segments of `side` in the log: when each left, and its number among the segments of `size` bytes since the
    /// log began, from 1 on.
    pub(crate) fn data_sent(&self, side: Side, size: usize) -> Vec<(Time, usize)> {
        let of_side = |sent: &&Sent| sent.from == side && sent.has_data();
        let mut sent = self.network.log.iter().filter(of_side).peekable();
        let first = sent.peek().map_or(0, |sent| sent.seq);
        let number = |seq: u32| seq.wrapping_sub(first) as usize / size + 1;
        sent.map(|sent| (sent.at, number(sent.seq))).collect()
    }

    /// Data segments that left `side` more than once, in the order of their repetitions.
    pub(crate) fn repeated(&self, side: Side, size: usize) -> Vec<usize> {
        let mut highest = 0;
        let mut again = Vec::new();
        for (_, number) in self.data_sent(side, size) {
            if number <= highest {
                again.push(number);
            }
            highest = highest.max(number);
        }
        again
    }

    /// Events since the last call.
    pub(crate) fn events(&mut self, side: Side) -> Vec<Event> {
        std::mem::take(&mut self.events[side as usize])
    }

    /// Why the first connection of `side` ended, if it did; events up to then are gone.
    pub(crate) fn close_reason(&mut self, side: Side) -> Option<CloseReason> {
        self.events(side).into_iter().find_map(|event| match event {
            Event::Closed { connection: FIRST, reason } => Some(reason),
            _ => None,
        })
    }

    /// What was sent since the last call, such as `A -> SYN -> Z`; `A -> SYN -> lost` if it never arrives.
    pub(crate) fn arrows(&mut self) -> Vec<String> {
        self.network.log.drain(..).map(|sent| sent.to_string()).collect()
    }

    /// The next instant at which something happens; false if nothing ever will.
    pub(crate) fn step(&mut self) -> bool {
        let next = self.next();
        if next == Time::NEVER {
            return false;
        }
        assert!(next >= self.now, "time goes back from {} to {next}", self.now);
        self.now = next;
        while let Some((at, mut segment)) = self.network.arrival(next) {
            self.act(at, |endpoint, now| endpoint.handle_packet(now, at.via(), &mut segment));
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

    /// Lets things happen until `side` has read `bytes` more, which it does as they arrive; how long it took.
    pub(crate) fn drive_until_read(&mut self, side: Side, bytes: usize) -> Span {
        let (start, mut left) = (self.now, bytes);
        loop {
            left -= self.read(side);
            if left == 0 {
                return self.now - start;
            }
            assert!(self.step(), "nothing happens any more, {left} bytes are missing");
            assert!(self.now < start + Span::from_secs(3600), "it takes more than an hour");
        }
    }

    /// Lets things happen until `done` holds.
    pub(crate) fn drive_until(&mut self, mut done: impl FnMut(&mut Self) -> bool) {
        let limit = self.now + Span::from_secs(3600);
        while !done(self) {
            assert!(self.step(), "nothing happens any more");
            assert!(self.now < limit, "it does not happen within an hour");
        }
    }

    /// Lets things happen until no segment is under way.
    pub(crate) fn settle(&mut self) {
        while self.network.poll_timeout() != Time::NEVER {
            self.step();
        }
    }

    /// When something happens next.
    pub(crate) fn next(&self) -> Time {
        self.endpoints.iter().map(SansIo::poll_timeout).fold(self.network.poll_timeout(), Time::min)
    }

    /// Takes what an endpoint wants to send and to tell.
    fn drain(&mut self, side: Side) {
        let now = self.now;
        for segments in 0.. {
            assert!(segments < 10_000, "{side:?} never stops sending at {now}");
            let mut segment = Segment::default();
            let Some(via) = self.endpoint(side).poll_transmit(now, &mut segment) else { break };
            assert_eq!(via, side.via());
            self.network.send(now, side, segment);
        }
        while let Some(event) = self.endpoint(side).poll_event() {
            self.events[side as usize].push(event);
        }
    }
}

/// The bytes of a side's stream: they tell their place for 64 kB and more.
pub(crate) fn pattern(side: Side, from: u64, bytes: usize) -> Bytes {
    let byte = |at: u64| (at ^ at >> 8 ^ at >> 16) as u8 ^ side as u8;
    (from..from + bytes as u64).map(byte).collect()
}
