//! Detection and recovery of losses: fast recovery with and without SACK, and recovery after a timeout.

use manypath_cc::Controller;
use manypath_core::Time;

use super::{Phase, Subflow};
use crate::config::Recovery;
use crate::send::DUP_THRESH;

impl Subflow {
    /// Begins fast recovery if the acknowledgements show a loss. RFC 6675 §5 steps 1 to 4, RFC 6582 §3.2
    pub(super) fn look_for_loss(&mut self, now: Time, control: &mut Controller) {
        if self.sack {
            self.board.judge(self.mss);
        }
        if self.phase != Phase::Open || self.board.is_empty() {
            return;
        }
        let is_lost = self.dup_acks >= DUP_THRESH || self.sack && self.board.head_is_lost();
        if is_lost && self.may_recover() {
            self.enter_recovery(now, control);
        }
    }

    /// Whether the lost data was sent after the last recovery began.
    fn may_recover(&self) -> bool {
        if self.sack {
            // RFC 6675 §5.1
            return self.una >= self.recover;
        }
        // RFC 6582 §3.2 step 2: duplicate acknowledgements may be answers to retransmissions of the timer
        self.recover == 0 || self.una > self.recover
    }

    fn enter_recovery(&mut self, now: Time, control: &mut Controller) {
        self.phase = Phase::FastRecovery;
        self.recover = self.nxt;
        self.board.begin_recovery();
        self.board.lose_head();
        self.resend_now = true;
        self.rescued = false;
        self.partial_seen = false;
        // RFC 5681 §3.2: half of the outstanding data, not of a window that was not used
        control.limit_window(self.path, self.nxt - self.una);
        control.on_sack(now, &[], &[self.path]);
        control.enter_recovery(self.path);
        self.stats.window_cuts += 1;
        // RFC 6582 §3.2 step 3
        self.inflation = if self.sack { 0 } else { DUP_THRESH * self.mss };
    }

    /// Inflates the window, because another segment has left the network. RFC 6582 §3.2 step 4
    pub(super) fn note_duplicate(&mut self) {
        if self.phase == Phase::FastRecovery && !self.sack {
            self.inflation += self.mss;
        }
    }

    /// Continues a recovery after `places` sequence numbers were acknowledged. Returns whether the timer restarts.
    #[inline]
    pub(super) fn continue_repair(&mut self, places: u64) -> bool {
        if self.phase != Phase::FastRecovery
            || self.sack
            || self.una >= self.recover
            || self.ends_with_new_ack()
        {
            return true;
        }
        // RFC 6582 §3.2 step 5, partial acknowledgement: the next lost segment begins here
        self.board.lose_head();
        self.resend_now = true;
        self.inflation = self.inflation.saturating_sub(places);
        if places >= self.mss {
            self.inflation += self.mss;
        }
        !std::mem::replace(&mut self.partial_seen, true)
    }

    /// Whether the first new acknowledgement ends this fast recovery. RFC 5681 §3.2 step 6
    #[inline]
    pub(super) fn ends_with_new_ack(&self) -> bool {
        self.recovery == Recovery::Reno && self.phase == Phase::FastRecovery && !self.sack
    }

    /// Ends the recovery, usually after all data that was outstanding at its beginning has arrived.
    #[cold]
    pub(super) fn finish_repair(&mut self, control: &mut Controller) {
        if self.phase == Phase::FastRecovery {
            control.leave_recovery(self.path);
            if !self.sack && self.recovery == Recovery::NewReno {
                // RFC 6582 §3.2 step 5, full acknowledgement: avoid a burst
                let flight = (self.nxt - self.una).max(self.mss);
                control.limit_window(self.path, flight + self.mss);
            }
        }
        self.phase = Phase::Open;
        self.inflation = 0;
        self.resend_now = false;
    }

    /// Handles a retransmission timeout. RFC 6298 §5.4 to §5.6, RFC 5681 §3.1
    pub(super) fn time_out(&mut self, now: Time, control: &mut Controller) {
        self.stats.timeouts += 1;
        if self.phase == Phase::Open {
            control.limit_window(self.path, self.nxt - self.una);
            control.on_timeout(now, self.path);
        } else {
            // The threshold was already reduced for this window of data: only the window is reduced
            control.leave_recovery(self.path);
            control.limit_window(self.path, 0);
        }
        self.phase = Phase::AfterTimeout;
        self.recover = self.nxt;
        self.dup_acks = 0;
        self.inflation = 0;
        self.resend_now = false;
        self.board.lose_all();
        self.rtt.back_off();
        self.start_timer(now);
    }
}
