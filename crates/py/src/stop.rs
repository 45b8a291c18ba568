//! How Python stops the laboratory, by a signal in the main thread or by a flag that any thread sets, and sees how far a
//! run is.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use manypath_core::Time;
use pyo3::prelude::*;

/// Set it, and whatever was given it ends soon.
#[pyclass(frozen)]
#[derive(Default)]
pub(crate) struct Stop(AtomicBool);

#[pymethods]
impl Stop {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// End what was given this.
    fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Stop {
    pub(crate) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// The Python code that started a run: it is told how far the run is, and stops it by an exception.
pub(crate) struct Caller {
    /// Called with simulated seconds.
    progress: Option<Py<PyAny>>,
    raised: OnceLock<PyErr>,
}

impl Caller {
    /// A caller that wants to hear of progress, or not.
    pub(crate) fn new(progress: Option<Py<PyAny>>) -> Self {
        Self { progress, raised: OnceLock::new() }
    }

    /// Lets Python handle signals that have come, in its main thread, and calls `progress`; true if one of them raised.
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

    /// What was raised.
    pub(crate) fn into_error(self) -> Option<PyErr> {
        self.raised.into_inner()
    }
}
