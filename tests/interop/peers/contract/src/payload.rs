//! The payload: made, checked, kept by stream, and hashed.

use crate::events::report;
use serde_json::json;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, HashSet};
use std::fmt::Write;

/// What is to be sent, message by message.
#[derive(Debug)]
pub struct Outgoing {
    left: u64,
    size: u64,
    /// Where each stream continues.
    offsets: Vec<u64>,
    next: usize,
}

/// One message and its stream.
#[derive(Clone, Debug)]
pub struct Piece {
    /// Its stream.
    pub stream: u16,
    /// Its content.
    pub message: Vec<u8>,
}

impl Outgoing {
    /// `bytes` in messages of `size` bytes, over `streams` streams in turn.
    #[must_use]
    pub fn new(bytes: u64, size: u64, streams: u16) -> Self {
        Self { left: bytes, size, offsets: vec![0; usize::from(streams)], next: 0 }
    }
}

impl Iterator for Outgoing {
    type Item = Piece;

    fn next(&mut self) -> Option<Piece> {
        let length = self.left.min(self.size);
        if length == 0 {
            return None;
        }
        let stream = u16::try_from(self.next).expect("there are no more than 64 streams");
        let offset = self.offsets[self.next];
        self.offsets[self.next] += length;
        self.next = (self.next + 1) % self.offsets.len();
        self.left -= length;
        Some(Piece { stream, message: payload(stream, offset, length) })
    }
}

/// What a stream carries at a place; offset and length are multiples of 8.
fn payload(stream: u16, offset: u64, length: u64) -> Vec<u8> {
    let first = (u64::from(stream) << 48) + offset;
    (0..length).step_by(8).flat_map(|at| (first + at).wrapping_mul(FACTOR).to_be_bytes()).collect()
}

/// Checks and keeps what is received.
#[derive(Debug, Default)]
pub struct Ledger {
    streams: BTreeMap<u16, Incoming>,
    bytes: u64,
    messages: u64,
    duplicates: u64,
    reordered: u64,
}

/// What one stream has brought.
#[derive(Debug, Default)]
struct Incoming {
    content: Vec<u8>,
    /// Offsets of messages.
    seen: HashSet<u64>,
    bytes: u64,
}

impl Ledger {
    /// Checks and keeps a message.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn take(&mut self, stream: u16, message: &[u8]) -> Result<(), &'static str> {
        let length = message.len() as u64;
        let Some((first, _)) = message.split_first_chunk::<8>() else {
            return Err("a message has less than 8 bytes");
        };
        let place = u64::from_be_bytes(*first).wrapping_mul(INVERSE);
        let offset = place & ((1 << 48) - 1);
        if place >> 48 != u64::from(stream)
            || !offset.is_multiple_of(8)
            || offset > MAX_STREAM_BYTES
        {
            return Err("a message does not belong to its stream");
        }
        if !length.is_multiple_of(8) || payload(stream, offset, length) != message {
            return Err("the content of a message is wrong");
        }
        let incoming = self.streams.entry(stream).or_default();
        if !incoming.seen.insert(offset) {
            self.duplicates += 1;
            return Ok(());
        }
        let place = usize::try_from(offset).expect("bounded above");
        let end = place + message.len();
        self.reordered += u64::from(place != incoming.content.len());
        if end > incoming.content.len() {
            incoming.content.resize(end, 0);
        }
        incoming.content[place..end].copy_from_slice(message);
        incoming.bytes += length;
        self.bytes += length;
        self.messages += 1;
        Ok(())
    }

    /// Bytes received without repetitions.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Prints the event `received`.
    pub fn report(&self) {
        let streams: Vec<_> = self
            .streams
            .iter()
            .map(|(id, stream)| {
                let hash = Sha256::digest(&stream.content);
                let hex = hash.iter().fold(String::new(), |mut text, byte| {
                    write!(text, "{byte:02x}").expect("a string takes everything");
                    text
                });
                json!({ "stream": id, "bytes": stream.bytes, "sha256": hex })
            })
            .collect();
        report(
            "received",
            json!({
                "bytes": self.bytes,
                "messages": self.messages,
                "duplicates": self.duplicates,
                "reordered": self.reordered,
                "streams": streams,
            }),
        );
    }
}

const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;

/// `FACTOR * INVERSE` is 1 modulo 2^64.
const INVERSE: u64 = 0xF1DE_83E1_9937_733D;

/// Bounds what a wrong offset can make us allocate.
const MAX_STREAM_BYTES: u64 = 1 << 28;
