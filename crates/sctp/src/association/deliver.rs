//! Delivery of DATA to the application, and the SACK in return. RFC 9260 §6.2

use std::hint::select_unpredictable;

use manypath_core::{PathId, Time};

use super::state::State;
use super::timers::Timer;
use super::{Association, Notice};
use crate::config::SackPath;
use crate::packet::{Cause, Control, Data, Sack};
use crate::path::Path;

impl Association {
    /// Handles the DATA chunks of one packet.
    ///
    /// Unlike RFC 9260 §6, DATA is not discarded in COOKIE-ECHOED but counts as COOKIE ACK, which was lost or is late:
    /// only a peer that has accepted the cookie sends DATA with this tag and without its own cookie.
    pub(super) fn handle_data(&mut self, now: Time, path: PathId, data: &mut Vec<Data>) {
        if matches!(self.state, State::CookieEchoed { .. }) {
            self.handle_cookie_ack(now);
        }
        if !self.state.may_receive_data() {
            return;
        }
        let had_message = self.receiver.is_readable();
        let arrival = self.receiver.handle_packet(now, path, data);

        let counters = &mut self.paths[path].stats;
        counters.data_packets_received += 1;
        counters.bytes_received += arrival.new_bytes;
        if arrival.is_unusual() {
            self.stats.duplicate_chunks += arrival.duplicates;
            self.stats.refused_chunks += arrival.dropped;
            self.stats.given_up_chunks += arrival.given_up;
            if let Some(tsn) = arrival.without_data {
                self.fail(Cause::NoUserData(tsn));
                return;
            }
        }
        while let Some(stream) = self.receiver.take_invalid_stream() {
            self.outbox.answer(path, Control::Error(vec![Cause::InvalidStream(stream)]));
        }
        if !had_message && self.receiver.is_readable() {
            self.notices.push(Notice::Readable);
        }
        if !self.receiver.sack_due() && !self.timers.is_set(Timer::Sack) {
            self.timers.set(Timer::Sack, now + self.config.sack_delay);
        }
    }

    /// The path of the next SACK.
    pub(super) fn sack_path(&self) -> PathId {
        let chosen = match self.config.sack_path {
            SackPath::FirstData => Some(self.receiver.first_data_path()),
            SackPath::LastData => Some(self.receiver.last_data_path()),
            SackPath::Primary => Some(self.paths.primary),
            SackPath::RoundRobin => self.least_of_data_paths(|path| path.last_sack.as_nanos()),
            SackPath::SmallestSrtt => {
                self.least_of_data_paths(|path| path.srtt_or_initial(&self.config).as_nanos())
            }
        };
        let usable = |path: &PathId| self.paths.usable(&self.config, *path);
        chosen.filter(usable).unwrap_or_else(|| self.receiver.last_data_path())
    }

    /// Fills `sack`, which is sent on `path` and may have at most `room` bytes.
    pub(super) fn write_sack(&mut self, now: Time, path: PathId, room: usize, sack: &mut Sack) {
        self.receiver.write_sack(room, sack);
        self.timers.cancel(Timer::Sack);
        self.stats.sacks_sent += 1;
        let path = &mut self.paths[path];
        path.stats.sacks_sent += 1;
        path.last_sack = now;
    }

    /// The usable path with the smallest `measure` among the paths that carried DATA since the last SACK; ties are
    /// resolved by index.
    fn least_of_data_paths(&self, measure: impl Fn(&Path) -> u64) -> Option<PathId> {
        let (mut least, mut found) = (u64::MAX, PathId(0));
        for path in self.paths.ids() {
            // Without a branch, because the paths with data are unpredictable
            let counts = self.receiver.carried_data(path) & self.paths.usable(&self.config, path);
            let measured = select_unpredictable(counts, measure(&self.paths[path]), u64::MAX);
            found = PathId(select_unpredictable(measured < least, path.0, found.0));
            least = least.min(measured);
        }
        (least < u64::MAX).then_some(found)
    }
}
