//! The environment of all stories: two TCP endpoints, A and Z, and a network between them, in virtual time.

mod bytes;
mod log;
mod pair;
mod several;

use std::ops::{Deref, DerefMut};

use manypath_core::{SansIo as _, Span, Via};
use manypath_stage::drive_until;
use manypath_tcp::{CloseReason, Config, ConnectionId, Event, Segment, Stats};

pub(crate) use bytes::pattern;
use log::Fields;
pub(crate) use manypath_stage::{A, Fault, Side, Z, link};
pub(crate) use pair::Pair;
pub(crate) use several::{PLAIN, Several};

pub(crate) type Network = manypath_stage::Network<Fields>;
pub(crate) type Sent = manypath_stage::Sent<Fields>;

/// The connection of most stories, on both sides.
pub(crate) const FIRST: ConnectionId = ConnectionId(0);

/// Two endpoints and the network between them: one path, or several for Multipath TCP.
pub(crate) struct Stage<const MULTIPATH: bool> {
    stage: manypath_stage::Stage<Fields>,
    /// Bytes that each side has written, and the position of its next write in the pattern.
    written: [u64; 2],
    /// Bytes that each side has read.
    read: [u64; 2],
}

impl<const MULTIPATH: bool> Deref for Stage<MULTIPATH> {
    type Target = manypath_stage::Stage<Fields>;

    fn deref(&self) -> &Self::Target {
        &self.stage
    }
}

impl<const MULTIPATH: bool> DerefMut for Stage<MULTIPATH> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.stage
    }
}

impl<const MULTIPATH: bool> Stage<MULTIPATH> {
    /// Two endpoints across `network`; `change` adapts each configuration.
    pub(crate) fn across(network: Network, change: impl Fn(Side, &mut Config)) -> Self {
        let configs = [A, Z].map(|side| {
            let mut config = Config::default();
            change(side, &mut config);
            config.port = side.port();
            config.local = (0..network.paths()).map(|path| side.address(path)).collect();
            config
        });
        let stage = manypath_stage::Stage::new(network, 1, configs);
        Self { stage, written: [0; 2], read: [0; 2] }
    }

    /// `side` starts to open a connection over the first `paths` paths.
    fn open_over(&mut self, side: Side, paths: usize) -> ConnectionId {
        let vias: Vec<Via> = (0..paths).map(|path| side.via(path)).collect();
        self.act(side, |endpoint, now| endpoint.connect(now, &vias, side.other().port()))
    }

    /// A opens a connection over all paths; when this returns, each path works, and the log is empty.
    pub(crate) fn connect(&mut self) {
        let paths = self.network.paths();
        self.open_over(A, paths);
        self.settle();
        for side in [A, Z] {
            let events = self.events(side);
            assert_eq!(events.first(), Some(&Event::Connected(FIRST)));
            assert_eq!(events.len(), paths, "{events:?}");
        }
        self.network.log.clear();
    }

    pub(crate) fn close(&mut self, side: Side) {
        self.act(side, |endpoint, now| endpoint.close(now, FIRST));
    }

    pub(crate) fn abort(&mut self, side: Side) {
        self.act(side, |endpoint, now| endpoint.abort(now, FIRST));
    }

    /// Both sides must end the connection within `limit` and read the remaining data; returns the reason of each.
    pub(crate) fn finish_within(&mut self, limit: Span) -> [CloseReason; 2] {
        for side in [A, Z] {
            self.close(side);
        }
        let mut ends = [None; 2];
        self.drive_at_most(limit, |stage| {
            for side in [A, Z] {
                stage.read(side);
                let end = stage.close_reason(side);
                ends[side as usize] = ends[side as usize].or(end);
            }
            ends.iter().all(Option::is_some)
        });
        ends.map(|end| end.expect("both have ended"))
    }

    /// A segment arrives at `to` on `path`.
    fn deliver(&mut self, to: Side, path: usize, mut segment: Segment) {
        self.act(to, |endpoint, now| endpoint.handle_packet(now, to.via(path), &mut segment));
    }

    /// A forged segment arrives at `to` on `path`, with the port of the other side.
    fn forge(&mut self, to: Side, path: usize, segment: Segment) {
        let (source_port, destination_port) = (to.other().port(), to.port());
        self.deliver(to, path, Segment { source_port, destination_port, ..segment });
    }

    pub(crate) fn stats(&mut self, side: Side) -> Stats {
        *self.endpoint(side).stats(FIRST)
    }

    /// Why the first connection of `side` ended, if it did; discards the events until then.
    pub(crate) fn close_reason(&mut self, side: Side) -> Option<CloseReason> {
        self.events(side).into_iter().find_map(|event| match event {
            Event::Closed { connection: FIRST, reason } => Some(reason),
            _ => None,
        })
    }

    /// Runs events until `done` holds; returns the elapsed time.
    pub(crate) fn drive_until(&mut self, done: impl FnMut(&mut Self) -> bool) -> Span {
        self.drive_at_most(Span::from_secs(3600), done)
    }

    /// Runs events until `done` holds, which must be within `limit`; returns the elapsed time.
    fn drive_at_most(&mut self, limit: Span, done: impl FnMut(&mut Self) -> bool) -> Span {
        drive_until(self, limit, done, Self::account)
    }

    /// Drops the next segment of `from` and its retransmissions, `count` segments in all.
    pub(crate) fn lose_repeatedly(&mut self, from: Side, count: usize) {
        let mut victim = None;
        self.network.times_if(count, Fault::Lose, move |sent| {
            sent.from == from && *victim.get_or_insert(sent.seq) == sent.seq
        });
    }
}
