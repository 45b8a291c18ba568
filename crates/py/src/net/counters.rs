//! Counters as Python dictionaries, with their names in Rust.

use std::convert::identity;

use manypath_core::Span;
use manypath_net::{BlockedTime, Counters, Stats};
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyDict};

/// A dictionary of the named fields of a struct, with each value passed through `$as`.
macro_rules! dictionary {
    ($py:expr, $of:ident, $as:expr; $($field:ident),+ $(,)?) => {{
        let dictionary = PyDict::new($py);
        $(dictionary.set_item(stringify!($field), $as($of.$field))?;)+
        Ok(dictionary)
    }};
}

/// The counters of an association.
pub(crate) fn of_association<'py>(py: Python<'py>, stats: &Stats) -> PyResult<Bound<'py, PyDict>> {
    let counters = Stats::COUNTERS.iter();
    counters.map(|counter| (counter.name, (counter.get)(stats))).into_py_dict(py)
}

/// The counters of an endpoint.
pub(crate) fn of_endpoint<'py>(
    py: Python<'py>,
    counters: &Counters,
) -> PyResult<Bound<'py, PyDict>> {
    dictionary!(py, counters, identity; sent, dropped, received, foreign, malformed)
}

/// The times for which a path could not send, in nanoseconds by reason.
pub(crate) fn of_waiting<'py>(
    py: Python<'py>,
    blocked: &BlockedTime,
) -> PyResult<Bound<'py, PyDict>> {
    dictionary!(py, blocked, Span::as_nanos;
        path, window, send_buffer, split_share, receive_window, pacing,
    )
}
