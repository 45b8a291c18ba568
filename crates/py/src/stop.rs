//! How Python stops the laboratory: by a signal in the main thread, or by a flag that any thread sets.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

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

/// What a signal's handler raised while the laboratory worked; Python runs handlers in its main thread only.
#[derive(Default)]
pub(crate) struct Signals(OnceLock<PyErr>);

impl Signals {
    /// Lets Python handle the signals that have come, and says whether a handler raised something.
    pub(crate) fn raised(&self) -> bool {
        Python::attach(|py| {
            if let Err(error) = py.check_signals() {
                self.0.get_or_init(|| error);
            }
        });
        self.0.get().is_some()
    }

    /// What was raised.
    pub(crate) fn into_error(self) -> Option<PyErr> {
        self.0.into_inner()
    }
}
