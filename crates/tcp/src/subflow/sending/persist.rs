//! The persist timer, which probes a closed window of the peer. RFC 9293 §3.8.6.1

use manypath_core::Time;

use super::{Sending, Timer, Timers};
use crate::config::Config;

/// The probes of a closed window.
#[derive(Debug, Default)]
pub(super) struct Persist {
    /// Number of timeouts since the window closed.
    timeouts: u32,
    due: Probe,
}

/// What the last expiry of the persist timer demands, until it is sent.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
enum Probe {
    #[default]
    None,
    /// An acknowledgement that the peer must answer, because the window is closed.
    Empty,
    /// A segment as small as the window. RFC 9293 §3.8.6.2.1
    SmallSegment,
}

impl Sending {
    /// Starts the persist timer unless it is running: nothing is outstanding and the window is closed.
    pub(in crate::subflow) fn persist(&mut self, now: Time, config: &Config, timers: &mut Timers) {
        if !timers.is_set(Timer::Persist) {
            self.persist.timeouts = 0;
            self.start_persist_timer(now, config, timers);
        }
    }

    /// Handles an expired persist timer; returns false if the peer does not answer.
    pub(in crate::subflow) fn persist_timeout(
        &mut self,
        now: Time,
        config: &Config,
        timers: &mut Timers,
    ) -> bool {
        if !self.may_retry(config) {
            return false;
        }
        self.persist.timeouts += 1;
        let is_closed = self.window.room(self.nxt) == 0;
        self.persist.due = if is_closed { Probe::Empty } else { Probe::SmallSegment };
        self.start_persist_timer(now, config, timers);
        true
    }

    /// The intervals of the probes grow.
    fn start_persist_timer(&self, now: Time, config: &Config, timers: &mut Timers) {
        let doublings = self.persist.timeouts.min(MOST_DOUBLINGS);
        let pause = self.rtt.rto().saturating_mul(1 << doublings).min(config.rto.max);
        timers.set(Timer::Persist, now + pause);
    }

    /// Handles the answer to a probe: the window has opened, or stays closed.
    #[cold]
    pub(super) fn take_probe_answer(&mut self, timers: &mut Timers) {
        if self.window.is_open(self.nxt) {
            timers.cancel(Timer::Persist);
        } else {
            self.retries = 0;
        }
    }

    /// Whether an empty probe must be sent now.
    #[inline]
    pub(in crate::subflow) fn probe_due(&self) -> bool {
        self.persist.due == Probe::Empty
    }

    /// The sequence number of the empty probe that is due.
    ///
    /// Unlike RFC 9293 §3.8.6.1, a probe carries no byte of data. It uses the sequence number before the first
    /// unacknowledged one, which the peer must answer as well. A probe therefore never splits the stream into small
    /// segments.
    #[inline]
    pub(in crate::subflow) fn take_probe(&mut self) -> Option<u32> {
        if !self.probe_due() {
            return None;
        }
        self.persist.due = Probe::None;
        Some(self.seq(self.una).wrapping_sub(1))
    }

    /// Whether the next segment is sent even if it is small.
    #[inline]
    pub(super) fn small_segment_due(&self) -> bool {
        self.persist.due == Probe::SmallSegment
    }

    #[inline]
    pub(super) fn note_new_data(&mut self) {
        if self.small_segment_due() {
            self.persist.due = Probe::None;
        }
    }
}

/// With more doublings the maximum timeout applies.
const MOST_DOUBLINGS: u32 = 20;
