//! One chunk into a closed window, to learn when it opens. RFC 9260 §6.1 A

use manypath_core::{PathId, Tsn};

use super::Sender;
use super::outstanding::ChunkState;

/// What a SACK says of the chunk with which a path probes the peer's window.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Answer {
    /// The window is still closed, but the peer lives, and so does the path.
    Closed,
    /// There is room now for the chunk, which was not taken before: it waits to be sent again.
    Open,
}

impl Sender {
    /// Whether one chunk may be sent into a closed window: nothing else is on its way or waits to be sent again.
    pub(crate) fn may_probe(&self) -> bool {
        seeded!(WindowProbeNeverSent => return false);
        self.in_flight == 0 && self.flights.iter().all(|flight| flight.lost_chunks() == 0)
    }

    /// Whether a path may send one chunk into a window that is full: it has nothing on its way or to be sent again.
    pub(crate) fn may_probe_on(&self, path: PathId) -> bool {
        let flight = &self.flights[path.index()];
        flight.bytes() == 0 && flight.lost_chunks() == 0
    }

    /// A chunk of so many bytes leaves; it is a probe if the peer has no room for it even when all else has arrived.
    pub(super) fn note_probe(&mut self, path: PathId, tsn: Tsn, payload: u64) {
        if payload > self.announced {
            let before = self.flights[path.index()].probe.replace(tsn);
            self.probes += usize::from(before.is_none());
        }
    }

    /// Whether any path probes the peer's window.
    #[inline]
    pub(crate) fn probes(&self) -> bool {
        self.probes > 0
    }

    fn forget_probe(&mut self, path: PathId) {
        self.flights[path.index()].probe = None;
        self.probes -= 1;
    }

    /// What the SACK that has just been taken in says of the probe of a path, if there is one.
    pub(crate) fn answer_to_probe(&mut self, path: PathId) -> Option<Answer> {
        let tsn = self.flights[path.index()].probe?;
        let probe = self.outstanding.get(tsn);
        let probe = probe.filter(|chunk| chunk.state == ChunkState::InFlight && chunk.path == path);
        let Some(payload) = probe.map(|chunk| chunk.payload.len() as u64) else {
            self.forget_probe(path);
            return None;
        };
        if payload > self.announced {
            return Some(Answer::Closed);
        }
        self.forget_probe(path);
        self.mark_lost(tsn, path);
        Some(Answer::Open)
    }
}
