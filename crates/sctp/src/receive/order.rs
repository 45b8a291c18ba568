//! Delivery of ordered messages in the order of their SSNs. RFC 9260 §6.5, §6.6

use std::collections::{BTreeMap, VecDeque};

use manypath_core::{Span, Ssn, Time, Tsn, TsnRange};

use super::latest::{Entry, Latest};
use super::ready::Ready;
use super::reassembly::Whole;
use crate::stats::StreamStats;

/// The streams on which the peer sends, as far as it has used them.
///
/// The memory depends on the number of used streams, not on their numbers.
#[derive(Debug, Default)]
pub(super) struct InboundStreams {
    /// The streams with low numbers, up to the highest used one, by index.
    low: Vec<InboundStream>,
    /// All others.
    high: BTreeMap<u16, InboundStream>,
    /// Streams on which messages wait for an earlier one, in no order.
    blocked: Vec<Entry>,
    /// Finds the waiting message with the highest TSN, which is dropped first if the receive buffer is full.
    latest: Latest,
    /// Empty lists for streams that become blocked, kept for their capacity.
    spare: Vec<VecDeque<Early>>,
    /// Total capacity of the lists in `spare`, in messages.
    spare_room: usize,
    /// Number of waiting messages on all streams.
    waiting: usize,
    /// Total capacity of the lists of blocked streams, in messages.
    room: usize,
}

#[derive(Debug, Default)]
struct InboundStream {
    /// SSN of the next message.
    next: Ssn,
    /// Messages that arrived too early, by SSN.
    early: VecDeque<Early>,
    /// Since when such messages have waited.
    blocked_since: Time,
    /// Index of the stream in `blocked`; unused if no message waits.
    place: u32,
    stats: StreamStats,
}

/// A complete message that waits for an earlier one.
#[derive(Debug)]
struct Early {
    whole: Whole,
    since: Time,
}

impl InboundStreams {
    /// Adds an ordered message. If its turn has come, it is moved to `ready`, with the messages that waited for it.
    ///
    /// Returns false if a message with this SSN arrived before. Only a peer that violates the protocol sends an SSN with
    /// two TSNs.
    pub(super) fn insert(&mut self, now: Time, whole: Whole, ready: &mut Ready) -> bool {
        let number = whole.message.stream;
        let stream = self.stream(number);
        if whole.ssn != stream.next {
            return self.keep(now, whole);
        }
        stream.offer(whole, ready);
        if !stream.early.is_empty() {
            self.release(now, number, ready);
        }
        true
    }

    /// Keeps a message that must wait for an earlier one.
    #[cold]
    fn keep(&mut self, now: Time, whole: Whole) -> bool {
        let number = whole.message.stream;
        if self.stream(number).early.is_empty() {
            return self.block(now, whole);
        }
        let is_new = self.insert_early(now, whole);
        self.note_last(number);
        is_new
    }

    /// Moves messages of a stream that are next in order to `ready`.
    fn release(&mut self, now: Time, number: u16, ready: &mut Ready) {
        let stream = self.stream(number);
        let before = stream.early.len();
        stream.release_into(now, ready);
        let after = stream.early.len();
        self.waiting -= before - after;
        if after == 0 {
            self.unblock(number);
        } else {
            self.fit_list(number);
        }
    }

    /// Inserts a message into the list of its stream.
    fn insert_early(&mut self, now: Time, whole: Whole) -> bool {
        let stream = self.stream(whole.message.stream);
        let before = stream.early.capacity();
        let is_new = stream.keep(now, whole);
        let growth = stream.early.capacity() - before;
        self.room += growth;
        self.waiting += usize::from(is_new);
        is_new
    }

    /// Shrinks the list of a stream if the capacity of all lists is too large for the waiting messages. Otherwise a peer
    /// could fill one list after the other and leave one message in each.
    fn fit_list(&mut self, number: u16) {
        if self.room > MOST_ROOM * self.waiting + MOST_SPARE_ROOM {
            let stream = self.stream(number);
            let before = stream.early.capacity();
            stream.early.shrink_to_fit();
            let shrunk = before - stream.early.capacity();
            self.room -= shrunk;
        }
    }

