//! The expiry of timers, and of the retransmission timer T3. RFC 9260 §6.3.3

use manypath_core::{PathId, Time};

use super::Association;
use super::timers::Timer;

impl Association {
    /// Handles every timer that is due.
    pub(crate) fn handle_timeout(&mut self, now: Time) {
        self.opportunity.expect_lifted_limits();
        while let Some(timer) = self.timers.expired(now) {
            match timer {
                Timer::Setup => self.setup_timeout(now),
                Timer::Shutdown => self.shutdown_timeout(now),
                Timer::ShutdownGuard => self.shutdown_guard_timeout(),
                Timer::Sack => self.receiver.demand_sack(),
                Timer::Pause => self.pause_timeout(now),
                Timer::Lifetime => self.lifetime_timeout(now),
                Timer::WindowProbe => self.probe_timeout(now),
                Timer::MtuSearch => self.mtu_timeout(now),
                // Paths that still wait for their departure set the timer again
                Timer::Pacing => self.open_opportunity_to_all(now),
                Timer::Retransmit(path) => self.retransmission_timeout(now, path),
                Timer::Heartbeat(path) => self.heartbeat_timeout(now, path),
            }
        }
        #[cfg(debug_assertions)]
        self.check();
    }

    fn retransmission_timeout(&mut self, now: Time, path: PathId) {
        if self.sender.extent(path).is_none() {
            return;
        }
        self.stats.timeouts += 1;
        self.paths[path].stats.timeouts += 1;
        self.reduce_for_timeout(now, path);
        let known = &mut self.paths[path];
        known.rtt.back_off();
        known.after_timeout = true;
        // RFC 9260 §6.1 A: a peer that answers probes of its closed window is reachable
        let answers = std::mem::take(&mut known.answers_probes);
        if !answers {
            self.path_error(now, path);
        }
        if self.is_closed() {
            return;
        }
        self.suspect_black_hole(now, path);
        // Chunks that the peer's full receive buffer dropped do not show a failure of this path, so it is used again
        let target = if answers {
            path
        } else {
            self.paths.for_retransmission(&self.config, &self.control, path)
        };
        self.stats.timer_retransmissions += u64::from(self.sender.time_out(path, target));
        self.paths[target].retransmission_due = true;
        self.open_opportunity(now, target);
    }

    /// Reduces the window of a path after a timeout, which ends Fast Recovery and a pause.
    pub(super) fn reduce_for_timeout(&mut self, now: Time, path: PathId) {
        self.control.on_timeout(now, path);
        self.recovery.leave(path);
        self.end_pause(path);
    }
}
