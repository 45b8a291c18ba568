//! The environment of the stories about TCP: one path between the endpoints.

use manypath_core::{PathId, Span, Time};
use manypath_tcp::{Config, ConnectionId, PathStats, Segment};

use super::{Network, Sent, Side, Stage};

/// Two endpoints and the path between them.
pub(crate) type Pair = Stage<false>;

impl Pair {
    /// Two endpoints with the usual constants.
    pub(crate) fn new() -> Self {
        Self::configured(|_, _| ())
    }

    /// Two endpoints; `change` adapts each configuration.
    pub(crate) fn configured(change: impl Fn(Side, &mut Config)) -> Self {
        Self::across(Network::new(1), change)
    }

    /// `side` starts to open a connection.
    pub(crate) fn open(&mut self, side: Side) -> ConnectionId {
        self.open_over(side, 1)
    }

    /// A forged segment arrives at `to`, with the port of the other side.
    pub(crate) fn inject(&mut self, to: Side, segment: Segment) {
        self.forge(to, 0, segment);
    }

    pub(crate) fn path_stats(&mut self, side: Side) -> PathStats {
        self.endpoint(side).path_stats(super::FIRST, PathId(0))
    }

    /// Runs events until `side`, which reads at once, has read `bytes` more; returns the elapsed time.
    pub(crate) fn drive_until_read(&mut self, side: Side, bytes: usize) -> Span {
        let mut left = bytes;
        self.drive_until(|pair| {
            left -= pair.read(side);
            left == 0
        })
    }

    /// Data segments of `side` in the log: when each was sent, and its number among the segments of `size` bytes in the
    /// log, from 1 on.
    pub(crate) fn data_sent(&self, side: Side, size: usize) -> Vec<(Time, usize)> {
        let of_side = |sent: &&Sent| sent.from == side && sent.has_data();
        let mut sent = self.network.log.iter().filter(of_side).peekable();
        let first = sent.peek().map_or(0, |sent| sent.seq);
        let number = |seq: u32| seq.wrapping_sub(first) as usize / size + 1;
        sent.map(|sent| (sent.at, number(sent.seq))).collect()
    }

    /// Data segments that `side` sent more than once, in the order of their retransmissions.
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
}
