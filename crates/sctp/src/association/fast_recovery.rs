//! The paths in Fast Recovery, and the TSNs that end it. RFC 9260 §7.2.4

use manypath_core::{PathId, Tsn};

use super::timers::MAX_PATHS;
use crate::config::Config;

/// Fast Recovery of the paths of an association. A path in Fast Recovery does not change its window.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FastRecovery {
    /// One bit per path in Fast Recovery, the lowest for the first path.
    paths: u16,
    /// Exit points: Fast Recovery of a path ends when everything up to this TSN has arrived.
    exits: [Tsn; MAX_PATHS],
}

impl FastRecovery {
    /// Whether any path is in Fast Recovery.
    #[inline]
    pub(super) fn any(&self) -> bool {
        self.paths != 0
    }

    /// Whether this path is in Fast Recovery.
    #[inline]
    pub(super) fn contains(&self, path: PathId) -> bool {
        self.paths & bit(path) != 0
    }

    /// Whether a loss on this path belongs to a Fast Recovery that has begun: of the path itself, or of any path if all
    /// paths share it.
    #[inline]
    pub(super) fn covers(&self, path: PathId, config: &Config) -> bool {
        if config.path_fast_recovery { self.contains(path) } else { self.any() }
    }

    /// The exit point of a path in Fast Recovery.
    pub(super) fn exit(&self, path: PathId) -> Option<Tsn> {
        self.contains(path).then(|| self.exits[path.index()])
    }

    /// Begins Fast Recovery of a path, which lasts until everything up to `exit` has arrived. RFC 9260 §7.2.4 item 2
    pub(super) fn enter(&mut self, path: PathId, exit: Tsn) {
        self.paths |= bit(path);
        self.exits[path.index()] = exit;
    }

    /// Ends Fast Recovery of a path. RFC 9260 §7.2.4 item 6
    pub(super) fn leave(&mut self, path: PathId) {
        self.paths &= !bit(path);
    }
}

const fn bit(path: PathId) -> u16 {
    1 << path.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_path_leaves_fast_recovery_alone() {
        let (first, last) = (PathId(0), PathId(MAX_PATHS as u8 - 1));
        let mut recovery = FastRecovery::default();
        recovery.enter(first, Tsn(7));
        recovery.enter(last, Tsn(9));
        recovery.leave(first);
        recovery.leave(first);
        assert_eq!((recovery.exit(first), recovery.exit(last)), (None, Some(Tsn(9))));
        assert!(recovery.any());
        recovery.leave(last);
        assert!(!recovery.any());
    }

    #[test]
    fn without_fast_recovery_per_path_a_loss_on_any_path_belongs_to_that_of_the_first() {
        let mut recovery = FastRecovery::default();
        recovery.enter(PathId(0), Tsn(7));
        let covers = |path_fast_recovery| {
            let config = Config { path_fast_recovery, ..Config::default() };
            [0, 1].map(|path| recovery.covers(PathId(path), &config))
        };
        assert_eq!(covers(true), [true, false]);
        assert_eq!(covers(false), [true, true]);
    }
}
