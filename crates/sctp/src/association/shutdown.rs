//! Closing an association: SHUTDOWN, SHUTDOWN ACK, SHUTDOWN COMPLETE, and ABORT. RFC 9260 §9

use bytes::Bytes;
use manypath_core::{PathId, Time, Tsn};

use super::state::State;
use super::timers::Timer;
use super::{Association, Notice};
use crate::event::CloseReason;
use crate::packet::{Cause, Control};

impl Association {
    /// The application hands over nothing more: the association closes once everything has arrived. RFC 9260 §9.2
    pub(crate) fn shutdown(&mut self, now: Time) {
        if let Some(opening) = self.state.opening() {
            opening.closing = true;
        } else if matches!(self.state, State::Established) {
            self.enter(State::ShutdownPending);
            self.continue_shutdown(now);
            self.open_opportunity(now, self.primary);
        }
    }

    /// Ends the association at once, and tells the peer why. What of the reason does not fit into a packet is left out.
    /// RFC 9260 §9.1
    ///
    /// The reason takes every path: one may lose it, and what arrives here from now on is answered without a reason, which
    /// could be faster on another path.
    pub(crate) fn abort(&mut self, reason: &Bytes) {
        if self.is_closed() {
            return;
        }
        let paths = (0..self.paths.len()).map(|index| PathId(index as u8));
        let room = paths.map(|path| self.room(path)).min().unwrap_or_default();
        let length = reason.len().min(room.saturating_sub(ABORT_WITHOUT_REASON));
        self.close(CloseReason::AbortedHere);
        self.abort_on_all_paths(&[Cause::UserInitiated(reason.slice(..length))]);
    }

    /// Sends ABORT to every address that is the peer's. RFC 9260 §5.4
    pub(super) fn abort_on_all_paths(&mut self, causes: &[Cause]) {
        if self.peer_tag == 0 {
            return;
        }
        for path in (0..self.paths.len()).map(|index| PathId(index as u8)) {
            if self.paths[path.index()].confirmed {
                let causes = causes.to_vec();
                self.outbox.push_back((path, Control::Abort { reflected: false, causes }));
            }
        }
    }

    /// Ends the association because of what the peer did. RFC 9260 §9.1
    pub(super) fn fail(&mut self, cause: Cause) {
        self.end_with(Some(cause), CloseReason::ProtocolViolation);
    }

    /// Takes the next step of a shutdown if it is due; called after every packet, for data may have arrived.
    pub(super) fn continue_shutdown(&mut self, now: Time) {
        match self.state {
            State::ShutdownPending if self.sender.is_idle() => {
                self.timers.set(Timer::ShutdownGuard, now + self.config.rto.max * GUARD_PERIODS);
                self.send_shutdown(now, self.surest_path());
            }
            State::ShutdownReceived if self.sender.is_idle() => {
                self.send_shutdown_ack(now, self.surest_path());
            }
            State::ShutdownSent(path) => self.watch_last_data(now, path),
            _ => {}
        }
    }

    /// The peer lives and may have much to send: it gets all the time it needs, and SHUTDOWN with every DATA.
    ///
    /// Unlike RFC 9260 §9.2: only DATA restarts T2, because a peer whose probes come faster than T2 runs out would keep a
    /// SHUTDOWN that was lost from ever being sent again.
    fn watch_last_data(&mut self, now: Time, path: PathId) {
        self.errors = 0;
        if self.timers.is_set(Timer::Sack) || self.receiver.sack_due() {
            self.timers.cancel(Timer::Sack);
            self.receiver.demand_sack();
            self.answer(path, Control::Shutdown(self.receiver.cumulative()));
            self.wait_for_answer(now, path);
        }
    }

    /// The peer sends nothing more. RFC 9260 §9.2
    pub(super) fn handle_shutdown(&mut self, now: Time, path: Option<PathId>, cumulative: Tsn) {
        match self.state {
            // A repetition: to take it for a SACK once more would copy all gap blocks for every eight bytes
            State::ShutdownReceived if !self.sender.is_acknowledgement(cumulative) => {}
            State::Established | State::ShutdownPending | State::ShutdownReceived => {
                if self.config.detailed_events && !matches!(self.state, State::ShutdownReceived) {
                    self.notices.push_back(Notice::PeerShutdown);
                }
                let sack = self.sender.repeat_last_sack(cumulative);
                self.handle_sack(now, path.unwrap_or(self.primary), &sack);
                self.enter(State::ShutdownReceived);
                self.timers.cancel(Timer::Sack);
                if self.sender.is_idle() {
                    // The answer goes to where the question came from. RFC 9260 §6.4
                    self.send_shutdown_ack(now, path.unwrap_or(self.surest_path()));
                }
            }
            State::ShutdownSent(_) => self.send_shutdown_ack(now, path.unwrap_or(self.data_path())),
            State::ShutdownAckSent(_) => self.repeat_shutdown_ack(path.unwrap_or(self.data_path())),
            State::CookieWait(_) | State::CookieEchoed { .. } | State::Closed => {}
        }
    }

