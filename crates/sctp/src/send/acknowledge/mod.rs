//! Handling of one SACK in the sending side: acknowledged chunks leave the flight, and each path gets its results.

#[cfg(test)]
mod tests;

use manypath_core::{PathId, Ranges, Time, Tsn, TsnRange};

use super::cmt::Strike;
use super::flight::FlightEntry;
use super::outstanding::{ChunkState, Past, SentChunk};
use super::{Revealed, Sender};
use crate::config::CumAck;
use crate::packet::Sack;

/// The effect of a SACK on the whole association.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Progress {
    /// The cumulative TSN moved.
    pub(crate) cumulative_moved: bool,
    /// At least one chunk is newly acknowledged.
    pub(crate) anything_new: bool,
    /// The cumulative TSN took in chunks that no SACK had acknowledged before.
    cumulative_news: bool,
    /// Newly acknowledged chunks came from more than one path.
    mixed: bool,
    first_path: Option<PathId>,
    /// Lowest and highest TSN that a gap block newly acknowledged.
    lowest: Option<Tsn>,
    highest: Option<Tsn>,
}

/// The state of a path that loss detection, the count of missing reports, depends on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LossDetectionState {
    /// The path is in Fast Recovery.
    pub(crate) in_recovery: bool,
    /// Chunks that were sent on the path before this time could have been acknowledged within a round trip.
    pub(crate) round_trip_ago: Time,
}

impl Progress {
    fn note(&mut self, path: PathId) {
        self.anything_new = true;
        self.mixed |= self.first_path.is_some_and(|first| first != path);
        self.first_path.get_or_insert(path);
    }
}

impl Sender {
    /// Whether the SACK is older than one that was handled before. RFC 9260 §6.2.1 D i)
    pub(crate) fn is_stale(&self, sack: &Sack) -> bool {
        sack.cumulative.is_before(self.cumulative_acked())
    }

    /// Whether a cumulative TSN acknowledges what was outstanding until now.
    pub(crate) fn is_acknowledgement(&self, cumulative: Tsn) -> bool {
        cumulative.is_after(self.cumulative_acked())
    }

    /// Whether the SACK acknowledges data that was never sent.
    pub(crate) fn is_impossible(&self, sack: &Sack) -> bool {
        let next = self.next_tsn();
        let beyond = |tsn: Tsn| tsn.is_at_or_after(next);
        beyond(sack.cumulative)
            || sack.gaps.last().is_some_and(beyond)
            || sack.kept_gaps.last().is_some_and(beyond)
    }

    /// Records everything that a SACK acknowledges. Afterwards the flight of each path has the results in its `news`.
    pub(crate) fn acknowledge(&mut self, sack: &Sack, arrived_on: PathId) -> Progress {
        let mut progress = Progress::default();
        for flight in &mut self.flights {
            flight.begin_news();
        }
        self.acknowledge_cumulatively(sack.cumulative, arrived_on, &mut progress);
        self.acknowledge_gaps(sack, arrived_on, &mut progress);
        self.take_back_reneged(sack);
        self.gaps.copy_from(&sack.gaps);
        self.kept_gaps.copy_from(&sack.kept_gaps);
        self.announced = u64::from(sack.window);
        self.judge_peer_window();
        progress
    }

    /// Evaluates reported duplicates: they may show that fast retransmissions were spurious.
    pub(crate) fn reveal_spurious(&mut self, sack: &Sack) -> Revealed {
        self.fast_retransmitted.reveal(&sack.duplicates)
    }

    /// The last SACK with a later cumulative TSN: the content of SHUTDOWN. RFC 9260 §9.2
    pub(crate) fn repeat_last_sack(&self, cumulative: Tsn) -> Sack {
        let window = u32::try_from(self.announced).unwrap_or(u32::MAX);
        let (gaps, kept_gaps) = (self.gaps.clone(), self.kept_gaps.clone());
        Sack { cumulative, window, gaps, kept_gaps, ..Sack::default() }
    }

