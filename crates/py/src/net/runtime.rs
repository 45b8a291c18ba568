//! The threads that drive endpoints. They never need the GIL.

use std::process;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use tokio::runtime::{Builder, Handle, Runtime};

use super::{errors, wake};

/// One endpoint can use one thread fully; the second thread lets the endpoints of one process communicate.
const THREADS: usize = 2;

/// Started by the first caller; it runs until the process ends.
static RUNTIME: Mutex<Option<Runtime>> = Mutex::new(None);

/// The process that started it; 0 before.
static OWNER: AtomicU32 = AtomicU32::new(0);

/// The runtime of all endpoints of this process.
///
/// # Errors
/// If the system refuses to create threads, or if the process was forked from one that had started its runtime, because
/// a fork has no copy of the threads.
pub(crate) fn runtime(py: Python<'_>) -> PyResult<Handle> {
    check_process()?;
    let mut started = RUNTIME.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner);
    if let Some(runtime) = &*started {
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
    OWNER.store(process::id(), Ordering::Relaxed);
    *started = Some(runtime);
    Ok(handle)
}

/// Checks that this process has the threads. In a fork nothing would be received, and a lock could be held forever.
///
/// # Errors
/// If the process was forked from one that had started its runtime.
pub(crate) fn check_process() -> PyResult<()> {
    let owner = OWNER.load(Ordering::Relaxed);
    if owner != 0 && owner != process::id() { Err(errors::forked()) } else { Ok(()) }
}
