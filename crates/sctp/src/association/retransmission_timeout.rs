//! The retransmission timer T3: its expiry, and the path of the retransmissions. RFC 9260 §6.3.3

use manypath_core::{PathId, Time};

use super::Association;
use super::timers::Timer;
use crate::config::T3Path;

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
        self.paths[path.index()].stats.timeouts += 1;
        self.reduce_for_timeout(now, path);
        let known = &mut self.paths[path.index()];
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
        // Chunks for which the peer had no room are not lost. So this path is as good as any other, and perhaps the
        // only one
        let target = if answers { path } else { self.retransmission_path(path) };
        self.stats.timer_retransmissions += u64::from(self.sender.time_out(path, target));
        self.paths[target.index()].retransmission_due = true;
        self.open_opportunity(now, target);
    }

    /// Reduces the window of a path after a timeout, which ends Fast Recovery and a pause.
    pub(super) fn reduce_for_timeout(&mut self, now: Time, path: PathId) {
        self.control.on_timeout(now, path);
        self.recovery.leave(path);
        self.end_pause(path);
    }

    /// The path for retransmissions after a timeout, or of chunks that wait on a failed path.
    pub(super) fn retransmission_path(&self, path: PathId) -> PathId {
        let others = (1..self.paths.len())
            .map(|step| PathId(((path.index() + step) % self.paths.len()) as u8))
            .filter(|other| self.usable(*other) && !self.paths[other.index()].pauses());
        let shared = |other: PathId| self.shared_addresses(path, other);
        let fewest = match self.config.t3_divergent {
            true => others.clone().map(shared).min(),
            false => None,
        };
        let others = others.filter(|other| fewest.is_none_or(|fewest| shared(*other) == fewest));
        let largest = |size: &dyn Fn(PathId) -> u64| {
            others.clone().reduce(|best, other| if size(other) > size(best) { other } else { best })
        };
        let chosen = match self.config.t3_path {
            T3Path::Same if self.usable(path) => None,
            T3Path::Same | T3Path::Next => others.clone().next(),
            T3Path::LargestWindow => largest(&|path| self.control.window(path)),
            T3Path::LargestSsthresh => largest(&|path| self.control.ssthresh(path)),
        };
        chosen.unwrap_or(path)
    }

    /// Number of addresses that two paths have in common.
    fn shared_addresses(&self, one: PathId, other: PathId) -> u32 {
        let (one, other) = (self.paths[one.index()].via, self.paths[other.index()].via);
        u32::from(one.local == other.local) + u32::from(one.remote == other.remote)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use manypath_core::{Address, Streams, Via};

    use super::*;
    use crate::config::Config;
    use crate::entropy::Entropy;

    #[test]
    fn chunks_are_retransmitted_on_the_path_with_the_fewest_common_addresses() {
        let (here, there) = (|end| Address::v4(10, 0, 0, end), |end| Address::v4(10, 9, 9, end));
        // The second path uses the same local address as the first one
        let vias = [(1, 1), (1, 2), (2, 3), (3, 4)]
            .map(|(local, remote)| Via { local: here(local), remote: there(remote) });
        let chosen = |t3_divergent| {
            let config = Arc::new(Config { t3_divergent, ..Config::default() });
            let random = Entropy::Simulated(Streams::new(1, 0).stream("paths"));
            let association = Association::connect(Time::ZERO, config, &vias, 9, 1, random);
            (0..4).map(|path| association.retransmission_path(PathId(path)).0).collect::<Vec<_>>()
        };
        assert_eq!(chosen(false), [1, 2, 3, 0]);
        assert_eq!(chosen(true), [2, 2, 3, 0]);
    }
}
