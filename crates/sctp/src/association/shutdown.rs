//! Closing an association: SHUTDOWN, SHUTDOWN ACK, SHUTDOWN COMPLETE, and ABORT. RFC 9260 §9

use bytes::Bytes;
use manypath_core::{PathId, Time, Tsn};

use super::state::State;
use super::timers::Timer;
use super::{Association, Notice};
use crate::event::CloseReason;
use crate::packet::{Cause, Control};

impl Association {
    /// Begins the shutdown for the application. The association closes once all data has arrived. RFC 9260 §9.2
    pub(crate) fn shutdown(&mut self, now: Time) {
        if let Some(opening) = self.state.opening() {
            opening.closing = true;
        } else if matches!(self.state, State::Established) {
            self.enter(State::ShutdownPending);
            self.continue_shutdown(now);
            self.open_opportunity(now, self.paths.primary);
        }
    }

    /// Aborts the association and sends the reason to the peer. The part of the reason that does not fit into a packet
    /// is omitted. RFC 9260 §9.1
    ///
    /// The reason is sent on every path, because one path may lose it. Later packets of the peer are answered with an
    /// ABORT without the reason, which could arrive earlier on another path.
    pub(crate) fn abort(&mut self, reason: &Bytes) {
        if self.is_closed() {
            return;
        }
        let room = self.paths.iter().map(|path| path.network.room()).min().unwrap_or_default();
        let length = reason.len().min(room.saturating_sub(ABORT_WITHOUT_REASON));
        self.close(CloseReason::AbortedHere);
        self.abort_on_all_paths(&[Cause::UserInitiated(reason.slice(..length))]);
    }

    /// Sends ABORT to every confirmed address of the peer. RFC 9260 §5.4
    pub(super) fn abort_on_all_paths(&mut self, causes: &[Cause]) {
        if !self.peer.is_known() {
            return;
        }
        for path in self.paths.ids() {
            if self.paths[path].confirmed {
                let causes = causes.to_vec();
                self.outbox.push(path, Control::Abort { reflected: false, causes });
            }
        }
    }

    /// Ends the association because of an error of the peer. RFC 9260 §9.1
    pub(super) fn fail(&mut self, cause: Cause) {
        self.end_with(Some(cause), CloseReason::ProtocolViolation);
    }

    /// Takes the next step of a shutdown if it is due. It is called after every packet, because data may have arrived.
    pub(super) fn continue_shutdown(&mut self, now: Time) {
        match self.state {
            State::ShutdownPending if self.sender.is_idle() => {
                self.timers.set(Timer::ShutdownGuard, now + self.config.rto.max * GUARD_PERIODS);
                self.send_shutdown(now, self.paths.surest(&self.config));
            }
            State::ShutdownReceived if self.sender.is_idle() => {
                self.send_shutdown_ack(now, self.paths.surest(&self.config));
            }
            State::ShutdownSent(path) => self.watch_last_data(now, path),
            _ => {}
        }
    }

    /// Handles DATA in SHUTDOWN-SENT: the peer is reachable and may have more data. The error count is reset. If a SACK
    /// is due, it is sent with a SHUTDOWN, and T2 restarts.
    ///
    /// Unlike RFC 9260 §9.2, only DATA restarts T2. Otherwise a peer whose heartbeats arrive more often than T2 expires
    /// would prevent the retransmission of a lost SHUTDOWN.
    fn watch_last_data(&mut self, now: Time, path: PathId) {
        self.paths.errors = 0;
        if self.timers.is_set(Timer::Sack) || self.receiver.sack_due() {
            self.timers.cancel(Timer::Sack);
            self.receiver.demand_sack();
            self.outbox.answer(path, Control::Shutdown(self.receiver.cumulative()));
            self.wait_for_answer(now, path);
        }
    }

    /// Handles SHUTDOWN: the peer sends no more data. RFC 9260 §9.2
    pub(super) fn handle_shutdown(&mut self, now: Time, path: Option<PathId>, cumulative: Tsn) {
        match self.state {
            // A repetition is not handled like a SACK, because that would copy all gap blocks for each chunk of eight
            // bytes
            State::ShutdownReceived if !self.sender.is_acknowledgement(cumulative) => {}
            State::Established | State::ShutdownPending | State::ShutdownReceived => {
                if self.config.detailed_events && !matches!(self.state, State::ShutdownReceived) {
                    self.notices.push(Notice::PeerShutdown);
                }
                let sack = self.sender.repeat_last_sack(cumulative);
                self.handle_sack(now, path.unwrap_or(self.paths.primary), &sack);
                self.enter(State::ShutdownReceived);
                self.timers.cancel(Timer::Sack);
                if self.sender.is_idle() {
                    // The answer is sent to the source of the SHUTDOWN. RFC 9260 §6.4
                    self.send_shutdown_ack(now, path.unwrap_or(self.paths.surest(&self.config)));
                }
            }
            State::ShutdownSent(_) => {
                self.send_shutdown_ack(now, path.unwrap_or(self.paths.for_data(&self.config)));
            }
            State::ShutdownAckSent(_) => {
                // Without a new timer
                let path = path.unwrap_or(self.paths.for_data(&self.config));
                self.outbox.answer(path, Control::ShutdownAck);
            }
            State::CookieWait(_) | State::CookieEchoed { .. } | State::Closed(_) => {}
        }
    }

