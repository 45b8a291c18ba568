//! Messages as tuples for Python.

use manypath_net::Message;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// Payload, stream, payload protocol identifier, whether it is unordered; and of a part of a message, the number of the
/// message and whether another part follows.
pub(crate) fn row(py: Python<'_>, message: &Message) -> PyResult<Py<PyAny>> {
    let payload = PyBytes::new(py, &message.payload);
    let part = message.part.map(|part| (part.message.0, part.more_follows));
    let row = (payload, message.stream, message.ppid, message.unordered, part);
    Ok(row.into_pyobject(py)?.into_any().unbind())
}
