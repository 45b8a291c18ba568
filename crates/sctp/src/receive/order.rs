//! Ordered messages leave each stream in the order of their SSNs. RFC 9260 §6.5, §6.6

use std::collections::VecDeque;

use manypath_core::{Ssn, Tsn, TsnRange};

use super::reassembly::Whole;
use crate::event::Message;

/// The streams on which the peer sends, as far as it has used them.
#[derive(Debug, Default)]
pub(super) struct InboundStreams(Vec<InboundStream>);

#[derive(Debug, Default)]
struct InboundStream {
    /// SSN of the message that comes next.
    next: Ssn,
    /// Messages that came too early, by SSN.
    early: VecDeque<Whole>,
}

impl InboundStreams {
    /// Takes an ordered message and puts it into `ready` when its turn comes, with those that waited for it.
    ///
    /// False if its SSN was there before: only a peer that breaks the protocol repeats one under a new TSN.
    pub(super) fn insert(&mut self, whole: Whole, ready: &mut VecDeque<Message>) -> bool {
        let stream = usize::from(whole.message.stream);
        if stream >= self.0.len() {
            self.0.resize_with(stream + 1, InboundStream::default);
        }
        let stream = &mut self.0[stream];
        if whole.ssn != stream.next {
            return stream.keep(whole);
        }
        stream.next = stream.next.next();
        ready.push_back(whole.message);
        stream.release_into(ready);
        true
    }

    /// The highest TSN of a message that waits.
    pub(super) fn highest(&self) -> Option<Tsn> {
        self.latest().map(|(_, tsn)| tsn)
    }

    /// Drops the message with the highest TSN and says how many bytes it had.
    pub(super) fn give_up_highest(&mut self) -> Option<(TsnRange, usize)> {
        let (stream, _) = self.latest()?;
        let whole = self.0[stream].early.pop_back()?;
        Some((whole.tsns, whole.message.payload.len()))
    }

    /// The stream whose last early message has the highest TSN, and that TSN. A peer numbers both alike.
    fn latest(&self) -> Option<(usize, Tsn)> {
        let last = |stream: &InboundStream| stream.early.back().map(|whole| whole.tsns.first);
        let waiting =
            self.0.iter().enumerate().filter_map(|(index, stream)| Some((index, last(stream)?)));
        waiting.reduce(|highest, other| if other.1.is_after(highest.1) { other } else { highest })
    }
}

impl InboundStream {
    fn keep(&mut self, whole: Whole) -> bool {
        if whole.ssn.is_before(self.next) {
            return false;
        }
        let at = self.early.partition_point(|early| early.ssn.is_before(whole.ssn));
        if self.early.get(at).is_some_and(|early| early.ssn == whole.ssn) {
            return false;
        }
        self.early.insert(at, whole);
        true
    }

    fn release_into(&mut self, ready: &mut VecDeque<Message>) {
        while self.early.front().is_some_and(|early| early.ssn == self.next) {
            self.next = self.next.next();
            ready.extend(self.early.pop_front().map(|whole| whole.message));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Bytes;

    #[test]
    fn a_message_waits_for_the_one_before_it() {
        let mut streams = InboundStreams::default();
        let mut ready = VecDeque::new();
        assert!(streams.insert(message(0, 1), &mut ready));
        assert!(streams.insert(message(0, 3), &mut ready));
        assert!(ready.is_empty());
        assert!(streams.insert(message(0, 0), &mut ready));
        assert_eq!(numbers(&mut ready), [0, 1]);
        assert!(streams.insert(message(0, 2), &mut ready));
        assert_eq!(numbers(&mut ready), [2, 3]);
    }

    #[test]
    fn one_stream_does_not_wait_for_another() {
        let mut streams = InboundStreams::default();
        let mut ready = VecDeque::new();
        streams.insert(message(0, 1), &mut ready);
        streams.insert(message(9, 0), &mut ready);
        assert_eq!(numbers(&mut ready), [0]);
    }

    #[test]
    fn stream_sequence_numbers_wrap_around() {
        let mut streams = InboundStreams::default();
        let mut ready = VecDeque::new();
        for ssn in 0..u16::MAX {
            streams.insert(message(0, ssn), &mut ready);
        }
        ready.clear();
        streams.insert(message(0, 0), &mut ready);
        assert!(ready.is_empty(), "SSN 0 of the next round comes after 65535");
        streams.insert(message(0, u16::MAX), &mut ready);
        assert_eq!(numbers(&mut ready), [u16::MAX, 0]);
    }

    #[test]
    fn a_number_that_was_there_is_refused() {
        let mut streams = InboundStreams::default();
        let mut ready = VecDeque::new();
        assert!(streams.insert(message(0, 0), &mut ready));
        assert!(!streams.insert(message(0, 0), &mut ready));
        assert!(streams.insert(message(0, 2), &mut ready));
        assert!(!streams.insert(message(0, 2), &mut ready));
    }

    #[test]
    fn the_highest_tsn_of_all_streams_is_given_up_first() {
        let mut streams = InboundStreams::default();
        let mut ready = VecDeque::new();
        for (stream, ssn) in [(0, 4), (1, 9), (2, 6)] {
            streams.insert(message(stream, ssn), &mut ready);
        }
        assert_eq!(streams.highest(), Some(Tsn(9)));
        assert_eq!(streams.give_up_highest(), Some((TsnRange::one(Tsn(9)), 2)));
        assert_eq!(streams.give_up_highest(), Some((TsnRange::one(Tsn(6)), 2)));
        assert_eq!(streams.highest(), Some(Tsn(4)));
    }

    /// A message whose payload is its number, which is also its TSN.
    fn message(stream: u16, ssn: u16) -> Whole {
        let payload = Bytes::copy_from_slice(&ssn.to_be_bytes());
        let message = Message { stream, ppid: 0, unordered: false, payload };
        Whole { tsns: TsnRange::one(Tsn(u32::from(ssn))), ssn: Ssn(ssn), message }
    }

    fn numbers(ready: &mut VecDeque<Message>) -> Vec<u16> {
        ready
            .drain(..)
            .map(|message| u16::from_be_bytes([message.payload[0], message.payload[1]]))
            .collect()
    }
}