    fn acknowledge_cumulatively(
        &mut self,
        cumulative: Tsn,
        arrived_on: PathId,
        progress: &mut Progress,
    ) {
        while self.outstanding.first_tsn().is_at_or_before(cumulative) {
            let Some(chunk) = self.outstanding.front() else { return };
            let first = self.outstanding.first_tsn();
            progress.cumulative_moved = true;
            if chunk.is_in_first_flight() {
                self.acknowledge_first_flight(first, arrived_on, progress);
                continue;
            }
            let (path, state, past) = (chunk.path, chunk.state, chunk.past);
            let entry = FlightEntry::of(first, chunk);
            if state != ChunkState::Kept {
                self.buffered -= chunk.payload.len();
                self.flights[chunk.holder().index()].buffered -= u64::from(chunk.length);
            } else if chunk.is_ordered() {
                self.flights[path.index()].kept_ordered -= u64::from(chunk.length);
            }
            if matches!(state, ChunkState::InFlight | ChunkState::Lost) {
                if state == ChunkState::Lost {
                    self.flights[chunk.next_path.index()].forget_lost();
                    self.lost_payload -= u64::from(chunk.length);
                }
                let flight = &mut self.flights[path.index()];
                if !past.has(Past::RENEGED) {
                    flight.news.answered |= !past.has(Past::RESCHEDULED);
                    let spoiled = self.spoiled.is_some_and(|range| range.contains(first));
                    let sample = chunk.sample(arrived_on, self.any_sack_times);
                    flight.news.book(chunk.booked(), sample.filter(|_| !spoiled));
                    progress.cumulative_news = true;
                    progress.note(path);
                }
                flight.news.advanced |= !past.has(Past::RESCHEDULED);
                flight.news.works |= chunk.shows_that_path_works(state, arrived_on);
                flight.news.is_sure |=
                    !past.has(Past::RENEGED) && chunk.speaks_for_path(state, arrived_on);
                flight.cumack.find_again();
            }
            self.outstanding.remove_front();
            if state == ChunkState::InFlight {
                self.remove_entry(path, entry);
            }
        }
    }

    /// Acknowledges the lowest outstanding chunk, which is in flight, was sent once and was never reported. Most chunks
    /// are acknowledged here; the result is that of the general case.
    #[inline]
    fn acknowledge_first_flight(&mut self, tsn: Tsn, arrived_on: PathId, progress: &mut Progress) {
        let Some(chunk) = self.outstanding.front() else { return };
        let (path, counted, length) = (chunk.path, chunk.counted, chunk.length);
        let is_sample = (path == arrived_on || self.any_sack_times)
            && !self.spoiled.is_some_and(|range| range.contains(tsn));
        let sample = is_sample.then_some(chunk.sent_at);
        let entry = FlightEntry::of(tsn, chunk);
        self.buffered -= usize::from(length);
        let flight = &mut self.flights[path.index()];
        flight.buffered -= u64::from(length);
        flight.cumack.find_again();
        let news = &mut flight.news;
        (news.answered, news.advanced, news.works, news.is_sure) = (true, true, true, true);
        news.book((counted, length), sample);
        progress.cumulative_news = true;
        progress.note(path);
        self.outstanding.remove_front();
        self.remove_entry(path, entry);
    }

    fn acknowledge_gaps(&mut self, sack: &Sack, arrived_on: PathId, progress: &mut Progress) {
        if !sack.kept_gaps.is_empty() {
            let known = std::mem::take(&mut self.kept_gaps);
            Ranges::difference(sack.kept_gaps.as_slice(), known.as_slice(), |range| {
                self.acknowledge_range(range, ChunkState::Kept, arrived_on, progress);
            });
            self.kept_gaps = known;
        }
        if !sack.gaps.is_empty() {
            let known = std::mem::take(&mut self.gaps);
            Ranges::difference(sack.gaps.as_slice(), known.as_slice(), |range| {
                self.acknowledge_range(range, ChunkState::GapAcked, arrived_on, progress);
            });
            self.gaps = known;
        }
    }

