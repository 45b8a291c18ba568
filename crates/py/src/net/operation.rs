//! An operation that Python awaits.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

use manypath_net::{Association, Endpoint, Error, Event, Message};
use pyo3::prelude::*;
use tokio::runtime::Handle;

use super::endpoint::EventFile;
use super::{SctpAssociation, SctpEndpoint, errors, event, message, runtime, wake};

/// The result of an operation.
pub(crate) enum Outcome {
    Nothing,
    Endpoint(Endpoint, Option<EventFile>),
    Association(Association),
    /// `None` after the peer's shutdown.
    Message(Option<Message>),
    /// `None` after the last event.
    Event(Option<Event>),
    /// Number of events that are missing in a file.
    Missed(PyResult<u64>),
}

type Work = Pin<Box<dyn Future<Output = Result<Outcome, Error>> + Send>>;

/// A call that may have to wait. The waiting Python task polls it directly, so no result is lost if the task is
/// cancelled.
#[pyclass(frozen)]
pub(crate) struct SctpOperation {
    runtime: Handle,
    state: Mutex<State>,
}

enum State {
    Working(Work),
    Ready(Result<Outcome, Error>),
    Over,
}

impl SctpOperation {
    pub(crate) fn new<F>(runtime: Handle, work: F) -> Self
    where
        F: Future<Output = Result<Outcome, Error>> + Send + 'static,
    {
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
        let outcome = outcome.map_err(|error| errors::told(&error))?;
        match outcome {
            Outcome::Nothing => Ok(py.None()),
            Outcome::Endpoint(endpoint, events) => {
                let endpoint = SctpEndpoint::new(self.runtime.clone(), endpoint, events);
                Ok(Py::new(py, endpoint)?.into_any())
            }
            Outcome::Association(association) => {
                let association = SctpAssociation::new(self.runtime.clone(), association);
                Ok(Py::new(py, association)?.into_any())
            }
            Outcome::Message(None) | Outcome::Event(None) => Ok(py.None()),
            Outcome::Message(Some(message)) => message::row(py, &message),
            Outcome::Event(Some(event)) => event::row(py, event),
            Outcome::Missed(missed) => Ok(missed?.into_pyobject(py)?.into_any().unbind()),
        }
    }

    /// Cancels the operation, unless it has completed.
    fn cancel(&self) {
        drop(self.replace(State::Over));
    }
}
