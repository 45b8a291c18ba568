//! Invariants between the sending side, timers and congestion control. Debug builds check them after every event.

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
        assert_eq!(
            self.paths.sharers,
            self.paths.count_sharers(&self.config),
            "paths that divide the buffers"
        );
        let pauses = self.paths.iter().any(Path::pauses);
        assert_eq!(pauses, self.timers.is_set(Timer::Pause), "the timer of pauses");
        for path in self.paths.ids() {
            let in_flight = self.sender.flight(path) > 0;
            assert_eq!(in_flight, self.timers.is_set(Timer::Retransmit(path)), "T3 of {path:?}");
            assert!(self.control.window(path) >= self.control.unit(path), "the window of {path:?}");
            let may_stay = self.paths.usable(&self.config, path)
                || self.paths.for_retransmission(&self.config, &self.control, path) == path;
            assert!(
                may_stay || !self.sender.has_lost(path),
                "chunks wait on {path:?}, which failed"
            );
        }
    }

    /// Panics if a path could send although all paths are marked as waiting for the peer.
    pub(super) fn check_wait_for_peer(&self) {
        for path in self.paths.ids() {
            let waits = match self.window(path) {
                Ok(Window::Open) => {
                    !self.sender.has_lost(path)
                        && self.limit(path, self.paths[path].network.room()).is_some()
                }
                Ok(Window::OpenToLost) => false,
                Err(_) => true,
            };
            assert!(waits, "{path:?} could send");
        }
    }
}
