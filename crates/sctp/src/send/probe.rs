//! Probes of the peer's closed window with one chunk. RFC 9260 §6.1 A

use manypath_core::{PathId, Tsn};

use super::Sender;
use super::outstanding::ChunkState;

/// The result of a SACK for the chunk with which a path probes the peer's window.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum WindowProbeAnswer {
    /// The window is still closed, but the peer and the path work.
    Closed,
    /// The peer has dropped the chunk and now has room for it: the chunk waits for retransmission.
    Open,
}

impl Sender {
    /// Whether one chunk may probe a closed window: no chunk is in flight or waits for retransmission.
    pub(crate) fn may_probe(&self) -> bool {
        seeded!(WindowProbeNeverSent => return false);
        self.in_flight == 0 && self.flights.iter().all(|flight| flight.lost_chunks() == 0)
    }

    /// Whether a path may probe a full window: it has no chunk in flight or waiting for retransmission.
    pub(crate) fn may_probe_on(&self, path: PathId) -> bool {
        let flight = &self.flights[path.index()];
        flight.bytes() == 0 && flight.lost_chunks() == 0
    }

    /// Records that a chunk is sent; it is a probe if it is larger than the advertised window.
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

    /// Evaluates the SACK just processed for the probe of a path, if there is one.
    pub(crate) fn answer_to_probe(&mut self, path: PathId) -> Option<WindowProbeAnswer> {
        let tsn = self.flights[path.index()].probe?;
        let probe = self.outstanding.get(tsn);
        let probe = probe.filter(|chunk| chunk.state == ChunkState::InFlight && chunk.path == path);
        let Some(payload) = probe.map(|chunk| chunk.payload.len() as u64) else {
            self.forget_probe(path);
            return None;
        };
        if payload > self.announced {
            return Some(WindowProbeAnswer::Closed);
        }
        self.forget_probe(path);
        self.mark_lost(tsn, path);
        Some(WindowProbeAnswer::Open)
    }
}
