//! Stops the laboratory from Python, by a signal in the main thread or by a flag from any thread, and reports the
//! progress of a run.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use manypath_core::Time;
use pyo3::prelude::*;

/// A flag that stops runs: all runs that received it end soon after it is set.
#[pyclass(frozen)]
#[derive(Default)]
pub(crate) struct Stop(AtomicBool);

#[pymethods]
impl Stop {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// Stop all runs that received this flag.
    fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Stop {
    pub(crate) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// The Python code that started a run. It receives progress reports, and stops the run by an exception.
pub(crate) struct Caller {
    /// Called with the simulated time in seconds.
    progress: Option<Py<PyAny>>,
    raised: OnceLock<PyErr>,
}

impl Caller {
    /// A caller, with an optional progress function.
    pub(crate) fn new(progress: Option<Py<PyAny>>) -> Self {
        Self { progress, raised: OnceLock::new() }
    }

    /// Lets Python handle pending signals in its main thread, and calls `progress`; returns true if one of them raised
    /// an exception.
    pub(crate) fn stops_at(&self, now: Time) -> bool {
        Python::attach(|py| {
            let heard = py.check_signals().and_then(|()| self.tell(py, now));
            if let Err(error) = heard {
                self.raised.get_or_init(|| error);
            }
        });
        self.raised.get().is_some()
    }

    fn tell(&self, py: Python<'_>, now: Time) -> PyResult<()> {
        let progress = self.progress.as_ref();
        progress.map_or(Ok(()), |progress| progress.call1(py, (now.as_secs_f64(),)).map(|_| ()))
    }

    /// The raised exception.
    pub(crate) fn into_error(self) -> Option<PyErr> {
        self.raised.into_inner()
    }
}
