//! The receive windows of both sides. RFC 9293 §3.8.6

use super::{Room, Subflow};

impl Subflow {
    /// Takes the window of a segment that stands at `start` and acknowledges `ack`; whether it differs from what was
    /// known. RFC 9293 §3.10.7.4
    #[inline]
    pub(super) fn update_window(&mut self, start: i64, ack: u64, field: u16) -> bool {
        let (from, acknowledged) = self.window_from;
        if start < from || start == from && ack < acknowledged {
            return false;
        }
        self.window_from = (start, ack);
        let window = u64::from(field) << self.peer_shift;
        let changed = ack + window != self.peer_edge;
        self.peer_edge = ack + window;
        self.peer_most = self.peer_most.max(window);
        if self.persists && self.peer_edge > self.nxt {
            self.stop_timer();
        }
        // An answer to a probe: the peer lives, though its window stays closed. RFC 9293 §3.8.6.1
        self.retries = if self.persists { 0 } else { self.retries };
        changed
    }

    /// The window that the peer announced last.
    pub(crate) fn peer_window(&self) -> u64 {
        self.peer_edge - self.una
    }

    /// Bytes of new data that the peer has room for.
    #[inline]
    pub(super) fn peer_room(&self) -> u64 {
        self.peer_edge.saturating_sub(self.nxt)
    }

    /// The window field of a segment that leaves now, where the buffer has room for `room` bytes beyond what arrived.
    #[inline]
    pub(super) fn announce(&mut self, room: Room) -> u16 {
        let next = self.arrivals.next();
        let possible = next + room.free;
        // RFC 9293 §3.8.6.2.2: the edge moves by steps that are worth a segment, and never back
        let edge = if possible >= self.own_edge + self.step(room.capacity) {
            possible
        } else {
            self.own_edge.max(next)
        };
        let space = edge - next;
        let mut field = space >> self.own_shift;
        // Cut off, the edge would move back (RFC 7323 §2.4)
        if next + (field << self.own_shift) < self.own_edge {
            field += 1;
        }
        let field = field.min(u64::from(u16::MAX));
        self.own_edge = self.own_edge.max(next + (field << self.own_shift));
        field as u16
    }

    /// The application has read: an acknowledgement leaves if the peer may be waiting for a window that has opened.
    #[inline]
    pub(crate) fn note_read(&mut self, room: Room) -> bool {
        let next = self.arrivals.next();
        let (known, possible) = (self.own_edge.saturating_sub(next), room.free);
        if known < 2 * self.mss
            && possible >= 2 * known
            && possible - known >= self.step(room.capacity)
        {
            self.ack_due = true;
            return true;
        }
        false
    }

    /// The least by which the announced edge moves.
    #[inline]
    fn step(&self, capacity: u64) -> u64 {
        self.mss.min(capacity / 2).max(1)
    }
}
