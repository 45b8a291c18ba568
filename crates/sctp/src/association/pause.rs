//! Pauses: a working path sends no new data for a while. \[D12] IV-A; \[INET]: rpPathBlocking
//!
//! A congestion control with resource pooling may reduce a window by more than its size. The window then stays at one
//! packet, and the path still sends one packet per round trip and competes with other flows on its links. If the
//! requested window is below one packet, the path may therefore pause. Lost chunks are retransmitted nevertheless.
//! Other paths do not move their chunks to a pausing path. A timeout ends the pause, because it has reduced the window
//! to its minimum.
//!
//! The path stays in the sums of the coupled formulas. INET excludes a pausing path only from the sums of *used*
//! windows, which none of the published algorithms uses.

use manypath_core::{PathId, Time};

use super::Association;
use super::timers::Timer;
use crate::config::PathBlocking;

impl Association {
    /// Pauses the paths whose windows have just been cut for losses to less than a packet.
    pub(super) fn pause_where_little_is_left(&mut self, now: Time) {
        let rounds = match self.config.path_blocking {
            PathBlocking::Rto => 1,
            PathBlocking::RtoTimesPaths => self.paths.len() as u64,
            PathBlocking::None => return,
        };
        if !self.control.is_coupled() {
            return;
        }
        for index in 0..self.sack_news.losses.len() {
            let path = self.sack_news.losses[index];
            let asked = self.control.paths()[path].asked();
            let known = &self.paths[path];
            if asked < self.control.unit(path) as i64 && !known.pauses() {
                self.pause(path, now + known.rto() * rounds);
            }
        }
    }

    /// Stops new data on `path` until then.
    pub(super) fn pause(&mut self, path: PathId, until: Time) {
        self.paths[path].paused_until = Some(until);
        self.set_pause_timer();
    }

    /// Ends the pause of `path`, if there is one.
    pub(super) fn end_pause(&mut self, path: PathId) {
        if self.paths[path].paused_until.take().is_some() {
            self.set_pause_timer();
        }
    }

    /// Ends the pauses that last until now; their paths may send.
    pub(super) fn pause_timeout(&mut self, now: Time) {
        for path in self.paths.ids() {
            let known = &mut self.paths[path];
            if known.paused_until.take_if(|until| *until <= now).is_some() {
                self.open_opportunity(now, path);
            }
        }
        self.set_pause_timer();
    }

    /// Sets the one timer of all paths; pauses are rare.
    fn set_pause_timer(&mut self) {
        match self.paths.iter().filter_map(|path| path.paused_until).min() {
            Some(next) => self.timers.set(Timer::Pause, next),
            None => self.timers.cancel(Timer::Pause),
        }
    }
}
