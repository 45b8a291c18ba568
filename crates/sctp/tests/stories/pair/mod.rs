//! Two endpoints, A and Z, and the paths between them, in virtual time: the fixture of all stories.

mod log;
mod network;
mod wire;

use bytes::Bytes;
use manypath_core::{Address, PathId, SansIo, Span, Streams, Time, Via};
use manypath_sctp::{
    AssociationId, CloseReason, Config, Control, Endpoint, Event, Init, Message, Packet, SendError,
};

pub(crate) use log::{Sent, label};
use network::Arrived;
pub(crate) use network::{Fault, Network};

/// One of the two endpoints.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Side {
    /// Opens the association in most stories.
    A,
    /// Responds.
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

    /// The address of this side on a path.
    pub(crate) fn address(self, path: usize) -> Address {
        Address::v4(10, path as u8, 0, if self == A { 1 } else { 2 })
    }

    /// The two ends of a path as this side sees them.
    pub(crate) fn via(self, path: usize) -> Via {
        Via { local: self.address(path), remote: self.other().address(path) }
    }
}

/// Two endpoints and the paths between them: 10 Mbit/s and 10 ms each way, 100 packets of queue.
pub(crate) struct Pair {
    pub(crate) now: Time,
    pub(crate) network: Network,
    /// The delay of every timer.
    pub(crate) late: Span,
    endpoints: [Endpoint; 2],
    configs: [Config; 2],
    events: [Vec<Event>; 2],
    /// The verification tags that both sides expect, once [`Self::connect`] has returned.
    tags: [u32; 2],
    paths: usize,
    seed: u64,
    /// Number of reboots.
    lives: u64,
}

/// The association of most stories; both sides use the same identifier.
pub(crate) const FIRST: AssociationId = AssociationId(0);

impl Pair {
    /// Two endpoints with this number of paths and RFC 9260's constants.
    pub(crate) fn new(paths: usize) -> Self {
        Self::configured(paths, |_, _| ())
    }

    /// Two endpoints with this number of paths; `change` modifies each configuration.
    pub(crate) fn configured(paths: usize, change: impl Fn(Side, &mut Config)) -> Self {
        Self::seeded(1, paths, change)
    }

    /// Like [`Self::configured`], with this seed.
    pub(crate) fn seeded(seed: u64, paths: usize, change: impl Fn(Side, &mut Config)) -> Self {
        Self::across(Network::new(paths), seed, change)
    }

    /// Like [`Self::configured`], with this network and seed.
    pub(crate) fn across(network: Network, seed: u64, change: impl Fn(Side, &mut Config)) -> Self {
        let paths = network.paths();
        let configs = [A, Z].map(|side| config(side, paths, &change));
        let endpoint = |side: Side| {
            let streams = Streams::new(seed, 0);
            Endpoint::new(configs[side as usize].clone(), &streams, &format!("{side:?}"))
        };
        Self {
            now: Time::ZERO,
            network,
            late: Span::ZERO,
            endpoints: [A, Z].map(endpoint),
            configs,
            events: [Vec::new(), Vec::new()],
            tags: [0; 2],
            paths,
            seed,
            lives: 0,
        }
    }

    /// Replaces an endpoint by a new one without state, as after a crash.
    pub(crate) fn reboot(&mut self, side: Side) {
        self.lives += 1;
        let config = self.configs[side as usize].clone();
        let streams = Streams::new(self.seed, self.lives);
        *self.endpoint(side) = Endpoint::new(config, &streams, &format!("{side:?}"));
    }

    pub(crate) fn endpoint(&mut self, side: Side) -> &mut Endpoint {
        &mut self.endpoints[side as usize]
    }

    /// Runs a command on an endpoint, then takes its packets and events.
    pub(crate) fn act<T>(&mut self, side: Side, act: impl FnOnce(&mut Endpoint, Time) -> T) -> T {
        let now = self.now;
        let result = act(self.endpoint(side), now);
        self.drain(side);
        result
    }

