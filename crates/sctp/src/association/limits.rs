//! What a path may send, and the limit that stops it: its state, its window, the application, the buffers, pacing.
//! RFC 9260 §6.1
//!
//! These are methods of the association, because a limit depends on most of its parts: paths, congestion control, sender,
//! state and pacing. They change nothing.

use manypath_core::{PathId, SendLimit};

use super::Association;
use crate::config::{Burst, SplitBy};
use crate::send::{Taker, buffer_split};

/// The chunks that the window of a path allows to send.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Window {
    /// Lost and new chunks.
    Open,
    /// Lost chunks only.
    OpenToLost,
}

impl Association {
    /// The chunks that the window of a path allows to send, or the limit that stops the path.
    #[inline]
    pub(super) fn window(&self, path: PathId) -> Result<Window, SendLimit> {
        if !self.paths.usable(&self.config, path) {
            return Err(SendLimit::Path);
        }
        let known = &self.paths[path];
        if self.config.burst == Burst::MaxBurst && known.burst_left == 0 && !self.is_paced(path) {
            return Err(SendLimit::Window);
        }
        let flight = self.sender.flight(path);
        if flight < self.control.window(path) && (flight == 0 || !known.after_timeout) {
            Ok(Window::Open)
        } else if known.retransmission_due && self.sender.has_lost(path) {
            Ok(Window::OpenToLost)
        } else {
            // Most turns of a path end here
            Err(SendLimit::Window)
        }
    }

    /// The limit that stops a working path from sending a packet of new data with `left` bytes, apart from its window.
    #[inline]
    pub(super) fn limit(&self, path: PathId, left: usize) -> Option<SendLimit> {
        let carries = self.carries_new_data(path) || self.sender.has_bound_to(path);
        if !carries || self.paths[path].pauses() {
            return Some(SendLimit::Path);
        }
        let next = self.next_length(path);
        if next == 0 {
            return Some(self.limit_without_data(path));
        }
        // Nagle's algorithm: a packet that is not full waits while data is outstanding
        let is_full = self.sender.waiting_bytes() >= left;
        if self.config.nagle
            && !is_full
            && !self.sender.nothing_in_flight()
            && !self.state.is_closing()
        {
            return Some(self.limit_without_data(path));
        }
        if self.sender.is_full() {
            return Some(SendLimit::SendBuffer);
        }
        if self.paths.sharers > 1 && !self.fits_share(path) {
            return Some(SendLimit::SplitShare);
        }
        (!self.fits_peer_window(path, next)).then_some(SendLimit::ReceiveWindow)
    }

    /// The limit of a path without data, or without enough data for a packet.
    fn limit_without_data(&self, path: PathId) -> SendLimit {
        let lacks_room = self.sender.lacks_room(usize::from(self.paths[path].network.mtu()));
        if lacks_room { SendLimit::SendBuffer } else { SendLimit::Application }
    }

    /// The limit of a path before its departure time: pacing, unless another limit applies as well.
    pub(super) fn limit_while_held(&self, path: PathId, room: usize, window: Window) -> SendLimit {
        match window {
            _ if self.sender.has_lost(path) => SendLimit::Pacing,
            Window::Open => self.limit(path, room).unwrap_or(SendLimit::Pacing),
            Window::OpenToLost => SendLimit::Window,
        }
    }

    /// Whether the path's share of the buffers has room for another packet.
    fn fits_share(&self, path: PathId) -> bool {
        let share = buffer_split::Share {
            paths: self.paths.sharers,
            send_buffer: self.config.send_buffer as u64,
            peer_window: self.sender.peer_window(),
            in_flight: self.sender.payload_in_flight(),
            mtu: u64::from(self.paths[path].network.mtu()),
        };
        let filled = match self.config.split_by {
            SplitBy::Outstanding => self.sender.payload_on(path),
            SplitBy::Buffered => self.sender.buffered_on(path),
        };
        buffer_split::admits(self.config.buffer_split, self.config.split_by, share, filled)
    }

    /// Whether the peer's buffer has room for the next chunk, which has `next` bytes of payload. One chunk may probe a
    /// full window. RFC 9260 §6.1 A
    #[inline]
    pub(super) fn fits_peer_window(&self, path: PathId, next: usize) -> bool {
        self.sender.peer_window_admits(next, self.config.window_overrun) || self.may_probe(path)
    }

    /// Whether the peer's buffer has room for the next chunk of a path.
    #[inline]
    pub(super) fn admits_next(&self, path: PathId) -> bool {
        self.sender.peer_window_admits(self.next_length(path), self.config.window_overrun)
    }

    /// Payload of the next new chunk of a path, 0 if none waits for it.
    #[inline]
    pub(super) fn next_length(&self, path: PathId) -> usize {
        self.sender.next_length(self.taker(path))
    }

    /// A path as input of the send queue: whether it carries messages that name no path.
    #[inline]
    pub(super) fn taker(&self, path: PathId) -> Taker {
        Taker { path, takes_any: !self.sender.has_bound() || self.carries_new_data(path) }
    }

    /// Whether a path carries new data: every path with CMT; otherwise only the primary path, or the first active one.
    fn carries_new_data(&self, path: PathId) -> bool {
        self.config.concurrent || path == self.paths.for_data(&self.config)
    }
}
