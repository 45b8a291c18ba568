//! Documents and seeds in, outcomes out; the GIL is released while the laboratory works.

use std::path::PathBuf;

use manypath_core::Span;
use manypath_lab::{CaptureConfig, EventsConfig, Ideal, Job, Outcome, RunError, Scenario, Watch};
use pyo3::exceptions::{PyIndexError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors;
use crate::series::{change_columns, columns};
use crate::stop::{Caller, Stop};

/// What shall be written down beside an outcome: the keys of a dictionary, each of which may be missing.
#[derive(Default)]
pub(crate) struct Wishes {
    /// Nanoseconds between two samples, or nothing.
    series: Option<u64>,
    /// Whether columns have a row for each change; samples come first.
    changes: bool,
    /// A file for packets.
    capture: Option<PathBuf>,
    /// Links whose packets are meant; all core links if there is none.
    links: Vec<String>,
    /// A file for events.
    events: Option<PathBuf>,
    /// Events that are meant; all if there is none.
    only: Vec<String>,
    /// Bytes that columns may take, or nothing.
    memory: Option<u64>,
    /// Packets of SCTP travel as bytes: for tests.
    by_bytes: bool,
}

impl<'py> FromPyObject<'_, 'py> for Wishes {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let keys = object.cast::<PyDict>()?;
        Ok(Self {
            series: wish(&keys, "series")?,
            changes: wish(&keys, "changes")?,
            capture: wish(&keys, "capture")?,
            links: wish(&keys, "links")?,
            events: wish(&keys, "events")?,
            only: wish(&keys, "only")?,
            memory: wish(&keys, "memory")?,
            by_bytes: wish(&keys, "by_bytes")?,
        })
    }
}

/// The value of a key, or its default.
fn wish<'py, T: Default + FromPyObjectOwned<'py>>(
    keys: &Bound<'py, PyDict>,
    key: &str,
) -> PyResult<T> {
    let value = keys.get_item(key)?.map(|value| value.extract().map_err(Into::into));
    Ok(value.transpose()?.unwrap_or_default())
}

impl From<Wishes> for Watch {
    fn from(wishes: Wishes) -> Self {
        let Wishes { series, changes, capture, links, events, only, memory, by_bytes } = wishes;
        Self {
            series: series.map(Span::from_nanos),
            changes,
            capture: capture.map(|file| CaptureConfig { file, links }),
            events: events.map(|file| EventsConfig { file, only }),
            memory,
            by_bytes,
        }
    }
}

/// Run one scenario; the outcome as JSON, and columns over time if `watch` asks for them. `progress` is called with the
/// simulated seconds that are done, several times a second.
#[pyfunction]
#[pyo3(signature = (document, seed, replication, watch=None, progress=None))]
pub(crate) fn run<'py>(
    py: Python<'py>,
    document: &str,
    seed: u64,
    replication: u64,
    watch: Option<Wishes>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(String, Option<Bound<'py, PyDict>>)> {
    let wishes = watch.unwrap_or_default();
    if wishes.series == Some(0) {
        return Err(PyValueError::new_err("series: 0 ns is no interval, give 1 or more"));
    }
    let scenario = parse(document, 1)?;
    let job = Job { seed, replication };
    let watch = Watch::from(wishes);
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

/// Run many on `threads` threads without the GIL; a job is (index of the document, seed, replication). A run that
/// fails gives its `RunError`, and so do those that `stop` ends.
#[pyfunction]
#[pyo3(signature = (documents, jobs, threads, stop=None))]
#[expect(clippy::needless_pass_by_value, reason = "arguments from Python are owned")]
pub(crate) fn run_batch(
    py: Python<'_>,
    documents: Vec<String>,
    jobs: Vec<(usize, u64, u64)>,
    threads: usize,
    stop: Option<Py<Stop>>,
) -> PyResult<Vec<Py<PyAny>>> {
    let scenarios: Vec<_> =
        documents.iter().map(|document| parse(document, threads)).collect::<PyResult<_>>()?;
    let job = |&(index, seed, replication): &(usize, u64, u64)| {
        let scenario = scenarios
            .get(index)
            .ok_or_else(|| PyIndexError::new_err(format!("there is no document {index}")))?;
        Ok((scenario, Job { seed, replication }))
    };
    let pairs: Vec<_> = jobs.iter().map(job).collect::<PyResult<_>>()?;
    let is_stopped = || stop.as_ref().is_some_and(|stop| stop.get().is_set());
    let results = py.detach(|| manypath_lab::run_batch(&pairs, threads, &is_stopped));
    let outcome = |result: Result<Outcome, RunError>| match result {
        Ok(outcome) => Ok(json(&outcome)?.into_pyobject(py)?.into_any().unbind()),
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

/// Bytes of memory that this process may still take, as far as the system tells.
#[pyfunction]
pub(crate) fn available_memory() -> Option<u64> {
    manypath_lab::scenario::available_memory()
}

/// Raise `ScenarioError` unless the document can be run.
#[pyfunction]
pub(crate) fn check(document: &str) -> PyResult<()> {
    parse(document, 1).map(|_| ())
}

/// Bytes that a run of the document needs when every buffer and queue is full, as an upper bound; `ScenarioError` if it
/// cannot be run.
#[pyfunction]
pub(crate) fn memory(document: &str) -> PyResult<u64> {
    parse(document, 1).map(|scenario| scenario.memory())
}

/// Reads a document, and makes sure that as many runs at once fit into memory.
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