    /// `side` begins to open an association on all paths.
    pub(crate) fn open(&mut self, side: Side) -> AssociationId {
        self.open_on(side, self.paths)
    }

    /// `side` begins to open an association on the first `paths` paths.
    pub(crate) fn open_on(&mut self, side: Side, paths: usize) -> AssociationId {
        let vias: Vec<Via> = (0..paths).map(|path| side.via(path)).collect();
        self.act(side, |endpoint, now| endpoint.connect(now, &vias, port(side.other())))
    }

    /// A opens an association, which is established when this returns; then the log is cleared.
    pub(crate) fn connect(&mut self) {
        self.open(A);
        self.settle();
        assert_eq!(self.events(A).first(), Some(&Event::Connected(FIRST)));
        assert_eq!(self.events(Z).first(), Some(&Event::Connected(FIRST)));
        if let [init, ack] = &self.announcements()[..] {
            self.tags = [init.tag, ack.tag];
        }
        self.network.log.clear();
    }

    /// The verification tag that one side expects.
    pub(crate) fn tag_of(&self, side: Side) -> u32 {
        self.tags[side as usize]
    }

    /// Sends an unordered message of this length on stream 0.
    pub(crate) fn send(&mut self, side: Side, bytes: usize) {
        self.hand_over(side, message(bytes)).unwrap();
    }

    /// Sends a message.
    pub(crate) fn hand_over(&mut self, side: Side, message: Message) -> Result<(), SendError> {
        self.act(side, |endpoint, now| endpoint.send(now, FIRST, message))
    }

    /// Reads all waiting messages; returns their payload bytes.
    pub(crate) fn read(&mut self, side: Side) -> usize {
        self.read_messages(side).iter().map(|message| message.payload.len()).sum()
    }

    /// Reads all waiting messages.
    pub(crate) fn read_messages(&mut self, side: Side) -> Vec<Message> {
        self.act(side, |endpoint, now| {
            std::iter::from_fn(|| endpoint.receive(now, FIRST)).collect()
        })
    }

    pub(crate) fn shutdown(&mut self, side: Side) {
        self.act(side, |endpoint, now| endpoint.shutdown(now, FIRST));
    }

    pub(crate) fn abort(&mut self, side: Side) {
        self.act(side, |endpoint, now| endpoint.abort(now, FIRST));
    }

    /// A forged packet arrives at `to`, as if from the other side's address on `path`.
    pub(crate) fn inject(&mut self, to: Side, path: usize, packet: Packet) {
        self.inject_via(to, to.via(path), packet);
    }

    /// A forged packet arrives at `to` with these addresses.
    pub(crate) fn inject_via(&mut self, to: Side, via: Via, mut packet: Packet) {
        self.act(to, |endpoint, now| endpoint.handle_packet(now, via, &mut packet));
    }

    /// A packet of one chunk from the other side, with right ports and any tag.
    pub(crate) fn forge(&self, to: Side, tag: u32, chunk: Control) -> Packet {
        Packet {
            source_port: port(to.other()),
            destination_port: port(to),
            tag,
            control: vec![chunk],
            ..Packet::default()
        }
    }

    /// The bodies of INIT and INIT ACK in the log.
    pub(crate) fn announcements(&self) -> Vec<Init> {
        let chunks = self.network.log.iter().flat_map(|sent| &sent.control);
        let inits = chunks.filter_map(|chunk| match chunk {
            Control::Init(init) | Control::InitAck(init) => Some(Init::clone(init)),
            _ => None,
        });
        inits.collect()
    }

    /// Events since the last call.
    pub(crate) fn events(&mut self, side: Side) -> Vec<Event> {
        std::mem::take(&mut self.events[side as usize])
    }

    /// The reason why the first association of `side` ended, if it did; discards the events up to then.
    pub(crate) fn close_reason(&mut self, side: Side) -> Option<CloseReason> {
        self.events(side).into_iter().find_map(|event| match event {
            Event::Closed { association: FIRST, reason } => Some(reason),
            _ => None,
        })
    }