    fn acknowledge_range(
        &mut self,
        range: TsnRange,
        as_what: ChunkState,
        arrived_on: PathId,
        progress: &mut Progress,
    ) {
        let mut tsn = range.first.max_serial(self.outstanding.first_tsn());
        while tsn.is_at_or_before(range.last) {
            let Some(state) = self.outstanding.get(tsn).map(|chunk| chunk.state) else { return };
            match state {
                ChunkState::InFlight | ChunkState::Lost => {
                    self.acknowledge_one(tsn, state, arrived_on, progress);
                }
                ChunkState::GapAcked | ChunkState::Kept => {}
            }
            self.settle(tsn, as_what);
            tsn = tsn.next();
        }
    }

    /// A gap block covers a chunk that was in flight or taken for lost.
    fn acknowledge_one(
        &mut self,
        tsn: Tsn,
        state: ChunkState,
        arrived_on: PathId,
        progress: &mut Progress,
    ) {
        let Some(chunk) = self.outstanding.get(tsn) else { return };
        let (path, next_path) = (chunk.path, chunk.next_path);
        let (past, length) = (chunk.past, chunk.length);
        let spoiled = self.spoiled.is_some_and(|range| range.contains(tsn));
        let (booked, sample) = (chunk.booked(), chunk.sample(arrived_on, self.any_sack_times));
        let sample = sample.filter(|_| !spoiled);
        let rescheduled = past.has(Past::RESCHEDULED);
        let is_sure = chunk.speaks_for_path(state, arrived_on);
        let works = chunk.shows_that_path_works(state, arrived_on);
        let entry = FlightEntry::of(tsn, chunk);
        let advanced = self.advance_cumack(path, tsn, state);
        if state == ChunkState::InFlight {
            self.remove_entry(path, entry);
        } else {
            self.flights[next_path.index()].forget_lost();
            self.lost_payload -= u64::from(length);
            self.change_holder(next_path, path, length);
        }
        if past.has(Past::RENEGED) {
            return;
        }
        let news = &mut self.flights[path.index()].news;
        news.advanced |= advanced && !rescheduled;
        news.works |= works;
        news.answered |= !rescheduled;
        news.is_sure |= is_sure;
        news.book(booked, sample);
        if !(self.smart_fast_rtx && past.has(Past::MOVED)) {
            news.highest = Some(news.highest.map_or(tsn, |highest| highest.max_serial(tsn)));
            progress.lowest =
                Some(progress.lowest.map_or(tsn, |low| if tsn.is_before(low) { tsn } else { low }));
        }
        progress.highest = Some(progress.highest.map_or(tsn, |high| high.max_serial(tsn)));
        progress.note(path);
    }

    /// A gap block covers `tsn` of `path`; whether that moves the path's pseudo-cumulative TSN.
    fn advance_cumack(&mut self, path: PathId, tsn: Tsn, state: ChunkState) -> bool {
        let flight = &mut self.flights[path.index()];
        match (state, self.cuc) {
            (ChunkState::InFlight, CumAck::Association) => false,
            (ChunkState::InFlight, CumAck::PathV1) => flight.advance_v1(tsn),
            (ChunkState::InFlight, CumAck::PathV2) => flight.advance_v2(&self.outstanding, tsn),
            _ => flight.cumack.acknowledge(tsn),
        }
    }

    /// Records the content of a gap block. A chunk that the receiver keeps leaves the send buffer.
    fn settle(&mut self, tsn: Tsn, as_what: ChunkState) {
        let Some(chunk) = self.outstanding.get_mut(tsn) else { return };
        if chunk.state == ChunkState::Kept {
            return;
        }
        chunk.state = as_what;
        if as_what == ChunkState::Kept {
            seeded!(KeptChunkFreedTwice => self.buffered -= chunk.payload.len());
            let freed = std::mem::take(&mut chunk.payload).len();
            self.buffered -= freed;
            let flight = &mut self.flights[chunk.path.index()];
            flight.buffered -= freed as u64;
            flight.kept_ordered += if chunk.is_ordered() { freed as u64 } else { 0 };
        }
    }

