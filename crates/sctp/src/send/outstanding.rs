//! Chunks from the first transmission to the cumulative acknowledgement, indexed by TSN.

use std::collections::VecDeque;

use bytes::Bytes;
use manypath_core::{PathId, Ssn, Time, Tsn};

use crate::event::Message;
use crate::packet::{Data, DataFlags};

/// Chunks with consecutive TSNs.
#[derive(Debug, Default)]
pub(crate) struct Outstanding {
    first: Tsn,
    chunks: VecDeque<SentChunk>,
}

/// A chunk that was sent at least once. It fills one cache line.
#[derive(Debug)]
#[repr(align(64))]
pub(crate) struct SentChunk {
    pub(crate) payload: Bytes,
    pub(crate) stream: u16,
    pub(crate) ssn: Ssn,
    pub(crate) ppid: u32,
    pub(crate) flags: DataFlags,
    pub(crate) state: ChunkState,
    /// Path of the last transmission.
    pub(crate) path: PathId,
    /// Path of the next retransmission, if the chunk is lost.
    pub(crate) next_path: PathId,
    /// Number of transmissions.
    pub(crate) transmissions: u8,
    /// Number of copies that were reported as damaged.
    pub(crate) damaged: u8,
    /// Number of missing reports since the last transmission. RFC 9260 §7.2.4
    pub(crate) missing: u8,
    /// Other events in the history of the chunk.
    pub(crate) past: Past,
    /// Bytes that the chunk counts against the window.
    pub(crate) counted: u16,
    /// Payload length in bytes; kept after the payload is freed.
    pub(crate) length: u16,
    pub(crate) sent_at: Time,
    /// Distance in TSNs to the previous chunk in flight on its path; 0 if there is none.
    down: u16,
    /// Distance in TSNs to the next chunk in flight on its path; 0 if there is none.
    up: u16,
}

const _: () = assert!(size_of::<SentChunk>() == 64, "a chunk fills one cache line");

/// Events in the history of a chunk, one bit each.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) struct Past(u8);

impl Past {
    /// Fast retransmitted, which happens only once. RFC 9260 §7.2.4 item 5
    pub(crate) const FAST_RETRANSMITTED: Self = Self(1);
    /// Sent on more than one path.
    pub(crate) const ON_SEVERAL_PATHS: Self = Self(1 << 1);
    /// Moved to another path by a timeout or by rescheduling.
    pub(crate) const MOVED: Self = Self(1 << 2);
    /// Rescheduled, because it blocked the buffers.
    pub(crate) const RESCHEDULED: Self = Self(1 << 3);
    /// Acknowledged by a gap block and then reneged: another acknowledgement of it is not new.
    pub(crate) const RENEGED: Self = Self(1 << 4);
    /// Counted as acknowledged before the receiver reneged: its bytes do not count again.
    pub(crate) const BOOKED: Self = Self(1 << 5);

    /// Whether the event has happened.
    pub(crate) const fn has(self, what: Self) -> bool {
        self.0 & what.0 != 0
    }

    /// Records the event if `happened` is true.
    pub(crate) const fn note(&mut self, what: Self, happened: bool) {
        self.0 |= if happened { what.0 } else { 0 };
    }

    /// Clears the event.
    pub(crate) const fn forget(&mut self, what: Self) {
        self.0 &= !what.0;
    }
}

/// The state of a chunk.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum ChunkState {
    /// Sent, not acknowledged, not lost.
    InFlight,
    /// Regarded as lost; waits for retransmission.
    Lost,
    /// Acknowledged by a gap block that the receiver may renege.
    GapAcked,
    /// Non-renegably acknowledged; its payload is freed.
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

    /// The TSN of the next new chunk.
    pub(crate) fn next_tsn(&self) -> Tsn {
        self.first.add(self.chunks.len() as u32)
    }

    /// Number of chunks above the cumulative TSN.
    pub(crate) fn len(&self) -> usize {
        self.chunks.len()
    }

    /// The unacknowledged chunks, each as a message.
    pub(crate) fn unacknowledged(&self) -> impl Iterator<Item = Message> {
        self.open().map(|chunk| Message {
            stream: chunk.stream,
            ppid: chunk.ppid,
            unordered: !chunk.is_ordered(),
            payload: chunk.payload.clone(),
            part: None,
        })
    }

    /// Number of unacknowledged chunks.
    pub(crate) fn unacknowledged_count(&self) -> usize {
        self.open().count()
    }

    fn open(&self) -> impl Iterator<Item = &SentChunk> {
        let is_open =
            |chunk: &&SentChunk| matches!(chunk.state, ChunkState::InFlight | ChunkState::Lost);
        self.chunks.iter().filter(is_open)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.chunks.is_empty()
    }

    /// Appends a new chunk.
    pub(crate) fn push(&mut self, chunk: SentChunk) -> Tsn {
        let tsn = self.next_tsn();
        self.chunks.push_back(chunk);
        tsn
    }

    /// The chunk with the lowest TSN.
    pub(crate) fn front(&self) -> Option<&SentChunk> {
        self.chunks.front()
    }

    /// Removes the chunk with the lowest TSN.
    pub(crate) fn remove_front(&mut self) {
        if self.chunks.pop_front().is_some() {
            self.first = self.first.next();
        }
    }

    pub(crate) fn get(&self, tsn: Tsn) -> Option<&SentChunk> {
        self.chunks.get(tsn.distance_from(self.first) as usize)
    }

    pub(crate) fn get_mut(&mut self, tsn: Tsn) -> Option<&mut SentChunk> {
        self.chunks.get_mut(tsn.distance_from(self.first) as usize)
    }
}

/// At most half of the number space of stream sequence numbers, which serial arithmetic requires to compare the first
/// and the last message. RFC 9260 §2.6
///
/// Gap blocks can report twice as many TSNs. RFC 9260 §3.3.4
pub(super) const MOST_CHUNKS: usize = 1 << 15;

impl SentChunk {
    /// A chunk that is sent on `path` for the first time; `data` is its copy in the packet.
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

    /// The previous chunk in flight on the path of this chunk, whose TSN is `own`.
    pub(crate) fn before(&self, own: Tsn) -> Option<Tsn> {
        (self.down > 0).then(|| own.add(u32::from(self.down).wrapping_neg()))
    }

    /// The next chunk in flight on the path of this chunk, whose TSN is `own`.
    pub(crate) fn after(&self, own: Tsn) -> Option<Tsn> {
        (self.up > 0).then(|| own.add(u32::from(self.up)))
    }

    pub(crate) fn set_before(&mut self, own: Tsn, before: Option<Tsn>) {
        self.down = before.map_or(0, |before| own.distance_from(before) as u16);
    }

    pub(crate) fn set_after(&mut self, own: Tsn, after: Option<Tsn>) {
        self.up = after.map_or(0, |after| after.distance_from(own) as u16);
    }

    /// Whether it waits for retransmission on this path.
    pub(crate) fn waits_for(&self, path: PathId) -> bool {
        self.state == ChunkState::Lost && self.next_path == path
    }

    /// Whether it is in flight on this path.
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

    /// Whether it belongs to an ordered message.
    pub(crate) fn is_ordered(&self) -> bool {
        !self.flags.contains(DataFlags::UNORDERED)
    }

    /// The path to whose share of the send buffer the chunk belongs.
    pub(crate) fn holder(&self) -> PathId {
        if self.state == ChunkState::Lost { self.next_path } else { self.path }
    }

    /// The DATA chunk for a packet.
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
