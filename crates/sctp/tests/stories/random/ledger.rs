//! The sent and received messages: each must arrive once, unchanged, in order, in the same life of the association.

use std::collections::BTreeMap;

use bytes::Bytes;
use manypath_sctp::{Data, DataFlags, Message};

/// The messages of one direction. The payload protocol identifier of each is its number.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    handed_over: Vec<HandedOver>,
    /// Number of unread messages, by life of the sender.
    unread: BTreeMap<u32, u64>,
    /// The sender's life that corresponds to each life of the receiver.
    hears: BTreeMap<u32, u32>,
    /// The last ordered message that was read, by life of the receiver and stream.
    last: BTreeMap<(u32, u16), u32>,
    /// Messages and payload bytes that were read.
    read: (u64, u64),
    /// Payload bytes that were sent.
    bytes: u64,
}

#[derive(Debug)]
struct HandedOver {
    stream: u16,
    unordered: bool,
    payload: Bytes,
    /// The life of the sender when the message was sent: a restarted association begins another life.
    life: u32,
    /// The life of the receiver in which it was last read.
    read: Option<u32>,
    /// It need not arrive: the receiver's association had ended, and the sender did not know it.
    excused: bool,
}

impl Ledger {
    /// The next message to send, with this length.
    pub(crate) fn next(&self, stream: u16, length: usize, unordered: bool) -> Message {
        let number = self.handed_over.len() as u32;
        Message { stream, ppid: number, unordered, payload: payload(number, length), part: None }
    }

    /// Records that the endpoint has accepted the message.
    pub(crate) fn note_taken(&mut self, message: &Message, life: u32) {
        let Message { stream, unordered, ref payload, .. } = *message;
        self.bytes += payload.len() as u64;
        *self.unread.entry(life).or_default() += 1;
        let payload = payload.clone();
        self.handed_over.push(HandedOver {
            stream,
            unordered,
            payload,
            life,
            read: None,
            excused: false,
        });
    }

    /// Records that the message was read in this life of the receiver. It may have been read in an earlier life, if
    /// that ended before the sender knew that the message had arrived.
    pub(crate) fn note_read(&mut self, message: &Message, life: u32, may_come_again: bool) {
        let number = message.ppid;
        let sent = &mut self.handed_over[number as usize];
        let before = sent.read.replace(life);
        let excused = may_come_again && before != Some(life);
        assert!(before.is_none() || excused, "message {number} came twice");
        assert_eq!(message.payload, sent.payload, "message {number} was altered");
        assert_eq!((message.stream, message.unordered), (sent.stream, sent.unordered));
        let heard = *self.hears.entry(life).or_insert(sent.life);
        assert_eq!(heard, sent.life, "message {number} is of another life");
        if !sent.unordered
            && let Some(before) = self.last.insert((life, sent.stream), number)
        {
            assert!(before < number, "message {number} comes after {before}, on one stream");
        }
        if before.is_none() && !sent.excused {
            *self.unread.entry(sent.life).or_default() -= 1;
        }
        self.read.0 += 1;
        self.read.1 += message.payload.len() as u64;
    }

    /// Excuses unread messages: the receiver's association has ended and was reopened.
    pub(crate) fn excuse_unread(&mut self) {
        for sent in self.handed_over.iter_mut().filter(|sent| sent.read.is_none()) {
            sent.excused = true;
        }
        self.unread.clear();
    }

    /// Whether all messages of this life have been read.
    pub(crate) fn is_complete(&self, life: u32) -> bool {
        self.unread.get(&life).is_none_or(|unread| *unread == 0)
    }

    /// Numbers of the unread messages of a life.
    pub(crate) fn missing(&self, life: u32) -> Vec<usize> {
        let numbered = self.handed_over.iter().enumerate();
        let missing =
            numbered.filter(|(_, sent)| sent.life == life && sent.read.is_none() && !sent.excused);
        missing.map(|(number, _)| number).collect()
    }

    /// Messages and payload bytes that were sent.
    pub(crate) fn taken(&self) -> (u64, u64) {
        (self.handed_over.len() as u64, self.bytes)
    }

    /// Messages and payload bytes that were read.
    pub(crate) fn read(&self) -> (u64, u64) {
        self.read
    }

    /// Whether a chunk contains the message whose number is in its PPID, or a part of it.
    pub(crate) fn holds(&self, chunk: &Data) -> bool {
        let Some(sent) = self.handed_over.get(chunk.ppid as usize) else { return false };
        let (whole, part) = (&sent.payload, &chunk.payload);
        let fits = if chunk.flags.contains(DataFlags::WHOLE) {
            whole == part
        } else if chunk.flags.contains(DataFlags::BEGIN) {
            whole.starts_with(part)
        } else if chunk.flags.contains(DataFlags::END) {
            whole.ends_with(part)
        } else {
            part.len() < whole.len()
        };
        let unordered = chunk.flags.contains(DataFlags::UNORDERED);
        fits && !part.is_empty() && (chunk.stream, unordered) == (sent.stream, sent.unordered)
    }
}

/// Bytes that depend on the message and on the position.
fn payload(number: u32, length: usize) -> Bytes {
    let byte = |at: u32| (at.wrapping_mul(0x9e37_79b1) ^ number.wrapping_mul(0x85eb_ca6b)) >> 24;
    (0..length as u32).map(|at| byte(at) as u8).collect()
}
