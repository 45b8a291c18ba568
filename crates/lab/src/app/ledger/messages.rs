//! The ledger of a flow of messages: none is lost, duplicated, altered, or out of order on an ordered stream.

use std::collections::VecDeque;

use manypath_sctp::Message;

use super::super::messages::Messages;
use super::Violation;
use crate::payload::{is_content, ppid};

/// Records every message of a flow and removes those that arrived.
///
/// The sink owns it. The messages of the source follow from the seed, so the two ends need no connection except the one
/// under test.
#[derive(Debug)]
pub(crate) struct MessageLedger {
    messages: Messages,
    /// Number of the first message in `open`.
    first: u64,
    /// Lengths of the messages from `first` on, 0 for those that have arrived.
    open: VecDeque<u32>,
    /// For ordered flows: the number that each stream must deliver next.
    next_of_stream: Vec<u64>,
    delivered: u64,
    delivered_bytes: u64,
    /// Total length of all messages up to the last one in `open`.
    known_bytes: u64,
}

impl MessageLedger {
    /// A ledger of `messages`, delivered in order on `streams` streams if `ordered`.
    pub(super) fn new(messages: Messages, ordered: bool, streams: u16) -> Self {
        let next_of_stream = if ordered { (0..u64::from(streams)).collect() } else { Vec::new() };
        Self {
            messages,
            first: 0,
            open: VecDeque::new(),
            next_of_stream,
            delivered: 0,
            delivered_bytes: 0,
            known_bytes: 0,
        }
    }

    /// Messages that arrived.
    pub(super) fn delivered(&self) -> u64 {
        self.delivered
    }

    /// Bytes that arrived.
    pub(super) fn delivered_bytes(&self) -> u64 {
        self.delivered_bytes
    }

    /// Number of the first message that has not arrived.
    pub(super) fn first_open(&self) -> u64 {
        self.first
    }

    /// Removes a message that arrived, and returns its number.
    #[inline]
    pub(super) fn deliver(&mut self, message: &Message) -> Result<u64, Violation> {
        // The payload protocol identifier has 32 bits of the number; the open messages give the others.
        let ahead = message.ppid.wrapping_sub(ppid(self.first));
        let number = self.first + u64::from(ahead);
        if ahead > u32::MAX - MAX_AHEAD {
            return Err(Violation::Doubled { number: number.wrapping_sub(1 << 32) });
        }
        if ahead > MAX_AHEAD {
            return Err(Violation::NeverSent { number });
        }
        while self.open.len() <= ahead as usize {
            let length = self.messages.next_length();
            self.known_bytes += u64::from(length);
            self.open.push_back(length);
        }
        let length = std::mem::take(&mut self.open[ahead as usize]);
        if length == 0 {
            return Err(Violation::Doubled { number });
        }
        if !is_content(&message.payload, number, length) {
            return Err(Violation::Altered {
                number,
                sent: length,
                delivered: message.payload.len(),
            });
        }
        self.check_order(number, message.stream)?;
        while self.open.front() == Some(&0) {
            self.open.pop_front();
            self.first += 1;
        }
        self.delivered += 1;
        self.delivered_bytes += u64::from(length);
        Ok(number)
    }

    /// Whether every message that arrived is one of the `sent` messages of the source.
    pub(super) fn check_sent(&self, sent: u64) -> Result<(), Violation> {
        let known = self.first + self.open.len() as u64;
        if known > sent { Err(Violation::NeverSent { number: known - 1 }) } else { Ok(()) }
    }

    #[inline]
    fn check_order(&mut self, number: u64, stream: u16) -> Result<(), Violation> {
        if self.next_of_stream.is_empty() {
            return Ok(());
        }
        let streams = self.next_of_stream.len() as u64;
        let expected = self
            .next_of_stream
            .get_mut(usize::from(stream))
            .ok_or(Violation::NeverSent { number })?;
        if *expected != number {
            return Err(Violation::OutOfOrder { number, stream, expected: *expected });
        }
        *expected += streams;
        Ok(())
    }
}

/// No association holds more messages than this: a number further ahead was never sent by the flow.
const MAX_AHEAD: u32 = 1 << 24;