    /// Handles chunks that an earlier SACK reported and this one does not: they are in flight again, with one missing
    /// report. RFC 9260 §6.2.1 D iii)
    fn take_back_reneged(&mut self, sack: &Sack) {
        if self.gaps.is_empty() {
            return;
        }
        let known = std::mem::take(&mut self.gaps);
        Ranges::difference(known.as_slice(), sack.gaps.as_slice(), |range| {
            let mut tsn = range.first.max_serial(self.outstanding.first_tsn());
            while tsn.is_at_or_before(range.last) {
                self.take_back(tsn);
                tsn = tsn.next();
            }
        });
        self.gaps = known;
    }

    fn take_back(&mut self, tsn: Tsn) {
        let Some(chunk) = self.outstanding.get_mut(tsn) else { return };
        if chunk.state != ChunkState::GapAcked {
            return;
        }
        chunk.missing = 1;
        chunk.past.note(Past::RENEGED, true);
        chunk.past.note(Past::BOOKED, true);
        let (path, payload) = (chunk.path, chunk.payload.len());
        self.flights[path.index()].link(&mut self.outstanding, path, tsn);
        self.in_flight += payload as u64;
    }

    /// Counts missing chunks; those reported three times leave the flight to be fast retransmitted. RFC 9260 §7.2.4
    ///
    /// In Fast Recovery a SACK that moves the cumulative TSN counts for every chunk that its gap blocks report missing.
    pub(crate) fn count_missing(
        &mut self,
        sack: &Sack,
        progress: &Progress,
        state_of: impl Fn(PathId) -> LossDetectionState,
    ) {
        // DAC: packets that the cumulative TSN covers do not show that chunks above it are missing
        let per_packet = self.dac && !progress.mixed && !progress.cumulative_news;
        let strike = match progress.lowest {
            Some(lowest) if per_packet => Strike::PerPacket { lowest, packets: sack.packets },
            _ => Strike::Once,
        };
        let reported = match (sack.kept_gaps.last(), sack.gaps.last()) {
            (Some(kept), Some(gap)) => Some(kept.max_serial(gap)),
            (kept, gap) => kept.or(gap),
        };
        if reported.is_none() {
            return;
        }
        self.fast_retransmitted.begin_sack();
        for index in 0..self.flights.len() {
            let path = PathId(index as u8);
            let below = if self.sfr {
                self.flights[index].news.highest
            } else if progress.cumulative_moved && state_of(path).in_recovery {
                reported
            } else {
                progress.highest
            };
            if let Some(below) = below {
                self.strike_path(path, below, strike, state_of(path).round_trip_ago);
            }
        }
    }

    fn strike_path(&mut self, path: PathId, below: Tsn, strike: Strike, round_trip_ago: Time) {
        let mut next = self.flights[path.index()].head();
        while let Some(tsn) = next.filter(|tsn| tsn.is_before(below)) {
            let Some(chunk) = self.outstanding.get_mut(tsn) else { return };
            next = chunk.after(tsn);
            // Acknowledgements of chunks that were sent before a timeout moved this chunk here do not show that it is
            // missing
            let moved = self.smart_fast_rtx && chunk.past.has(Past::MOVED);
            let just_moved = moved && chunk.sent_at > round_trip_ago;
            if chunk.past.has(Past::FAST_RETRANSMITTED) || just_moved {
                continue;
            }
            chunk.missing = chunk.missing.saturating_add(strike.count(tsn));
            if chunk.missing >= MISSING_REPORTS {
                chunk.past.note(Past::FAST_RETRANSMITTED, true);
                self.fast_retransmitted.mark(tsn);
                self.mark_lost(tsn, path);
                self.flights[path.index()].news.fast_retransmissions += 1;
            }
        }
    }

