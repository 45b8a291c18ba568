//! Events of an association as tuples for Python.

use std::net::IpAddr;
use std::sync::Arc;

use manypath_net::{Event, Events};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use tokio::runtime::Handle;
use tokio::sync::Mutex;

use super::operation::SctpOperation;
use super::{errors, message};

/// The events of an association from the time of the request on.
#[pyclass(frozen)]
pub(crate) struct SctpEvents {
    runtime: Handle,
    events: Arc<Mutex<Events>>,
}

impl SctpEvents {
    pub(crate) fn new(runtime: Handle, events: Events) -> Self {
        Self { runtime, events: Arc::new(Mutex::new(events)) }
    }
}

#[pymethods]
impl SctpEvents {
    /// The next event, or None after the last one.
    fn next(&self) -> SctpOperation {
        let events = Arc::clone(&self.events);
        let next = async move { Ok(events.lock().await.next().await) };
        SctpOperation::new(self.runtime.clone(), next, |py, event| match event {
            Some(event) => row(py, event),
            None => Ok(py.None()),
        })
    }
}

/// The name of an event, and its data.
fn row(py: Python<'_>, event: Event) -> PyResult<Py<PyAny>> {
    let path = |name: &str, local: IpAddr, remote: IpAddr| {
        pack(py, (name, local.to_string(), remote.to_string()))
    };
    match event {
        Event::PathUp { local, remote } => path("path_up", local, remote),
        Event::PathPotentiallyFailed { local, remote } => {
            path("path_potentially_failed", local, remote)
        }
        Event::PathDown { local, remote } => path("path_down", local, remote),
        Event::Restarted => pack(py, ("restarted",)),
        Event::PeerShutdown => pack(py, ("peer_shutdown",)),
        Event::SendFailed { message, sent } => {
            pack(py, ("send_failed", message::row(py, &message)?, sent))
        }
        Event::SenderDry => pack(py, ("sender_dry",)),
        Event::RemoteError { cause } => pack(py, ("remote_error", cause)),
        Event::Closed(ending) => {
            pack(py, ("closed", ending.err().map(|error| errors::words(&error))))
        }
        other => pack(py, ("other", format!("{other:?}"))),
    }
}

fn pack<'py, T: IntoPyObject<'py>>(py: Python<'py>, row: T) -> PyResult<Py<PyAny>> {
    row.into_py_any(py)
}
