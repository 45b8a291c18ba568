//! Chunks that have been sent and not yet cumulatively acknowledged, found by their TSN without a search.

use std::collections::VecDeque;

use bytes::Bytes;
use manypath_core::{PathId, Ssn, Time, Tsn};

use crate::event::Message;
use crate::packet::{Data, DataFlags};

/// A run of chunks with consecutive TSNs.
#[derive(Debug, Default)]
pub(crate) struct Outstanding {
    first: Tsn,
    chunks: VecDeque<Chunk>,
}

/// A chunk that has been sent at least once.
#[derive(Debug)]
pub(crate) struct Chunk {
    pub(crate) payload: Bytes,
    pub(crate) stream: u16,
    pub(crate) ssn: Ssn,
    pub(crate) ppid: u32,
    pub(crate) flags: DataFlags,
    pub(crate) state: ChunkState,
    /// Path of the last transmission.
    pub(crate) path: PathId,
    /// Path that the chunk will take where it waits to be sent again.
    pub(crate) next_path: PathId,
    /// How often the chunk was sent.
    pub(crate) transmissions: u8,
    /// How many of its copies are known to have arrived damaged.
    pub(crate) damaged: u8,
    /// How often it was reported missing since its last transmission. RFC 9260 §7.2.4
    pub(crate) missing: u8,
    /// Whether it was fast retransmitted, which happens once. RFC 9260 §7.2.4 item 5
    pub(crate) fast_retransmitted: bool,
    /// Whether it was sent on more than one path.
    pub(crate) on_several_paths: bool,
    /// Whether it left its path: by a timeout, or because it was rescheduled.
    pub(crate) moved: bool,
    /// Whether another path took it over because it blocked the buffers, or the same path sent it again for that reason.
    pub(crate) rescheduled: bool,
    /// Whether a gap block reported this copy and a later SACK did not: it is no news when it is reported again.
    pub(crate) reneged: bool,
    /// Whether its bytes had been booked as acknowledged when the receiver gave it up: they do not count again.
    pub(crate) booked: bool,
    /// Bytes that the chunk counts for window and flight.
    pub(crate) counted: u16,
    /// Payload bytes, whether they are still here or not.
    pub(crate) length: u16,
    pub(crate) sent_at: Time,
    /// Neighbours in the flight of its path, by TSN.
    pub(crate) before: Option<Tsn>,
    pub(crate) after: Option<Tsn>,
}

/// Where a chunk stands.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum ChunkState {
    /// Sent, nothing heard of it.
    InFlight,
    /// Taken for lost; waits to be sent again.
    Lost,
    /// Reported by a gap block that the receiver may take back.
    GapAcked,
    /// The receiver promised to keep it; its payload is gone from the send buffer.
    Kept,
}

impl Outstanding {
    pub(crate) fn start(&mut self, initial_tsn: Tsn) {
        self.chunks.clear();
        self.first = initial_tsn;
    }

    /// The lowest TSN that is not cumulatively acknowledged.
    pub(crate) fn first_tsn(&self) -> Tsn {
        self.first
    }

    /// The TSN that the next new chunk gets.
    pub(crate) fn next_tsn(&self) -> Tsn {
        self.first.add(self.chunks.len() as u32)
    }

    /// Chunks from the lowest one that has not arrived on.
    pub(crate) fn len(&self) -> usize {
        self.chunks.len()
    }

    /// What was sent and not acknowledged, each chunk as a message.
    pub(crate) fn unacknowledged(&self) -> impl Iterator<Item = Message> {
        let is_open =
            |chunk: &&Chunk| matches!(chunk.state, ChunkState::InFlight | ChunkState::Lost);
        self.chunks.iter().filter(is_open).map(|chunk| Message {
            stream: chunk.stream,
            ppid: chunk.ppid,
            unordered: !chunk.is_ordered(),
            payload: chunk.payload.clone(),
            part: None,
        })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.chunks.is_empty()
    }

    /// Appends a new chunk.
    pub(crate) fn push(&mut self, chunk: Chunk) -> Tsn {
        let tsn = self.next_tsn();
        self.chunks.push_back(chunk);
        tsn
    }

    /// The chunk with the lowest TSN.
    pub(crate) fn front(&self) -> Option<&Chunk> {
        self.chunks.front()
    }

    /// Removes the chunk with the lowest TSN.
    pub(crate) fn remove_front(&mut self) {
        if self.chunks.pop_front().is_some() {
            self.first = self.first.next();
        }
    }

    pub(crate) fn get(&self, tsn: Tsn) -> Option<&Chunk> {
        self.chunks.get(tsn.distance_from(self.first) as usize)
    }

    pub(crate) fn get_mut(&mut self, tsn: Tsn) -> Option<&mut Chunk> {
        self.chunks.get_mut(tsn.distance_from(self.first) as usize)
    }
}

/// With more chunks the stream sequence numbers of the first and of the last message could not be told apart: of two
/// numbers of 16 bits one comes before the other only if less than half of the circle lies between them. RFC 9260 §2.6
///
/// Gap blocks reach twice as far. RFC 9260 §3.3.4
pub(super) const MOST_CHUNKS: usize = 1 << 15;

impl Chunk {
    /// Whether it waits to be sent again on this path.
    pub(crate) fn waits_for(&self, path: PathId) -> bool {
        self.state == ChunkState::Lost && self.next_path == path
    }

    /// Whether it was sent on this path last, and nothing was heard of it since.
    pub(crate) fn is_in_flight_on(&self, path: PathId) -> bool {
        self.state == ChunkState::InFlight && self.path == path
    }

    /// Whether the receiver hands it over in the order of its stream.
    pub(crate) fn is_ordered(&self) -> bool {
        !self.flags.contains(DataFlags::UNORDERED)
    }

    /// The path that answers for the room that the chunk takes in the send buffer.
    pub(crate) fn holder(&self) -> PathId {
        if self.state == ChunkState::Lost { self.next_path } else { self.path }
    }

    /// The DATA chunk as it goes into a packet.
    pub(crate) fn data(&self, tsn: Tsn) -> Data {
        Data {
            tsn,
            stream: self.stream,
            ssn: self.ssn,
            ppid: self.ppid,
            flags: self.flags,
            payload: self.payload.clone(),
        }
    }
}