    /// Keeps the first early message of a stream, which becomes blocked.
    fn block(&mut self, now: Time, whole: Whole) -> bool {
        let (number, last) = (whole.message.stream, whole.tsns.first);
        let (place, list) = (self.blocked.len() as u32, self.spare.pop().unwrap_or_default());
        self.spare_room -= list.capacity();
        self.room += list.capacity();
        let stream = self.stream(number);
        (stream.place, stream.early) = (place, list);
        let is_new = self.insert_early(now, whole);
        self.fit_list(number);
        let entry = Entry { stream: number, last };
        self.blocked.push(entry);
        self.latest.note(entry, self.blocked.len());
        if !is_new {
            self.unblock(number);
        }
        is_new
    }

    /// Records that the last message of a blocked stream may have changed.
    fn note_last(&mut self, number: u16) {
        let stream = self.stream(number);
        let Some(last) = stream.early.back().map(|early| early.whole.tsns.first) else { return };
        let place = stream.place as usize;
        if self.blocked[place].last != last {
            self.blocked[place].last = last;
            self.latest.note(self.blocked[place], self.blocked.len());
        }
    }

    /// Removes a stream without waiting messages from the blocked ones. Its list is reused for another stream.
    /// Otherwise a peer that blocks one stream after the other would get a list for each.
    fn unblock(&mut self, number: u16) {
        let stream = self.stream(number);
        let (place, list) = (stream.place as usize, std::mem::take(&mut stream.early));
        self.room -= list.capacity();
        if self.spare_room + list.capacity() <= MOST_SPARE_ROOM {
            self.spare_room += list.capacity();
            self.spare.push(list);
        }
        self.blocked.swap_remove(place);
        if let Some(moved) = self.blocked.get(place).map(|blocked| blocked.stream) {
            self.stream(moved).place = place as u32;
        }
        if self.blocked.is_empty() {
            self.latest.forget();
        }
    }

    #[inline]
    fn stream(&mut self, number: u16) -> &mut InboundStream {
        let index = usize::from(number);
        if index >= LOW {
            return self.high.entry(number).or_default();
        }
        if index >= self.low.len() {
            self.low.resize_with(index + 1, InboundStream::default);
        }
        &mut self.low[index]
    }

    fn known(&self, number: u16) -> Option<&InboundStream> {
        self.low.get(usize::from(number)).or_else(|| self.high.get(&number))
    }

    /// Whether the ordered message with this SSN is the next of its stream.
    pub(super) fn is_next(&self, stream: u16, ssn: Ssn) -> bool {
        self.known(stream).map_or(Ssn(0), |stream| stream.next) == ssn
    }

    /// Number of streams that the peer has used, including unused ones with lower numbers.
    pub(super) fn len(&self) -> usize {
        self.high.last_key_value().map_or(self.low.len(), |(&highest, _)| usize::from(highest) + 1)
    }

    /// Head-of-line blocking of a stream up to `now`; zero if the stream was not used.
    pub(super) fn stats(&self, now: Time, stream: u16) -> StreamStats {
        let Some(stream) = self.known(stream) else { return StreamStats::default() };
        StreamStats {
            blocked: stream.stats.blocked + stream.blocked_for(now),
            waits: stream.early.len() as u32,
            ..stream.stats
        }
    }

    /// The first TSN of the waiting message with the highest TSN.
    pub(super) fn highest(&mut self) -> Option<Tsn> {
        self.latest().map(|blocked| blocked.last)
    }

    /// Drops the waiting message with the highest TSN (reneging); returns its TSNs and its length.
    pub(super) fn give_up_highest(&mut self, now: Time) -> Option<(TsnRange, usize)> {
        let number = self.latest()?.stream;
        let stream = self.stream(number);
        let blocked = stream.blocked_for(now);
        let Early { whole, .. } = stream.early.pop_back()?;
        let is_last = stream.early.is_empty();
        stream.stats.blocked += if is_last { blocked } else { Span::ZERO };
        self.waiting -= 1;
        if is_last {
            self.unblock(number);
        } else {
            self.note_last(number);
            self.fit_list(number);
        }
        Some((whole.tsns, whole.message.payload.len()))
    }

