//! BALIA: balanced linked adaptation, between friendliness and responsiveness. \[P16]
//!
//! With w in packets, the rate x = w/r and a = max x / x, each acknowledged packet adds
//! x/(r·(Σx)²) · (1 + a)/2 · (4 + a)/5 to its path, and each loss takes w/2 · min(a, 3/2). Over one window the growth
//! is (x + max x)·(4x + max x) / (10·(Σx)²) packets: one on a single path.

use manypath_core::{PathId, Time};

use crate::{Algorithm, Cut, Loss, Path, Paths};

/// Linked increases and linked cuts that depend on the ratio of the largest rate to the path's own rate.
#[derive(Clone, Copy, Debug, Default)]
pub struct Balia {
    /// Σ cᵢ/rᵢ over the paths that have a round-trip time.
    total_rate: f64,
    /// max cᵢ/rᵢ over the same paths.
    largest_rate: f64,
}

impl Algorithm for Balia {
    fn observe(&mut self, _now: Time, paths: &Paths) {
        (self.total_rate, self.largest_rate) = (0.0, 0.0);
        for path in paths.coupled() {
            let rate = rate(path);
            self.total_rate += rate;
            self.largest_rate = self.largest_rate.max(rate);
        }
    }

    fn growth(&self, paths: &Paths, path: PathId) -> f64 {
        let (own, largest, total) = (rate(&paths[path]), self.largest_rate, self.total_rate);
        let units = if own > 0.0 && total > 0.0 {
            ((own + largest) * (4.0 * own + largest) / (10.0 * total * total)).min(1.0)
        } else {
            paths.equal_share()
        };
        units * paths[path].unit() as f64
    }

    fn back_off(&self, paths: &Paths, path: PathId, _loss: Loss) -> Cut {
        let window = paths[path].window();
        let own = rate(&paths[path]);
        if own > 0.0 && self.largest_rate > own {
            Cut::Bytes(window as f64 * 0.5 * (self.largest_rate / own).min(1.5))
        } else {
            Cut::HalfOf(window)
        }
    }

    fn floor(&self, _paths: &Paths, _path: PathId) -> f64 {
        1.0
    }
}

/// x: bytes per unit of time; zero before the first round-trip time sample.
fn rate(path: &Path) -> f64 {
    path.window() as f64 * path.inverse_rtt()
}
