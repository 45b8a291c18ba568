//! The environment of all stories: two endpoints, A and Z, and a network between them, in virtual time.

mod bytes;
mod clock;
mod log;
mod network;
mod pair;
mod path;
mod several;
mod side;

use manypath_core::{SansIo, Span, Streams, Time, Via};
use manypath_tcp::{CloseReason, Config, ConnectionId, Endpoint, Event, Segment, Stats};

pub(crate) use bytes::pattern;
pub(crate) use network::Network;
pub(crate) use pair::Pair;
pub(crate) use path::{Fault, Path, link};
pub(crate) use several::{PLAIN, Several};
pub(crate) use side::{A, Side, Z};

/// The connection of most stories, on both sides.
pub(crate) const FIRST: ConnectionId = ConnectionId(0);

/// Two endpoints and the network between them.
pub(crate) struct Stage<N> {
    pub(crate) now: Time,
    /// One path, or several by number.
    pub(crate) network: N,
    endpoints: [Endpoint; 2],
    configs: [Config; 2],
    events: [Vec<Event>; 2],
    /// Bytes that each side has written, and the position of its next write in the pattern.
    written: [u64; 2],
    /// Bytes that each side has read.
    read: [u64; 2],
    /// Instants at which something happened.
    turns: u64,
}

impl<N: Network> Stage<N> {
    /// Two endpoints across `network`; `change` adapts each configuration.
    pub(crate) fn across(network: N, change: impl Fn(Side, &mut Config)) -> Self {
        let configs = [A, Z].map(|side| {
            let mut config = Config::default();
            change(side, &mut config);
            config.port = side.port();
            config.local = (0..network.paths().len()).map(|path| side.via(path).local).collect();
            config
        });
        let endpoint = |side: Side| {
            let config = configs[side as usize].clone();
            Endpoint::new(config, &Streams::new(1, 0), &format!("{side:?}"))
        };
        Self {
            now: Time::ZERO,
            network,
            endpoints: [A, Z].map(endpoint),
            configs,
            events: [Vec::new(), Vec::new()],
            written: [0; 2],
            read: [0; 2],
            turns: 0,
        }
    }

    /// Replaces an endpoint by a new one without state, as after a crash.
    pub(crate) fn reboot(&mut self, side: Side) {
        let config = self.configs[side as usize].clone();
        let streams = Streams::new(7, 0);
        *self.endpoint(side) = Endpoint::new(config, &streams, &format!("{side:?}"));
    }

    pub(crate) fn endpoint(&mut self, side: Side) -> &mut Endpoint {
        &mut self.endpoints[side as usize]
    }

    /// Calls the endpoint, then collects the segments and events that result.
    pub(crate) fn act<T>(&mut self, side: Side, act: impl FnOnce(&mut Endpoint, Time) -> T) -> T {
        let now = self.now;
        let result = act(self.endpoint(side), now);
        self.drain(side);
        result
    }

    /// `side` starts to open a connection over the first `paths` paths.
    fn open_over(&mut self, side: Side, paths: usize) -> ConnectionId {
        let vias: Vec<Via> = (0..paths).map(|path| side.via(path)).collect();
        self.act(side, |endpoint, now| endpoint.connect(now, &vias, side.other().port()))
    }

    /// A opens a connection over all paths; when this returns, each path works, and the log is empty.
    pub(crate) fn connect(&mut self) {
        let paths = self.network.paths().len();
        self.open_over(A, paths);
        self.settle();
        for side in [A, Z] {
            let events = self.events(side);
            assert_eq!(events.first(), Some(&Event::Connected(FIRST)));
            assert_eq!(events.len(), paths, "{events:?}");
        }
        self.network.paths_mut().iter_mut().for_each(|path| path.log.clear());
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

    /// Events since the last call.
    pub(crate) fn events(&mut self, side: Side) -> Vec<Event> {
        std::mem::take(&mut self.events[side as usize])
    }

    /// Why the first connection of `side` ended, if it did; discards the events until then.
    pub(crate) fn close_reason(&mut self, side: Side) -> Option<CloseReason> {
        self.events(side).into_iter().find_map(|event| match event {
            Event::Closed { connection: FIRST, reason } => Some(reason),
            _ => None,
        })
    }

    /// Collects the segments and events of an endpoint.
    fn drain(&mut self, side: Side) {
        let now = self.now;
        let mut may_transmit = true;
        for segments in 0.. {
            assert!(segments < 10_000, "{side:?} never stops sending at {now}");
            let mut segment = Segment::default();
            let Some(via) = self.endpoint(side).poll_transmit(now, &mut segment) else { break };
            assert!(may_transmit, "{side:?} said at {now} that nothing more would leave");
            may_transmit = self.endpoint(side).may_transmit();
            let mut paths = self.network.paths_mut().iter_mut().enumerate();
            let on_its_way = paths.find(|(path, _)| side.via(*path) == via);
            on_its_way.expect("the path exists").1.send(now, side, segment);
        }
        while let Some(event) = self.endpoint(side).poll_event() {
            self.events[side as usize].push(event);
        }
    }
}