    /// Takes a chunk out of flight.
    pub(super) fn leave_flight(&mut self, tsn: Tsn) {
        let Some(chunk) = self.outstanding.get(tsn) else { return };
        self.remove_entry(chunk.path, FlightEntry::of(tsn, chunk));
    }

    /// Removes the chunk with this entry from the flight of `path`.
    #[inline]
    fn remove_entry(&mut self, path: PathId, entry: FlightEntry) {
        self.flights[path.index()].unlink(&mut self.outstanding, entry);
        seeded!(FlightNeverShrinks => self.in_flight += entry.payload);
        self.in_flight -= entry.payload;
    }
}

impl super::flight::News {
    /// Whether the SACK acknowledges no chunk of the path and has none sent again.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        let acknowledges = self.answered || self.is_sure || self.payload > 0 || self.bytes > 0;
        !acknowledges && self.fast_retransmissions == 0
    }

    fn book(&mut self, (counted, payload): (u16, u16), sample: Option<Time>) {
        self.bytes += u64::from(counted);
        self.payload += u64::from(payload);
        self.sample = self.sample.max(sample);
    }
}

impl SentChunk {
    /// Bytes by which its acknowledgement lets a window grow, and payload bytes: neither a second time after a renege.
    ///
    /// No window grows if it is unknown which of two paths the bytes used. \[D10] IV-C
    fn booked(&self) -> (u16, u16) {
        match (self.past.has(Past::BOOKED), self.past.has(Past::RESCHEDULED)) {
            (true, _) => (0, 0),
            (false, true) => (0, self.length),
            (false, false) => (self.counted, self.length),
        }
    }

    /// Whether its acknowledgement shows that its path works: it was sent on no other path. RFC 7829 §3.2 items 9, 10
    ///
    /// Unlike RFC 7829 §3.2 item 10, an acknowledgement of a chunk that was declared lost does not count if it arrives
    /// on another path. If both directions of a path fail at once, such acknowledgements always occur, because some
    /// chunks arrived and their SACK did not. The failed path would get data for another RTO.
    fn speaks_for_path(&self, state: ChunkState, arrived_on: PathId) -> bool {
        let took_one_path = !self.past.has(Past::ON_SEVERAL_PATHS);
        took_one_path && (state == ChunkState::InFlight || self.path == arrived_on)
    }

    /// Whether its acknowledgement clears the errors of its path: the chunk had not been declared lost there.
    ///
    /// If a chunk was sent on several paths, it is unknown which copy arrived. It clears the errors of its last path
    /// only if the SACK arrived on that path. A SACK of the copy on another path may be so late that the chunk has
    /// returned to a failed path. RFC 9260 §8.2 allows an implementation not to clear the errors after a retransmission
    /// to another address.
    fn shows_that_path_works(&self, state: ChunkState, arrived_on: PathId) -> bool {
        let is_plausible = !self.past.has(Past::ON_SEVERAL_PATHS) || self.path == arrived_on;
        state == ChunkState::InFlight && !self.past.has(Past::RESCHEDULED) && is_plausible
    }

    /// When the chunk was sent, if it may be used as an RTT sample: it was sent once, it is acknowledged for the first
    /// time, and on its own path unless `any_path` is set. RFC 9260 §6.3.1 C5 (Karn)
    fn sample(&self, arrived_on: PathId, any_path: bool) -> Option<Time> {
        let is_first = self.transmissions == 1 && !self.past.has(Past::RENEGED);
        (is_first && (self.path == arrived_on || any_path)).then_some(self.sent_at)
    }
}

/// Number of missing reports that cause a fast retransmission. RFC 9260 §7.2.4
const MISSING_REPORTS: u8 = 3;
