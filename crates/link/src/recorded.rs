//! The transmitter of a recorded link: packets leave when the trace has an opportunity.

use manypath_core::Time;

use crate::trace::Trace;

/// Uses up one opportunity after another.
///
/// An opportunity carries as many bytes as one packet of [`Trace::PACKET`] bytes with its framing: several small packets
/// share one, a larger packet needs several and leaves with the last. It serves the packets that are there at its
/// instant; what they do not use is lost.
#[derive(Debug)]
pub(crate) struct Recorded {
    trace: Trace,
    /// Bytes of an opportunity.
    room: u64,
    /// The instant of the opportunity that was used last.
    at: Time,
    /// What is left of it, in bytes.
    credit: u64,
    /// When the present repetition of the trace began, in nanoseconds.
    base: u64,
    /// Place of the next opportunity in the trace.
    next: usize,
}

impl Recorded {
    /// Opportunities of `trace`, for packets with so many bytes of framing.
    pub(crate) fn new(trace: Trace, overhead: u64) -> Self {
        let room = Trace::PACKET + overhead;
        Self { trace, room, at: Time::ZERO, credit: 0, base: 0, next: 0 }
    }

    /// Begins a packet of `bytes` bytes with framing at `start`; returns when it leaves.
    pub(crate) fn send(&mut self, start: Time, mut bytes: u64) -> Time {
        if start != self.at {
            self.credit = 0;
            // Earlier than what was used last: the link went down meanwhile, and that packet was given up.
            if start < self.at || self.next_at() < start {
                self.seek(start);
            }
        }
        while bytes > self.credit {
            bytes -= self.credit;
            self.take_next();
        }
        self.credit -= bytes;
        self.at
    }

    fn take_next(&mut self) {
        self.at = self.next_at();
        self.credit = self.room;
        self.next += 1;
        if self.next == self.trace.millis().len() {
            self.next = 0;
            self.base += self.trace.period().as_nanos();
        }
    }

    fn next_at(&self) -> Time {
        Time::from_nanos(self.base + nanos(self.trace.millis()[self.next]))
    }

    /// Goes to the first opportunity at or after `start`.
    fn seek(&mut self, start: Time) {
        let period = self.trace.period().as_nanos();
        // One that ends a repetition at `start` belongs to that repetition.
        let repetitions = start.as_nanos().saturating_sub(1) / period;
        self.base = repetitions * period;
        let since = start.as_nanos() - self.base;
        self.next = self.trace.millis().partition_point(|&at| nanos(at) < since);
    }
}

fn nanos(millis: u32) -> u64 {
    u64::from(millis) * 1_000_000
}
