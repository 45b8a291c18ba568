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

/// A chunk that has been sent at least once. It fills one cache line.
#[derive(Debug)]
#[repr(align(64))]
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
    /// What has happened to it beside that.
    pub(crate) past: Past,
    /// Bytes that the chunk counts for window and flight.
    pub(crate) counted: u16,
    /// Payload bytes, whether they are still here or not.
    pub(crate) length: u16,
    pub(crate) sent_at: Time,
    /// TSNs down to the chunk before it in the flight of its path; 0 if there is none.
    down: u16,
    /// TSNs up to the chunk after it; 0 if there is none.
    up: u16,
}

const _: () = assert!(size_of::<Chunk>() == 64, "a chunk fills one cache line");

/// What has happened to a chunk, one bit each.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) struct Past(u8);

impl Past {
    /// It was fast retransmitted, which happens once. RFC 9260 §7.2.4 item 5
    pub(crate) const FAST_RETRANSMITTED: Self = Self(1);
    /// It was sent on more than one path.
    pub(crate) const ON_SEVERAL_PATHS: Self = Self(1 << 1);
    /// It left its path: by a timeout, or because it was rescheduled.
    pub(crate) const MOVED: Self = Self(1 << 2);
    /// Another path took it over because it blocked the buffers, or the same path sent it again for that reason.
    pub(crate) const RESCHEDULED: Self = Self(1 << 3);
    /// A gap block reported this copy and a later SACK did not: it is no news when it is reported again.
    pub(crate) const RENEGED: Self = Self(1 << 4);
    /// Its bytes had been booked as acknowledged when the receiver gave it up: they do not count again.
    pub(crate) const BOOKED: Self = Self(1 << 5);

    /// Whether it happened.
    pub(crate) const fn has(self, what: Self) -> bool {
        self.0 & what.0 != 0
    }

    /// It happened if `happened`; else nothing changes.
    pub(crate) const fn note(&mut self, what: Self, happened: bool) {
        self.0 |= if happened { what.0 } else { 0 };
    }

    /// It counts no longer.
    pub(crate) const fn forget(&mut self, what: Self) {
        self.0 &= !what.0;
    }
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
    /// A chunk that leaves on `path` for the first time; `data` is its copy in the packet.
    pub(crate) fn new(now: Time, path: PathId, payload: Bytes, data: &Data, counted: u16) -> Self {
        Self {
            length: payload.len() as u16,
            payload,
            stream: data.stream,
            ssn: data.ssn,
            ppid: data.ppid,
            flags: data.flags,
            state: ChunkState::InFlight,
            path,
            next_path: path,
            transmissions: 1,
            damaged: 0,
            missing: 0,
            past: Past::default(),
            counted,
            sent_at: now,
            down: 0,
            up: 0,
        }
    }

    /// The chunk before this one, which has the TSN `own`, in the flight of its path.
    pub(crate) fn before(&self, own: Tsn) -> Option<Tsn> {
        (self.down > 0).then(|| own.add(u32::from(self.down).wrapping_neg()))
    }

    /// The chunk after this one, which has the TSN `own`, in the flight of its path.
    pub(crate) fn after(&self, own: Tsn) -> Option<Tsn> {
        (self.up > 0).then(|| own.add(u32::from(self.up)))
    }

    pub(crate) fn set_before(&mut self, own: Tsn, before: Option<Tsn>) {
        self.down = before.map_or(0, |before| own.distance_from(before) as u16);
    }

    pub(crate) fn set_after(&mut self, own: Tsn, after: Option<Tsn>) {
        self.up = after.map_or(0, |after| after.distance_from(own) as u16);
    }

    /// Whether it waits to be sent again on this path.
    pub(crate) fn waits_for(&self, path: PathId) -> bool {
        self.state == ChunkState::Lost && self.next_path == path
    }

    /// Whether it was sent on this path last, and nothing was heard of it since.
    pub(crate) fn is_in_flight_on(&self, path: PathId) -> bool {
        self.state == ChunkState::InFlight && self.path == path
    }

    /// Whether it is in flight, was sent once, and nothing else has happened to it.
    #[inline]
    pub(crate) fn is_in_first_flight(&self) -> bool {
        self.state == ChunkState::InFlight
            && self.transmissions == 1
            && self.past == Past::default()
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
