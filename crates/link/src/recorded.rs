//! The transmitter of a recorded link: packets leave at the delivery opportunities of a trace.

use manypath_core::Time;

use crate::trace::Trace;

/// Uses the delivery opportunities of a trace in order.
///
/// An opportunity carries as many bytes as one packet of [`Trace::PACKET`] bytes with its framing. Several small
/// packets share one opportunity; a larger packet needs several and leaves with the last. An opportunity serves the
/// packets that wait at its instant, and its remaining bytes are lost.
#[derive(Debug)]
pub(crate) struct Recorded {
    trace: Trace,
    /// Bytes of an opportunity.
    room: u64,
    /// The instant of the last used opportunity.
    at: Time,
    /// The remaining bytes of that opportunity.
    credit: u64,
    /// When the current repetition of the trace began, in nanoseconds.
    base: u64,
    /// Index of the next opportunity in the trace.
    next: usize,
}

impl Recorded {
    /// The opportunities of `trace`, for packets with `overhead` bytes of framing.
    pub(crate) fn new(trace: Trace, overhead: u64) -> Self {
        let room = Trace::PACKET + overhead;
        Self { trace, room, at: Time::ZERO, credit: 0, base: 0, next: 0 }
    }

    /// Starts a packet of `bytes` bytes, framing included, at `start`; returns when it leaves.
    pub(crate) fn send(&mut self, start: Time, mut bytes: u64) -> Time {
        if start != self.at {
            self.credit = 0;
            // The start is before the last used opportunity if the link went down and that packet was discarded.
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

    /// Moves to the first opportunity at or after `start`.
    fn seek(&mut self, start: Time) {
        let period = self.trace.period().as_nanos();
        // An opportunity at `start` that ends a repetition belongs to that repetition.
        let repetitions = start.as_nanos().saturating_sub(1) / period;
        self.base = repetitions * period;
        let since = start.as_nanos() - self.base;
        self.next = self.trace.millis().partition_point(|&at| nanos(at) < since);
    }
}

fn nanos(millis: u32) -> u64 {
    u64::from(millis) * 1_000_000
}
