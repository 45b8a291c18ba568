//! Reachability of paths and of the peer. RFC 9260 §8.1, §8.2

use manypath_core::{PathId, Time};

use super::{Association, Notice};
use crate::event::CloseReason;
use crate::path::{Path, PathState};

impl Association {
    /// Handles an answer to something that was sent on this path; returns whether the path has become active again.
    #[inline]
    pub(super) fn path_alive(&mut self, path: PathId) -> bool {
        self.errors = 0;
        let works_again = self.paths[path.index()].note_answer();
        if works_again {
            self.path_up(path);
        }
        works_again
    }

    /// Marks a path as active. Data may use it as soon as the caller opens an opportunity.
    #[cold]
    pub(super) fn path_up(&mut self, path: PathId) {
        self.couple_usable_paths();
        self.notices.push_back(Notice::PathUp(path));
    }

    /// Handles a missing answer on this path. The whole peer may be unreachable.
    pub(super) fn path_error(&mut self, now: Time, path: PathId) {
        self.errors += 1;
        if self.errors > self.config.association_max_retransmissions && self.all_have_failed(path) {
            return self.give_up();
        }
        self.probe_error(now, path);
    }

    /// Whether all paths, with this error of `path`, have enough errors to end the association. True if the
    /// configuration does not require this of all paths.
    fn all_have_failed(&self, path: PathId) -> bool {
        if !self.config.every_path_must_fail {
            return true;
        }
        let limit = self.config.association_max_retransmissions.saturating_add(1);
        // The error counter of a path stops at this value
        let enough = limit.min(self.config.most_path_errors());
        let errors = |(index, known): (usize, &Path)| {
            known.errors.saturating_add(u32::from(index == path.index()))
        };
        let confirmed = self.paths.iter().enumerate().filter(|(_, known)| known.confirmed);
        confirmed.map(errors).all(|errors| errors >= enough)
    }

    /// Ends the association. ABORT is sent on all paths, because one of them may still reach the peer.
    /// RFC 9260 §8.1, §9.1
    #[cold]
    fn give_up(&mut self) {
        self.close(CloseReason::Unreachable);
        self.abort_on_all_paths(&[]);
    }

    /// Handles a missing answer on this path that says nothing about the others.
    pub(super) fn probe_error(&mut self, now: Time, path: PathId) {
        let data_path = self.data_path();
        let known = &mut self.paths[path.index()];
        let changed = known.note_error(now, &self.config);
        match known.state {
            PathState::PotentiallyFailed if changed => {
                known.stats.potentially_failed += 1;
                self.notices.push_back(Notice::PathPotentiallyFailed(path));
            }
            PathState::Inactive if changed => self.notices.push_back(Notice::PathDown(path)),
            _ => {}
        }
        self.probe_potentially_failed(now, path);
        if changed || self.data_path() != data_path {
            self.couple_usable_paths();
            self.open_opportunity(now, self.data_path());
        }
    }

    /// Marks the paths that data may use as active for a coupled congestion control.
    pub(super) fn couple_usable_paths(&mut self) {
        for path in (0..self.paths.len()).map(|index| PathId(index as u8)) {
            self.control.set_active(path, self.usable(path));
        }
        self.divide_buffers();
    }

    /// Divides the buffers among the paths that may carry new data. Other paths have no share.
    ///
    /// A pausing path keeps its share, because it continues soon.
    pub(super) fn divide_buffers(&mut self) {
        self.sharers = self.count_sharers();
    }

    /// Number of paths that share the buffers. Without CMT one path has everything.
    pub(super) fn count_sharers(&self) -> u64 {
        let paths = (0..self.paths.len()).map(|index| PathId(index as u8));
        let usable = paths.filter(|path| self.usable(*path)).count() as u64;
        if self.config.concurrent { usable.max(1) } else { 1 }
    }

    /// Whether data uses this path now. RFC 9260 §8.1
    pub(super) fn carries_data(&self, path: PathId) -> bool {
        path == self.data_path() || (self.config.concurrent && self.usable(path))
    }

    /// The active path with the fewest consecutive errors; among equals, the path that carries data.
    pub(super) fn surest_path(&self) -> PathId {
        let preferred = self.data_path();
        (0..self.paths.len())
            .map(|index| PathId(index as u8))
            .filter(|path| self.usable(*path))
            .min_by_key(|&path| (self.paths[path.index()].errors, path != preferred))
            .unwrap_or(preferred)
    }

    /// The primary path, or the first active path if the primary has failed; the primary path if none is active.
    /// RFC 9260 §6.4
    pub(super) fn data_path(&self) -> PathId {
        if self.usable(self.primary) {
            return self.primary;
        }
        let mut paths = (0..self.paths.len()).map(|index| PathId(index as u8));
        paths.find(|path| self.usable(*path)).unwrap_or(self.primary)
    }
}
