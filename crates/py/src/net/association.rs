//! An association for Python.

use std::time::Duration;

use manypath_net::{Association, Message, Path, PathState};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use tokio::runtime::Handle;

use super::operation::{Outcome, SctpOperation};
use super::{SctpEvents, counters, errors};

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
        SctpOperation::new(self.runtime.clone(), async move {
            association.send(message).await?;
            Ok(Outcome::Nothing)
        })
    }

    /// The next message.
    fn receive(&self) -> SctpOperation {
        let association = self.association.clone();
        SctpOperation::new(self.runtime.clone(), async move {
            Ok(Outcome::Message(association.receive().await?))
        })
    }

    /// Shuts the association down.
    fn shutdown(&self) -> SctpOperation {
        let association = self.association.clone();
        SctpOperation::new(self.runtime.clone(), async move {
            association.shutdown().await?;
            Ok(Outcome::Nothing)
        })
    }

    /// Shuts the association down and discards what was not received.
    fn close(&self) -> SctpOperation {
        let association = self.association.clone();
        SctpOperation::new(self.runtime.clone(), async move {
            association.close().await?;
            Ok(Outcome::Nothing)
        })
    }

    /// Waits for the end of the association.
    fn closed(&self) -> SctpOperation {
        let association = self.association.clone();
        SctpOperation::new(self.runtime.clone(), async move {
            association.closed().await?;
            Ok(Outcome::Nothing)
        })
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
    fn paths<'py>(&self, py: Python<'py>) -> PyResult<Vec<PathRow<'py>>> {
        self.association.paths().iter().map(|path| PathRow::of(py, path)).collect()
    }

    /// Makes the path with this number the primary one.
    fn set_primary(&self, path: usize) -> PyResult<()> {
        self.association.set_primary(path).map_err(|error| errors::told(&error))
    }

    /// The counters of the association.
    fn counters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        counters::of_association(py, &self.association.stats())
    }
}

/// A path for Python, as a dictionary of keyword arguments.
#[derive(IntoPyObject)]
pub(crate) struct PathRow<'py> {
    local: String,
    remote: String,
    primary: bool,
    state: &'static str,
    confirmed: bool,
    mtu: u16,
    window: u64,
    ssthresh: u64,
    outstanding: u64,
    /// In nanoseconds.
    srtt: u64,
    /// In nanoseconds.
    rto: u64,
    sent: u64,
    retransmitted: u64,
    timeouts: u64,
    acknowledged: u64,
    received: u64,
    packets_sent: u64,
    packets_received: u64,
    wire_bytes_sent: u64,
    fast_retransmissions: u64,
    window_cuts: u64,
    potentially_failed: u64,
    sacks_sent: u64,
    rescheduled: u64,
    /// In nanoseconds, by reason.
    blocked: Bound<'py, PyDict>,
}

impl<'py> PathRow<'py> {
    fn of(py: Python<'py>, path: &Path) -> PyResult<Self> {
        let stats = &path.stats;
        Ok(Self {
            local: path.local.to_string(),
            remote: path.remote.to_string(),
            primary: path.is_primary,
            state: match stats.state {
                PathState::Active => "active",
                PathState::PotentiallyFailed => "potentially failed",
                PathState::Inactive => "failed",
            },
            confirmed: stats.confirmed,
            mtu: path.mtu,
            window: stats.window,
            ssthresh: stats.ssthresh,
            outstanding: stats.outstanding,
            srtt: stats.srtt.as_nanos(),
            rto: stats.rto.as_nanos(),
            sent: stats.data_chunks_sent,
            retransmitted: stats.retransmitted_chunks,
            timeouts: stats.timeouts,
            acknowledged: stats.bytes_acked,
            received: stats.bytes_received,
            packets_sent: stats.data_packets,
            packets_received: stats.data_packets_received,
            wire_bytes_sent: stats.wire_bytes_sent,
            fast_retransmissions: stats.fast_retransmissions,
            window_cuts: stats.window_cuts,
            potentially_failed: stats.potentially_failed,
            sacks_sent: stats.sacks_sent,
            rescheduled: stats.rescheduled_chunks,
            blocked: counters::of_waiting(py, &path.blocked)?,
        })
    }
}
