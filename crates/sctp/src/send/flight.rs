//! What is in flight on one path, in the order of TSNs, so that a SACK touches only what it changes.

use std::cmp::Ordering;
use std::collections::VecDeque;

use manypath_core::{PathId, Time, Tsn};

use super::cmt::PseudoCumAck;
use super::outstanding::{Chunk, ChunkState, Outstanding};

/// The chunks of one path: a list threaded through [`Outstanding`], and those that wait to be sent again.
#[derive(Debug, Default)]
pub(crate) struct Flight {
    head: Option<Tsn>,
    tail: Option<Tsn>,
    bytes: u64,
    /// Payload bytes in flight.
    payload: u64,
    /// Payload bytes of the path's chunks that occupy the send buffer.
    pub(super) buffered: u64,
    /// Payload bytes of the path's ordered chunks that the peer keeps above its cumulative TSN: it cannot read them yet.
    pub(super) kept_ordered: u64,
    /// Chunks in flight that had been sent before.
    retransmissions: u32,
    /// TSNs that wait to be sent again; an entry whose chunk is no longer lost is skipped.
    lost: VecDeque<Tsn>,
    /// Whether `lost` does not ascend: it is sorted when it is read.
    lost_unsorted: bool,
    lost_chunks: u32,
    /// The chunk that was sent although the peer's window was closed. RFC 9260 §6.1 A
    pub(crate) probe: Option<Tsn>,
    pub(crate) cumack: PseudoCumAck,
    first_transmission: Search,
    retransmission: Search,
    /// What the SACK in hand says of this path.
    pub(crate) news: News,
    /// Send time of the head when the retransmission timer was last looked at.
    pub(crate) oldest_sent: Time,
    /// Chunks that were looked at in search of a place or of the lowest TSN of a kind.
    #[cfg(test)]
    pub(super) steps: std::cell::Cell<u64>,
}

/// What one SACK says of one path.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct News {
    /// Newly acknowledged bytes as the congestion control counts them.
    pub(crate) bytes: u64,
    /// Newly acknowledged payload bytes.
    pub(crate) payload: u64,
    /// Whether a copy that took this path for sure was acknowledged for the first time, be its bytes news or not.
    pub(crate) answered: bool,
    /// Bytes in flight before the SACK.
    pub(crate) flight_before: u64,
    /// Lowest TSN in flight before the SACK.
    pub(crate) head_before: Option<Tsn>,
    /// Highest TSN that a gap block newly acknowledged here.
    pub(crate) highest: Option<Tsn>,
    /// Whether the (pseudo-)cumulative TSN moved, so that the window may grow.
    pub(crate) advanced: bool,
    /// Whether a chunk was acknowledged that had not been given up and may well have taken this path: it works.
    pub(crate) works: bool,
    /// Whether a chunk was acknowledged that must have taken this path. RFC 7829 §3.2 items 9, 10
    pub(crate) is_sure: bool,
    /// When the youngest newly acknowledged chunk was sent that counts as an RTT sample.
    pub(crate) sample: Option<Time>,
    /// Chunks that this SACK's reports make a fast retransmission.
    pub(crate) fast_retransmissions: u32,
}

/// Where the next search of a SACK for the lowest TSN of one kind begins.
///
/// While a SACK is taken in, chunks only leave the flight. So a search goes on where the one before ended, and all
/// searches of one SACK pass each chunk once.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
enum Search {
    /// At the lowest TSN in flight.
    #[default]
    Head,
    /// Here: nothing below is of this kind.
    From(Tsn),
    /// Nothing in flight is of this kind.
    Ended,
}

impl Search {
    fn from(tsn: Option<Tsn>) -> Self {
        tsn.map_or(Self::Ended, Self::From)
    }
}

/// What a chunk is to the flight that it is part of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seat {
    before: Option<Tsn>,
    after: Option<Tsn>,
    counted: u16,
    was_sent_again: bool,
    /// Payload bytes.
    pub(crate) payload: u64,
}

