//! The receiving direction of a subflow: its sequence space, its window, and when it acknowledges. RFC 9293 §3.10.7.4

use manypath_core::{OffsetRange, Span, Time, TimerTable};

use super::Expired;
use crate::config::Config;
use crate::receive::Arrivals;
use crate::segment::{Flags, SackBlock, Segment};

/// The receive sequence space and window. Offset 0 is the first byte after SYN.
#[derive(Debug, Default)]
pub(crate) struct Receiving {
    /// Initial receive sequence number: IRS.
    irs: u32,
    arrivals: Arrivals,
    /// The offset of the peer's FIN, once it has arrived, in order or not.
    fin: Option<u64>,
    /// Shift of the announced window: Rcv.Wind.Shift. RFC 7323 §2.3
    shift: u8,
    /// The first offset beyond the announced window: RCV.NXT + RCV.WND.
    edge: u64,
    /// Data segments since the last sent acknowledgement.
    unacknowledged: u32,
    /// An acknowledgement must be sent now.
    ack_due: bool,
    /// Answers to segments without new data, in the current interval of the rate limit.
    answers: u32,
    /// When the next interval of the rate limit begins.
    answers_reset_at: Time,
    pub(super) timers: TimerTable<2>,
}

/// Free space of the receive buffer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    /// Free bytes beyond the data that has arrived in order.
    pub(crate) free: u64,
    /// Free bytes of the empty buffer.
    pub(crate) capacity: u64,
    /// The window field, if all subflows of the connection announce the same window.
    pub(crate) shared: Option<u16>,
}

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

impl Receiving {
    /// Reads the peer's SYN.
    pub(super) fn take_syn(&mut self, syn: &Segment, config: &Config) {
        self.irs = syn.seq;
        self.shift = if syn.options.window_scale.is_some() { config.window_shift() } else { 0 };
        self.edge = self.edge.max((config.receive_buffer as u64).min(u64::from(u16::MAX)));
    }

    /// Whether a segment is a repetition of the received SYN.
    pub(crate) fn is_same_syn(&self, segment: &Segment) -> bool {
        segment.flags.contains(Flags::SYN) && segment.seq == self.irs
    }

    /// Accepts every sequence number, because only the connection has a window. RFC 8684 §3.3.1
    pub(super) fn share_window(&mut self) {
        self.edge = u64::MAX >> 1;
    }

    /// The offset of the segment in the peer's sequence space, near the next expected offset.
    #[inline]
    pub(crate) fn start_of(&self, segment: &Segment) -> i64 {
        let next = self.arrivals.next();
        next as i64 + i64::from(segment.seq.wrapping_sub(self.seq(next)) as i32)
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
        let edge = (self.edge as i64).max(next + 1);
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

    /// Records the sequence numbers of a segment within the window. If no acknowledgement is due, this starts the
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
        let room = self.edge.max(self.arrivals.next()).saturating_sub(start);
        let length = payload.min(room);
        let has_fin = flags.contains(Flags::FIN) && length == payload;
        let end = start + length + u64::from(has_fin);
        if has_fin {
            self.fin = Some(end - 1);
        }
        if end <= start {
            self.ack_due = true;
            return Arrived::default();
        }
        let news = self.arrivals.insert(OffsetRange { start, end });
        self.unacknowledged += 1;
        if news.is_urgent || has_fin {
            self.ack_due = true;
        } else if !self.timers.is_set(DELAYED_ACK) {
            self.timers.set(DELAYED_ACK, now + config.ack_delay);
        }
        Arrived { length, is_new: news.is_new }
    }

    /// Whether everything up to the peer's FIN has arrived.
    #[inline]
    pub(crate) fn is_finished(&self) -> bool {
        self.fin.is_some_and(|fin| self.arrivals.next() > fin)
    }

    /// Whether the peer's FIN has arrived, in order or not.
    #[inline]
    pub(crate) fn has_fin(&self) -> bool {
        self.fin.is_some()
    }

    /// Schedules an acknowledgement in answer to a segment without new data, which may be forged. The rate is limited, so
    /// that two endpoints do not answer each other endlessly. Returns whether the acknowledgement is sent.
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

    /// Handles a read of the application: an acknowledgement is sent if the peer, which knows `known` bytes of the
    /// window, may be waiting for it to open.
    #[inline]
    pub(crate) fn note_read(&mut self, known: u64, room: Room, mss: u64) -> bool {
        let possible = room.free;
        let is_news =
            known < 2 * mss && possible >= 2 * known && possible - known >= room.step(mss);
        self.ack_due |= is_news;
        is_news
    }

