//! The threads that drive endpoints. They never need Python's lock.

use std::process;
use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use tokio::runtime::{Builder, Handle, Runtime};

use super::{errors, wake};

/// One endpoint keeps one thread busy; a second one lets the endpoints of one process talk to each other.
const THREADS: usize = 2;

/// Started by the first caller, and alive until the process ends.
static RUNTIME: Mutex<Option<(u32, Runtime)>> = Mutex::new(None);

/// The runtime of all endpoints of this process.
///
/// # Errors
/// If the system gives no threads, or if the process was forked from one that had started its runtime: the threads stay
/// behind in a fork.
pub(crate) fn runtime(py: Python<'_>) -> PyResult<Handle> {
    let mut started = RUNTIME.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner);
    let process = process::id();
    if let Some((owner, runtime)) = &*started {
        if *owner != process {
            return Err(errors::forked());
        }
        return Ok(runtime.handle().clone());
    }
    let runtime = Builder::new_multi_thread()
        .worker_threads(THREADS)
        .thread_name("manypath-sctp")
        .enable_all()
        .build()
        .map_err(|error| errors::no_threads(&error))?;
    wake::start(py)?;
    let handle = runtime.handle().clone();
    *started = Some((process, runtime));
    Ok(handle)
}
