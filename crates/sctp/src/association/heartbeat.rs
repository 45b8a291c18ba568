//! Path probing with HEARTBEAT and HEARTBEAT ACK: reachability and round-trip time. RFC 9260 §5.4, §8.3

use manypath_core::{PathId, Span, Time};

use super::Association;
use super::timers::Timer;
use crate::packet::{Control, Heartbeat, HeartbeatInfo};
use crate::path::{HeartbeatProbe, Local, Path, PathState};

impl Association {
    /// Starts the heartbeats of all paths. Unconfirmed paths are probed at the rate that HB.Max.Burst allows.
    pub(super) fn start_heartbeats(&mut self, now: Time) {
        for path in self.paths.ids() {
            let Path { probe, confirmed, state, .. } = self.paths[path];
            if confirmed {
                self.start_mtu_search(now, path);
            }
            match probe {
                HeartbeatProbe::None if confirmed && state != PathState::PotentiallyFailed => {
                    self.schedule_heartbeat(now, path);
                }
                HeartbeatProbe::None if !confirmed => self.probe_unconfirmed(now, path),
                HeartbeatProbe::None => self.send_heartbeat(now, path),
                HeartbeatProbe::Waiting(_) | HeartbeatProbe::Late(_) => {}
            }
        }
    }

    /// Stops all heartbeats. During the shutdown of an association its own timer detects failures.
    pub(super) fn stop_heartbeats(&mut self) {
        for path in self.paths.ids() {
            self.timers.cancel(Timer::Heartbeat(path));
        }
        self.timers.cancel(Timer::MtuSearch);
    }

    /// Returns a heartbeat unchanged to its source. RFC 9260 §8.3
    pub(super) fn handle_heartbeat(&mut self, path: Option<PathId>, info: &Heartbeat) {
        if let Some(path) = path
            && self.peer.is_known()
            && !self.is_closed()
        {
            self.outbox.answer(path, Control::HeartbeatAck(info.clone()));
        }
    }

    /// Handles the answer to a heartbeat: the path works, and its address belongs to the peer. RFC 9260 §5.4, §8.3
    ///
    /// The nonce identifies the heartbeat. The sending time is stored here, because a time in the peer's answer could
    /// be forged.
    pub(super) fn handle_heartbeat_ack(&mut self, now: Time, info: &Heartbeat) {
        let Some(info) = info.own() else { return };
        if self.take_mtu_answer(now, &info) {
            return;
        }
        let answers =
            |path: &Path| path.via.remote == info.address && path.probe.expects(info.nonce);
        let Some(path) = self.paths.find(answers) else { return };
        let known = &mut self.paths[path];
        let sent_at = known.probed_at;
        let sample = now.saturating_since(sent_at);
        known.probe = HeartbeatProbe::None;
        known.rtt.sample(sample);
        let srtt = known.rtt.srtt().unwrap_or(sample);
        let newly_confirmed =
            !std::mem::replace(&mut known.confirmed, true) && known.state == PathState::Active;
        // An answered probe, which was sent after the loss of the address, proves more than the system's report of the loss
        let has_returned = std::mem::take(&mut known.local) != Local::Kept;
        self.control.on_rtt(path, srtt, sample);
        if has_returned {
            self.take_over_flights(now, path);
        }
        let works_again = self.path_alive(path);
        if newly_confirmed {
            self.path_up(path);
        }
        if works_again || newly_confirmed {
            self.start_mtu_search(now, path);
            self.open_opportunity(now, path);
        }
        if self.timers.is_set(Timer::Heartbeat(path)) {
            self.schedule_heartbeat(sent_at, path);
        }
    }

    /// Handles the heartbeat timer: the path was idle, or its heartbeat had no answer within one RTO.
    pub(super) fn heartbeat_timeout(&mut self, now: Time, path: PathId) {
        let known = &self.paths[path];
        if let HeartbeatProbe::Waiting(nonce) = known.probe {
            return self.miss_heartbeat(now, path, nonce);
        }
        if known.last_sent != Time::ZERO && known.last_sent + self.config.heartbeat_interval > now {
            // Data was sent on the path since then and monitored it
            let last_sent = known.last_sent;
            return self.schedule_heartbeat(last_sent, path);
        }
        self.send_heartbeat(now, path);
    }

