//! The retransmission timer T3: what happens when it expires, and which path takes the chunks over. RFC 9260 §6.3.3

use manypath_core::{PathId, Time};

use super::Association;
use super::timers::Timer;
use crate::config::T3Path;

impl Association {
    /// Acts on every timer that is due.
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
        self.paths[path.index()].stats.timeouts += 1;
        self.control.on_timeout(now, path);
        self.leave_recovery(path);
        self.end_pause(path);
        let known = &mut self.paths[path.index()];
        known.rtt.back_off();
        known.after_timeout = true;
        // RFC 9260 §6.1 A: a peer that answers probes of its closed window is alive
        let answers = std::mem::take(&mut known.answers_probes);
        if !answers {
            self.path_error(now, path);
        }
        if self.is_closed() {
            return;
        }
        // What the peer had no room for is not lost: the path is as good as any, and another might be none
        let target = if answers { path } else { self.retransmission_path(path) };
        self.stats.timer_retransmissions += u64::from(self.sender.time_out(path, target));
        self.paths[target.index()].retransmission_due = true;
        self.open_opportunity(now, target);
    }

    /// The path on which chunks are sent again that timed out, or that wait for a path that has failed.
    pub(super) fn retransmission_path(&self, path: PathId) -> PathId {
        let others = (1..self.paths.len())
            .map(|step| PathId(((path.index() + step) % self.paths.len()) as u8))
            .filter(|other| self.usable(*other) && !self.paths[other.index()].pauses());
        let largest = |size: &dyn Fn(PathId) -> u64| {
            others.clone().reduce(|best, other| if size(other) > size(best) { other } else { best })
        };
        let chosen = match self.config.t3_path {
            T3Path::Same if self.usable(path) => None,
            T3Path::Same | T3Path::Next => others.clone().next(),
            T3Path::MostDivergent => largest(&|other| self.differences(path, other)),
            T3Path::LargestWindow => largest(&|path| self.control.window(path)),
            T3Path::LargestSsthresh => largest(&|path| self.control.ssthresh(path)),
        };
        chosen.unwrap_or(path)
    }

    /// How many ends two paths do not share.
    fn differences(&self, one: PathId, other: PathId) -> u64 {
        let (one, other) = (self.paths[one.index()].via, self.paths[other.index()].via);
        u64::from(one.local != other.local) + u64::from(one.remote != other.remote)
    }
}
