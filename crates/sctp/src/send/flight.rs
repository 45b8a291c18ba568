//! The chunks in flight on one path in TSN order. A SACK visits only the chunks that it changes.

use std::cmp::Ordering;
use std::collections::VecDeque;

use manypath_core::{PathId, Time, Tsn};

use super::cmt::PseudoCumAck;
use super::outstanding::{ChunkState, Outstanding, SentChunk};

/// The chunks of one path: a linked list inside [`Outstanding`], and the lost chunks.
#[derive(Debug, Default)]
pub(crate) struct Flight {
    head: Option<Tsn>,
    tail: Option<Tsn>,
    bytes: u64,
    /// Payload bytes in flight.
    payload: u64,
    /// Payload bytes of the path's chunks that occupy the send buffer.
    pub(super) buffered: u64,
    /// Payload bytes of the path's ordered chunks that were acknowledged non-renegably above the cumulative TSN. The
    /// peer cannot deliver them yet.
    pub(super) kept_ordered: u64,
    /// Number of retransmitted chunks in flight.
    retransmissions: u32,
    /// TSNs that wait for retransmission. An entry is skipped if its chunk is not lost any more.
    lost: VecDeque<Tsn>,
    /// Whether `lost` is not in ascending order. It is sorted when it is read.
    lost_unsorted: bool,
    lost_chunks: u32,
    /// The chunk that probes the peer's closed window. RFC 9260 §6.1 A
    pub(crate) probe: Option<Tsn>,
    pub(crate) cumack: PseudoCumAck,
    first_transmission: Search,
    retransmission: Search,
    /// The results of the current SACK for this path.
    pub(crate) news: News,
    /// Transmission time of the lowest TSN in flight when the retransmission timer was last updated.
    pub(crate) oldest_sent: Time,
    /// Number of chunks visited to find a position or a lowest TSN.
    #[cfg(test)]
    pub(super) steps: std::cell::Cell<u64>,
}

/// The results of one SACK for one path.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct News {
    /// Newly acknowledged bytes in the accounting of the congestion control.
    pub(crate) bytes: u64,
    /// Newly acknowledged payload bytes.
    pub(crate) payload: u64,
    /// Whether a copy that was certainly sent on this path was acknowledged for the first time, even if its bytes do
    /// not count as new.
    pub(crate) answered: bool,
    /// Bytes in flight before the SACK.
    pub(crate) flight_before: u64,
    /// Lowest TSN in flight before the SACK.
    pub(crate) head_before: Option<Tsn>,
    /// Highest TSN of the path that a gap block newly acknowledged.
    pub(crate) highest: Option<Tsn>,
    /// Whether the (pseudo-)cumulative TSN moved, so that the window may grow.
    pub(crate) advanced: bool,
    /// Whether a chunk was acknowledged that was not regarded as lost and was probably sent on this path, so that the
    /// path works.
    pub(crate) works: bool,
    /// Whether a chunk was acknowledged that was certainly sent on this path. RFC 7829 §3.2 items 9, 10
    pub(crate) is_sure: bool,
    /// Transmission time of the latest newly acknowledged chunk that gives an RTT sample.
    pub(crate) sample: Option<Time>,
    /// Chunks that this SACK marks for fast retransmission.
    pub(crate) fast_retransmissions: u32,
}

/// Where the next search for the lowest TSN of a kind begins within one SACK.
///
/// While a SACK is processed, chunks only leave the flight. Each search continues where the one before ended, so all
/// searches of a SACK visit each chunk once.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
enum Search {
    /// At the lowest TSN in flight.
    #[default]
    Head,
    /// At this TSN: no chunk below it is of this kind.
    From(Tsn),
    /// No chunk in flight is of this kind.
    Ended,
}

impl Search {
    fn from(tsn: Option<Tsn>) -> Self {
        tsn.map_or(Self::Ended, Self::From)
    }
}

/// The entry of a chunk in the list of its flight: its neighbours, and what the sums of the flight count for it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FlightEntry {
    before: Option<Tsn>,
    after: Option<Tsn>,
    counted: u16,
    was_sent_again: bool,
    /// Payload bytes.
    pub(crate) payload: u64,
}

impl FlightEntry {
    pub(crate) fn of(tsn: Tsn, chunk: &SentChunk) -> Self {
        Self {
            before: chunk.before(tsn),
            after: chunk.after(tsn),
            counted: chunk.counted,
            was_sent_again: chunk.transmissions > 1,
            payload: chunk.payload.len() as u64,
        }
    }
}

impl Flight {
    /// Bytes in flight in the accounting of the congestion control.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Payload bytes in flight.
    pub(crate) fn payload(&self) -> u64 {
        self.payload
    }

