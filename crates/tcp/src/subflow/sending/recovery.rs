//! Detection and recovery of losses: fast recovery with and without SACK, and recovery after a timeout.

use manypath_cc::Controller;
use manypath_core::Time;

use super::Sending;
use crate::config::Recovery;
use crate::send::{DUP_THRESH, Sent};
use crate::stats::PathStats;

/// The state of loss recovery. As in [`State`](crate::subflow::State), the tag needs no decoding.
#[derive(Clone, Copy, Debug)]
#[repr(u8)]
pub(crate) enum Phase {
    /// No loss is known.
    Open {
        /// Number of consecutive duplicate acknowledgements.
        dup_acks: u64,
    },
    /// Fast recovery. RFC 6675 §5, RFC 6582 §3.2
    FastRecovery(FastRecovery),
    /// After a timeout: everything that was outstanding is retransmitted in slow start. RFC 5681 §3.1
    AfterTimeout,
}

/// The data of one fast recovery.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FastRecovery {
    /// The next retransmission is sent independently of the window. RFC 6675 §5 step 4.3, RFC 6582 §3.2
    pub(super) resend_now: bool,
    /// Bytes by which duplicate acknowledgements inflate the window without SACK. RFC 6582 §3.2
    pub(super) inflation: u64,
    /// The timer was restarted by a partial acknowledgement. RFC 6582 §4
    partial_seen: bool,
    /// The rescue retransmission was used. RFC 6675 §4 NextSeg 4
    pub(super) rescued: bool,
}

impl Default for Phase {
    fn default() -> Self {
        Self::Open { dup_acks: 0 }
    }
}

impl Sending {
    /// Whether both sides use SACK.
    #[inline]
    pub(in crate::subflow) fn uses_sack(&self) -> bool {
        self.without_sack.is_none()
    }

    /// Begins fast recovery if the acknowledgements show a loss. RFC 6675 §5 steps 1 to 4, RFC 6582 §3.2
    pub(super) fn look_for_loss(
        &mut self,
        now: Time,
        control: &mut Controller,
        stats: &mut PathStats,
    ) {
        if self.uses_sack() {
            self.board.judge(self.mss);
        }
        let Phase::Open { dup_acks } = self.phase else { return };
        if self.board.is_empty() {
            return;
        }
        let is_lost = dup_acks >= DUP_THRESH || self.uses_sack() && self.board.head_is_lost();
        if is_lost && self.may_recover() {
            stats.window_cuts += 1;
            self.enter_recovery(now, control);
        }
    }

    /// Whether the lost data was sent after the last recovery began.
    fn may_recover(&self) -> bool {
        if self.uses_sack() {
            // RFC 6675 §5.1
            return self.una >= self.recover;
        }
        // RFC 6582 §3.2 step 2: duplicate acknowledgements may be answers to retransmissions of the timer
        self.recover == 0 || self.una > self.recover
    }

    fn enter_recovery(&mut self, now: Time, control: &mut Controller) {
        self.phase = Phase::FastRecovery(FastRecovery {
            resend_now: true,
            // RFC 6582 §3.2 step 3
            inflation: DUP_THRESH * self.mss,
            partial_seen: false,
            rescued: false,
        });
        self.recover = self.nxt;
        self.board.begin_recovery();
        self.board.lose_head();
        // RFC 5681 §3.2: half of the outstanding data, not of a window that was not used
        control.limit_window(self.path, self.nxt - self.una);
        control.on_sack(now, &[], &[self.path]);
    }

    /// Counts a duplicate acknowledgement. In fast recovery it inflates the window, because another segment has left
    /// the network. RFC 6582 §3.2 step 4
    pub(super) fn note_duplicate(&mut self) {
        match &mut self.phase {
            Phase::Open { dup_acks } => *dup_acks += 1,
            Phase::FastRecovery(recovery) => recovery.inflation += self.mss,
            Phase::AfterTimeout => {}
        }
    }

    /// Continues a recovery after `places` sequence numbers were acknowledged. Returns whether the timer restarts.
    #[inline]
    pub(super) fn continue_repair(&mut self, places: u64) -> bool {
        let Phase::FastRecovery(recovery) = &mut self.phase else { return true };
        if self.without_sack != Some(Recovery::NewReno) || self.una >= self.recover {
            return true;
        }
        // RFC 6582 §3.2 step 5, partial acknowledgement: the next lost segment begins here
        self.board.lose_head();
        recovery.resend_now = true;
        recovery.inflation = recovery.inflation.saturating_sub(places);
        if places >= self.mss {
            recovery.inflation += self.mss;
        }
        !std::mem::replace(&mut recovery.partial_seen, true)
    }

    /// Whether the first new acknowledgement ends this fast recovery. RFC 5681 §3.2 step 6
    #[inline]
    pub(super) fn ends_with_new_ack(&self) -> bool {
        self.without_sack == Some(Recovery::Reno) && matches!(self.phase, Phase::FastRecovery(_))
    }

    /// Ends the recovery, usually after all data that was outstanding at its beginning has arrived.
    #[cold]
    pub(super) fn finish_repair(&mut self, control: &mut Controller) {
        if let Phase::FastRecovery(_) = self.phase
            && self.without_sack == Some(Recovery::NewReno)
        {
            // RFC 6582 §3.2 step 5, full acknowledgement: avoid a burst
            let flight = (self.nxt - self.una).max(self.mss);
            control.limit_window(self.path, flight + self.mss);
        }
        self.phase = Phase::default();
    }

    /// Handles a retransmission timeout. RFC 6298 §5.4 to §5.6, RFC 5681 §3.1
    pub(super) fn time_out(&mut self, now: Time, control: &mut Controller) {
        if let Phase::Open { .. } = self.phase {
            control.limit_window(self.path, self.nxt - self.una);
            control.on_timeout(now, self.path);
        } else {
            // The threshold was already reduced for this window of data: only the window is reduced
            control.limit_window(self.path, 0);
        }
        self.phase = Phase::AfterTimeout;
        self.recover = self.nxt;
        self.board.lose_all();
        self.rtt.back_off();
        self.start_timer(now);
    }

    /// Records a retransmission, which is sent now; returns the segment.
    pub(in crate::subflow) fn resend(&mut self, now: Time, serial: u64, is_rescue: bool) -> Sent {
        let sent = self.board.resend(now, serial, is_rescue);
        self.last_sent = now;
        // RFC 6675 §6: a long recovery must not cause a timeout. Only a retransmission of the oldest segment restarts
        // the timer. If others did, a lost retransmission would never time out while new losses occur
        let is_fast = matches!(self.phase, Phase::FastRecovery(_));
        if is_fast && self.uses_sack() && sent.offset == self.una {
            self.start_timer(now);
        }
        self.keep_timer(now);
        sent
    }
}
