//! Which paths work, and whether the peer can be reached at all. RFC 9260 §8.1, §8.2

use manypath_core::{PathId, Time};

use super::{Association, Notice};
use crate::event::CloseReason;
use crate::path::{Path, PathState};

impl Association {
    /// Something that was sent on this path has been answered; whether the path works again.
    #[inline]
    pub(super) fn path_alive(&mut self, path: PathId) -> bool {
        self.errors = 0;
        let works_again = self.paths[path.index()].note_answer();
        if works_again {
            self.path_up(path);
        }
        works_again
    }

    /// Data may take this path as soon as the caller opens an opportunity.
    #[cold]
    pub(super) fn path_up(&mut self, path: PathId) {
        self.couple_usable_paths();
        self.notices.push_back(Notice::PathUp(path));
    }

    /// Something that was sent on this path had no answer, and the peer as a whole may be gone.
    pub(super) fn path_error(&mut self, now: Time, path: PathId) {
        self.errors += 1;
        if self.errors > self.config.association_max_retransmissions && self.all_have_failed(path) {
            return self.give_up();
        }
        self.probe_error(now, path);
    }

    /// Whether every path has failed long enough to give up, with this error of `path`, where that is asked for.
    fn all_have_failed(&self, path: PathId) -> bool {
        if !self.config.every_path_must_fail {
            return true;
        }
        let limit = self.config.association_max_retransmissions.saturating_add(1);
        // A path counts no further than this
        let enough = limit.min(self.config.most_path_errors());
        let errors = |(index, known): (usize, &Path)| {
            known.errors.saturating_add(u32::from(index == path.index()))
        };
        let confirmed = self.paths.iter().enumerate().filter(|(_, known)| known.confirmed);
        confirmed.map(errors).all(|errors| errors >= enough)
    }

    /// The association ends. ABORT tells the peer, in case that it hears what leaves here although no answer comes: on all
    /// paths, for it is not known which one still leads there. RFC 9260 §8.1, §9.1
    #[cold]
    fn give_up(&mut self) {
        self.close(CloseReason::Unreachable);
        self.abort_on_all_paths(&[]);
    }

    /// Something that was sent on this path had no answer, which says nothing about the others.
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

    /// Paths that data may take are those that a coupled congestion control counts together.
    pub(super) fn couple_usable_paths(&mut self) {
        for path in (0..self.paths.len()).map(|index| PathId(index as u8)) {
            self.control.set_active(path, self.usable(path));
        }
        self.divide_buffers();
    }

    /// Shares of the buffers are for the paths that new data may take; a path that it may not leaves its own to them.
    ///
    /// A path that pauses keeps its share: it goes on soon.
    pub(super) fn divide_buffers(&mut self) {
        self.sharers = self.count_sharers();
    }

    /// Without CMT one path has everything.
    pub(super) fn count_sharers(&self) -> u64 {
        let paths = (0..self.paths.len()).map(|index| PathId(index as u8));
        let usable = paths.filter(|path| self.usable(*path)).count() as u64;
        if self.config.concurrent { usable.max(1) } else { 1 }
    }

    /// Whether data takes this path now. RFC 9260 §8.1
    pub(super) fn carries_data(&self, path: PathId) -> bool {
        path == self.data_path() || (self.config.concurrent && self.usable(path))
    }

    /// Among the paths that work the one with the fewest errors in a row, the one that data takes among equals.
    pub(super) fn surest_path(&self) -> PathId {
        let preferred = self.data_path();
        (0..self.paths.len())
            .map(|index| PathId(index as u8))
            .filter(|path| self.usable(*path))
            .min_by_key(|&path| (self.paths[path.index()].errors, path != preferred))
            .unwrap_or(preferred)
    }

    /// The primary path, or the first one that works instead; the primary again if none does. RFC 9260 §6.4
    pub(super) fn data_path(&self) -> PathId {
        if self.usable(self.primary) {
            return self.primary;
        }
        let mut paths = (0..self.paths.len()).map(|index| PathId(index as u8));
        paths.find(|path| self.usable(*path)).unwrap_or(self.primary)
    }
}
