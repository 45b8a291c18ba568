//! A segment arrives: whether it belongs here, and what its bytes mean for the next acknowledgement. RFC 9293 §3.10.7.4

use manypath_core::{OffsetRange, Span, Time};

use super::Subflow;
use crate::config::Config;
use crate::segment::{Flags, Segment};

/// Where a segment stands, seen from what is expected next.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Place {
    /// It is to be taken in.
    Within,
    /// It carries nothing and was overtaken: its acknowledgement counts.
    Overtaken,
    /// It is not within the window.
    Outside,
}

/// What the bytes of a segment were.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) struct Arrived {
    /// Payload bytes of it that the window has room for.
    pub(crate) length: u64,
    /// Some of them are new.
    pub(crate) is_new: bool,
}

impl Subflow {
    /// Where the segment stands in the peer's sequence space.
    #[inline]
    pub(crate) fn start_of(&self, segment: &Segment) -> i64 {
        self.peer_offset(segment.seq)
    }

    /// Whether a segment of `length` places at `start` lies within the window.
    #[inline]
    pub(crate) fn place(&self, start: i64, length: u64, config: &Config) -> Place {
        let next = self.arrivals.next() as i64;
        // How much of it there is room for is another question
        if start == next {
            return Place::Within;
        }
        // A closed window still takes acknowledgements that stand at its edge
        let edge = (self.acceptable_edge() as i64).max(next + 1);
        if length > 0 {
            let within = start < edge && start + length as i64 > next && start >= 0;
            return if within { Place::Within } else { Place::Outside };
        }
        if start >= next && start <= edge {
            return Place::Within;
        }
        // The place before the next one is what a probe of the window uses
        let oldest = next - config.receive_buffer as i64;
        if start < next - 1 && start >= oldest { Place::Overtaken } else { Place::Outside }
    }

    /// Whether a segment stands exactly where the next one is expected. RFC 5961 §3.2
    pub(crate) fn is_next(&self, start: i64) -> bool {
        start == self.arrivals.next() as i64
    }

    /// Whether everything of a segment has arrived before.
    pub(crate) fn has_arrived(&self, start: i64, length: u64) -> bool {
        length > 0 && start + length as i64 <= self.arrivals.next() as i64
    }

    /// Takes note of the places that a segment within the window uses up. The delayed acknowledgement that it begins, if
    /// none was due, leaves earlier by [`acknowledge_full`](Self::acknowledge_full).
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
        } else if self.ack_timer == Time::NEVER {
            self.ack_timer = now + config.ack_delay;
        }
        Arrived { length, is_new: news.is_new }
    }

    /// The peer is to hear where this side stands, in answer to a segment that brings nothing and may be forged: not
    /// so often that two sides answer each other for ever. Whether it is. RFC 5961 §7
    #[cold]
    pub(crate) fn answer_odd(&mut self, now: Time) -> bool {
        if now >= self.answers_anew {
            self.answers_anew = now + ANSWERS_WITHIN;
            self.answers = 0;
        }
        let may_answer = self.answers < MOST_ANSWERS;
        self.answers += u32::from(may_answer);
        self.ack_due |= may_answer;
        may_answer
    }

    /// As many segments have arrived as one acknowledgement covers: it leaves now. RFC 5681 §4.2
    #[inline]
    pub(crate) fn acknowledge_full(&mut self, config: &Config) -> bool {
        let is_full = self.unacknowledged >= config.ack_every;
        self.ack_due |= is_full;
        is_full
    }

    /// The peer is to hear at once where this side stands.
    #[inline]
    pub(crate) fn acknowledge_now(&mut self) {
        self.ack_due = true;
    }
}

/// So many segments that bring nothing are answered within a while. RFC 5961 §7
const MOST_ANSWERS: u32 = 10;

/// The while. RFC 5961 §7
const ANSWERS_WITHIN: Span = Span::from_secs(5);
