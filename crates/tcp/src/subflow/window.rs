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
        if self.shares_window {
            if self.persists {
                self.retries = 0;
            }
            return false;
        }
        let window = u64::from(field) << self.peer_shift;
        let changed = ack + window != self.peer_edge;
        self.peer_edge = ack + window;
        self.peer_most = self.peer_most.max(window);
        if self.persists {
            self.take_probe_answer();
        }
        changed
    }

    /// The peer lives: its window has opened, or stays closed. RFC 9293 §3.8.6.1
    #[cold]
    fn take_probe_answer(&mut self) {
        if self.peer_edge > self.nxt {
            self.stop_timer();
        } else {
            self.retries = 0;
        }
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

    /// The window field of a segment that leaves now.
    #[inline]
    pub(super) fn announce(&mut self, room: Room) -> u16 {
        if let Some(field) = room.shared {
            return field;
        }
        let next = self.arrivals.next();
        let least = self.step(room.capacity);
        announce(&mut self.own_edge, next, room, least, self.own_shift)
    }

    /// The window of the whole connection as a segment of the peer tells it.
    #[inline]
    pub(crate) fn shared_window(&mut self, field: u16) -> u64 {
        let window = u64::from(field) << self.peer_shift;
        self.peer_most = self.peer_most.max(window);
        window
    }

    /// The peer has room for so many bytes that this subflow may take.
    #[inline]
    pub(crate) fn share_room(&mut self, room: u64) {
        let has_opened = room > self.peer_room();
        self.peer_edge = self.nxt + room;
        if self.persists && has_opened {
            self.stop_timer();
        }
    }

    /// How far the window field of this side is shifted.
    #[inline]
    pub(crate) fn own_shift(&self) -> u8 {
        self.own_shift
    }

    /// The first offset that the peer has not been offered. RFC 8684 §3.3.1: only the connection has a window
    #[inline]
    pub(super) fn acceptable_edge(&self) -> u64 {
        if self.shares_window { u64::MAX >> 1 } else { self.own_edge }
    }

    /// The application has read: an acknowledgement leaves if the peer may be waiting for a window that has opened.
    #[inline]
    pub(crate) fn note_read(&mut self, room: Room) -> bool {
        self.note_room(self.own_edge.saturating_sub(self.arrivals.next()), room)
    }

    /// The same where the peer knows of `known` bytes of the window.
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

    /// The least by which the announced edge moves.
    #[inline]
    pub(crate) fn step(&self, capacity: u64) -> u64 {
        self.mss.min(capacity / 2).max(1)
    }
}

/// The window field that says that everything below `next` has arrived and that there is `room`; moves the announced
/// edge. It moves by `least` at least, and never back. RFC 9293 §3.8.6.2.2
#[inline]
pub(crate) fn announce(edge: &mut u64, next: u64, room: Room, least: u64, shift: u8) -> u16 {
    let possible = next + room.free;
    let wanted = if possible >= *edge + least { possible } else { (*edge).max(next) };
    let mut field = (wanted - next) >> shift;
    // Cut off, the edge would move back (RFC 7323 §2.4)
    if next + (field << shift) < *edge {
        field += 1;
    }
    let field = field.min(u64::from(u16::MAX));
    *edge = (*edge).max(next + (field << shift));
    field as u16
}