    /// Payload bytes of the path in the send buffer: in flight, renegably acknowledged, or waiting for retransmission
    /// on this path.
    pub(crate) fn buffered(&self) -> u64 {
        self.buffered
    }

    /// Lowest TSN in flight.
    pub(crate) fn head(&self) -> Option<Tsn> {
        self.head
    }

    /// Highest TSN in flight.
    pub(crate) fn tail(&self) -> Option<Tsn> {
        self.tail
    }

    /// Number of chunks that wait for retransmission.
    pub(crate) fn lost_chunks(&self) -> u32 {
        self.lost_chunks
    }

    /// Resets the results at the begin of a SACK.
    pub(crate) fn begin_news(&mut self) {
        self.news = News { flight_before: self.bytes, head_before: self.head, ..News::default() };
        (self.first_transmission, self.retransmission) = (Search::Head, Search::Head);
    }

    /// Appends a new chunk, which has the highest TSN.
    #[inline]
    pub(crate) fn append(&mut self, chunks: &mut Outstanding, mut chunk: SentChunk) {
        chunk.set_before(chunks.next_tsn(), self.tail);
        self.bytes += u64::from(chunk.counted);
        self.payload += u64::from(chunk.length);
        let tsn = chunks.push(chunk);
        match self.tail.replace(tsn) {
            Some(before) => set_after(chunks, before, Some(tsn)),
            None => self.head = Some(tsn),
        }
    }

    /// Inserts a retransmitted or reneged chunk at its position in TSN order.
    pub(crate) fn link(&mut self, chunks: &mut Outstanding, path: PathId, tsn: Tsn) {
        let (before, after) = self.place(chunks, path, tsn);
        match before {
            Some(before) => set_after(chunks, before, Some(tsn)),
            None => self.head = Some(tsn),
        }
        match after {
            Some(after) => set_before(chunks, after, Some(tsn)),
            None => self.tail = Some(tsn),
        }
        if let Some(chunk) = chunks.get_mut(tsn) {
            chunk.set_before(tsn, before);
            chunk.set_after(tsn, after);
            chunk.state = ChunkState::InFlight;
            self.bytes += u64::from(chunk.counted);
            self.payload += chunk.payload.len() as u64;
            self.retransmissions += u32::from(chunk.transmissions > 1);
        }
    }

    /// The neighbours of `tsn` in the list.
    ///
    /// Two searches run in parallel, and the shorter one ends both: along the list from its head, where retransmissions
    /// belong, and along the TSNs downwards, where a peer that reneges many chunks leaves few chunks in between. For
    /// any number of reneged chunks in a SACK, their searches therefore visit each TSN once per path.
    fn place(&self, chunks: &Outstanding, path: PathId, tsn: Tsn) -> (Option<Tsn>, Option<Tsn>) {
        if self.tail.is_none_or(|tail| tail.is_before(tsn)) {
            return (self.tail, None);
        }
        let (mut before, mut after) = (None, self.head);
        let mut below = tsn;
        while let Some(next) = after.filter(|next| next.is_before(tsn)) {
            self.note_step();
            below = below.previous();
            let neighbour = chunks.get(below).filter(|chunk| chunk.is_in_flight_on(path));
            if let Some(neighbour) = neighbour {
                return (Some(below), neighbour.after(below));
            }
            before = Some(next);
            after = chunks.get(next).and_then(|chunk| chunk.after(next));
        }
        (before, after)
    }

    fn note_step(&self) {
        #[cfg(test)]
        self.steps.set(self.steps.get() + 1);
    }

    /// Removes the chunk with these properties from the flight.
    #[inline]
    pub(crate) fn unlink(&mut self, chunks: &mut Outstanding, entry: FlightEntry) {
        self.bytes -= u64::from(entry.counted);
        self.payload -= entry.payload;
        self.retransmissions -= u32::from(entry.was_sent_again);
        match entry.before {
            Some(before) => set_after(chunks, before, entry.after),
            None => self.head = entry.after,
        }
        match entry.after {
            Some(after) => set_before(chunks, after, entry.before),
            None => self.tail = entry.before,
        }
    }

    /// Adds a chunk that has left the flight to those that wait for retransmission.
    pub(crate) fn push_lost(&mut self, tsn: Tsn) {
        self.lost_unsorted |= self.lost.back().is_some_and(|last| !last.is_before(tsn));
        self.lost.push_back(tsn);
        self.lost_chunks += 1;
    }

