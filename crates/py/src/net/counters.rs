//! Counters as Python dictionaries, with their names in Rust.

use manypath_core::Counter;
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyDict};

/// The counters of an association, a path or an endpoint.
pub(crate) fn of<'py, T>(
    py: Python<'py>,
    counters: &[Counter<T>],
    stats: &T,
) -> PyResult<Bound<'py, PyDict>> {
    counters.iter().map(|counter| (counter.name, (counter.get)(stats))).into_py_dict(py)
}
