//! Quick failover: after a few unanswered packets a path is potentially failed and avoided, before it counts as failed.
//! RFC 7829
//!
//! Such a path is probed once per RTO, and the first unambiguous answer makes it active again. While an active path
//! exists, data does not use potentially failed paths. If there is none, data uses the path with the fewest consecutive
//! errors, even if all have failed: every probe and every retransmission can then detect that a path works again.
//!
//! RFC 7829 §3.2 item 7 has two options. This implementation uses that of RFC 9260 §8.3: an answered probe counts even
//! while data is outstanding on the path.

use std::cmp::Reverse;

use manypath_core::{PathId, Time};

use super::Association;
use super::paths::Paths;
use crate::config::Config;
use crate::path::{Local, Path, PathState};
use crate::send::News;

impl Paths {
    /// Whether data may use this path: the path is active, or no path is and it is the last resort.
    #[inline]
    pub(super) fn usable(&self, config: &Config, path: PathId) -> bool {
        self[path].works() || self.last_resort(config) == Some(path)
    }

    /// The path for data if no path is active. RFC 7829 §3.2 item 4, §4.1
    ///
    /// Paths whose local address was lost are last in the order. Among paths with equal errors, the one that was active
    /// last is used; RFC 7829 does not define the choice.
    #[cold]
    fn last_resort(&self, config: &Config) -> Option<PathId> {
        if !config.fails_over_quickly() || self.iter().any(Path::works) {
            return None;
        }
        self.ids().filter(|path| self[*path].confirmed).min_by_key(|path| {
            let known = &self[*path];
            let has_failed = known.state == PathState::Inactive;
            let is_lost = known.local == Local::Lost;
            (has_failed, is_lost, known.errors, Reverse(known.last_active))
        })
    }

    /// Whether the chunks of this path that a SACK acknowledges, `news`, show that the path works.
    ///
    /// For a potentially failed path, only chunks that must have used this path count. RFC 7829 §3.2 items 9, 10
    pub(super) fn is_answer(&self, config: &Config, path: PathId, news: &News) -> bool {
        if self.data_probes(config, path) {
            news.is_sure
        } else {
            // Late acknowledgements of chunks that were given up do not show the current state of the path.
            // RFC 9260 §8.2 lets the sender decide
            news.answered && news.works
        }
    }

    /// Whether data in flight on a path, which is potentially failed, replaces a probe. RFC 7829 §3.2 item 6
    pub(super) fn data_probes(&self, config: &Config, path: PathId) -> bool {
        config.fails_over_quickly() && self[path].state != PathState::Active
    }
}

impl Association {
    /// Probes a potentially failed path after every error, without waiting for HB.interval. RFC 7829 §3.2 items 5, 6
    ///
    /// A path whose local address was lost is probed like a potentially failed one until it has as many errors as a failed
    /// path. So the peer is declared unreachable after the same time as a silent peer.
    pub(super) fn probe_potentially_failed(&mut self, now: Time, path: PathId) {
        let known = &self.paths[path];
        let is_doubted = match known.state {
            PathState::Active => false,
            PathState::PotentiallyFailed => true,
            PathState::Inactive => {
                known.local != Local::Kept
                    && self.config.fails_over_quickly()
                    && known.errors <= self.config.path_max_retransmissions
            }
        };
        // RFC 9260 §8.3: no probes before the association is established, nor after SHUTDOWN
        if is_doubted && self.state.may_send_data() {
            self.send_heartbeat(now, path);
        }
    }
}
