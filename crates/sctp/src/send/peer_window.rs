//! The peer's receive window. RFC 9260 §6.1 A, §6.2.1

use super::Sender;
use crate::config::WindowOverrun;

impl Sender {
    /// Free receive buffer of the peer if all data in flight arrives, in payload bytes. RFC 9260 §6.2.1 B to D
    pub(crate) fn peer_window(&self) -> u64 {
        self.announced.saturating_sub(self.in_flight)
    }

    /// Whether the peer's buffer has room for the next new chunk of a path, which has `next` bytes of payload.
    ///
    /// Lost chunks return their bytes to the window (RFC 9260 §6.2.1 B). New data of another path must not use these
    /// bytes, because lost chunks are sent first (§6.1 C) and the peer would have to drop the excess.
    #[inline]
    pub(crate) fn peer_window_admits(&self, next: usize, overrun: WindowOverrun) -> bool {
        let left = self.peer_window();
        self.window_open
            && match overrun {
                WindowOverrun::Never => next as u64 + self.lost_payload <= left,
                WindowOverrun::Packet => left > 0,
                WindowOverrun::Wraps => left > 0 || self.window_overrun,
            }
    }

    /// Updates the state of the window after the peer has advertised it.
    pub(super) fn judge_peer_window(&mut self) {
        self.window_open = self.peer_window() >= self.window_threshold;
        self.window_overrun = false;
    }

    /// Records that a new chunk with this payload is sent, which may exceed the window.
    pub(super) fn note_overrun(&mut self, payload: u64) {
        let left = self.peer_window();
        self.window_overrun |= left > 0 && payload > left;
    }
}
