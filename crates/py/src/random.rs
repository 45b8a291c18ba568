//! Random numbers of the engine, for programs that use the same scenario.

use manypath_core::Streams;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The first number in `low..=high` of the random stream called `stream`, as in a simulation with this seed and
/// replication.
///
/// # Errors
/// If `low` is greater than `high`.
#[pyfunction]
pub(crate) fn first_between(
    stream: &str,
    seed: u64,
    replication: u64,
    low: u64,
    high: u64,
) -> PyResult<u64> {
    if low > high {
        return Err(PyValueError::new_err(format!("`low` is {low}, expected {high} or less")));
    }
    Ok(Streams::new(seed, replication).stream(stream).between(low, high))
}