impl Seat {
    pub(crate) fn of(tsn: Tsn, chunk: &Chunk) -> Self {
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
    /// Bytes in flight as the congestion control counts them.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Payload bytes in flight.
    pub(crate) fn payload(&self) -> u64 {
        self.payload
    }

    /// Payload bytes that occupy the send buffer: in flight, acknowledged by gap blocks that the receiver may take back,
    /// or waiting to be sent again on this path.
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

    /// Chunks that wait to be sent again.
    pub(crate) fn lost_chunks(&self) -> u32 {
        self.lost_chunks
    }

    /// Begins a SACK.
    pub(crate) fn begin_news(&mut self) {
        self.news = News { flight_before: self.bytes, head_before: self.head, ..News::default() };
        (self.first_transmission, self.retransmission) = (Search::Head, Search::Head);
    }

    /// Puts a new chunk in flight: it goes to the end, for no TSN is higher.
    #[inline]
    pub(crate) fn append(&mut self, chunks: &mut Outstanding, mut chunk: Chunk) {
        chunk.set_before(chunks.next_tsn(), self.tail);
        self.bytes += u64::from(chunk.counted);
        self.payload += u64::from(chunk.length);
        let tsn = chunks.push(chunk);
        match self.tail.replace(tsn) {
            Some(before) => set_after(chunks, before, Some(tsn)),
            None => self.head = Some(tsn),
        }
    }

    /// Puts a chunk in flight again, in its place by TSN.
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

    /// The neighbours that `tsn` gets.
    ///
    /// Two searches run side by side, and the shorter one ends both: along the list from the front, where what is sent
    /// again belongs, and along the TSNs downwards, where a receiver that gives up many chunks leaves few in between. So
    /// however many chunks a SACK brings back, their searches pass each TSN once for each path.
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

    /// Takes the chunk that had this seat out of flight.
    #[inline]
    pub(crate) fn unlink(&mut self, chunks: &mut Outstanding, seat: Seat) {
        self.bytes -= u64::from(seat.counted);
        self.payload -= seat.payload;
        self.retransmissions -= u32::from(seat.was_sent_again);
        match seat.before {
            Some(before) => set_after(chunks, before, seat.after),
            None => self.head = seat.after,
        }
        match seat.after {
            Some(after) => set_before(chunks, after, seat.before),
            None => self.tail = seat.before,
        }
    }

    /// Books a chunk that is out of flight as waiting to be sent again.
    pub(crate) fn push_lost(&mut self, tsn: Tsn) {
        self.lost_unsorted |= self.lost.back().is_some_and(|last| !last.is_before(tsn));
        self.lost.push_back(tsn);
        self.lost_chunks += 1;
    }

    /// Puts what waits to be sent again into the order of TSNs, each once.
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

    /// A chunk that waited to be sent again has been acknowledged or moved.
    pub(crate) fn forget_lost(&mut self) {
        self.lost_chunks -= 1;
        if self.lost_chunks == 0 {
            self.lost.clear();
            self.lost_unsorted = false;
        }
    }

    /// The lowest TSN that waits to be sent again, after entries that no longer do are gone.
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

    /// The highest TSN that was put down to be sent again.
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

    /// Takes the chunk that [`Self::next_lost`] named.
    pub(crate) fn pop_lost(&mut self) {
        self.lost.pop_front();
        self.forget_lost();
    }

    /// A gap block covers `tsn`, which is in flight; whether that moves the path's pseudo-cumulative TSN.
    pub(crate) fn advance_v1(&mut self, tsn: Tsn) -> bool {
        if self.cumack.lacks().0 {
            self.cumack.expect(self.head);
        }
        self.cumack.acknowledge(tsn)
    }

    /// The same where chunks that were sent once and those that were sent again are followed apart.
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

    /// Lowest TSN in flight that was sent once only.
    fn lowest_first_transmission(&mut self, chunks: &Outstanding) -> Option<Tsn> {
        let lowest = self.lowest_where(chunks, self.first_transmission, |times| times == 1);
        self.first_transmission = Search::from(lowest);
        lowest
    }

    /// Lowest TSN in flight that was sent before.
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
