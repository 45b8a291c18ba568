//! Errors of the laboratory as Python exceptions, each with a message of one line.

use manypath_lab::Cause;
use pyo3::create_exception;
use pyo3::exceptions::{PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;

create_exception!(
    manypath._native,
    ScenarioError,
    PyValueError,
    "A document that cannot be run; one line names field, value and remedy."
);
create_exception!(
    manypath._native,
    RunError,
    PyRuntimeError,
    "A run whose results cannot be trusted; one line names seed and replication."
);

create_exception!(
    manypath._native,
    CaptureError,
    PyOSError,
    "A capture that cannot be written as asked; one line names argument, value and reason."
);
create_exception!(
    manypath._native,
    EventsError,
    PyOSError,
    "Events that cannot be written as asked; one line names argument, value and reason."
);

create_exception!(
    manypath._native,
    SeriesError,
    PyValueError,
    "A series that has no room in memory; one line names field, value and remedy."
);

/// A wrong document.
pub(crate) fn scenario(error: &manypath_lab::DocumentError) -> PyErr {
    ScenarioError::new_err(error.to_string())
}

/// A series without room.
pub(crate) fn series(error: &manypath_lab::DocumentError) -> PyErr {
    SeriesError::new_err(error.to_string())
}

/// A failed run.
pub(crate) fn run(error: &manypath_lab::RunError) -> PyErr {
    match &error.cause {
        Cause::Capture(error) => CaptureError::new_err(error.to_string()),
        Cause::Events(error) => EventsError::new_err(error.to_string()),
        Cause::Memory(error) => series(error),
        _ => RunError::new_err(error.to_string()),
    }
}
