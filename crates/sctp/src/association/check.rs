//! Invariants between the sending side, timers and congestion control. Debug builds check them after every event.

use manypath_core::PathId;

use super::Association;
use super::limits::Window;
use super::timers::Timer;
use crate::path::Path;

impl Association {
    /// Panics if parts of the association contradict each other.
    pub(super) fn check(&self) {
        if self.is_closed() {
            return;
        }
        self.sender.check();
        assert_eq!(self.sharers, self.count_sharers(), "paths that divide the buffers");
        let pauses = self.paths.iter().any(Path::pauses);
        assert_eq!(pauses, self.timers.is_set(Timer::Pause), "the timer of pauses");
        for path in (0..self.paths.len()).map(|index| PathId(index as u8)) {
            let in_flight = self.sender.flight(path) > 0;
            assert_eq!(in_flight, self.timers.is_set(Timer::Retransmit(path)), "T3 of {path:?}");
            assert!(self.control.window(path) >= self.control.unit(path), "the window of {path:?}");
            let may_stay = self.usable(path) || self.retransmission_path(path) == path;
            assert!(
                may_stay || !self.sender.has_lost(path),
                "chunks wait on {path:?}, which failed"
            );
        }
    }

    /// Panics if a path could send although all paths are marked as waiting for the peer.
    pub(super) fn check_wait_for_peer(&self) {
        for path in (0..self.paths.len()).map(|index| PathId(index as u8)) {
            let waits = match self.window(path) {
                Ok(Window::Open) => {
                    !self.sender.has_lost(path) && self.limit(path, self.room(path)).is_some()
                }
                Ok(Window::OpenToLost) => false,
                Err(_) => true,
            };
            assert!(waits, "{path:?} could send");
        }
    }
}