    /// The stream whose last early message has the highest TSN. On one stream, the highest SSN has the highest TSN.
    fn latest(&mut self) -> Option<Entry> {
        let Self { low, high, blocked, latest, .. } = self;
        let is_current = |entry: &Entry| {
            let stream = low.get(usize::from(entry.stream)).or_else(|| high.get(&entry.stream));
            let place = stream.filter(|it| !it.early.is_empty()).map(|it| it.place as usize);
            place.and_then(|place| blocked.get(place)) == Some(entry)
        };
        latest.first(blocked.iter().copied(), is_current)
    }
}

/// Streams below this number are found by their index.
const LOW: usize = 64;
/// Largest total capacity of the spare lists, in messages.
const MOST_SPARE_ROOM: usize = 2048;
/// Lists in use have at most this many times the capacity that their messages need, and [`MOST_SPARE_ROOM`] more.
const MOST_ROOM: usize = 4;

impl InboundStream {
    fn offer(&mut self, whole: Whole, ready: &mut Ready) {
        self.next = self.next.next();
        self.stats.messages += 1;
        ready.push(whole);
    }

    fn keep(&mut self, now: Time, whole: Whole) -> bool {
        if whole.ssn.is_before(self.next) {
            return false;
        }
        let at = self.early.partition_point(|early| early.whole.ssn.is_before(whole.ssn));
        if self.early.get(at).is_some_and(|early| early.whole.ssn == whole.ssn) {
            return false;
        }
        if self.early.is_empty() {
            self.blocked_since = now;
        }
        self.early.insert(at, Early { whole, since: now });
        true
    }

    fn release_into(&mut self, now: Time, ready: &mut Ready) {
        let blocked = self.blocked_for(now);
        while self.early.front().is_some_and(|early| early.whole.ssn == self.next)
            && let Some(Early { whole, since }) = self.early.pop_front()
        {
            self.stats.waited += 1;
            self.stats.waiting += now.saturating_since(since);
            self.offer(whole, ready);
        }
        if self.early.is_empty() {
            self.stats.blocked += blocked;
        }
    }

