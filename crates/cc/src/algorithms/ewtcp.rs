//! Equally weighted TCP: each of n paths has the weight 1/n of a TCP, independently of the others. \[E09], \[W11]
//!
//! Each acknowledged packet adds a/w to its path, each loss takes w/2. The rate of such a path is √a times the rate of
//! a TCP with the same losses and round-trip times. With a = 1/n² the flow as a whole is equivalent to one TCP.

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
