//! The ledger of a byte stream: it splits the stream into the source's messages and compares every byte.

use bytes::Bytes;

use super::super::messages::Messages;
use super::Violation;
use crate::payload::{is_same, rest_of_piece};

/// The messages of a flow, and how many bytes of them have arrived.
#[derive(Debug)]
pub(crate) struct StreamLedger {
    messages: Messages,
    /// The message that the next byte belongs to.
    number: u64,
    /// Its length in bytes.
    length: u32,
    /// How many of them have arrived.
    offset: u32,
    delivered_bytes: u64,
}

impl StreamLedger {
    /// A ledger of `messages`; nothing has arrived.
    pub(super) fn new(mut messages: Messages) -> Self {
        let length = messages.next_length();
        Self { messages, number: 0, length, offset: 0, delivered_bytes: 0 }
    }

    /// Messages that arrived completely.
    pub(super) fn delivered(&self) -> u64 {
        self.number
    }

    /// Bytes that arrived.
    pub(super) fn delivered_bytes(&self) -> u64 {
        self.delivered_bytes
    }

    /// Compares the next bytes of the stream. `completed` is called for each message that ends with them: with its
    /// number, and with the number of the next one.
    #[inline]
    pub(super) fn deliver(
        &mut self,
        bytes: &Bytes,
        mut completed: impl FnMut(u64, u64),
    ) -> Result<(), Violation> {
        let mut rest = &bytes[..];
        while !rest.is_empty() {
            let wanted = rest_of_piece(self.number, self.length, self.offset);
            let (piece, after) = rest.split_at(rest.len().min(wanted.len()));
            if !is_same(piece, &wanted[..piece.len()]) {
                return Err(Violation::Garbled { number: self.number, offset: self.offset });
            }
            self.delivered_bytes += piece.len() as u64;
            self.offset += piece.len() as u32;
            if self.offset == self.length {
                completed(self.number, self.number + 1);
                self.number += 1;
                self.length = self.messages.next_length();
                self.offset = 0;
            }
            rest = after;
        }
        Ok(())
    }

    /// Whether every byte that arrived is one of the `sent_bytes` bytes of the source.
    pub(super) fn check_sent(&self, sent_bytes: u64) -> Result<(), Violation> {
        if self.delivered_bytes > sent_bytes {
            return Err(Violation::NeverSent { number: self.number });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use manypath_core::Streams;

    use super::*;
    use crate::app::ledger::Ledger;
    use crate::payload::content;
    use crate::scenario::MessageSize;

    fn messages() -> Messages {
        Messages::new(MessageSize { min: 500, max: 1452 }, &Streams::new(1, 0), "flow")
    }

    /// The stream of the first messages, and where each ends.
    fn stream(count: u64) -> (Bytes, Vec<usize>) {
        let (mut messages, mut bytes, mut ends) = (messages(), Vec::new(), Vec::new());
        for number in 0..count {
            bytes.extend_from_slice(&content(number, messages.next_length()));
            ends.push(bytes.len());
        }
        (bytes.into(), ends)
    }

    #[test]
    fn a_stream_is_split_into_its_messages_for_any_segments() {
        let (bytes, ends) = stream(50);
        for step in [1, 7, 1460, 5000, 100_000] {
            let (mut ledger, mut found) = (StreamLedger::new(messages()), Vec::new());
            for start in (0..bytes.len()).step_by(step) {
                let end = bytes.len().min(start + step);
                let whole = ends.iter().filter(|&&at| start < at && at <= end).count();
                let before = found.len();
                ledger.deliver(&bytes.slice(start..end), |number, _| found.push(number)).unwrap();
                assert_eq!(found.len() - before, whole);
            }
            assert!(found.into_iter().eq(0..50));
            assert_eq!((ledger.delivered(), ledger.delivered_bytes()), (50, bytes.len() as u64));
        }
    }

    #[test]
    fn a_byte_that_was_altered_left_out_or_doubled_is_noticed() {
        let (bytes, _) = stream(5);
        let mut altered = bytes.to_vec();
        altered[700] ^= 1;
        let with_gap = [&bytes[..700], &bytes[701..]].concat();
        let doubled = [&bytes[..700], &bytes[699..]].concat();
        for wrong in [altered, with_gap, doubled] {
            let mut ledger = StreamLedger::new(messages());
            let told = ledger.deliver(&wrong.into(), |_, _| {});
            assert!(matches!(told, Err(Violation::Garbled { .. })), "{told:?}");
        }
    }

    #[test]
    fn unsent_and_missing_bytes_are_detected() {
        let (bytes, ends) = stream(5);
        let mut ledger = StreamLedger::new(messages());
        ledger.deliver(&bytes.slice(..ends[3]), |_, _| {}).unwrap();
        let (ledger, sent) = (Ledger::Stream(ledger), bytes.len() as u64);
        let missing = sent - ends[3] as u64;
        assert_eq!(ledger.settle(5, sent, missing), Ok(()));
        let lost = ledger.settle(5, sent, 0);
        assert!(matches!(lost, Err(Violation::Lost { missing: found, .. }) if found == missing));
        let too_much = ledger.settle(3, ends[2] as u64, 0);
        assert_eq!(too_much, Err(Violation::NeverSent { number: 4 }));
    }
}
