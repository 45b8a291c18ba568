//! The I bit of DATA: the sender asks for a SACK without delay. RFC 9260 §6.1, RFC 7053 §4

use manypath_core::PathId;

use super::Association;
use super::state::State;
use crate::config::{LimitingWindow, SackRequest};
use crate::packet::{DATA_HEADER, Packet};

impl Association {
    /// Records the application's request for an immediate SACK of all messages sent so far.
    pub(crate) fn request_sack(&mut self) {
        self.sender.request_sack();
    }

    /// Sets the I bit in a filled packet if a delayed SACK would delay transmissions.
    pub(super) fn ask_for_sack(&mut self, path: PathId, packet: &mut Packet) {
        let asks = match self.config.sack_immediately {
            SackRequest::Never => false,
            SackRequest::FullWindow => self.is_last(path),
            SackRequest::Stalled => self.is_awaited(path, packet),
        };
        if let Some(last) = packet.data.last_mut() {
            self.sender.mark_for_sack(last, asks);
        }
    }

    /// Whether the packet is the last one that fits into the window, or the last one of all data.
    ///
    /// One more packet may follow and exceed the window. As in the papers' simulator, that packet does not request a
    /// SACK.
    fn is_last(&self, path: PathId) -> bool {
        let next = self.next_length(path);
        if next == 0 || (self.peer_window_counts() && !self.fits_peer_window(path, next)) {
            return true;
        }
        let left = self.control.window(path).checked_sub(self.sender.flight(path));
        left.is_some_and(|left| left < (DATA_HEADER + next) as u64)
    }

    /// Whether the sender cannot send more data, on this path or on any path, before the SACK of this packet arrives.
    /// RFC 7053 §4.2
    fn is_awaited(&self, path: PathId, packet: &Packet) -> bool {
        let fills_window = self.paths[path].after_timeout
            || self.sender.flight(path) >= self.control.window(path)
            || (self.peer_window_counts() && self.waits_for_peer_window(path));
        (fills_window && self.is_alone(path, packet))
            || (matches!(self.state, State::ShutdownPending) && self.sender.has_sent_all())
    }

    /// Whether nothing but this packet is in flight on its path.
    fn is_alone(&self, path: PathId, packet: &Packet) -> bool {
        let ends = packet.data.first().zip(packet.data.last());
        self.sender.extent(path) == ends.map(|(first, last)| (first.tsn, last.tsn))
    }

    fn peer_window_counts(&self) -> bool {
        self.config.sack_immediately_at == LimitingWindow::Any
    }

    /// Whether a new chunk waits for room in the peer's buffer.
    fn waits_for_peer_window(&self, path: PathId) -> bool {
        let next = self.next_length(path);
        next > 0 && !self.fits_peer_window(path, next)
    }
}