#[cfg(test)]
mod tests {
    use manypath_core::Streams;

    use super::super::Ledger;
    use super::*;
    use crate::payload::content;
    use crate::scenario::MessageSize;

    fn messages() -> Messages {
        Messages::new(MessageSize { min: 500, max: 1452 }, &Streams::new(1, 0), "flow")
    }

    /// The first messages as the source sends them, distributed over the streams in turn.
    fn sent(count: u64, streams: u64) -> Vec<Message> {
        let mut messages = messages();
        let message = |number| Message {
            stream: (number % streams) as u16,
            ppid: ppid(number),
            unordered: streams == 1,
            payload: content(number, messages.next_length()),
            part: None,
        };
        (0..count).map(message).collect()
    }

    fn bytes(messages: &[Message]) -> u64 {
        messages.iter().map(|message| message.payload.len() as u64).sum()
    }

    #[test]
    fn any_order_is_good_where_none_was_promised() {
        let (sent, mut ledger) = (sent(50, 1), MessageLedger::new(messages(), false, 1));
        for number in (1..50).step_by(2).chain((0..50).step_by(2)) {
            assert_eq!(ledger.deliver(&sent[number]), Ok(number as u64));
        }
        assert_eq!((ledger.delivered(), ledger.delivered_bytes()), (50, bytes(&sent)));
        assert_eq!(ledger.check_sent(50), Ok(()));
    }

    #[test]
    fn a_message_that_comes_twice_is_noticed_soon_and_late() {
        let (sent, mut ledger) = (sent(50, 1), MessageLedger::new(messages(), false, 1));
        assert_eq!(ledger.deliver(&sent[1]), Ok(1));
        assert_eq!(ledger.deliver(&sent[1]), Err(Violation::Doubled { number: 1 }));
        for (number, message) in sent.iter().enumerate().filter(|sent| sent.0 != 1) {
            assert_eq!(ledger.deliver(message), Ok(number as u64));
        }
        assert_eq!(ledger.deliver(&sent[7]), Err(Violation::Doubled { number: 7 }));
    }

    #[test]
    fn a_message_that_never_arrives_is_detected() {
        let (sent, mut ledger) = (sent(50, 1), MessageLedger::new(messages(), false, 1));
        for (number, message) in sent.iter().enumerate().filter(|sent| sent.0 != 20) {
            assert_eq!(ledger.deliver(message), Ok(number as u64));
        }
        let ledger = Ledger::Messages(ledger);
        let missing = sent[20].payload.len() as u64;
        assert_eq!(ledger.settle(50, bytes(&sent), missing), Ok(()));
        let lost = ledger.settle(50, bytes(&sent), 0);
        assert!(matches!(lost, Err(Violation::Lost { missing: found, .. }) if found == missing));
    }

    #[test]
    fn foreign_bytes_and_foreign_numbers_are_noticed() {
        let (sent, mut ledger) = (sent(2, 1), MessageLedger::new(messages(), false, 1));
        let length = sent[0].payload.len();
        let altered = Message { payload: sent[0].payload.slice(1..), ..sent[0].clone() };
        let expected = Violation::Altered { number: 0, sent: length as u32, delivered: length - 1 };
        assert_eq!(ledger.deliver(&altered), Err(expected));
        let foreign = Message { ppid: ppid(1 << 30), ..sent[1].clone() };
        assert_eq!(ledger.deliver(&foreign), Err(Violation::NeverSent { number: 1 << 30 }));
        assert_eq!(ledger.deliver(&sent[1]), Ok(1));
        assert_eq!(ledger.check_sent(1), Err(Violation::NeverSent { number: 1 }));
    }

    #[test]
    fn ordered_streams_run_side_by_side_but_never_skip() {
        let (sent, mut ledger) = (sent(9, 3), MessageLedger::new(messages(), true, 3));
        for number in [0, 3, 1, 6, 2] {
            assert_eq!(ledger.deliver(&sent[number]), Ok(number as u64));
        }
        let skipped = Violation::OutOfOrder { number: 7, stream: 1, expected: 4 };
        assert_eq!(ledger.deliver(&sent[7]), Err(skipped));
    }
}
