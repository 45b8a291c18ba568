//! Counters as Python dictionaries, with their names in Rust.

use manypath_core::Counter;
use manypath_net::{Counters, PathStats, Stats};
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyDict};

use crate::registries::Names;

/// The counters of an association, a path or an endpoint.
pub(crate) fn of<'py, T>(
    py: Python<'py>,
    counters: &[Counter<T>],
    stats: &T,
) -> PyResult<Bound<'py, PyDict>> {
    counters.iter().map(|counter| (counter.name, (counter.get)(stats))).into_py_dict(py)
}

/// The counters of associations, of their paths, and of endpoints: names and meanings.
#[pyfunction]
pub(crate) fn sctp_counters() -> [(&'static str, Names); 3] {
    [
        ("association", names(Stats::COUNTERS)),
        ("path", names(PathStats::COUNTERS)),
        ("endpoint", [names(Counters::COUNTERS), vec![FOREIGN_PACKETS]].concat()),
    ]
}

fn names<T>(counters: &[Counter<T>]) -> Names {
    counters.iter().map(|counter| (counter.name, counter.doc)).collect()
}

/// The counter of the host that every endpoint shows: its name and meaning.
pub(super) const FOREIGN_PACKETS: (&str, &str) = (
    "foreign_packets",
    "Packets received for SCTP ports without an endpoint, counted by the host: answered with ABORT inside UDP, ignored in \
     raw IP. RFC 9260 §8.4",
);
