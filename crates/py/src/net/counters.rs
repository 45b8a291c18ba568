//! Counters as Python dictionaries, with their names in Rust.

use manypath_core::{Counter, Span};
use manypath_net::BlockedTime;
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

/// The times for which a path could not send, in nanoseconds by reason.
pub(crate) fn of_waiting<'py>(
    py: Python<'py>,
    blocked: &BlockedTime,
) -> PyResult<Bound<'py, PyDict>> {
    let BlockedTime { path, window, send_buffer, split_share, receive_window, pacing } = *blocked;
    let reasons = [
        ("path", path),
        ("window", window),
        ("send_buffer", send_buffer),
        ("split_share", split_share),
        ("receive_window", receive_window),
        ("pacing", pacing),
    ];
    reasons.map(|(reason, time)| (reason, Span::as_nanos(time))).into_py_dict(py)
}