    /// Handles SHUTDOWN ACK: both sides have all data. RFC 9260 §9.2
    pub(super) fn handle_shutdown_ack(&mut self, path: Option<PathId>) {
        if matches!(self.state, State::ShutdownSent(_) | State::ShutdownAckSent(_)) {
            let path = path.unwrap_or(self.paths.for_data(&self.config));
            self.close(CloseReason::Shutdown);
            self.outbox.push(path, Control::ShutdownComplete { reflected: false });
        }
    }

    /// Handles SHUTDOWN COMPLETE: the peer has released the association. RFC 9260 §9.2
    pub(super) fn handle_shutdown_complete(&mut self) {
        if matches!(self.state, State::ShutdownAckSent(_)) {
            self.close(CloseReason::Shutdown);
        }
    }

    /// Handles ABORT of the peer. RFC 9260 §9.1
    ///
    /// After SHUTDOWN ACK, an ABORT with the T bit counts as SHUTDOWN COMPLETE. The peer has released the association, and
    /// answers a packet that arrived after that; such an answer can overtake SHUTDOWN COMPLETE on another path. All data
    /// of both sides has arrived.
    pub(super) fn handle_abort(&mut self, reflected: bool, causes: &[Cause]) {
        if reflected && matches!(self.state, State::ShutdownAckSent(_)) {
            self.close(CloseReason::Shutdown);
        } else if !self.is_closed() {
            self.close_with(CloseReason::AbortedByPeer, causes.to_vec());
        }
    }

    /// Handles the expiry of T2: resends SHUTDOWN or SHUTDOWN ACK, on another path if there is an equally good one.
    /// RFC 9260 §6.4.1, §9.2
    pub(super) fn shutdown_timeout(&mut self, now: Time) {
        let (State::ShutdownSent(path) | State::ShutdownAckSent(path)) = self.state else { return };
        seeded!(ShutdownNeverRetransmitted => return);
        self.paths[path].rtt.back_off();
        self.path_error(now, path);
        match self.state {
            State::ShutdownSent(_) => self.send_shutdown(now, self.paths.surest(&self.config)),
            State::ShutdownAckSent(_) => {
                self.send_shutdown_ack(now, self.paths.surest(&self.config));
            }
            _ => {}
        }
    }

    /// Handles the expiry of T5: the peer answers, but the shutdown does not end. RFC 9260 §9.2
    pub(super) fn shutdown_guard_timeout(&mut self) {
        self.end_with(None, CloseReason::Unreachable);
    }

    /// Closes the association, discards pending work, and reports the reason to the application.
    pub(super) fn close(&mut self, reason: CloseReason) {
        self.close_with(reason, Vec::new());
    }

    /// Closes the association, with the error causes of the peer's ABORT.
    fn close_with(&mut self, reason: CloseReason, causes: Vec<Cause>) {
        self.enter(State::Closed(causes));
        self.timers.cancel_all();
        self.outbox.clear();
        if self.config.detailed_events {
            self.notices.push_unfinished(&mut self.sender, &self.receiver);
        }
        self.notices.push(Notice::Closed(reason));
    }

    fn send_shutdown(&mut self, now: Time, path: PathId) {
        self.outbox.push(path, Control::Shutdown(self.receiver.cumulative()));
        self.enter(State::ShutdownSent(path));
        self.wait_for_answer(now, path);
    }

    fn send_shutdown_ack(&mut self, now: Time, path: PathId) {
        self.outbox.push(path, Control::ShutdownAck);
        self.enter(State::ShutdownAckSent(path));
        self.wait_for_answer(now, path);
    }

    fn wait_for_answer(&mut self, now: Time, path: PathId) {
        self.stop_heartbeats();
        self.timers.set(Timer::Shutdown, now + self.paths[path].rto());
    }

    fn end_with(&mut self, cause: Option<Cause>, reason: CloseReason) {
        self.end_on(None, cause, reason);
    }

    /// Ends the association with an ABORT on this path; without a path, on the path for data.
    pub(super) fn end_on(
        &mut self,
        path: Option<PathId>,
        cause: Option<Cause>,
        reason: CloseReason,
    ) {
        if self.is_closed() {
            return;
        }
        let knows_peer = self.peer.is_known();
        let path = path.unwrap_or(self.paths.for_data(&self.config));
        self.close(reason);
        if knows_peer {
            let causes = cause.into_iter().collect();
            self.outbox.push(path, Control::Abort { reflected: false, causes });
        }
    }
}

/// T5-shutdown-guard in units of RTO.Max. RFC 9260 §9.2
const GUARD_PERIODS: u64 = 5;

/// Bytes of the headers of ABORT and its cause.
const ABORT_WITHOUT_REASON: usize = 8;
