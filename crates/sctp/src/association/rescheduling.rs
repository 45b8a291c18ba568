//! Chunk rescheduling: a path that is blocked by a missing chunk sends this chunk, and the path that sent it before is
//! penalised. \[D10] IV-C

use manypath_core::{PathId, Time};

use super::Association;
use super::timers::Timer;
use crate::config::{BufferSplit, Rescheduling, SackRequest};
use crate::send::Blocking;

impl Association {
    /// Resends the chunk that blocks `path` on this path when its turn begins.
    #[inline(never)]
    pub(super) fn reschedule_blocking_chunk(&mut self, now: Time, path: PathId) {
        let variant = self.config.rescheduling;
        let several = self.config.concurrent && self.paths.len() > 1;
        if !several || !self.paths.usable(&self.config, path) {
            return;
        }
        let is_divided = self.config.buffer_split != BufferSplit::None;
        let shares = if is_divided { self.paths.sharers } else { 1 };
        if !self.sender.is_blocked(path, variant, shares) {
            return;
        }
        let Some(blocking) = self.sender.blocking_chunk() else { return };
        if self.may_take_over(now, path, blocking) {
            self.take_over(path, blocking);
            match variant {
                Rescheduling::None => {}
                Rescheduling::Threshold => self.shrink_window(blocking),
                Rescheduling::Inet => self.react_as_to_loss(now, blocking.path),
            }
        }
    }

    /// Whether `path` may send the blocking chunk. If the path itself has sent it before, it waits for one round trip, in
    /// INET for two. INET does not reschedule to a path that is in Fast Recovery or pauses.
    fn may_take_over(&self, now: Time, path: PathId, blocking: Blocking) -> bool {
        let known = &self.paths[path];
        let round_trip = known.srtt_or_initial(&self.config);
        let is_inet = self.config.rescheduling == Rescheduling::Inet;
        let patience = if is_inet { round_trip + round_trip } else { round_trip };
        let is_late = now.saturating_since(blocking.sent_at) > patience;
        (blocking.path != path || is_late)
            && !(is_inet && (self.recovery.covers(path, &self.config) || known.pauses()))
    }

    fn take_over(&mut self, path: PathId, blocking: Blocking) {
        let immediately = self.config.sack_immediately != SackRequest::Never;
        self.sender.reschedule(blocking, path, immediately);
        self.stats.rescheduled_chunks += 1;
        self.paths[path].stats.rescheduled_chunks += 1;
        if self.sender.extent(blocking.path).is_none() {
            self.timers.cancel(Timer::Retransmit(blocking.path));
            self.control.clear_partial(blocking.path);
        }
    }

    /// The first copy may still be in flight, so its part of the window is not free.
    fn shrink_window(&mut self, blocking: Blocking) {
        let window = self.control.window(blocking.path);
        self.control.limit_window(blocking.path, window.saturating_sub(blocking.counted));
    }

    /// INET: cuts the window like a fast retransmission. A path that is already in Fast Recovery pauses for one round
    /// trip instead. A pausing path is not changed.
    fn react_as_to_loss(&mut self, now: Time, path: PathId) {
        let known = &self.paths[path];
        if known.pauses() {
            return;
        }
        if self.recovery.covers(path, &self.config) {
            let round_trip = known.srtt_or_initial(&self.config);
            self.pause(path, now + round_trip);
        } else {
            self.cut_window(now, path);
        }
    }
}