    /// Sorts the waiting TSNs and removes duplicates.
    #[cold]
    fn sort_lost(&mut self) {
        self.lost_unsorted = false;
        self.lost.make_contiguous().sort_unstable_by(|one, other| match one == other {
            true => Ordering::Equal,
            false if one.is_before(*other) => Ordering::Less,
            false => Ordering::Greater,
        });
        let mut before = None;
        self.lost.retain(|tsn| before.replace(*tsn) != Some(*tsn));
    }

    /// Removes a waiting chunk that was acknowledged or moved.
    pub(crate) fn forget_lost(&mut self) {
        self.lost_chunks -= 1;
        if self.lost_chunks == 0 {
            self.lost.clear();
            self.lost_unsorted = false;
        }
    }

    /// The lowest TSN that waits for retransmission. Removes outdated entries before it.
    pub(crate) fn next_lost(&mut self, chunks: &Outstanding, path: PathId) -> Option<Tsn> {
        if self.lost_unsorted {
            self.sort_lost();
        }
        while let Some(&tsn) = self.lost.front() {
            let waits = tsn.is_at_or_after(chunks.first_tsn())
                && chunks.get(tsn).is_some_and(|chunk| chunk.waits_for(path));
            if waits {
                return Some(tsn);
            }
            self.lost.pop_front();
        }
        None
    }

    /// The highest TSN among the entries.
    pub(crate) fn last_lost(&mut self) -> Option<Tsn> {
        if self.lost_unsorted {
            self.sort_lost();
        }
        self.lost.back().copied()
    }

    #[cfg(debug_assertions)]
    pub(crate) fn has_put_down(&self, tsn: Tsn) -> bool {
        self.lost.contains(&tsn)
    }

    /// Removes the chunk that [`Self::next_lost`] returned.
    pub(crate) fn pop_lost(&mut self) {
        self.lost.pop_front();
        self.forget_lost();
    }

    /// Handles a gap block that covers `tsn`, which is in flight; returns whether the path's pseudo-cumulative TSN
    /// moves.
    pub(crate) fn advance_v1(&mut self, tsn: Tsn) -> bool {
        if self.cumack.lacks().0 {
            self.cumack.expect(self.head);
        }
        self.cumack.acknowledge(tsn)
    }

    /// Like `advance_v1`, with separate lowest TSNs of first transmissions and retransmissions.
    pub(crate) fn advance_v2(&mut self, chunks: &Outstanding, tsn: Tsn) -> bool {
        let (lacks_first, lacks_again) = self.cumack.lacks();
        if lacks_first {
            let lowest = self.lowest_first_transmission(chunks);
            self.cumack.expect(lowest);
        }
        if lacks_again {
            let lowest = self.lowest_retransmission(chunks);
            self.cumack.expect_retransmission(lowest);
        }
        for search in [&mut self.first_transmission, &mut self.retransmission] {
            if *search == Search::From(tsn) {
                *search = Search::from(chunks.get(tsn).and_then(|chunk| chunk.after(tsn)));
            }
        }
        self.cumack.acknowledge(tsn)
    }

    /// Lowest TSN in flight that was sent once.
    fn lowest_first_transmission(&mut self, chunks: &Outstanding) -> Option<Tsn> {
        let lowest = self.lowest_where(chunks, self.first_transmission, |times| times == 1);
        self.first_transmission = Search::from(lowest);
        lowest
    }

    /// Lowest TSN in flight that was retransmitted.
    fn lowest_retransmission(&mut self, chunks: &Outstanding) -> Option<Tsn> {
        if self.retransmissions == 0 {
            return None;
        }
        let lowest = self.lowest_where(chunks, self.retransmission, |times| times > 1);
        self.retransmission = Search::from(lowest);
        lowest
    }

    fn lowest_where(
        &self,
        chunks: &Outstanding,
        search: Search,
        matches: impl Fn(u8) -> bool,
    ) -> Option<Tsn> {
        let mut next = match search {
            Search::Head => self.head,
            Search::From(tsn) => Some(tsn),
            Search::Ended => None,
        };
        while let Some(tsn) = next {
            self.note_step();
            let chunk = chunks.get(tsn)?;
            if matches(chunk.transmissions) {
                return Some(tsn);
            }
            next = chunk.after(tsn);
        }
        None
    }
}

fn set_after(chunks: &mut Outstanding, tsn: Tsn, after: Option<Tsn>) {
    if let Some(chunk) = chunks.get_mut(tsn) {
        chunk.set_after(tsn, after);
    }
}

fn set_before(chunks: &mut Outstanding, tsn: Tsn, before: Option<Tsn>) {
    if let Some(chunk) = chunks.get_mut(tsn) {
        chunk.set_before(tsn, before);
    }
}
