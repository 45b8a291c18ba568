//! Reassembly of fragments: consecutive TSNs from a B bit to an E bit form a message. RFC 9260 §6.9

use std::collections::VecDeque;

use bytes::Bytes;
use manypath_core::{Ssn, Tsn, TsnRange};

use crate::event::{Message, Part, Received};
use crate::packet::{Data, DataFlags};

/// A complete message with its TSNs and its SSN.
#[derive(Debug)]
pub(super) struct Whole {
    /// The TSNs of its chunks.
    pub(super) tsns: TsnRange,
    /// Its stream sequence number; unused if the message is unordered.
    pub(super) ssn: Ssn,
    pub(super) message: Message,
}

impl Whole {
    /// The message of an unfragmented chunk.
    pub(super) fn from_chunk(chunk: Data) -> Self {
        let message = Message {
            stream: chunk.stream,
            ppid: chunk.ppid,
            unordered: chunk.flags.contains(DataFlags::UNORDERED),
            payload: chunk.payload,
            part: None,
        };
        Self { tsns: TsnRange::one(chunk.tsn), ssn: chunk.ssn, message }
    }

    /// The message for the application.
    pub(super) fn into_received(self) -> Received {
        let Self { tsns, ssn, message } = self;
        Received {
            tsn: message.part.map_or(tsns.first, |part| part.message),
            ssn: (!message.unordered).then_some(ssn),
            message,
        }
    }
}

/// Fragments of incomplete messages.
#[derive(Debug, Default)]
pub(super) struct Reassembly {
    /// The runs in order of their TSNs. An entry is small: a peer that sends one-byte fragments from the highest TSN
    /// downwards makes each new one move all others.
    order: Vec<Place>,
    /// The runs, in no order.
    runs: Vec<Run>,
    /// Unused indexes of `runs`.
    free: Vec<u32>,
    /// Emptied lists of pieces, kept for their capacity.
    spare: Vec<VecDeque<Bytes>>,
    /// Total capacity of the lists in `spare`, in pieces.
    spare_room: usize,
}

/// An entry of the order, which refers to a run.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// Its last TSN.
    last: Tsn,
    /// Its index among the runs.
    index: u32,
}

/// Consecutive fragments of one message.
#[derive(Debug)]
struct Run {
    tsns: TsnRange,
    begins: bool,
    ends: bool,
    stream: u16,
    ssn: Ssn,
    ppid: u32,
    unordered: bool,
    /// TSN of the first chunk of the message, if a part of the message has been delivered.
    handed_over: Option<Tsn>,
    /// Payload bytes of all pieces.
    length: usize,
    /// Payloads, one per TSN.
    pieces: VecDeque<Bytes>,
}

impl Reassembly {
    /// Takes a fragment whose TSN is new, and returns the message that it completes.
    pub(super) fn insert(&mut self, fragment: Data) -> Option<Whole> {
        let above = self.order.partition_point(|place| place.last.is_before(fragment.tsn));
        let follows = above > 0 && self.run(above - 1).is_continued_by(&fragment);
        let precedes = above < self.order.len() && self.run(above).continues(&fragment);
        let at = if follows { above - 1 } else { above };
        match (follows, precedes) {
            (true, _) => {
                self.order[at].last = fragment.tsn;
                self.run_mut(at).append(fragment);
            }
            (false, true) => self.run_mut(at).prepend(fragment),
            (false, false) => self.begin(at, fragment),
        }
        if follows && precedes {
            let mut rest = self.remove(above);
            self.order[at].last = rest.tsns.last;
            self.run_mut(at).absorb(&mut rest);
            self.keep_spare(rest.pieces);
        }
        let run = self.run(at);
        (run.begins && run.ends).then(|| self.take(at))
    }

    /// The highest waiting TSN.
    pub(super) fn highest(&self) -> Option<Tsn> {
        self.order.last().map(|place| place.last)
    }

