//! Which messages were handed over and which were read: each comes once, unchanged, in its order, in one life.

use std::collections::BTreeMap;

use bytes::Bytes;
use manypath_sctp::{Data, DataFlags, Message};

/// The messages of one direction. The payload protocol identifier of each is its number.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    handed_over: Vec<HandedOver>,
    /// How many messages of each life of the sender were not yet read.
    unread: BTreeMap<u32, u64>,
    /// Which life of the sender each life of the reader hears.
    hears: BTreeMap<u32, u32>,
    /// The last ordered message that was read, by life of the reader and stream.
    last: BTreeMap<(u32, u16), u32>,
    /// Messages and payload bytes that were read.
    read: (u64, u64),
    /// Payload bytes that were handed over.
    bytes: u64,
}

#[derive(Debug)]
struct HandedOver {
    stream: u16,
    unordered: bool,
    payload: Bytes,
    /// The life of the sender when the message was sent: a restarted association begins another life.
    life: u32,
    /// In which life of the reader it was last read.
    read: Option<u32>,
    /// It need not arrive: the reader's association had ended while the sender knew nothing of it.
    excused: bool,
}

impl Ledger {
    /// The next message to hand over, of so many bytes.
    pub(crate) fn next(&self, stream: u16, length: usize, unordered: bool) -> Message {
        let number = self.handed_over.len() as u32;
        Message { stream, ppid: number, unordered, payload: payload(number, length), part: None }
    }

    /// The message has been taken.
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

    /// The message has been read in a life of its reader; it may have been read in an earlier one where that ended
    /// before the sender knew that it was heard.
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

    /// Messages that were not read yet need not arrive: the reader's association has ended and was opened again.
    pub(crate) fn excuse_unread(&mut self) {
        for sent in self.handed_over.iter_mut().filter(|sent| sent.read.is_none()) {
            sent.excused = true;
        }
        self.unread.clear();
    }

    /// Whether everything that was handed over in this life has been read.
    pub(crate) fn is_complete(&self, life: u32) -> bool {
        self.unread.get(&life).is_none_or(|unread| *unread == 0)
    }

    /// Numbers of the messages of a life that were not read.
    pub(crate) fn missing(&self, life: u32) -> Vec<usize> {
        let numbered = self.handed_over.iter().enumerate();
        let missing =
            numbered.filter(|(_, sent)| sent.life == life && sent.read.is_none() && !sent.excused);
        missing.map(|(number, _)| number).collect()
    }

    /// Messages and payload bytes that were handed over.
    pub(crate) fn taken(&self) -> (u64, u64) {
        (self.handed_over.len() as u64, self.bytes)
    }

    /// Messages and payload bytes that were read.
    pub(crate) fn read(&self) -> (u64, u64) {
        self.read
    }

    /// Whether a chunk may carry the message whose number it names, or a part of it.
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

/// Bytes that differ from message to message and from place to place.
fn payload(number: u32, length: usize) -> Bytes {
    let byte = |at: u32| (at.wrapping_mul(0x9e37_79b1) ^ number.wrapping_mul(0x85eb_ca6b)) >> 24;
    (0..length as u32).map(|at| byte(at) as u8).collect()
}
