//! Linked increases: the growth of all paths is linked, and each path halves its own window. RFC 6356
//!
//! With c in bytes, r the smoothed round-trip time and α = Σc · max(c/r²) / (Σ c/r)², each acknowledged byte adds
//! min(α·MSS/Σc, MSS/c) bytes to a path in congestion avoidance. Over one window that is MSS · min(c·X, 1) with
//! X = max(c/r²) / (Σ c/r)², because Σc cancels. Slow start and the cut are those of standard TCP.

use manypath_core::{PathId, Time};

use crate::{Algorithm, Paths};

/// Linked increases as TCP uses them: slow start is not linked.
///
/// The window of a path in fast recovery counts unchanged, because this implementation does not inflate windows there.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lia {
    /// Σ cᵢ/rᵢ over the paths that have a round-trip time.
    total_rate: f64,
    /// max cᵢ/rᵢ² over the same paths.
    best: f64,
}

impl Algorithm for Lia {
    fn observe(&mut self, _now: Time, paths: &Paths) {
        (self.total_rate, self.best) = (0.0, 0.0);
        for path in paths.coupled() {
            let rate = path.window() as f64 * path.inverse_rtt();
            self.total_rate += rate;
            self.best = self.best.max(rate * path.inverse_rtt());
        }
    }

    fn growth(&self, paths: &Paths, path: PathId) -> f64 {
        let is_measured = paths[path].inverse_rtt() > 0.0 && self.total_rate > 0.0;
        let units = if is_measured {
            let window = paths[path].window() as f64;
            (window * self.best / (self.total_rate * self.total_rate)).min(1.0)
        } else {
            paths.equal_share()
        };
        units * paths[path].unit() as f64
    }
}