    /// Drops the fragment with the highest TSN; returns its TSN and its length.
    pub(super) fn give_up_highest(&mut self) -> Option<(TsnRange, usize)> {
        let at = self.order.len().checked_sub(1)?;
        let run = self.run_mut(at);
        let tsn = run.tsns.last;
        let length = run.pieces.pop_back().map_or(0, |piece| piece.len());
        run.tsns.last = tsn.previous();
        run.ends = false;
        run.length -= length;
        if run.pieces.is_empty() {
            let run = self.remove(at);
            self.keep_spare(run.pieces);
        } else {
            if run.pieces.capacity() > MOST_ROOM * run.pieces.len() + LONGEST_SPARE {
                run.pieces.shrink_to(2 * run.pieces.len());
            }
            self.order[at].last = tsn.previous();
        }
        Some((TsnRange::one(tsn), length))
    }

    /// The run at a position of the order.
    fn run(&self, at: usize) -> &Run {
        &self.runs[self.order[at].index as usize]
    }

    fn run_mut(&mut self, at: usize) -> &mut Run {
        &mut self.runs[self.order[at].index as usize]
    }

    fn begin(&mut self, at: usize, fragment: Data) {
        let place = |index: usize| Place { last: fragment.tsn, index: index as u32 };
        let free = self.free.pop().map(|index| index as usize);
        self.order.insert(at, place(free.unwrap_or(self.runs.len())));
        let run = Run::new(fragment, self.take_spare());
        match free {
            Some(index) => self.runs[index] = run,
            None => self.runs.push(run),
        }
    }

    /// Removes the run at a position of the order and leaves an empty one in its place.
    fn remove(&mut self, at: usize) -> Run {
        let Place { index, .. } = self.order.remove(at);
        self.free.push(index);
        let run = &mut self.runs[index as usize];
        Run { pieces: std::mem::take(&mut run.pieces), ..*run }
    }

    /// The messages that were delivered in part but not to their end: TSN, stream, and SSN if they are ordered.
    pub(super) fn unfinished(&self) -> impl Iterator<Item = (Tsn, u16, Option<Ssn>)> {
        (0..self.order.len()).map(|at| self.run(at)).filter_map(|run| {
            let ssn = (!run.unordered).then_some(run.ssn);
            run.handed_over.map(|message| (message, run.stream, ssn))
        })
    }

    fn take_spare(&mut self) -> VecDeque<Bytes> {
        let pieces = self.spare.pop().unwrap_or_default();
        self.spare_room -= pieces.capacity();
        pieces
    }

    fn keep_spare(&mut self, pieces: VecDeque<Bytes>) {
        let room = pieces.capacity();
        if room <= LONGEST_SPARE && self.spare_room + room <= MOST_SPARE_ROOM {
            self.spare_room += pieces.capacity();
            self.spare.push(pieces);
        }
    }

    fn take(&mut self, at: usize) -> Whole {
        let mut run = self.remove(at);
        let part = run.handed_over.map(|message| Part { message, more_follows: false });
        let whole = run.join(part);
        self.keep_spare(run.pieces);
        whole
    }

    /// The beginning of a message, or the continuation of a partly delivered one, that ends with this TSN.
    pub(super) fn beginning_up_to(&self, tsn: Tsn) -> Option<Beginning> {
        let at = self.order.partition_point(|place| place.last.is_before(tsn));
        let run = (at < self.order.len()).then(|| self.run(at))?;
        let is_part = run.begins && run.tsns.last == tsn && !run.pieces.is_empty();
        is_part.then(|| Beginning {
            at,
            last: run.tsns.last,
            order: (!run.unordered).then_some((run.stream, run.ssn)),
            chunks: run.pieces.len(),
            length: run.length,
        })
    }

