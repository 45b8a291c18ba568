//! CMT/RPv2: shares the growth by rate, and reduces the window until the whole flow has lost half of its rate.
//! \[D11] §III-B.2

use manypath_core::{PathId, Time};

use crate::{Algorithm, Cut, Loss, Path, Paths};

/// The second version of resource pooling. The rate c/RTT is the measure of a path's capacity.
#[derive(Clone, Copy, Debug, Default)]
pub struct CmtRpV2 {
    /// Σ cᵢ/RTTᵢ over the paths that have a round-trip time.
    total_rate: f64,
}

impl CmtRpV2 {
    /// î: this path's share of the flow's rate.
    fn increase_factor(&self, paths: &Paths, path: PathId) -> f64 {
        match paths[path].rate() {
            Some(rate) => paths.share(rate, self.total_rate),
            None => paths.equal_share(),
        }
    }

    /// d̂: the part of this path's window that halves the flow's rate; may exceed 1.
    fn decrease_factor(&self, paths: &Paths, path: PathId) -> f64 {
        let factor = match paths[path].rate() {
            Some(rate) => 0.5 * self.total_rate / rate,
            None => 0.5 / paths.equal_share(),
        };
        factor.max(0.5)
    }
}

impl Algorithm for CmtRpV2 {
    fn observe(&mut self, _now: Time, paths: &Paths) {
        self.total_rate = paths.coupled().filter_map(Path::rate).sum();
    }

    fn slow_start(&self, paths: &Paths, path: PathId, acked: u64) -> f64 {
        self.increase_factor(paths, path) * acked as f64
    }

    fn growth(&self, paths: &Paths, path: PathId) -> f64 {
        self.increase_factor(paths, path) * paths[path].unit() as f64
    }

    fn back_off(&self, paths: &Paths, path: PathId, _loss: Loss) -> Cut {
        Cut::Bytes(self.decrease_factor(paths, path) * paths[path].window() as f64)
    }

    fn floor(&self, _paths: &Paths, _path: PathId) -> f64 {
        1.0
    }
}
