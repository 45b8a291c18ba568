//! Fully coupled: the whole flow grows and backs off like one TCP. \[K05], in the window form of \[W11]
//!
//! With w in packets and W = Σw, each acknowledged packet adds 1/W to its path and each loss takes W/2 from its path,
//! which keeps at least one packet. With equal loss rates the distribution of the windows is undetermined, and the
//! windows drift. With unequal loss rates all traffic moves to the path with the lowest loss rate.

use manypath_core::{PathId, Time};

use crate::{Algorithm, Cut, Loss, Path, Paths};

/// Growth by the path's share of all windows. A loss removes half of the sum of all windows.
#[derive(Clone, Copy, Debug, Default)]
pub struct Coupled {
    /// Σ cᵢ, bytes.
    total_window: u64,
}

impl Algorithm for Coupled {
    fn observe(&mut self, _now: Time, paths: &Paths) {
        self.total_window = paths.coupled().map(Path::window).sum();
    }

    fn growth(&self, paths: &Paths, path: PathId) -> f64 {
        let share = paths.share(paths[path].window() as f64, self.total_window as f64);
        share * paths[path].unit() as f64
    }

    fn back_off(&self, paths: &Paths, path: PathId, _loss: Loss) -> Cut {
        // A failed path is not in the sum, so its own loss uses its own window if that is larger.
        Cut::HalfOf(self.total_window.max(paths[path].window()))
    }

    fn floor(&self, _paths: &Paths, _path: PathId) -> f64 {
        1.0
    }
}
