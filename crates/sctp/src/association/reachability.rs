//! Reachability of paths and of the peer. RFC 9260 §8.1, §8.2

use manypath_core::{PathId, Time};

use super::paths::Paths;
use super::{Association, Notice};
use crate::config::Config;
use crate::event::CloseReason;
use crate::path::PathState;

impl Association {
    /// Handles an answer to something that was sent on this path; returns whether the path has become active again.
    #[inline]
    pub(super) fn path_alive(&mut self, path: PathId) -> bool {
        self.paths.errors = 0;
        let works_again = self.paths[path].note_answer();
        if works_again {
            self.path_up(path);
        }
        works_again
    }

    /// Marks a path as active. Data may use it as soon as the caller opens an opportunity.
    #[cold]
    pub(super) fn path_up(&mut self, path: PathId) {
        self.couple_usable_paths();
        self.notices.push(Notice::PathUp(path));
    }

    /// Handles a missing answer on this path. The whole peer may be unreachable.
    pub(super) fn path_error(&mut self, now: Time, path: PathId) {
        self.paths.errors += 1;
        if self.paths.errors > self.config.association_max_retransmissions
            && self.paths.all_have_failed(&self.config, path)
        {
            return self.give_up();
        }
        self.probe_error(now, path);
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
        let data_path = self.paths.for_data(&self.config);
        let known = &mut self.paths[path];
        let changed = known.note_error(now, &self.config);
        match known.state {
            PathState::PotentiallyFailed if changed => {
                known.stats.potentially_failed += 1;
                self.notices.push(Notice::PathPotentiallyFailed(path));
            }
            PathState::Inactive if changed => self.notices.push(Notice::PathDown(path)),
            _ => {}
        }
        self.probe_potentially_failed(now, path);
        if changed || self.paths.for_data(&self.config) != data_path {
            self.couple_usable_paths();
            self.open_opportunity(now, self.paths.for_data(&self.config));
        }
    }

    /// Marks the paths that data may use as active for a coupled congestion control.
    pub(super) fn couple_usable_paths(&mut self) {
        for path in self.paths.ids() {
            self.control.set_active(path, self.paths.usable(&self.config, path));
        }
        self.paths.divide_buffers(&self.config);
    }
}

impl Paths {
    /// Whether all paths, with this error of `path`, have enough errors to end the association. True if the
    /// configuration does not require this of all paths.
    fn all_have_failed(&self, config: &Config, path: PathId) -> bool {
        if !config.every_path_must_fail {
            return true;
        }
        let limit = config.association_max_retransmissions.saturating_add(1);
        // The error counter of a path stops at this value
        let enough = limit.min(config.most_path_errors());
        let errors = |other: PathId| self[other].errors.saturating_add(u32::from(other == path));
        self.ids().filter(|other| self[*other].confirmed).all(|other| errors(other) >= enough)
    }

    /// Divides the buffers among the paths that may carry new data. Other paths have no share.
    ///
    /// A pausing path keeps its share, because it continues soon.
    pub(super) fn divide_buffers(&mut self, config: &Config) {
        self.sharers = self.count_sharers(config);
    }

    /// Number of paths that share the buffers. Without CMT one path has everything.
    pub(super) fn count_sharers(&self, config: &Config) -> u64 {
        let usable = self.ids().filter(|path| self.usable(config, *path)).count() as u64;
        if config.concurrent { usable.max(1) } else { 1 }
    }

    /// Whether data uses this path now. RFC 9260 §8.1
    pub(super) fn carry_data(&self, config: &Config, path: PathId) -> bool {
        path == self.for_data(config) || (config.concurrent && self.usable(config, path))
    }

    /// The active path with the fewest consecutive errors; among equals, the path that carries data.
    pub(super) fn surest(&self, config: &Config) -> PathId {
        let preferred = self.for_data(config);
        self.ids()
            .filter(|path| self.usable(config, *path))
            .min_by_key(|path| (self[*path].errors, *path != preferred))
            .unwrap_or(preferred)
    }

    /// The primary path, or the first active path if the primary has failed; the primary path if none is active.
    /// RFC 9260 §6.4
    // With CMT it is rarely called. If it were inlined, its frequent callers would be too large to be inlined
    #[inline(never)]
    pub(super) fn for_data(&self, config: &Config) -> PathId {
        if self.usable(config, self.primary) {
            return self.primary;
        }
        self.ids().find(|path| self.usable(config, *path)).unwrap_or(self.primary)
    }
}
