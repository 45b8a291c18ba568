//! Changes of local addresses: paths whose local address fails or returns. RFC 9260 §8.2, §8.3

use manypath_core::{Address, PathId, Time};

use super::timers::Timer;
use super::{Association, Notice};
use crate::path::{Local, PathState};

impl Association {
    /// Handles the loss of a local address: no packets can be sent from it.
    pub(crate) fn local_down(&mut self, now: Time, address: Address) {
        if self.is_closed() {
            return;
        }
        let data_path = self.paths.for_data(&self.config);
        for path in self.paths.ids() {
            if self.paths[path].via.local == address && self.paths[path].lose_local(now) {
                self.notices.push(Notice::PathDown(path));
                self.couple_usable_paths();
                self.give_up_flight(now, path);
                self.probe_potentially_failed(now, path);
            }
        }
        self.follow_last_resort(now, data_path);
        #[cfg(debug_assertions)]
        self.check();
    }

    /// Handles the return of a local address: heartbeats probe the paths that use it.
    pub(crate) fn local_up(&mut self, now: Time, address: Address) {
        let data_path = self.paths.for_data(&self.config);
        for path in self.paths.ids() {
            let known = &mut self.paths[path];
            if known.via.local == address && known.state != PathState::Active {
                known.local = Local::Returned;
                if self.state.may_send_data() {
                    self.send_heartbeat(now, path);
                }
            }
        }
        self.follow_last_resort(now, data_path);
        #[cfg(debug_assertions)]
        self.check();
    }

    /// Moves waiting data to the path of last resort, if no path works and the last resort has changed.
    fn follow_last_resort(&mut self, now: Time, before: PathId) {
        let data_path = self.paths.for_data(&self.config);
        if data_path != before {
            self.couple_usable_paths();
            self.open_opportunity(now, data_path);
        }
    }

    /// Marks the chunks in flight on a failed path as lost and moves them to another path.
    fn give_up_flight(&mut self, now: Time, path: PathId) {
        let target = self.paths.for_retransmission(&self.config, &self.control, path);
        if target != path {
            self.move_flight(now, path, target);
        }
        self.open_opportunity(now, target);
    }

    /// Moves the chunks in flight on paths that do not work, including its own, to a path whose local address has returned.
    /// They did not arrive and would otherwise wait for their timers. The caller opens an opportunity to send.
    #[cold]
    pub(super) fn take_over_flights(&mut self, now: Time, target: PathId) {
        for path in self.paths.ids() {
            if self.paths[path].state != PathState::Active {
                self.move_flight(now, path, target);
            }
        }
    }

    /// Marks the chunks in flight on a path as lost; `target` sends them again at once.
    fn move_flight(&mut self, now: Time, path: PathId, target: PathId) {
        if self.sender.extent(path).is_none() {
            return;
        }
        self.timers.cancel(Timer::Retransmit(path));
        self.reduce_for_timeout(now, path);
        self.stats.timer_retransmissions += u64::from(self.sender.time_out(path, target));
        self.paths[target].retransmission_due = true;
    }
}
