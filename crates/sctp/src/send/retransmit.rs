//! Lost chunks and their retransmission, and the TSNs that the retransmission timer and Fast Recovery depend on.

use manypath_core::{PathId, Time, Tsn, TsnRange};

use super::Sender;
use super::outstanding::{ChunkState, Past};
use crate::packet::{DATA_HEADER, Data};

impl Sender {
    /// Removes a chunk from the flight and queues it for retransmission on `path`.
    pub(super) fn mark_lost(&mut self, tsn: Tsn, path: PathId) {
        self.leave_flight(tsn);
        let Some(chunk) = self.outstanding.get_mut(tsn) else { return };
        chunk.state = ChunkState::Lost;
        chunk.next_path = path;
        let (from, length) = (chunk.path, chunk.length);
        self.flights[path.index()].push_lost(tsn);
        self.lost_payload += u64::from(length);
        self.change_holder(from, path, length);
    }

    /// Moves bytes of the send buffer from the share of one path to that of another.
    pub(super) fn change_holder(&mut self, from: PathId, to: PathId, length: u16) {
        self.flights[from.index()].buffered -= u64::from(length);
        self.flights[to.index()].buffered += u64::from(length);
    }

    /// Marks all chunks in flight on `from` as lost, for retransmission on `to`; returns their number.
    /// RFC 9260 §6.3.3 E3
    ///
    /// Both paths then search for new pseudo-cumulative TSNs.
    pub(crate) fn time_out(&mut self, from: PathId, to: PathId) -> u32 {
        let mut chunks = 0;
        while let Some(tsn) = self.flights[from.index()].head() {
            if let Some(chunk) = self.outstanding.get_mut(tsn) {
                chunk.missing = 0;
                chunk.past.note(Past::MOVED, to != from);
                if chunk.past.has(Past::FAST_RETRANSMITTED) {
                    self.fast_retransmitted.expect_another(tsn);
                }
            }
            self.mark_lost(tsn, to);
            chunks += 1;
        }
        self.flights[from.index()].cumack.find_again();
        self.flights[to.index()].cumack.find_again();
        chunks
    }

    /// Moves the lost chunks of a failed path to another one.
    pub(crate) fn move_lost(&mut self, from: PathId, to: PathId) {
        while let Some(tsn) = self.flights[from.index()].next_lost(&self.outstanding, from) {
            let Some(chunk) = self.outstanding.get_mut(tsn) else { return };
            chunk.next_path = to;
            chunk.past.note(Past::MOVED, true);
            let length = chunk.length;
            self.flights[from.index()].pop_lost();
            self.flights[to.index()].push_lost(tsn);
            self.change_holder(from, to, length);
        }
    }

    /// Retransmits the next lost chunk of `path` if it fits into `room` bytes.
    pub(crate) fn send_lost(&mut self, now: Time, path: PathId, room: usize) -> Option<Data> {
        let tsn = self.flights[path.index()].next_lost(&self.outstanding, path)?;
        let chunk = self.outstanding.get_mut(tsn)?;
        if DATA_HEADER + chunk.payload.len() > room {
            return None;
        }
        chunk.transmissions = chunk.transmissions.saturating_add(1);
        chunk.missing = 0;
        chunk.past.forget(Past::RENEGED);
        chunk.past.note(Past::ON_SEVERAL_PATHS, chunk.path != path);
        chunk.path = path;
        chunk.sent_at = now;
        let data = chunk.data(tsn);
        let (payload, length) = (chunk.payload.len() as u64, chunk.length);
        let flight = &mut self.flights[path.index()];
        flight.pop_lost();
        flight.link(&mut self.outstanding, path, tsn);
        self.lost_payload -= u64::from(length);
        self.in_flight += payload;
        self.note_probe(path, tsn, payload);
        if self.any_sack_times {
            self.exclude_samples_from(tsn);
        }
        Some(data)
    }

    /// Excludes outstanding chunks from this TSN on from RTT samples, because it was retransmitted. RFC 9260 §6.3.1 C5
    ///
    /// Chunks between two such ranges are excluded too; other chunks soon give samples.
    #[cold]
    fn exclude_samples_from(&mut self, tsn: Tsn) {
        let last = self.outstanding.next_tsn().previous();
        let before =
            self.spoiled.filter(|range| range.last.is_at_or_after(self.outstanding.first_tsn()));
        let first = match before {
            Some(range) if range.first.is_before(tsn) => range.first,
            _ => tsn,
        };
        self.spoiled = Some(TsnRange { first, last });
    }

    /// The lowest TSN of a path that is in flight or waits for retransmission.
    pub(crate) fn lowest_unacked(&mut self, path: PathId) -> Option<Tsn> {
        let flight = &mut self.flights[path.index()];
        let lost =
            if flight.lost_chunks() > 0 { flight.next_lost(&self.outstanding, path) } else { None };
        match (flight.head(), lost) {
            (Some(head), Some(lost)) => Some(if lost.is_before(head) { lost } else { head }),
            (head, lost) => head.or(lost),
        }
    }

    /// The highest TSN of a path that is in flight or waits for retransmission.
    pub(crate) fn highest_unacked(&mut self, path: PathId) -> Option<Tsn> {
        let flight = &mut self.flights[path.index()];
        match (flight.tail(), flight.last_lost()) {
            (Some(tail), Some(lost)) => Some(tail.max_serial(lost)),
            (tail, lost) => tail.or(lost),
        }
    }

    /// Transmission time of the lowest TSN in flight on a path.
    pub(crate) fn oldest_sent(&self, path: PathId) -> Option<Time> {
        let head = self.flights[path.index()].head()?;
        self.outstanding.get(head).map(|chunk| chunk.sent_at)
    }

    /// Records the oldest chunk of a path; returns whether it has changed.
    pub(crate) fn note_oldest(&mut self, path: PathId) -> bool {
        let Some(oldest) = self.oldest_sent(path) else { return true };
        std::mem::replace(&mut self.flights[path.index()].oldest_sent, oldest) != oldest
    }
}
