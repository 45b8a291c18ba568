//! The persist timer, which probes a closed window of the peer. RFC 9293 §3.8.6.1

use manypath_core::Time;

use super::{PERSIST, Sending};
use crate::config::Config;

/// The probes of a closed window.
#[derive(Debug, Default)]
pub(super) struct Persist {
    /// Number of timeouts since the window closed.
    timeouts: u32,
    /// An acknowledgement that the peer must answer is due.
    probe_due: bool,
    /// The next segment is sent even if it is small. RFC 9293 §3.8.6.2.1
    pub(super) small_segment_due: bool,
}

impl Sending {
    /// Starts the persist timer unless it is running: nothing is outstanding and the window is closed.
    pub(crate) fn persist(&mut self, now: Time, config: &Config) {
        if !self.timers.is_set(PERSIST) {
            self.persist.timeouts = 0;
            self.start_persist_timer(now, config);
        }
    }

    /// Handles an expired persist timer: a probe is due, or a segment as small as the window.
    pub(super) fn probe(&mut self, now: Time, config: &Config) {
        self.persist.timeouts += 1;
        self.persist.small_segment_due = self.window.room(self.nxt) > 0;
        self.persist.probe_due = !self.persist.small_segment_due;
        self.start_persist_timer(now, config);
    }

    /// The intervals of the probes grow.
    fn start_persist_timer(&mut self, now: Time, config: &Config) {
        let doublings = self.persist.timeouts.min(MOST_DOUBLINGS);
        let pause = self.rtt.rto().saturating_mul(1 << doublings).min(config.rto.max);
        self.timers.set(PERSIST, now + pause);
    }

    /// Handles the answer to a probe: the window has opened, or stays closed.
    #[cold]
    pub(super) fn take_probe_answer(&mut self) {
        if !self.window.is_shared && self.window.room(self.nxt) > 0 {
            self.timers.cancel(PERSIST);
        } else {
            self.retries = 0;
        }
    }

    /// Whether a probe must be sent now.
    #[inline]
    pub(in crate::subflow) fn probe_due(&self) -> bool {
        self.persist.probe_due
    }

    /// The sequence number of the probe that is due.
    ///
    /// Unlike RFC 9293 §3.8.6.1, a probe carries no byte of data. It uses the sequence number before the first
    /// unacknowledged one, which the peer must answer as well. A probe therefore never splits the stream into small
    /// segments.
    #[inline]
    pub(in crate::subflow) fn take_probe(&mut self) -> Option<u32> {
        std::mem::take(&mut self.persist.probe_due).then(|| self.seq(self.una).wrapping_sub(1))
    }
}

/// With more doublings the maximum timeout applies.
const MOST_DOUBLINGS: u32 = 20;
