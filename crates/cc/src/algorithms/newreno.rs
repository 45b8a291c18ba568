//! NewReno: each path is independent. Standard SCTP on one path (RFC 9260 §7.2), plain CMT on several (\[D11] §III-A).

use manypath_core::PathId;

use crate::{Algorithm, Paths};

/// Adds one unit per window and removes half of the window per loss, on each path independently.
#[derive(Clone, Copy, Debug, Default)]
pub struct NewReno;

impl Algorithm for NewReno {
    fn is_coupled(&self) -> bool {
        false
    }

    fn growth(&self, paths: &Paths, path: PathId) -> f64 {
        paths[path].unit() as f64
    }
}