    /// Bytes beyond the next expected offset that are within the announced window.
    #[inline]
    pub(crate) fn known_room(&self) -> u64 {
        self.edge.saturating_sub(self.arrivals.next())
    }

    /// Shift of the announced window.
    #[inline]
    pub(crate) fn shift(&self) -> u8 {
        self.shift
    }

    /// Whether an acknowledgement must be sent now.
    #[inline]
    pub(crate) fn ack_due(&self) -> bool {
        self.ack_due
    }

    /// The acknowledgement number of a segment that is sent now: RCV.NXT.
    #[inline]
    pub(super) fn ack(&self) -> u32 {
        self.seq(self.arrivals.next())
    }

    /// The window field of a segment that is sent now.
    #[inline]
    pub(super) fn announce(&mut self, room: Room, mss: u64) -> u16 {
        if let Some(field) = room.shared {
            return field;
        }
        announce(&mut self.edge, self.arrivals.next(), room, room.step(mss), self.shift)
    }

    /// Records that an acknowledgement was sent; `is_due` means that another one must follow.
    #[inline]
    pub(super) fn note_acknowledged(&mut self, is_due: bool) {
        self.ack_due = is_due;
        self.unacknowledged = 0;
        if self.timers.is_set(DELAYED_ACK) {
            self.timers.cancel(DELAYED_ACK);
        }
    }

    /// Limits the time in which the peer's FIN may arrive, for the first time or again. RFC 9293 §3.6.1
    pub(crate) fn wait_for_fin(&mut self, now: Time, config: &Config) {
        self.timers.set(TIME_WAIT, now + config.time_wait);
    }

    /// Handles the earliest timer that is due; `None` if none is due.
    pub(super) fn handle_timeout(&mut self, now: Time) -> Option<Expired> {
        let timer = self.timers.expired(now)?;
        self.timers.cancel(timer);
        self.ack_due |= timer == DELAYED_ACK;
        Some(if timer == TIME_WAIT { Expired::Over } else { Expired::Handled })
    }

    /// Stops the timers; nothing is acknowledged.
    pub(super) fn stop(&mut self) {
        self.ack_due = false;
        self.timers = TimerTable::new();
    }

    /// The ranges beyond the next expected offset, the most recently changed one first. RFC 2018 §4
    #[inline]
    pub(super) fn sack_blocks(&self) -> impl ExactSizeIterator<Item = SackBlock> {
        let recent = self.arrivals.recent().iter();
        recent.map(|range| SackBlock { start: self.seq(range.start), end: self.seq(range.end) })
    }

    /// The sequence number of an offset of the peer.
    #[inline]
    fn seq(&self, offset: u64) -> u32 {
        self.irs.wrapping_add(1).wrapping_add(offset as u32)
    }
}

impl Room {
    /// The smallest step by which the announced edge moves. RFC 9293 §3.8.6.2.2
    #[inline]
    pub(crate) fn step(&self, mss: u64) -> u64 {
        mss.min(self.capacity / 2).max(1)
    }
}

/// The window field of a segment that acknowledges everything below `next` with the free space `room`; updates the
/// announced edge. The edge moves by at least `least` and never back. RFC 9293 §3.8.6.2.2
#[inline]
pub(crate) fn announce(edge: &mut u64, next: u64, room: Room, least: u64, shift: u8) -> u16 {
    let possible = next + room.free;
    let wanted = if possible >= *edge + least { possible } else { (*edge).max(next) };
    let mut field = (wanted - next) >> shift;
    // If the field were rounded down, the edge would move back (RFC 7323 §2.4)
    if next + (field << shift) < *edge {
        field += 1;
    }
    let field = field.min(u64::from(u16::MAX));
    *edge = (*edge).max(next + (field << shift));
    field as u16
}

/// The timer of an acknowledgement that is delayed. RFC 5681 §4.2
const DELAYED_ACK: usize = 0;

/// The timer of the time in which the peer's FIN may arrive, for the first time or again. RFC 9293 §3.6.1
const TIME_WAIT: usize = 1;

/// The limit of such answers within `ANSWERS_WITHIN`. RFC 5961 §7
const MOST_ANSWERS: u32 = 10;

/// The interval of the rate limit. RFC 5961 §7
const ANSWERS_WITHIN: Span = Span::from_secs(5);
