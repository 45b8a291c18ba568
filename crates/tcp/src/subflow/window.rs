//! The receive windows of both sides. RFC 9293 §3.8.6

use super::{Room, Subflow, Timer};

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

    /// The window field of a segment that is sent now.
    #[inline]
    pub(super) fn announce(&mut self, room: Room) -> u16 {
        if let Some(field) = room.shared {
            return field;
        }
        let next = self.arrivals.next();
        let least = self.step(room.capacity);
        announce(&mut self.own_edge, next, room, least, self.own_shift)
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

    /// Shift of the window that this side announces.
    #[inline]
    pub(crate) fn own_shift(&self) -> u8 {
        self.own_shift
    }

    /// The first offset beyond the acceptable window. RFC 8684 §3.3.1: only the connection has a window
    #[inline]
    pub(super) fn acceptable_edge(&self) -> u64 {
        if self.shares_window { u64::MAX >> 1 } else { self.own_edge }
    }

    /// Handles a read of the application: an acknowledgement is sent if the peer may be waiting for the window to open.
    #[inline]
    pub(crate) fn note_read(&mut self, room: Room) -> bool {
        self.note_room(self.own_edge.saturating_sub(self.arrivals.next()), room)
    }

    /// Like [`note_read`](Self::note_read), if the peer knows `known` bytes of the window.
    #[inline]
    pub(crate) fn note_room(&mut self, known: u64, room: Room) -> bool {
        let possible = room.free;
        if known < 2 * self.mss
            && possible >= 2 * known
            && possible - known >= self.step(room.capacity)
        {
            self.ack_due = true;
            return true;
        }
        false
    }

    /// The smallest step by which the announced edge moves.
    #[inline]
    pub(crate) fn step(&self, capacity: u64) -> u64 {
        self.mss.min(capacity / 2).max(1)
    }
}

/// The window field of a segment that acknowledges everything below `next` with the free space `room`; updates the
/// announced edge. The edge moves by at least `least` and never back. RFC 9293 §3.8.6.2.2
#[inline]
pub(crate) fn announce(edge: &mut u64, next: u64, room: Room, least: u64, shift: u8) -> u16 {
    let possible = next + room.free;
    let wanted = if possible >= *edge + least { possible } else { (*edge).max(next) };
    let mut field = (wanted - next) >> shift;
    // If the field were rounded down, the edge would move back (RFC 7323 §2.4)
    if next + (field << shift) < *edge {
        field += 1;
    }
    let field = field.min(u64::from(u16::MAX));
    *edge = (*edge).max(next + (field << shift));
    field as u16
}
