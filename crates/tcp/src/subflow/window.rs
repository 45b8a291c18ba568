//! The peer's receive window. RFC 9293 §3.8.6

use super::{Subflow, Timer};

impl Subflow {
    /// Updates the peer's window by a segment at `start` that acknowledges `ack`; returns whether the window changed.
    /// RFC 9293 §3.10.7.4
    #[inline]
    pub(super) fn update_window(&mut self, start: i64, ack: u64, field: u16) -> bool {
        let (from, acknowledged) = self.window_from;
        if start < from || start == from && ack < acknowledged {
            return false;
        }
        self.window_from = (start, ack);
        if self.shares_window {
            if self.timers.is_set(Timer::Persist) {
                self.retries = 0;
            }
            return false;
        }
        let window = u64::from(field) << self.peer_shift;
        let changed = ack + window != self.peer_edge;
        self.peer_edge = ack + window;
        self.peer_most = self.peer_most.max(window);
        if self.timers.is_set(Timer::Persist) {
            self.take_probe_answer();
        }
        changed
    }

    /// Handles the answer to a window probe: the window has opened, or stays closed. RFC 9293 §3.8.6.1
    #[cold]
    fn take_probe_answer(&mut self) {
        if self.peer_edge > self.nxt {
            self.timers.cancel(Timer::Persist);
        } else {
            self.retries = 0;
        }
    }

    /// The last announced window of the peer.
    pub(crate) fn peer_window(&self) -> u64 {
        self.peer_edge - self.una
    }

    /// Bytes of new data that are within the peer's window.
    #[inline]
    pub(super) fn peer_room(&self) -> u64 {
        self.peer_edge.saturating_sub(self.nxt)
    }

    /// The window of the whole connection that the window field of a segment announces.
    #[inline]
    pub(crate) fn shared_window(&mut self, field: u16) -> u64 {
        let window = u64::from(field) << self.peer_shift;
        self.peer_most = self.peer_most.max(window);
        window
    }

    /// Sets the number of bytes within the peer's window that this subflow may use.
    #[inline]
    pub(crate) fn share_room(&mut self, room: u64) {
        let has_opened = room > self.peer_room();
        self.peer_edge = self.nxt + room;
        if has_opened && self.timers.is_set(Timer::Persist) {
            self.timers.cancel(Timer::Persist);
        }
    }
}
