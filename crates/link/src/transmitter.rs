//! The transmitter of a link: the start and end of each packet, exact to fractions of a nanosecond.

use manypath_core::{Rate, Span, Time};

use crate::recorded::Recorded;
use crate::trace::Trace;

/// Sends one packet at a time, at a constant rate or with the opportunities of a trace.
///
/// The end of a packet is rarely a whole nanosecond. The remainder is carried in units of 1 ns / rate, so that on a
/// busy link `n` packets of `b` bytes end exactly `floor(n * b * 8e9 / rate)` ns after the start of the first.
#[derive(Debug)]
pub(crate) struct Transmitter {
    rate: Rate,
    /// Framing bytes of each packet.
    overhead: u64,
    /// The whole nanosecond in which the last packet ends.
    free_at: Time,
    /// The remainder beyond that nanosecond.
    remainder: u64,
    /// The time for which it was busy, until `free_at`.
    busy: Span,
    /// The transmission time of the last packet. The next packet often has the same size, so this avoids a division.
    last: Airtime,
    /// The delivery opportunities of a recorded link; they replace the rate.
    recorded: Option<Box<Recorded>>,
}

/// The inputs of a packet's transmission time, and the result.
#[derive(Debug)]
struct Airtime {
    /// Bytes, framing included.
    bytes: u64,
    /// The remainder of the previous packet.
    carried: u64,
    span: Span,
    remainder: u64,
}

impl Transmitter {
    /// A transmitter for packets with `overhead` bytes of framing. A trace replaces the rate.
    pub(crate) fn new(rate: Rate, overhead: u64, trace: Option<&Trace>) -> Self {
        let recorded = trace.map(|trace| Box::new(Recorded::new(trace.clone(), overhead)));
        let last = if recorded.is_some() { Airtime::OF_TRACE } else { Airtime::new(rate, 0, 0) };
        Self { rate, overhead, free_at: Time::ZERO, remainder: 0, busy: Span::ZERO, last, recorded }
    }

    /// The earliest instant at which another packet may start.
    #[inline]
    pub(crate) fn free_at(&self) -> Time {
        self.free_at
    }

    /// Starts a packet of `size` bytes at `start`, which is not before `free_at`; returns when its last bit is sent.
    #[inline]
    pub(crate) fn send(&mut self, start: Time, size: u32) -> Time {
        // After an idle time a packet starts at a whole nanosecond.
        let carried = if start > self.free_at { 0 } else { self.remainder };
        let bytes = u64::from(size) + self.overhead;
        if (bytes, carried) != (self.last.bytes, self.last.carried) {
            self.last = self.airtime(start, bytes, carried);
        }
        self.free_at = start + self.last.span;
        self.busy += self.last.span;
        self.remainder = self.last.remainder;
        self.free_at
    }

    #[inline]
    fn airtime(&mut self, start: Time, bytes: u64, carried: u64) -> Airtime {
        match &mut self.recorded {
            None => Airtime::new(self.rate, bytes, carried),
            Some(recorded) => {
                Airtime { span: recorded.send(start, bytes) - start, ..Airtime::OF_TRACE }
            }
        }
    }

    /// Sets the rate for the following packets. The fraction of a nanosecond from the old rate is dropped.
    pub(crate) fn set_rate(&mut self, rate: Rate) {
        self.rate = rate;
        self.remainder = 0;
        self.last = Airtime::new(rate, 0, 0);
    }

    /// The time for which the transmitter was busy until `now`. On a recorded link this includes the time for which a
    /// packet waited for its opportunity.
    pub(crate) fn busy(&self, now: Time) -> Span {
        self.busy - self.free_at.saturating_since(now)
    }

    /// The time for which it was busy, until [`free_at`](Self::free_at).
    pub(crate) fn busy_in_all(&self) -> Span {
        self.busy
    }

    /// Discards the packet in transmission, if there is one. The transmitter is free from `now`.
    pub(crate) fn abort(&mut self, now: Time) {
        self.busy = self.busy(now);
        self.free_at = self.free_at.min(now);
        self.remainder = 0;
    }
}

impl Airtime {
    /// The value on a recorded link, where transmission times differ between equal packets: no packet has this size.
    const OF_TRACE: Self = Self { bytes: u64::MAX, carried: 0, span: Span::ZERO, remainder: 0 };

    #[inline]
    fn new(rate: Rate, bytes: u64, carried: u64) -> Self {
        let (span, remainder) = rate.time_for_with(bytes, carried);
        Self { bytes, carried, span, remainder }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_busy_link_never_loses_a_fraction(
            rate in 1_u64..200_000_000_000,
            sizes in prop::collection::vec(1_u32..65_536, 1..200),
            overhead in 0_u64..40,
        ) {
            let mut transmitter = Transmitter::new(Rate::from_bits_per_second(rate), overhead, None);
            let mut bytes = 0_u128;
            for size in sizes {
                let start = transmitter.free_at();
                let end = transmitter.send(start, size);
                bytes += u128::from(size) + u128::from(overhead);
                prop_assert_eq!(u128::from(end.as_nanos()), bytes * 8_000_000_000 / u128::from(rate));
            }
        }
    }

    #[test]
    fn after_idle_time_a_packet_starts_at_a_whole_nanosecond() {
        // 1 byte at 3 bit/s takes 2 666 666 666 and 2/3 ns.
        let mut transmitter = Transmitter::new(Rate::from_bits_per_second(3), 0, None);
        assert_eq!(transmitter.send(Time::ZERO, 1), Time::from_nanos(2_666_666_666));
        let busy = transmitter.free_at();
        assert_eq!(transmitter.send(busy, 1), Time::from_nanos(5_333_333_333));
        let later = Time::from_nanos(10_000_000_000);
        assert_eq!(transmitter.send(later, 1), Time::from_nanos(12_666_666_666));
    }
}
