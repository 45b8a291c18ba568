//! Two SCTP endpoints, A and Z, and the paths between them, in virtual time: the fixture of all stories.

mod log;
mod wire;

use std::ops::{Deref, DerefMut};

use bytes::Bytes;
use manypath_core::{PathId, SansIo as _, Span, Via};
use manypath_sctp::{
    AssociationId, CloseReason, Config, Control, Event, Init, Message, Packet, SendError,
};
use manypath_stage::{Stage, drive_until};

use log::Chunks;
pub(crate) use manypath_stage::{A, Fault, Side, Z};

pub(crate) type Network = manypath_stage::Network<Chunks>;
pub(crate) type Sent = manypath_stage::Sent<Chunks>;

/// Two endpoints and the paths between them: 10 Mbit/s and 10 ms each way, 100 packets of queue.
pub(crate) struct Pair {
    stage: Stage<Chunks>,
    /// The verification tags that both sides expect, once [`Self::connect`] has returned.
    tags: [u32; 2],
}

impl Deref for Pair {
    type Target = Stage<Chunks>;

    fn deref(&self) -> &Self::Target {
        &self.stage
    }
}

impl DerefMut for Pair {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.stage
    }
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
        let configs = [A, Z].map(|side| config(side, network.paths(), &change));
        Self { stage: Stage::new(network, seed, configs), tags: [0; 2] }
    }

    /// `side` begins to open an association on all paths.
    pub(crate) fn open(&mut self, side: Side) -> AssociationId {
        self.open_on(side, self.network.paths())
    }

    /// `side` begins to open an association on the first `paths` paths.
    pub(crate) fn open_on(&mut self, side: Side, paths: usize) -> AssociationId {
        let vias: Vec<Via> = (0..paths).map(|path| side.via(path)).collect();
        self.act(side, |endpoint, now| endpoint.connect(now, &vias, side.other().port()))
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
            source_port: to.other().port(),
            destination_port: to.port(),
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

    /// The reason why the first association of `side` ended, if it did; discards the events up to then.
    pub(crate) fn close_reason(&mut self, side: Side) -> Option<CloseReason> {
        self.events(side).into_iter().find_map(|event| match event {
            Event::Closed { association: FIRST, reason } => Some(reason),
            _ => None,
        })
    }

    /// Handles events until `done` returns true; returns the elapsed time.
    pub(crate) fn drive_until(&mut self, done: impl FnMut(&mut Self) -> bool) -> Span {
        drive_until(self, Span::from_secs(3600), done, |_| String::new())
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

fn config(side: Side, paths: usize, change: impl Fn(Side, &mut Config)) -> Config {
    let local = (0..paths).map(|path| side.address(path)).collect();
    let mut config = Config { port: side.port(), local, ..Config::default() };
    change(side, &mut config);
    config
}
