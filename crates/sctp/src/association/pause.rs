//! A path that pauses: no new data for a while, though it works. \[D12] IV-A; \[INET]: rpPathBlocking
//!
//! A congestion control that pools resources may want to take more from a window than there is of it. The window stays at
//! one packet, and a path at its minimum still takes a packet per round trip from whoever shares its links. So where the
//! window that was asked for is below one packet, the path may pause. What is lost is sent again all the same, other
//! paths do not move their chunks here, and a timeout ends the pause, for it has cut the window as far as can be.
//!
//! The path stays in the sums of the coupled formulas: INET leaves a pausing path out of the sums of *used* windows only,
//! which none of the published algorithms reads.

use manypath_core::{PathId, Time};

use super::Association;
use super::timers::Timer;
use crate::config::PathBlocking;

impl Association {
    /// The windows of the losses in hand have just been cut: paths that were to have less than a packet pause.
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
            let known = &self.paths[path.index()];
            if asked < self.control.unit(path) as i64 && !known.pauses() {
                self.pause(path, now + known.rto() * rounds);
            }
        }
    }

    /// No new data on `path` until then.
    pub(super) fn pause(&mut self, path: PathId, until: Time) {
        self.paths[path.index()].paused_until = Some(until);
        self.set_pause_timer();
    }

    /// Ends the pause of `path`, if there is one.
    pub(super) fn end_pause(&mut self, path: PathId) {
        if self.paths[path.index()].paused_until.take().is_some() {
            self.set_pause_timer();
        }
    }

    /// The pauses that last until now end, and these paths may send.
    pub(super) fn pause_timeout(&mut self, now: Time) {
        for path in (0..self.paths.len()).map(|index| PathId(index as u8)) {
            let known = &mut self.paths[path.index()];
            if known.paused_until.take_if(|until| *until <= now).is_some() {
                self.open_opportunity(now, path);
            }
        }
        self.set_pause_timer();
    }

    /// One timer serves all paths: pauses are rare.
    fn set_pause_timer(&mut self) {
        match self.paths.iter().filter_map(|path| path.paused_until).min() {
            Some(next) => self.timers.set(Timer::Pause, next),
            None => self.timers.cancel(Timer::Pause),
        }
    }
}