    /// The packets since the last call, such as `A -> INIT -> Z`; `A -> INIT -> lost` if the packet is lost.
    pub(crate) fn arrows(&mut self) -> Vec<String> {
        self.network.log.drain(..).map(|sent| sent.to_string()).collect()
    }

    /// Advances to the next instant at which something happens; returns false if there is none.
    pub(crate) fn step(&mut self) -> bool {
        let next = self.next();
        if next == Time::NEVER {
            return false;
        }
        assert!(next >= self.now, "time goes back from {} to {next}", self.now);
        self.now = next;
        while let Some(Arrived { at, via, mut packet, damaged_byte }) = self.network.arrival(next) {
            self.act(at, |endpoint, now| match damaged_byte {
                None => endpoint.handle_packet(now, via, &mut packet),
                Some(byte) => endpoint.handle_damaged(now, via, &mut packet, byte),
            });
        }
        for side in [A, Z] {
            if self.timeout(side) <= next {
                self.act(side, SansIo::handle_timeout);
                assert!(
                    self.endpoint(side).poll_timeout() > next,
                    "{side:?} does not handle a timer at {next}"
                );
            }
        }
        true
    }

    /// Handles everything that is due within `span`.
    pub(crate) fn drive(&mut self, span: Span) {
        let end = self.now + span;
        while self.next() <= end {
            self.step();
        }
        self.now = end;
    }

    /// Handles events until `done` returns true.
    pub(crate) fn drive_until(&mut self, mut done: impl FnMut(&mut Self) -> bool) {
        let limit = self.now + Span::from_secs(3600);
        while !done(self) {
            assert!(self.step(), "nothing more happens");
            assert!(self.now < limit, "it does not happen within an hour");
        }
    }

    /// Handles events until no packet is in flight.
    pub(crate) fn settle(&mut self) {
        while self.network.poll_timeout() != Time::NEVER {
            self.step();
        }
    }

    /// The time of the next event.
    pub(crate) fn next(&self) -> Time {
        [A, Z]
            .map(|side| self.timeout(side))
            .into_iter()
            .fold(self.network.poll_timeout(), Time::min)
    }

    /// The time of a side's next timer.
    fn timeout(&self, side: Side) -> Time {
        match self.endpoints[side as usize].poll_timeout() {
            Time::NEVER => Time::NEVER,
            due => due + self.late,
        }
    }

    /// Takes all packets and events of an endpoint.
    fn drain(&mut self, side: Side) {
        let now = self.now;
        let mut may_transmit = self.endpoint(side).may_transmit();
        for packets in 0.. {
            assert!(packets < 10_000, "{side:?} never stops sending at {now}");
            let mut packet = Packet::default();
            let Some(via) = self.endpoint(side).poll_transmit(now, &mut packet) else { break };
            assert!(
                may_transmit,
                "{side:?} sent a packet at {now} although `may_transmit` was false"
            );
            may_transmit = self.endpoint(side).may_transmit();
            self.network.send(now, side, via, packet);
        }
        while let Some(event) = self.endpoint(side).poll_event() {
            self.events[side as usize].push(event);
        }
    }
}

/// An unordered message of this length on stream 0.
pub(crate) fn message(bytes: usize) -> Message {
    Message {
        stream: 0,
        ppid: 0,
        unordered: true,
        payload: Bytes::from(vec![0x5a; bytes]),
        part: None,
    }
}

/// A path by its number.
pub(crate) fn path(index: u8) -> PathId {
    PathId(index)
}

fn port(side: Side) -> u16 {
    if side == A { 1001 } else { 2002 }
}

fn config(side: Side, paths: usize, change: impl Fn(Side, &mut Config)) -> Config {
    let local = (0..paths).map(|path| side.address(path)).collect();
    let mut config = Config { port: port(side), local, ..Config::default() };
    change(side, &mut config);
    config
}
