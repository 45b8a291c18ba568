//! Arrival of a segment: whether it is acceptable, and its effect on the next acknowledgement. RFC 9293 §3.10.7.4

use manypath_core::{OffsetRange, Span, Time};

use super::{Subflow, Timer};
use crate::config::Config;
use crate::segment::{Flags, Segment};

/// The position of a segment relative to the receive window.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Place {
    /// It is within the window.
    Within,
    /// It carries no data and is older than the next expected offset: only its acknowledgement counts.
    Overtaken,
    /// It is outside the window.
    Outside,
}

/// The effect of the data of a segment.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) struct Arrived {
    /// Payload bytes that are within the window.
    pub(crate) length: u64,
    /// Whether some of them are new.
    pub(crate) is_new: bool,
}

impl Subflow {
    /// The offset of the segment in the peer's sequence space.
    #[inline]
    pub(crate) fn start_of(&self, segment: &Segment) -> i64 {
        self.peer_offset(segment.seq)
    }

    /// The position of a segment of `length` sequence numbers at `start` relative to the receive window.
    #[inline]
    pub(crate) fn place(&self, start: i64, length: u64, config: &Config) -> Place {
        let next = self.arrivals.next() as i64;
        // `note_arrival` limits how much of its data is accepted
        if start == next {
            return Place::Within;
        }
        // A closed window still accepts acknowledgements at its edge
        let edge = (self.acceptable_edge() as i64).max(next + 1);
        if length > 0 {
            let within = start < edge && start + length as i64 > next && start >= 0;
            return if within { Place::Within } else { Place::Outside };
        }
        if start >= next && start <= edge {
            return Place::Within;
        }
        // A window probe uses the sequence number before the next expected one
        let oldest = next - config.receive_buffer as i64;
        if start < next - 1 && start >= oldest { Place::Overtaken } else { Place::Outside }
    }

    /// Whether a segment is exactly at the next expected offset. RFC 5961 §3.2
    pub(crate) fn is_next(&self, start: i64) -> bool {
        start == self.arrivals.next() as i64
    }

    /// Whether all data of a segment has arrived before.
    pub(crate) fn has_arrived(&self, start: i64, length: u64) -> bool {
        length > 0 && start + length as i64 <= self.arrivals.next() as i64
    }

    /// Records the sequence numbers of a segment within the window. If no acknowledgement was due, this starts the
    /// delayed acknowledgement, which [`acknowledge_full`](Self::acknowledge_full) may release earlier.
    #[inline]
    pub(crate) fn note_arrival(
        &mut self,
        now: Time,
        start: u64,
        payload: u64,
        flags: Flags,
        config: &Config,
    ) -> Arrived {
        let room = self.acceptable_edge().max(self.arrivals.next()).saturating_sub(start);
        let length = payload.min(room);
        let has_fin = flags.contains(Flags::FIN) && length == payload;
        let end = start + length + u64::from(has_fin);
        if has_fin {
            self.peer_fin = Some(end - 1);
        }
        if end <= start {
            self.ack_due = true;
            return Arrived::default();
        }
        let news = self.arrivals.insert(OffsetRange { start, end });
        self.unacknowledged += 1;
        if news.is_urgent || has_fin {
            self.ack_due = true;
        } else if !self.timers.is_set(Timer::DelayedAck) {
            self.timers.set(Timer::DelayedAck, now + config.ack_delay);
        }
        Arrived { length, is_new: news.is_new }
    }

    /// Schedules an acknowledgement in answer to a segment that carries nothing new and may be forged. The rate is
    /// limited, so that two endpoints do not answer each other endlessly. Returns whether the acknowledgement is sent.
    /// RFC 5961 §7
    #[cold]
    pub(crate) fn answer_odd(&mut self, now: Time) -> bool {
        if now >= self.answers_reset_at {
            self.answers_reset_at = now + ANSWERS_WITHIN;
            self.answers = 0;
        }
        let may_answer = self.answers < MOST_ANSWERS;
        self.answers += u32::from(may_answer);
        self.ack_due |= may_answer;
        may_answer
    }

    /// Releases the delayed acknowledgement if as many segments have arrived as one acknowledgement covers.
    /// RFC 5681 §4.2
    #[inline]
    pub(crate) fn acknowledge_full(&mut self, config: &Config) -> bool {
        let is_full = self.unacknowledged >= config.ack_every;
        self.ack_due |= is_full;
        is_full
    }

    /// Schedules an immediate acknowledgement.
    #[inline]
    pub(crate) fn acknowledge_now(&mut self) {
        self.ack_due = true;
    }
}

/// The limit of such answers within `ANSWERS_WITHIN`. RFC 5961 §7
const MOST_ANSWERS: u32 = 10;

/// The interval of the rate limit. RFC 5961 §7
const ANSWERS_WITHIN: Span = Span::from_secs(5);