    /// Both sides have everything. RFC 9260 §9.2
    pub(super) fn handle_shutdown_ack(&mut self, path: Option<PathId>) {
        if matches!(self.state, State::ShutdownSent(_) | State::ShutdownAckSent(_)) {
            let path = path.unwrap_or(self.data_path());
            self.close(CloseReason::Shutdown);
            self.outbox.push_back((path, Control::ShutdownComplete { reflected: false }));
        }
    }

    /// The peer has forgotten the association. RFC 9260 §9.2
    pub(super) fn handle_shutdown_complete(&mut self) {
        if matches!(self.state, State::ShutdownAckSent(_)) {
            self.close(CloseReason::Shutdown);
        }
    }

    /// The peer ended the association. RFC 9260 §9.1
    pub(super) fn handle_abort(&mut self, causes: &[Cause]) {
        if !self.is_closed() {
            self.abort_causes = causes.to_vec();
            self.close(CloseReason::AbortedByPeer);
        }
    }

    /// T2 expired: SHUTDOWN or SHUTDOWN ACK goes out again, on another path where there is one as good.
    /// RFC 9260 §6.4.1, §9.2
    pub(super) fn shutdown_timeout(&mut self, now: Time) {
        let (State::ShutdownSent(path) | State::ShutdownAckSent(path)) = self.state else { return };
        seeded!(ShutdownNeverRepeated => return);
        self.paths[path.index()].rtt.back_off();
        self.path_error(now, path);
        match self.state {
            State::ShutdownSent(_) => self.send_shutdown(now, self.surest_path()),
            State::ShutdownAckSent(_) => self.send_shutdown_ack(now, self.surest_path()),
            _ => {}
        }
    }

    /// T5 expired: the peer answers, but never comes to an end. RFC 9260 §9.2
    pub(super) fn shutdown_guard_timeout(&mut self) {
        self.end_with(None, CloseReason::Unreachable);
    }

    /// Forgets what was planned, and tells the application why.
    pub(super) fn close(&mut self, reason: CloseReason) {
        self.enter(State::Closed);
        self.timers.cancel_all();
        self.outbox.clear();
        if self.config.detailed_events {
            self.report_undelivered();
            self.report_unfinished();
        }
        self.notices.push_back(Notice::Closed(reason));
    }

    /// Tells the application which messages the peer is not known to have. RFC 9260 §11.2.3
    pub(super) fn report_undelivered(&mut self) {
        let (sent, waiting) = self.sender.undelivered();
        let failed = |message, sent| Notice::SendFailed { message: Box::new(message), sent };
        self.notices.extend(sent.into_iter().map(|message| failed(message, true)));
        self.notices.extend(waiting.into_iter().map(|message| failed(message, false)));
    }

    /// Tells the application which messages it has in part, and will never have to their end. RFC 6458 §6.1.7
    pub(super) fn report_unfinished(&mut self) {
        let aborted = self.receiver.unfinished();
        self.notices.extend(aborted.map(|(message, stream, ssn)| Notice::PartialDeliveryAborted {
            message,
            stream,
            ssn,
        }));
    }

    /// Sends SHUTDOWN ACK once more, without a new timer.
    pub(super) fn repeat_shutdown_ack(&mut self, path: PathId) {
        self.answer(path, Control::ShutdownAck);
    }

    fn send_shutdown(&mut self, now: Time, path: PathId) {
        self.outbox.push_back((path, Control::Shutdown(self.receiver.cumulative())));
        self.enter(State::ShutdownSent(path));
        self.wait_for_answer(now, path);
    }

    fn send_shutdown_ack(&mut self, now: Time, path: PathId) {
        self.outbox.push_back((path, Control::ShutdownAck));
        self.enter(State::ShutdownAckSent(path));
        self.wait_for_answer(now, path);
    }

    fn wait_for_answer(&mut self, now: Time, path: PathId) {
        self.stop_heartbeats();
        self.timers.set(Timer::Shutdown, now + self.paths[path.index()].rto());
    }

    fn end_with(&mut self, cause: Option<Cause>, reason: CloseReason) {
        self.end_on(None, cause, reason);
    }

    /// Ends the association with an ABORT on this path, or on the one that data takes.
    pub(super) fn end_on(
        &mut self,
        path: Option<PathId>,
        cause: Option<Cause>,
        reason: CloseReason,
    ) {
        if self.is_closed() {
            return;
        }
        let knows_peer = self.peer_tag != 0;
        let path = path.unwrap_or(self.data_path());
        self.close(reason);
        if knows_peer {
            let causes = cause.into_iter().collect();
            self.outbox.push_back((path, Control::Abort { reflected: false, causes }));
        }
    }
}

/// T5-shutdown-guard in units of RTO.Max. RFC 9260 §9.2
const GUARD_PERIODS: u64 = 5;

/// Bytes of the headers of ABORT and its cause.
const ABORT_WITHOUT_REASON: usize = 8;
