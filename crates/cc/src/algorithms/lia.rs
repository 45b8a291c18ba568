//! Linked increases (LIA): the growth of all paths is coupled. A loss halves only the window of its path. RFC 6356
//!
//! With c in bytes, r the smoothed round-trip time and α = Σc · max(c/r²) / (Σ c/r)², each acknowledged byte adds
//! min(α·MSS/Σc, MSS/c) bytes to the window of a path in congestion avoidance. Per window of acknowledged data, that is
//! per c bytes, this is MSS · min(c·X, 1) with X = max(c/r²) / (Σ c/r)², because Σc cancels. Slow start and the
//! reduction after a loss are those of standard TCP.

use manypath_core::{PathId, Time};

use crate::{Algorithm, Paths};

/// LIA for TCP: only congestion avoidance is coupled, not slow start.
///
/// A path in fast recovery counts with its window. Duplicate acknowledgements do not inflate this window: TCP without
/// SACK stores the inflation separately.
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
            // Without a round-trip time: 1/n of the growth of a single path, for n coupled paths
            paths.equal_share()
        };
        units * paths[path].unit() as f64
    }
}
