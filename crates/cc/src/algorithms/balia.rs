//! BALIA: balanced linked adaptation, between friendliness and responsiveness. \[P16]
//!
//! With w in packets, the rate x = w/r and a = max x / x, each acknowledged packet adds
//! x/(r·(Σx)²) · (1 + a)/2 · (4 + a)/5 to its path, and each loss takes w/2 · min(a, 3/2). Over one window the growth
//! is (x + max x)·(4x + max x) / (10·(Σx)²) packets: one on a single path.

use manypath_core::{PathId, Time};

use crate::{Algorithm, Cut, Loss, Path, Paths};

/// Linked increases and linked cuts, by the ratio of the largest rate to the path's own.
#[derive(Clone, Copy, Debug, Default)]
pub struct Balia {
    /// Σ cᵢ/rᵢ over the paths that have a round-trip time.
    total_rate: f64,
    /// max cᵢ/rᵢ over the same.
    largest_rate: f64,
}

impl Algorithm for Balia {
    fn observe(&mut self, _now: Time, paths: &Paths) {
        (self.total_rate, self.largest_rate) = (0.0, 0.0);
        for rate in paths.coupled().filter_map(Path::rate) {
            self.total_rate += rate;
            self.largest_rate = self.largest_rate.max(rate);
        }
    }

    fn growth(&self, paths: &Paths, path: PathId) -> f64 {
        let units = match paths[path].rate() {
            Some(rate) if self.total_rate > 0.0 => {
                let largest = self.largest_rate;
                let total = self.total_rate;
                ((rate + largest) * (4.0 * rate + largest) / (10.0 * total * total)).min(1.0)
            }
            _ => paths.equal_share(),
        };
        units * paths[path].unit() as f64
    }

    fn back_off(&self, paths: &Paths, path: PathId, _loss: Loss) -> Cut {
        let window = paths[path].window();
        match paths[path].rate() {
            Some(rate) if self.largest_rate > rate => {
                Cut::Bytes(window as f64 * 0.5 * (self.largest_rate / rate).min(1.5))
            }
            _ => Cut::HalfOf(window),
        }
    }

    fn floor(&self, _paths: &Paths, _path: PathId) -> f64 {
        1.0
    }
}
