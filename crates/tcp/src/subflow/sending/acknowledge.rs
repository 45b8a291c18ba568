//! Handling of an acknowledgement: arrived data, round-trip time, congestion window. RFC 5681, RFC 6675 §5

use manypath_cc::{Controller, PathAck};
use manypath_core::{OffsetRange, Time};

use super::{PERSIST, Phase, RETRANSMISSION, Sending};
use crate::segment::Segment;
use crate::stats::{PathStats, Stats};

/// The effect of an acknowledgement.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum AckNews {
    /// New data was acknowledged.
    Advanced,
    /// Nothing new was acknowledged; at most SACK reports or the window changed.
    Same,
    /// It acknowledges data that was never sent or is too old. RFC 5961 §5.2
    Impossible,
}

impl Sending {
    /// Handles the acknowledgement of a segment at the offset `start` of the peer's sequence space.
    #[inline]
    pub(crate) fn handle_ack(
        &mut self,
        now: Time,
        start: i64,
        segment: &Segment,
        control: &mut Controller,
        path_stats: &mut PathStats,
        stats: &mut Stats,
    ) -> AckNews {
        let ack = self.offset(segment.ack);
        if ack > self.nxt as i64 {
            return AckNews::Impossible;
        }
        if ack < self.una as i64 {
            let is_late = ack >= self.una as i64 - self.window.largest.max(1) as i64;
            return if is_late { AckNews::Same } else { AckNews::Impossible };
        }
        let ack = ack as u64;
        let window_change = self.window.update(start, ack, segment.window);
        if window_change.is_some() && self.timers.is_set(PERSIST) {
            self.take_probe_answer();
        }
        if self.board.is_empty() {
            return AckNews::Same;
        }
        let was_full = self.board.pipe() + self.mss > control.window(self.path);
        let reported = self.take_reports(segment, ack);
        let advanced = ack > self.una;
        if advanced {
            self.advance(now, ack, was_full, control, path_stats);
        } else if self.is_duplicate(segment, reported, window_change == Some(true)) {
            stats.duplicate_acks_received += 1;
            self.note_duplicate();
        }
        if reported || matches!(self.phase, Phase::Open { dup_acks: 1.. }) {
            self.look_for_loss(now, control, path_stats);
        }
        #[cfg(debug_assertions)]
        assert_eq!(self.board.pipe(), self.board.counted_pipe(), "bytes in the network");
        if advanced { AckNews::Advanced } else { AckNews::Same }
    }

    /// Whether an acknowledgement without newly acknowledged data indicates a gap. RFC 5681 §2, RFC 6675 §2
    fn is_duplicate(&self, segment: &Segment, reported: bool, window_changed: bool) -> bool {
        if self.uses_sack() { reported } else { segment.length() == 0 && !window_changed }
    }

    /// Handles the SACK blocks; returns whether they report anything new.
    #[inline]
    fn take_reports(&mut self, segment: &Segment, ack: u64) -> bool {
        if segment.options.sack.is_empty() || !self.uses_sack() {
            return false;
        }
        let mut reported = false;
        for block in segment.options.sack.as_slice() {
            let (start, end) = (self.offset(block.start), self.offset(block.end));
            // RFC 2018 §5: a block that is not beyond the acknowledgement, or that was never sent, is ignored
            if start < ack as i64 || end <= start || end > self.nxt as i64 {
                continue;
            }
            let block = OffsetRange { start: start as u64, end: end as u64 };
            reported |= self.board.sack(block) > 0;
        }
        reported
    }

    /// Handles the cumulative acknowledgement of everything below `ack`.
    #[inline]
    fn advance(
        &mut self,
        now: Time,
        ack: u64,
        was_full: bool,
        control: &mut Controller,
        stats: &mut PathStats,
    ) {
        let acked = self.board.acknowledge(now, ack);
        let places = ack - self.una;
        self.una = ack;
        self.retries = 0;
        stats.bytes_acked += acked.payload;
        if let Some((oldest, newest)) = acked.samples {
            self.measure(control, oldest, newest);
            if ack > self.round_end {
                self.round_end = self.nxt;
                self.rtt.end_round();
            }
        }
        let restarts_timer = self.continue_repair(places);
        self.grow(now, acked.payload, was_full, control);
        if let Phase::Open { dup_acks } = &mut self.phase {
            *dup_acks = 0;
        } else if ack >= self.recover || self.ends_with_new_ack() {
            self.finish_repair(control);
        }
        // RFC 6298 §5.2, §5.3
        if self.board.is_empty() {
            self.timers.cancel(RETRANSMISSION);
        } else if restarts_timer {
            self.start_timer(now);
        }
    }

    /// Lets the window grow by the acknowledged data, except in fast recovery.
    #[inline]
    fn grow(&mut self, now: Time, payload: u64, was_full: bool, control: &mut Controller) {
        if payload == 0 {
            return;
        }
        // RFC 3465 §2.3: L is one segment in the slow start after a timeout
        let is_limited = matches!(self.phase, Phase::AfterTimeout);
        let bytes = if is_limited { payload.min(self.mss) } else { payload };
        let in_recovery = matches!(self.phase, Phase::FastRecovery(_));
        let ack = PathAck { path: self.path, bytes, was_full, may_grow: true, in_recovery };
        control.on_ack(now, &ack);
    }
}
