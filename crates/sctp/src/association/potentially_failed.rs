//! Quick failover: a path that has left a few packets unanswered is avoided before it counts as failed. RFC 7829
//!
//! Such a path is probed once per RTO, and the first sure answer brings it back. While a path works, no data takes one
//! that may not. Where none works data takes one of the others, the one with the fewest errors in a row, even if all have
//! failed: then every probe and every retransmission is a chance to find out that one works again.
//!
//! Of what RFC 7829 §3.2 item 7 leaves open: an answered probe counts even while data is outstanding on the path, as in
//! RFC 9260 §8.3.

use std::cmp::Reverse;

use manypath_core::{PathId, Time};

use super::Association;
use crate::path::{Path, PathState};

impl Association {
    /// Whether data may take this path: it works, or none does and it is the last resort.
    #[inline]
    pub(super) fn usable(&self, path: PathId) -> bool {
        self.paths[path.index()].works() || self.last_resort() == Some(path)
    }

    /// The path that data takes though it may have failed, because no path works. RFC 7829 §3.2 item 4, §4.1
    ///
    /// Among equals it is the one that was active last; RFC 7829 leaves the choice open.
    #[cold]
    fn last_resort(&self) -> Option<PathId> {
        if !self.config.fails_over_quickly() || self.paths.iter().any(Path::works) {
            return None;
        }
        (0..self.paths.len())
            .filter(|&index| self.paths[index].confirmed)
            .min_by_key(|&index| {
                let known = &self.paths[index];
                (known.state == PathState::Inactive, known.errors, Reverse(known.last_active))
            })
            .map(|index| PathId(index as u8))
    }

    /// Whether a SACK shows that the path works, by what it acknowledges of this path.
    ///
    /// A path that is doubted is believed only where the chunk must have taken it. RFC 7829 §3.2 items 9, 10
    pub(super) fn is_answer(&self, path: PathId) -> bool {
        let news = self.sender.news(path);
        let is_doubted = self.paths[path.index()].state != PathState::Active;
        if is_doubted && self.config.fails_over_quickly() {
            news.is_sure
        } else {
            // Late news of what was given up says nothing about the path now. RFC 9260 §8.2 leaves it to the sender
            news.answered && news.works
        }
    }

    /// A path that may have failed is probed at once after every error, not after HB.interval. RFC 7829 §3.2 items 5, 6
    pub(super) fn probe_potentially_failed(&mut self, now: Time, path: PathId) {
        let is_doubted = self.paths[path.index()].state == PathState::PotentiallyFailed;
        // RFC 9260 §8.3: no probes before the association stands, nor after SHUTDOWN
        if is_doubted && self.state.may_send_data() {
            self.send_heartbeat(now, path);
        }
    }

    /// Whether the data in flight on a path that is doubted tells the same as a probe. RFC 7829 §3.2 item 6
    pub(super) fn data_probes(&self, path: PathId) -> bool {
        self.config.fails_over_quickly()
            && self.paths[path.index()].state != PathState::Active
            && self.sender.flight(path) > 0
    }
}
