//! CMT/RPv1: shares the growth by slow-start threshold, and halves the window of the whole flow. \[D11] §III-B.1

use manypath_core::{PathId, Time};

use crate::{Algorithm, Cut, Loss, Path, Paths};

/// The first version of resource pooling. The threshold s is the measure of a path's capacity.
#[derive(Clone, Copy, Debug, Default)]
pub struct CmtRpV1 {
    /// Σ cᵢ, bytes.
    total_window: u64,
    /// Σ sᵢ, bytes.
    total_threshold: u64,
}

impl CmtRpV1 {
    /// ŝ: this path's share of all thresholds.
    fn increase_factor(&self, paths: &Paths, path: PathId) -> f64 {
        paths.share(paths[path].ssthresh() as f64, self.total_threshold as f64)
    }
}

impl Algorithm for CmtRpV1 {
    fn observe(&mut self, _now: Time, paths: &Paths) {
        self.total_window = paths.coupled().map(Path::window).sum();
        self.total_threshold = paths.coupled().map(Path::ssthresh).sum();
    }

    fn slow_start(&self, paths: &Paths, path: PathId, acked: u64) -> f64 {
        self.increase_factor(paths, path) * acked as f64
    }

    fn growth(&self, paths: &Paths, path: PathId) -> f64 {
        self.increase_factor(paths, path) * paths[path].unit() as f64
    }

    fn back_off(&self, paths: &Paths, path: PathId, _loss: Loss) -> Cut {
        // A failed path is not in the sum, so its own loss uses its own window if that is larger.
        Cut::HalfOf(self.total_window.max(paths[path].window()))
    }

    fn floor(&self, paths: &Paths, path: PathId) -> f64 {
        self.increase_factor(paths, path) * paths.profile().floors.pooled
    }
}
