//! Changes of local addresses: paths whose local address fails or returns. RFC 9260 §8.2, §8.3

use manypath_core::{Address, PathId, Time};

use super::timers::Timer;
use super::{Association, Notice};
use crate::path::PathState;

impl Association {
    /// Whether a path uses this local address.
    pub(crate) fn leaves_from(&self, address: Address) -> bool {
        self.paths.iter().any(|path| path.via.local == address)
    }

    /// Handles the loss of a local address: no packets can be sent from it.
    pub(crate) fn local_down(&mut self, now: Time, address: Address) {
        if self.is_closed() {
            return;
        }
        for path in self.paths_from(address) {
            if self.paths[path.index()].fail(now, &self.config) {
                self.notices.push_back(Notice::PathDown(path));
                self.couple_usable_paths();
                self.give_up_flight(now, path);
            }
        }
        #[cfg(debug_assertions)]
        self.check();
    }

    /// Handles the return of a local address: heartbeats probe the paths that use it.
    pub(crate) fn local_up(&mut self, now: Time, address: Address) {
        for path in self.paths_from(address) {
            let failed = self.paths[path.index()].state == PathState::Inactive;
            if failed && self.state.may_send_data() {
                self.send_heartbeat(now, path);
            }
        }
    }

    fn paths_from(&self, address: Address) -> Vec<PathId> {
        let paths = (0..self.paths.len()).map(|index| PathId(index as u8));
        paths.filter(|path| self.paths[path.index()].via.local == address).collect()
    }

    /// Marks the chunks in flight on a failed path as lost and moves them to another path.
    fn give_up_flight(&mut self, now: Time, path: PathId) {
        let target = self.retransmission_path(path);
        if self.sender.extent(path).is_some() && target != path {
            self.timers.cancel(Timer::Retransmit(path));
            self.control.on_timeout(now, path);
            self.leave_recovery(path);
            self.end_pause(path);
            self.stats.timer_retransmissions += u64::from(self.sender.time_out(path, target));
            self.paths[target.index()].retransmission_due = true;
        }
        self.open_opportunity(now, target);
    }
}