    /// Takes the part that has arrived; the message continues.
    pub(super) fn take_part(&mut self, beginning: &Beginning) -> Whole {
        self.drop_empty_below(beginning.at);
        let at = self.order.partition_point(|place| place.last.is_before(beginning.last));
        let run = self.run_mut(at);
        let message = *run.handed_over.get_or_insert(run.tsns.first);
        let part = run.join(Some(Part { message, more_follows: true }));
        run.tsns.first = run.tsns.last.next();
        run.length = 0;
        let pieces = std::mem::take(&mut run.pieces);
        self.keep_spare(pieces);
        part
    }

    /// Removes the state of a message that was delivered in part and not continued, once another message is delivered
    /// in part. Only a peer that violates the protocol begins a second one.
    fn drop_empty_below(&mut self, at: usize) {
        if let Some(empty) = (0..at).find(|&at| self.run(at).pieces.is_empty()) {
            self.remove(empty);
        }
    }
}

/// Largest total capacity of the spare lists, in pieces.
const MOST_SPARE_ROOM: usize = 2048;
/// Largest capacity of a spare list, in pieces: only one piece of the next message may ever arrive.
const LONGEST_SPARE: usize = 8;
/// A list has at most this many times the capacity that its pieces need, and [`LONGEST_SPARE`] more.
const MOST_ROOM: usize = 4;

/// The part of a message that can be delivered.
#[derive(Debug)]
pub(super) struct Beginning {
    at: usize,
    last: Tsn,
    /// Stream and SSN, if the message is ordered.
    pub(super) order: Option<(u16, Ssn)>,
    /// Number of chunks.
    pub(super) chunks: usize,
    /// Payload bytes.
    pub(super) length: usize,
}

impl Run {
    /// Joins the pieces into one message.
    fn join(&mut self, part: Option<Part>) -> Whole {
        let mut payload = Vec::with_capacity(self.length);
        for piece in self.pieces.drain(..) {
            payload.extend_from_slice(&piece);
        }
        let Self { tsns, ssn, stream, ppid, unordered, .. } = *self;
        let message = Message { stream, ppid, unordered, payload: payload.into(), part };
        Whole { tsns, ssn, message }
    }

    fn new(fragment: Data, mut pieces: VecDeque<Bytes>) -> Self {
        let length = fragment.payload.len();
        pieces.push_back(fragment.payload);
        Self {
            tsns: TsnRange::one(fragment.tsn),
            begins: fragment.flags.contains(DataFlags::BEGIN),
            ends: fragment.flags.contains(DataFlags::END),
            stream: fragment.stream,
            ssn: fragment.ssn,
            ppid: fragment.ppid,
            unordered: fragment.flags.contains(DataFlags::UNORDERED),
            handed_over: None,
            length,
            pieces,
        }
    }

    /// Whether `fragment` is the next fragment after the run.
    fn is_continued_by(&self, fragment: &Data) -> bool {
        seeded!(FragmentsOfTwoMessagesJoined => return self.tsns.last.next() == fragment.tsn);
        !self.ends
            && self.tsns.last.next() == fragment.tsn
            && !fragment.flags.contains(DataFlags::BEGIN)
            && self.is_of_one_message_with(fragment)
    }

    /// Whether `fragment` is the fragment before the run.
    fn continues(&self, fragment: &Data) -> bool {
        !self.begins
            && fragment.tsn.next() == self.tsns.first
            && !fragment.flags.contains(DataFlags::END)
            && self.is_of_one_message_with(fragment)
    }

    /// False only if the peer violates the protocol.
    fn is_of_one_message_with(&self, fragment: &Data) -> bool {
        self.stream == fragment.stream
            && self.unordered == fragment.flags.contains(DataFlags::UNORDERED)
            && (self.unordered || self.ssn == fragment.ssn)
    }

    fn append(&mut self, fragment: Data) {
        self.tsns.last = fragment.tsn;
        self.ends = fragment.flags.contains(DataFlags::END);
        self.length += fragment.payload.len();
        self.pieces.push_back(fragment.payload);
    }

