//! Runs documents with seeds and returns outcomes; the GIL is released meanwhile.

use manypath_core::Span;
use manypath_lab::{Ideal, Job, Outcome, Recorded, RunError, Scenario, Watch};
use pyo3::exceptions::{PyIndexError, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors;
use crate::series::{change_columns, columns};
use crate::stop::{Caller, Stop};

/// Run one scenario; return the outcome as JSON, and columns over time if `watch` requests them: the document of
/// `manypath_lab::Watch`. `progress` is called several times a second with the simulated time in seconds.
#[pyfunction]
#[pyo3(signature = (document, seed, replication, watch=None, progress=None))]
pub(crate) fn run<'py>(
    py: Python<'py>,
    document: &str,
    seed: u64,
    replication: u64,
    watch: Option<&str>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(String, Option<Bound<'py, PyDict>>)> {
    let watch = watch.map(Watch::parse).transpose();
    let watch = watch.map_err(|error| errors::scenario(&error))?.unwrap_or_default();
    let scenario = parse(document, 1)?;
    let job = Job { seed, replication };
    let caller = Caller::new(progress);
    let is_stopped = |now| caller.stops_at(now);
    let result = py.detach(|| manypath_lab::run_unless(&scenario, job, &watch, &is_stopped));
    if let Some(error) = caller.into_error() {
        return Err(error);
    }
    let (outcome, record) = result.map_err(|error| errors::run(&error))?;
    let columns = match (record.series, record.changes) {
        (Some(series), _) => Some(columns(py, &scenario, &series)?),
        (None, Some(changes)) => Some(change_columns(py, &scenario, &changes)?),
        (None, None) => None,
    };
    Ok((json(&outcome)?, columns))
}

/// Run many jobs in sequence without the GIL; a job is (index of the document, seed, replication). The result of a
/// failed run is its `RunError`, also for runs that `stop` ends.
#[pyfunction]
#[pyo3(signature = (documents, jobs, stop=None))]
#[expect(clippy::needless_pass_by_value, reason = "arguments from Python are owned")]
pub(crate) fn run_batch(
    py: Python<'_>,
    documents: Vec<String>,
    jobs: Vec<(usize, u64, u64)>,
    stop: Option<Py<Stop>>,
) -> PyResult<Vec<Py<PyAny>>> {
    let scenarios: Vec<_> =
        documents.iter().map(|document| parse(document, 1)).collect::<PyResult<_>>()?;
    let job = |&(index, seed, replication): &(usize, u64, u64)| {
        let scenario = scenarios
            .get(index)
            .ok_or_else(|| PyIndexError::new_err(format!("there is no document {index}")))?;
        Ok((scenario, Job { seed, replication }))
    };
    let pairs: Vec<_> = jobs.iter().map(job).collect::<PyResult<_>>()?;
    let watch = Watch::default();
    let is_stopped = |_| stop.as_ref().is_some_and(|stop| stop.get().is_set());
    let run = |&(scenario, job)| manypath_lab::run_unless(scenario, job, &watch, &is_stopped);
    let results: Vec<_> = py.detach(|| pairs.iter().map(run).collect());
    let outcome = |result: Result<(Outcome, Recorded), RunError>| match result {
        Ok((outcome, _)) => Ok(json(&outcome)?.into_pyobject(py)?.into_any().unbind()),
        Err(error) => Ok(errors::run(&error).into_value(py).into_any()),
    };
    results.into_iter().map(outcome).collect()
}

/// Packets per second that a connection sends on each path under given losses: see `manypath_lab::Ideal`.
#[pyfunction]
pub(crate) fn ideal_rates(
    py: Python<'_>,
    document: &str,
    seed: u64,
    replication: u64,
) -> PyResult<Vec<f64>> {
    let ideal = Ideal::parse(document).map_err(|error| errors::scenario(&error))?;
    let rates = py.detach(|| ideal.rates(Job { seed, replication }));
    rates.map_err(|error| errors::scenario(&error))
}

/// Bytes of memory that this process can still use; `None` if the system does not report it.
#[pyfunction]
pub(crate) fn available_memory() -> Option<u64> {
    manypath_lab::scenario::available_memory()
}

/// Raise `ScenarioError` unless this number of simultaneous runs of the document is possible.
#[pyfunction]
#[pyo3(signature = (document, runs=1))]
pub(crate) fn check(document: &str, runs: usize) -> PyResult<()> {
    parse(document, runs).map(|_| ())
}

/// Raise `SeriesError` unless samples of the document each `every` nanoseconds fit into memory; nothing is run.
#[pyfunction]
pub(crate) fn check_series(document: &str, every: u64) -> PyResult<()> {
    let memory = available_memory().unwrap_or(u64::MAX);
    let checked = parse(document, 1)?.check_series(Span::from_nanos(every), memory);
    checked.map_err(|error| errors::series(&error))
}

/// Upper bound of the bytes that a run of the document needs, with all buffers and queues full; `ScenarioError` if the
/// document is invalid.
#[pyfunction]
pub(crate) fn memory(document: &str) -> PyResult<u64> {
    parse(document, 1).map(|scenario| scenario.memory())
}

/// Reads a document, and checks that this number of simultaneous runs fits into memory.
fn parse(document: &str, runs: usize) -> PyResult<Scenario> {
    let scenario = Scenario::parse(document).map_err(|error| errors::scenario(&error))?;
    if let Some(available) = available_memory() {
        scenario.check_memory(available, runs).map_err(|error| errors::scenario(&error))?;
    }
    Ok(scenario)
}

fn json(outcome: &Outcome) -> PyResult<String> {
    serde_json::to_string(outcome).map_err(|error| PyRuntimeError::new_err(error.to_string()))
}
