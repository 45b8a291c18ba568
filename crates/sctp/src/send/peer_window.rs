//! The peer's receive window: how much is left of it, and when that is enough. RFC 9260 §6.1 A, §6.2.1

use super::Sender;
use crate::config::WindowOverrun;

impl Sender {
    /// Receive buffer of the peer that nothing in flight will take, in payload bytes. RFC 9260 §6.2.1 B to D
    pub(crate) fn peer_window(&self) -> u64 {
        self.announced.saturating_sub(self.in_flight)
    }

    /// Whether the peer's buffer has room for the next new chunk of a path, which has `next` bytes of payload.
    ///
    /// Chunks that wait to be sent again give their bytes back to the window (RFC 9260 §6.2.1 B), but new data of another
    /// path must not take them: these chunks go first (§6.1 C), and the peer would have to refuse what comes too much.
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

    /// The peer has spoken of its window.
    pub(super) fn judge_peer_window(&mut self) {
        self.window_open = self.peer_window() >= self.window_threshold;
        self.window_overrun = false;
    }

    /// A new chunk of so many bytes is about to leave.
    pub(super) fn note_overrun(&mut self, payload: u64) {
        let left = self.peer_window();
        self.window_overrun |= left > 0 && payload > left;
    }
}
