//! The receive window of the peer. RFC 9293 §3.8.6

use crate::config::MOST_SHIFT;
use crate::segment::Segment;

/// The window that the peer announces on a subflow.
#[derive(Debug, Default)]
pub(super) struct PeerWindow {
    /// Shift of the window field: Snd.Wind.Shift. RFC 7323 §2.3
    shift: u8,
    /// The connection has the window and shares it among its subflows.
    pub(super) is_shared: bool,
    /// The first offset beyond the window: SND.UNA + SND.WND.
    edge: u64,
    /// The largest announced window: MAX.SND.WND. RFC 5961 §5.2
    pub(super) largest: u64,
    /// The sequence offset and the acknowledgement of the segment that last changed the window: SND.WL1 and SND.WL2.
    updated_by: (i64, u64),
}

impl PeerWindow {
    /// Reads the window of the peer's SYN, which is not shifted. RFC 7323 §2.2
    pub(super) fn open(&mut self, syn: &Segment) {
        self.shift = syn.options.window_scale.unwrap_or(0).min(MOST_SHIFT);
        self.edge = u64::from(syn.window);
        self.largest = self.edge;
        self.updated_by = (-1, 0);
    }

    /// Updates the window by a segment at `start` that acknowledges `ack`. Returns whether the window changed; `None`
    /// if the segment is older than the last update. RFC 9293 §3.10.7.4
    #[inline]
    pub(super) fn update(&mut self, start: i64, ack: u64, field: u16) -> Option<bool> {
        let (from, acknowledged) = self.updated_by;
        if start < from || start == from && ack < acknowledged {
            return None;
        }
        self.updated_by = (start, ack);
        if self.is_shared {
            return Some(false);
        }
        let edge = ack + self.announced(field);
        Some(std::mem::replace(&mut self.edge, edge) != edge)
    }

    /// The number of bytes that the window field of a segment announces.
    #[inline]
    pub(super) fn announced(&mut self, field: u16) -> u64 {
        let window = u64::from(field) << self.shift;
        self.largest = self.largest.max(window);
        window
    }

    /// Grants `room` bytes of the shared window from `next` on. Returns whether they are more than before.
    #[inline]
    pub(super) fn grant(&mut self, next: u64, room: u64) -> bool {
        let has_opened = room > self.room(next);
        self.edge = next + room;
        has_opened
    }

    /// Bytes from `next` on that are within the window.
    #[inline]
    pub(super) fn room(&self, next: u64) -> u64 {
        self.edge.saturating_sub(next)
    }
}