    /// The time for which messages have been waiting without interruption.
    fn blocked_for(&self, now: Time) -> Span {
        if self.early.is_empty() { Span::ZERO } else { now.saturating_since(self.blocked_since) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Message;
    use bytes::Bytes;

    const NOW: Time = Time::ZERO;

    #[test]
    fn a_message_waits_for_the_one_before_it() {
        let mut streams = InboundStreams::default();
        let mut ready = Ready::default();
        assert!(streams.insert(NOW, message(0, 1), &mut ready));
        assert!(streams.insert(NOW, message(0, 3), &mut ready));
        assert!(ready.is_empty());
        assert!(streams.insert(NOW, message(0, 0), &mut ready));
        assert_eq!(numbers(&mut ready), [0, 1]);
        assert!(streams.insert(NOW, message(0, 2), &mut ready));
        assert_eq!(numbers(&mut ready), [2, 3]);
    }

    #[test]
    fn one_stream_does_not_wait_for_another() {
        let mut streams = InboundStreams::default();
        let mut ready = Ready::default();
        streams.insert(NOW, message(0, 1), &mut ready);
        streams.insert(NOW, message(9, 0), &mut ready);
        assert_eq!(numbers(&mut ready), [0]);
    }

    #[test]
    fn a_high_stream_number_takes_no_memory_for_lower_ones() {
        let mut streams = InboundStreams::default();
        let mut ready = Ready::default();
        streams.insert(NOW, message(u16::MAX, 0), &mut ready);
        assert_eq!((streams.len(), streams.low.len(), streams.high.len()), (1 << 16, 0, 1));
        assert_eq!(streams.stats(NOW, u16::MAX).messages, 1);
        assert_eq!(streams.stats(NOW, u16::MAX - 1), StreamStats::default());
    }

    #[test]
    fn streams_with_low_and_high_numbers_keep_their_order_apart() {
        let mut streams = InboundStreams::default();
        let mut ready = Ready::default();
        let numbers_used = [0, LOW as u16 - 1, LOW as u16, u16::MAX];
        for stream in numbers_used {
            streams.insert(NOW, message(stream, 1), &mut ready);
        }
        assert!(streams.blocked.iter().map(|blocked| blocked.stream).eq(numbers_used));
        for (still_blocked, stream) in (0..4).rev().zip(numbers_used) {
            streams.insert(NOW, message(stream, 0), &mut ready);
            assert_eq!((numbers(&mut ready), streams.blocked.len()), (vec![0, 1], still_blocked));
        }
    }

    #[test]
    fn stream_sequence_numbers_wrap_around() {
        let mut streams = InboundStreams::default();
        let mut ready = Ready::default();
        for ssn in 0..u16::MAX {
            streams.insert(NOW, message(0, ssn), &mut ready);
        }
        numbers(&mut ready);
        streams.insert(NOW, message(0, 0), &mut ready);
        assert!(ready.is_empty(), "SSN 0 of the next round comes after 65535");
        streams.insert(NOW, message(0, u16::MAX), &mut ready);
        assert_eq!(numbers(&mut ready), [u16::MAX, 0]);
    }

    #[test]
    fn a_repeated_ssn_is_refused() {
        let mut streams = InboundStreams::default();
        let mut ready = Ready::default();
        assert!(streams.insert(NOW, message(0, 0), &mut ready));
        assert!(!streams.insert(NOW, message(0, 0), &mut ready));
        assert!(streams.insert(NOW, message(0, 2), &mut ready));
        assert!(!streams.insert(NOW, message(0, 2), &mut ready));
    }

    #[test]
    fn the_highest_tsn_of_all_streams_is_given_up_first() {
        let mut streams = InboundStreams::default();
        let mut ready = Ready::default();
        for (stream, ssn) in [(0, 4), (1, 9), (2, 6)] {
            streams.insert(NOW, message(stream, ssn), &mut ready);
        }
        assert_eq!(streams.highest(), Some(Tsn(9)));
        assert_eq!(streams.give_up_highest(NOW), Some((TsnRange::one(Tsn(9)), 2)));
        assert_eq!(streams.give_up_highest(NOW), Some((TsnRange::one(Tsn(6)), 2)));
        assert_eq!(streams.highest(), Some(Tsn(4)));
    }

    #[test]
    fn waiting_times_add_up_and_time_that_many_wait_counts_once() {
        let mut streams = InboundStreams::default();
        let mut ready = Ready::default();
        let mut insert =
            |ms, ssn| streams.insert(NOW + Span::from_millis(ms), message(3, ssn), &mut ready);
        for (ms, ssn) in [(0, 0), (10, 2), (15, 3), (20, 5), (30, 1), (70, 4), (80, 6)] {
            assert!(insert(ms, ssn));
        }
        assert_eq!(numbers(&mut ready), [0, 1, 2, 3, 4, 5, 6]);
        // 2 waited for 20 ms, 3 for 15 ms and 5 for 50 ms. From 10 to 70 ms at least one message waited.
        let stats = StreamStats {
            messages: 7,
            waited: 3,
            waiting: Span::from_millis(20 + 15 + 50),
            blocked: Span::from_millis(60),
            waits: 0,
        };
        assert_eq!(streams.stats(NOW + Span::from_secs(9), 3), stats);
        assert_eq!(streams.stats(NOW, 2), StreamStats::default());
        assert_eq!(streams.stats(NOW, 4), StreamStats::default());
    }

    #[test]
    fn a_stream_that_is_blocked_now_is_blocked_up_to_now() {
        let mut streams = InboundStreams::default();
        let mut ready = Ready::default();
        let at = |ms| NOW + Span::from_millis(ms);
        streams.insert(at(5), message(0, 1), &mut ready);
        let stats = streams.stats(at(12), 0);
        assert_eq!((stats.waited, stats.waits, stats.blocked), (0, 1, Span::from_millis(7)));
        streams.give_up_highest(at(15));
        let stats = streams.stats(at(99), 0);
        assert_eq!((stats.waited, stats.waits, stats.blocked), (0, 0, Span::from_millis(10)));
    }

    /// A message whose payload is its number, which is also its TSN.
    fn message(stream: u16, ssn: u16) -> Whole {
        let payload = Bytes::copy_from_slice(&ssn.to_be_bytes());
        let message = Message { stream, ppid: 0, unordered: false, payload, part: None };
        Whole { tsns: TsnRange::one(Tsn(u32::from(ssn))), ssn: Ssn(ssn), message }
    }

    fn numbers(ready: &mut Ready) -> Vec<u16> {
        std::iter::from_fn(|| ready.pop().map(|received| received.message))
            .map(|message| u16::from_be_bytes([message.payload[0], message.payload[1]]))
            .collect()
    }
}
