//! The messages of one direction: each must arrive once, complete, and in the order of its stream.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use bytes::Bytes;
use manypath_sctp::{Message, Part};

use crate::setting::Side;
use crate::stage::Stage;

/// The sent messages that have not arrived.
#[derive(Debug, Default)]
pub struct Ledger {
    /// Ordered messages by stream.
    ordered: BTreeMap<u16, VecDeque<u32>>,
    unordered: BTreeSet<u32>,
    /// The received parts of partially delivered messages, by the TSN of the message.
    parts: BTreeMap<u32, Vec<u8>>,
    /// The payload of each message; its number is its payload protocol identifier.
    payloads: Vec<Bytes>,
}

/// Messages that one side sends.
#[derive(Clone, Copy, Debug)]
pub struct Batch {
    /// Number of messages.
    pub count: u8,
    /// Stream of all messages.
    pub stream: u8,
    /// Whether they are unordered.
    pub unordered: bool,
    /// Payload length of each in bytes.
    pub length: u16,
}

impl Batch {
    /// Sends the messages, and records the accepted ones in the ledger of the receiving side.
    pub fn leave(self, from: Side, stage: &mut Stage, ledgers: &mut [Ledger; 2]) {
        let ledger = &mut ledgers[from.other() as usize];
        for _ in 0..self.count {
            let message = ledger.message(self.stream.into(), self.unordered, self.length.into());
            if stage.send(from, message.clone()).is_ok() {
                ledger.sent(&message);
            }
        }
    }
}

impl Ledger {
    /// The next message; its payload protocol identifier is its number, and its content depends on the number.
    #[must_use]
    pub fn message(&self, stream: u16, unordered: bool, length: usize) -> Message {
        let number = self.payloads.len();
        let start = number * 37 % (PATTERN.len() / 2);
        let payload = Bytes::from_static(&PATTERN[start..start + length.min(PATTERN.len() / 2)]);
        Message { stream, ppid: number as u32, unordered, payload, part: None }
    }

    /// Records a sent message.
    pub fn sent(&mut self, message: &Message) {
        if message.unordered {
            self.unordered.insert(message.ppid);
        } else {
            self.ordered.entry(message.stream).or_default().push_back(message.ppid);
        }
        self.payloads.push(message.payload.clone());
    }

    /// Checks a received message, or a part of one.
    ///
    /// # Panics
    /// If it was not sent, has arrived before, is out of order, or has another payload.
    pub fn arrived(&mut self, message: &Message) {
        let Some(Part { message: first, more_follows }) = message.part else {
            return self.complete(message, &message.payload);
        };
        self.parts.entry(first.0).or_default().extend_from_slice(&message.payload);
        if !more_follows {
            let payload = self.parts.remove(&first.0).unwrap_or_default();
            self.complete(message, &payload);
        }
    }

    fn complete(&mut self, message: &Message, payload: &[u8]) {
        let number = message.ppid;
        if message.unordered {
            assert!(self.unordered.remove(&number), "message {number} was not expected");
        } else {
            let next = self.ordered.get_mut(&message.stream).and_then(VecDeque::pop_front);
            assert_eq!(next, Some(number), "stream {} has another message next", message.stream);
        }
        assert!(self.payloads[number as usize] == payload, "message {number} has changed");
    }

    /// Whether all messages have arrived.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.parts.is_empty()
            && self.unordered.is_empty()
            && self.ordered.values().all(VecDeque::is_empty)
    }
}

static PATTERN: [u8; 32_768] = {
    let mut pattern = [0; 32_768];
    let (mut at, mut state) = (0, 1_u32);
    while at < pattern.len() {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        pattern[at] = (state >> 24) as u8;
        at += 1;
    }
    pattern
};
