//! The environment of the stories about Multipath TCP: several paths between the endpoints.

use manypath_core::{PathId, Span};
use manypath_link::LinkConfig;
use manypath_tcp::{CloseReason, Config, ConnectionId, Multipath, PathStats, Scheduler, Segment};

use super::{A, FIRST, Network, Side, Stage, Z};

/// Two endpoints and the paths between them.
pub(crate) type Several = Stage<true>;

/// The usual rules: no option is enabled.
pub(crate) const PLAIN: Multipath = Multipath {
    scheduler: Scheduler::LowestRtt,
    opportunistic_retransmission: false,
    penalisation: false,
};

impl Several {
    /// Two endpoints that use Multipath TCP with these rules, and a path over each of `links`.
    pub(crate) fn new(links: &[LinkConfig], rules: Multipath) -> Self {
        Self::configured(links, |_, config| config.multipath = Some(rules))
    }

    /// The same; `change` adapts each configuration.
    pub(crate) fn configured(links: &[LinkConfig], change: impl Fn(Side, &mut Config)) -> Self {
        Self::across(Network::of(links), |side, config| {
            config.data_option_bytes = 20;
            config.ack_option_bytes = 20;
            change(side, config);
        })
    }

    /// A starts to open a connection over the first `paths` paths.
    pub(crate) fn open(&mut self, paths: usize) -> ConnectionId {
        self.open_over(A, paths)
    }

    /// A forged segment arrives at `to` on `path`, with the port of the other side.
    pub(crate) fn inject(&mut self, to: Side, path: usize, segment: Segment) {
        self.forge(to, path, segment);
    }

    pub(crate) fn path_stats(&mut self, side: Side, path: usize) -> PathStats {
        self.endpoint(side).path_stats(FIRST, PathId(path as u8))
    }

    /// A sends `bytes` more as fast as possible to Z, which reads at once; returns the elapsed time.
    pub(crate) fn transfer(&mut self, bytes: usize) -> Span {
        let total = self.written_and_read(A).0 + bytes as u64;
        let mut unwritten = bytes;
        self.drive_until(|several| {
            while unwritten > 0 {
                let next = unwritten.min(20_000);
                if several.endpoint(A).write_space(FIRST) < next {
                    break;
                }
                several.write(A, next);
                unwritten -= next;
            }
            several.read(Z);
            several.written_and_read(A).1 == total
        })
    }

    /// `side` opens another subflow.
    pub(crate) fn join(&mut self, side: Side, path: usize) {
        self.act(side, |endpoint, now| endpoint.add_subflow(now, FIRST, side.via(path)));
    }

    /// `side` removes a subflow.
    pub(crate) fn leave(&mut self, side: Side, path: PathId) {
        self.act(side, |endpoint, now| endpoint.remove_subflow(now, FIRST, path));
    }

    /// Both sides must end the connection and read the remaining data; returns the reason of each.
    pub(crate) fn finish(&mut self) -> [CloseReason; 2] {
        self.finish_within(Span::from_secs(36_000))
    }
}