    /// Handles an unanswered heartbeat: an error of its path, and of the association if the path carries data.
    /// RFC 9260 §8.1
    fn miss_heartbeat(&mut self, now: Time, path: PathId, nonce: u64) {
        let known = &mut self.paths[path];
        let sent_at = known.probed_at;
        known.probe = HeartbeatProbe::Late(nonce);
        if self.paths.data_probes(&self.config, path) && self.sender.flight(path) > 0 {
            self.probe_potentially_failed(now, path);
        } else {
            self.count_missed_heartbeat(now, path);
        }
        let known = &self.paths[path];
        if self.is_closed() || matches!(known.probe, HeartbeatProbe::Waiting(_)) {
            return;
        }
        if !known.confirmed && known.state == PathState::Active {
            self.probe_unconfirmed(now, path);
        } else {
            self.schedule_heartbeat(sent_at, path);
        }
    }

    fn count_missed_heartbeat(&mut self, now: Time, path: PathId) {
        let known = &mut self.paths[path];
        known.rtt.back_off();
        if known.confirmed && self.paths.carry_data(&self.config, path) {
            self.path_error(now, path);
        } else {
            self.probe_error(now, path);
        }
    }

    /// Probes an unconfirmed address when its turn comes. RFC 9260 §5.4
    fn probe_unconfirmed(&mut self, now: Time, path: PathId) {
        let at = self.paths.take_probe_turn(now, &self.config);
        if at > now {
            self.timers.set(Timer::Heartbeat(path), at);
        } else {
            self.send_heartbeat(now, path);
        }
    }

    pub(super) fn send_heartbeat(&mut self, now: Time, path: PathId) {
        let nonce = self.random.next_u64();
        let known = &mut self.paths[path];
        (known.probe, known.probed_at) = (HeartbeatProbe::Waiting(nonce), now);
        let info = HeartbeatInfo { nonce, sent_at: now.as_nanos(), address: known.via.remote };
        self.timers.set(Timer::Heartbeat(path), now + known.rto());
        self.outbox.push(path, Control::Heartbeat(info.into()));
    }

    /// Schedules the heartbeats of idle paths again after a change of HB.interval. Heartbeats without an answer so far, and
    /// those of unconfirmed addresses, keep their time.
    pub(super) fn reschedule_heartbeats(&mut self, now: Time) {
        if !self.state.may_send_data() {
            return;
        }
        for path in self.paths.ids() {
            let Path { probe, confirmed, state, .. } = self.paths[path];
            let is_unanswered = matches!(probe, HeartbeatProbe::Waiting(_));
            if !is_unanswered && (confirmed || state != PathState::Active) {
                self.schedule_heartbeat(now, path);
            }
        }
    }

    /// Schedules the next heartbeat one RTO ± 50 % plus HB.interval after the last use. RFC 9260 §8.3
    fn schedule_heartbeat(&mut self, last_use: Time, path: PathId) {
        if self.config.heartbeat_interval == Span::MAX {
            return self.timers.cancel(Timer::Heartbeat(path));
        }
        let rto = self.paths[path].rto();
        let jitter = Span::from_nanos(self.random.between(0, rto.as_nanos()));
        let at = last_use + self.config.heartbeat_interval + rto / 2 + jitter;
        self.timers.set(Timer::Heartbeat(path), at);
    }
}

/// The turns of probes of unconfirmed addresses: a limited number in each RTO. RFC 9260 §5.4
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ProbeTurns {
    /// The start of the RTO to which the last turns belong.
    begin: Time,
    /// The number of these turns.
    taken: u32,
}

impl ProbeTurns {
    pub(super) fn take(&mut self, now: Time, burst: u32, interval: Span) -> Time {
        if self.taken == 0 || self.begin + interval <= now {
            *self = Self { begin: now, taken: 0 };
        } else if self.taken >= burst {
            *self = Self { begin: self.begin + interval, taken: 0 };
        }
        self.taken = self.taken.saturating_add(1);
        self.begin
    }
}