    fn prepend(&mut self, fragment: Data) {
        self.tsns.first = fragment.tsn;
        self.begins = fragment.flags.contains(DataFlags::BEGIN);
        self.length += fragment.payload.len();
        self.pieces.push_front(fragment.payload);
    }

    /// Appends the following run, whose empty list remains there.
    fn absorb(&mut self, next: &mut Self) {
        self.tsns.last = next.tsns.last;
        self.ends = next.ends;
        self.length += next.length;
        self.pieces.append(&mut next.pieces);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_in_three_parts_is_whole_in_any_order() {
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            let mut reassembly = Reassembly::default();
            let parts = fragments(7, b"abc");
            assert!(reassembly.insert(parts[order[0]].clone()).is_none());
            assert!(reassembly.insert(parts[order[1]].clone()).is_none());
            let whole =
                reassembly.insert(parts[order[2]].clone()).expect("the last part completes it");
            assert_eq!(&whole.message.payload[..], b"abc");
            assert_eq!(whole.tsns, TsnRange { first: Tsn(7), last: Tsn(9) });
            assert_eq!(reassembly.highest(), None);
        }
    }

    #[test]
    fn two_messages_side_by_side_stay_apart() {
        let mut reassembly = Reassembly::default();
        let (first, second) = (fragments(1, b"abc"), fragments(4, b"xyz"));
        for part in [&second[0], &first[2], &first[0], &second[2]] {
            assert!(reassembly.insert(part.clone()).is_none());
        }
        let whole = reassembly.insert(second[1].clone()).expect("the second message is complete");
        assert_eq!(&whole.message.payload[..], b"xyz");
        let whole = reassembly.insert(first[1].clone()).expect("so is the first one");
        assert_eq!(&whole.message.payload[..], b"abc");
    }

    #[test]
    fn fragments_of_two_streams_are_never_one_message() {
        let mut reassembly = Reassembly::default();
        let mut parts = fragments(1, b"ab");
        parts[1].stream += 1;
        assert!(parts.into_iter().all(|part| reassembly.insert(part).is_none()));
    }

    #[test]
    fn a_message_that_never_ends_is_not_continued_by_the_next_one() {
        let mut reassembly = Reassembly::default();
        let (cut, next) = (fragments(1, b"ab"), fragments(2, b"xy"));
        for part in [&cut[0], &next[0]] {
            assert!(reassembly.insert(part.clone()).is_none());
        }
        let whole = reassembly.insert(next[1].clone()).expect("it has its beginning and its end");
        assert_eq!(&whole.message.payload[..], b"xy");
    }

    #[test]
    fn the_highest_fragment_is_given_up_first_and_may_come_again() {
        let mut reassembly = Reassembly::default();
        let parts = fragments(1, b"abc");
        reassembly.insert(parts[1].clone());
        reassembly.insert(parts[2].clone());
        assert_eq!(reassembly.give_up_highest(), Some((TsnRange::one(Tsn(3)), 1)));
        assert_eq!(reassembly.give_up_highest(), Some((TsnRange::one(Tsn(2)), 1)));
        assert_eq!(reassembly.give_up_highest(), None);
        let completed = parts.into_iter().filter_map(|part| reassembly.insert(part)).count();
        assert_eq!(completed, 1);
    }

    /// An unordered message with one byte per fragment.
    fn fragments(first: u32, text: &'static [u8]) -> Vec<Data> {
        let last = text.len() - 1;
        let fragment = |index: usize| {
            let mut flags = DataFlags::UNORDERED;
            if index == 0 {
                flags = flags.with(DataFlags::BEGIN);
            }
            if index == last {
                flags = flags.with(DataFlags::END);
            }
            Data {
                tsn: Tsn(first + index as u32),
                stream: 3,
                ssn: Ssn(0),
                ppid: 46,
                flags,
                payload: Bytes::from_static(&text[index..=index]),
            }
        };
        (0..text.len()).map(fragment).collect()
    }
}
