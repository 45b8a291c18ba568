//! Equally weighted TCP: each of n paths is worth 1/n of a TCP, whatever the others do. \[E09], \[W11]
//!
//! Each acknowledged packet adds a/w to its path, each loss takes w/2. The rate of such a path is √a times that of a
//! TCP with the same losses and round-trip times, so that the flow is worth one TCP with a = 1/n².

use manypath_core::PathId;

use crate::{Algorithm, Paths};

/// 1/n² units per window on each of n paths.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ewtcp;

impl Algorithm for Ewtcp {
    fn growth(&self, paths: &Paths, path: PathId) -> f64 {
        let weight = paths.equal_share();
        weight * weight * paths[path].unit() as f64
    }
}
