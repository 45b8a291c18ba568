//! An association for Python.

use std::time::Duration;

use manypath_net::{Association, Message, Path, PathState, PathStats, Stats, blocked_seconds};
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyDict};
use tokio::runtime::Handle;

use super::event::SctpEvents;
use super::operation::{SctpOperation, nothing};
use super::{counters, errors, message};

/// An association with one peer. When Python drops it, it is shut down in the background.
#[pyclass(frozen)]
pub(crate) struct SctpAssociation {
    runtime: Handle,
    association: Association,
}

impl SctpAssociation {
    pub(crate) fn new(runtime: Handle, association: Association) -> Self {
        Self { runtime, association }
    }
}

#[pymethods]
impl SctpAssociation {
    /// Sends a message; `lifetime` is in nanoseconds.
    fn send(
        &self,
        payload: &[u8],
        stream: u16,
        ppid: u32,
        unordered: bool,
        lifetime: Option<u64>,
        sack_immediately: bool,
    ) -> SctpOperation {
        let association = self.association.clone();
        let mut message = Message::new(payload.to_vec()).stream(stream).ppid(ppid);
        message.unordered = unordered;
        message.lifetime = lifetime.map(Duration::from_nanos);
        message.sack_immediately = sack_immediately;
        let send = async move { association.send(message).await.map(drop) };
        SctpOperation::new(self.runtime.clone(), send, nothing)
    }

    /// The next message, or None after the peer's shutdown.
    fn receive(&self) -> SctpOperation {
        let association = self.association.clone();
        let receive = async move { association.receive().await };
        SctpOperation::new(self.runtime.clone(), receive, |py, received| match received {
            Some(received) => message::row(py, &received),
            None => Ok(py.None()),
        })
    }

    /// Shuts the association down.
    fn shutdown(&self) -> SctpOperation {
        let association = self.association.clone();
        let shutdown = async move { association.shutdown().await };
        SctpOperation::new(self.runtime.clone(), shutdown, nothing)
    }

    /// Shuts the association down and discards what was not received.
    fn close(&self) -> SctpOperation {
        let association = self.association.clone();
        let close = async move { association.close().await };
        SctpOperation::new(self.runtime.clone(), close, nothing)
    }

    /// Waits for the end of the association.
    fn closed(&self) -> SctpOperation {
        let association = self.association.clone();
        let closed = async move { association.closed().await };
        SctpOperation::new(self.runtime.clone(), closed, nothing)
    }

    /// Aborts the association.
    fn abort(&self, reason: &[u8]) {
        self.association.abort(reason.to_vec());
    }

    /// The events from now on.
    fn events(&self) -> SctpEvents {
        SctpEvents::new(self.runtime.clone(), self.association.events())
    }

    /// Numbers of outbound and inbound streams.
    fn streams(&self) -> (u16, u16) {
        let streams = self.association.streams();
        (streams.outbound, streams.inbound)
    }

    /// One row per path.
    fn paths<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        self.association.paths().iter().map(|path| row(py, path)).collect()
    }

    /// Makes the path with this number the primary one.
    fn set_primary(&self, path: usize) -> PyResult<()> {
        self.association.set_primary(path).map_err(|error| errors::told(&error))
    }

    /// The counters of the association.
    fn counters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        counters::of(py, Stats::COUNTERS, &self.association.stats())
    }
}

/// A path for Python, as a dictionary of keyword arguments; times are in seconds.
fn row<'py>(py: Python<'py>, path: &Path) -> PyResult<Bound<'py, PyDict>> {
    let stats = &path.stats;
    let row = counters::of(py, PathStats::COUNTERS, stats)?;
    row.set_item("local", path.local.to_string())?;
    row.set_item("remote", path.remote.to_string())?;
    row.set_item("primary", path.is_primary)?;
    let state = match stats.state {
        PathState::Active => "active",
        PathState::PotentiallyFailed => "potentially failed",
        PathState::Inactive => "failed",
    };
    row.set_item("state", state)?;
    row.set_item("confirmed", stats.confirmed)?;
    row.set_item("mtu", path.mtu)?;
    row.set_item("window", stats.window)?;
    row.set_item("ssthresh", stats.ssthresh)?;
    row.set_item("outstanding", stats.outstanding)?;
    row.set_item("srtt", stats.srtt.as_secs_f64())?;
    row.set_item("rto", stats.rto.as_secs_f64())?;
    row.set_item("blocked", blocked_seconds(&path.blocked).into_py_dict(py)?)?;
    Ok(row)
}
