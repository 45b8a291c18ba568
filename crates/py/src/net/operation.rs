//! An operation that Python awaits.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

use manypath_net::Error;
use pyo3::prelude::*;
use tokio::runtime::Handle;

use super::{errors, runtime, wake};

/// Makes the object that Python gets. Only a thread with the GIL can do it, so it is done later than the work.
type Give = Box<dyn FnOnce(Python<'_>) -> PyResult<Py<PyAny>> + Send>;

type Work = Pin<Box<dyn Future<Output = Result<Give, Error>> + Send>>;

/// A call that may have to wait. The waiting Python task polls it directly, so no result is lost if the task is
/// cancelled.
#[pyclass(frozen)]
pub(crate) struct SctpOperation {
    runtime: Handle,
    state: Mutex<State>,
}

enum State {
    Working(Work),
    Ready(Result<Give, Error>),
    Over,
}

impl SctpOperation {
    /// An operation whose result `give` converts for Python.
    pub(crate) fn new<T: Send + 'static>(
        runtime: Handle,
        work: impl Future<Output = Result<T, Error>> + Send + 'static,
        give: impl FnOnce(Python<'_>, T) -> PyResult<Py<PyAny>> + Send + 'static,
    ) -> Self {
        let work = async move {
            let result = work.await?;
            let give: Give = Box::new(move |py| give(py, result));
            Ok(give)
        };
        Self { runtime, state: Mutex::new(State::Working(Box::pin(work))) }
    }

    fn replace(&self, state: State) -> State {
        std::mem::replace(&mut *self.state.lock().unwrap_or_else(PoisonError::into_inner), state)
    }
}

#[pymethods]
impl SctpOperation {
    /// Whether the result is available. If not, `wake` is called from another thread once it may be.
    #[pyo3(signature = (wake=None))]
    fn poll(&self, wake: Option<Py<PyAny>>) -> PyResult<bool> {
        runtime::check_process()?;
        if wake.is_some() && !wake::is_running() {
            return Err(errors::ending());
        }
        let waker = wake.map_or_else(|| Waker::noop().clone(), wake::waker);
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let State::Working(work) = &mut *state else {
            return Ok(true);
        };
        let _entered = self.runtime.enter();
        let Poll::Ready(outcome) = work.as_mut().poll(&mut Context::from_waker(&waker)) else {
            return Ok(false);
        };
        *state = State::Ready(outcome);
        Ok(true)
    }

    /// The result, which can be taken once.
    fn outcome(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let State::Ready(outcome) = self.replace(State::Over) else {
            return Ok(py.None());
        };
        outcome.map_err(|error| errors::told(&error))?(py)
    }

    /// Cancels the operation, unless it has completed.
    fn cancel(&self) {
        drop(self.replace(State::Over));
    }
}

/// The result of an operation without one.
#[expect(clippy::unnecessary_wraps, reason = "other results can fail to be made")]
pub(crate) fn nothing(py: Python<'_>, (): ()) -> PyResult<Py<PyAny>> {
    Ok(py.None())
}
