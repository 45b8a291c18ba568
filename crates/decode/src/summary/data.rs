//! The data of one direction: which TSNs were seen, acknowledged, reported missing, and seen again.

use std::collections::BTreeMap;

use manypath_core::Tsn;
use manypath_sctp::{Data, Sack};

use super::path::Path;

/// The chunks that one side sends.
#[derive(Debug, Default)]
pub(super) struct Sender {
    /// Chunks that were seen and are not cumulatively acknowledged, by their extended TSN, which does not wrap around.
    seen: BTreeMap<u64, Chunk>,
    /// A TSN with its extended TSN.
    reference: Option<(Tsn, u64)>,
    /// All chunks up to this extended TSN count as seen.
    floor: Option<u64>,
    /// The latest SACK.
    sack: Option<Sack>,
}

#[derive(Debug)]
struct Chunk {
    /// The path of its first transmission.
    path: usize,
    is_lost: bool,
}

impl Sender {
    /// Records a chunk on a path.
    pub(super) fn sent(&mut self, data: &Data, path: usize, at: u64, paths: &mut [Path]) {
        let number = self.number(data.tsn);
        let is_missing = self.sack.as_ref().is_some_and(|sack| is_missing(sack, data.tsn));
        paths[path].counts.data_chunks += 1;
        paths[path].counts.data_bytes += data.payload.len() as u64;
        if self.floor.is_some_and(|floor| number <= floor) {
            paths[path].counts.retransmissions += 1;
        } else if let Some(chunk) = self.seen.get_mut(&number) {
            paths[path].counts.retransmissions += 1;
            let first = &mut paths[chunk.path];
            if is_missing && !chunk.is_lost {
                chunk.is_lost = true;
                first.counts.losses += 1;
            }
            first.timed = first.timed.filter(|(tsn, _)| *tsn != data.tsn);
        } else {
            self.seen.insert(number, Chunk { path, is_lost: false });
            paths[path].counts.late += u64::from(is_missing);
            if !is_missing {
                paths[path].timed.get_or_insert((data.tsn, at));
            }
            self.forget();
        }
    }

    /// Records a SACK for the chunks of this side.
    pub(super) fn acknowledged(&mut self, side: usize, sack: &Sack, at: u64, paths: &mut [Path]) {
        let is_older = |newest: &Sack| newest.cumulative.is_after(sack.cumulative);
        if self.sack.as_ref().is_some_and(is_older) {
            return;
        }
        for path in paths.iter_mut().filter(|path| path.is_of(side)) {
            if let Some((_, sent)) = path.timed.filter(|(tsn, _)| has_arrived(sack, *tsn)) {
                path.counts.rtt_data.add(at.saturating_sub(sent));
                path.timed = None;
            }
        }
        let cumulative = self.number(sack.cumulative);
        self.floor = Some(self.floor.map_or(cumulative, |floor| floor.max(cumulative)));
        while self.seen.first_entry().is_some_and(|entry| *entry.key() <= cumulative) {
            self.seen.pop_first();
        }
        let newest = self.sack.get_or_insert_default();
        newest.clone_from(sack);
    }

    /// The extended TSN of a TSN that is near the last one.
    fn number(&mut self, tsn: Tsn) -> u64 {
        let (near, number) = self.reference.unwrap_or((tsn, FIRST));
        let steps = tsn.distance_from(near).cast_signed();
        let number = number.saturating_add_signed(i64::from(steps));
        self.reference = Some((tsn, number));
        number
    }

    /// Limits the number of chunks: the oldest ones count as seen.
    fn forget(&mut self) {
        if self.seen.len() > MOST_CHUNKS
            && let Some((oldest, _)) = self.seen.pop_first()
        {
            self.floor = Some(self.floor.map_or(oldest, |floor| floor.max(oldest)));
        }
    }
}

/// Whether a SACK covers a TSN.
fn has_arrived(sack: &Sack, tsn: Tsn) -> bool {
    let is_in_gaps = || sack.gaps.contains(tsn) || sack.kept_gaps.contains(tsn);
    tsn.is_at_or_before(sack.cumulative) || is_in_gaps()
}

/// Whether a SACK covers a later TSN but not this one.
fn is_missing(sack: &Sack, tsn: Tsn) -> bool {
    let is_below = |last: Option<Tsn>| last.is_some_and(|last| tsn.is_before(last));
    !has_arrived(sack, tsn) && (is_below(sack.gaps.last()) || is_below(sack.kept_gaps.last()))
}

/// The extended TSN of the first TSN, far from both ends of the range.
const FIRST: u64 = 1 << 62;
/// Largest number of chunks per direction: more TSNs than gap blocks can report.
const MOST_CHUNKS: usize = 1 << 16;
