//! Pacing: spreads the DATA packets of each path over its round-trip time, instead of sending a whole window at once.
//! RFC 9002 §7.7
//!
//! Before the first RTT sample of a path there is no rate, and its initial window is sent at once. After that, pacing
//! limits bursts, and the burst rule of the configuration has no effect.

use manypath_core::{PathId, Time};

use super::Association;
use super::timers::Timer;
use crate::path::Pace;

impl Association {
    /// Whether the packets of a path are paced now.
    #[inline]
    pub(super) fn is_paced(&self, path: PathId) -> bool {
        self.config.pacing && self.paths[path].rtt.srtt().is_some()
    }

    /// Whether only pacing has kept a path with this number of bytes in flight from filling its window. Such a window
    /// counts as full. RFC 9002 §7.8
    #[inline]
    pub(super) fn is_kept_from_full_window(&self, path: PathId, in_flight: u64) -> bool {
        self.paths[path].waiting.is_for_departure() && {
            let more = (self.sender.waiting_bytes() as u64).min(self.sender.peer_window());
            in_flight + more >= self.control.window(path)
        }
    }

    /// Sets the timer for a path that has something to send and waits for its departure time.
    #[cold]
    pub(super) fn wait_for_departure(&mut self, path: PathId) {
        let at = self.paths[path].pacer.due();
        if at < self.timers.at(Timer::Pacing) {
            self.timers.set(Timer::Pacing, at);
        }
    }

    /// Records the departure of a packet that uses so many bytes of the window of a path.
    pub(super) fn note_departure(&mut self, now: Time, path: PathId, bytes: u64) {
        let window = self.control.window(path);
        let in_slow_start = self.control.paths().is_slow_start(path);
        let known = &mut self.paths[path];
        if let Some(srtt) = known.rtt.srtt() {
            known.pacer.sent(now, bytes, Pace { window, srtt, in_slow_start });
        }
    }
}
