//! An endpoint for Python.

use std::net::IpAddr;
use std::path::PathBuf;

use manypath_net::{Association, Counters, Endpoint, EventLog, Peer, Selection};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use tokio::runtime::Handle;

use super::association::SctpAssociation;
use super::operation::{SctpOperation, nothing};
use super::options::Options;
use super::runtime::runtime;
use super::{counters, errors};

/// One SCTP port on some local addresses. When Python drops it, it ends as soon as its associations have ended.
#[pyclass(frozen)]
pub(crate) struct SctpEndpoint {
    runtime: Handle,
    endpoint: Endpoint,
    events: Option<EventFile>,
}

/// A file of events with its name.
#[derive(Clone)]
struct EventFile {
    log: EventLog,
    file: PathBuf,
}

impl EventFile {
    /// Begins a file.
    fn create(file: PathBuf) -> PyResult<Self> {
        let log = EventLog::create(&file, Selection::ALL);
        let log = log.map_err(|error| errors::unwritten(&file, &error))?;
        Ok(Self { log, file })
    }

    /// Completes the file; returns the number of missing events.
    fn finish(&self) -> PyResult<u64> {
        self.log.finish().map_err(|error| errors::unwritten(&self.file, &error))
    }
}

/// Gives Python an association.
fn give(runtime: Handle, py: Python<'_>, association: Association) -> PyResult<Py<PyAny>> {
    Ok(Py::new(py, SctpAssociation::new(runtime, association))?.into_any())
}

#[pymethods]
impl SctpEndpoint {
    /// Creates an endpoint; without a backlog, peers cannot open associations.
    #[staticmethod]
    #[expect(clippy::too_many_arguments, reason = "Python names them")]
    fn bind(
        py: Python<'_>,
        local: Vec<IpAddr>,
        port: u16,
        encapsulation: u16,
        backlog: Option<usize>,
        streams: u16,
        congestion: String,
        concurrent: bool,
        options: Options,
        events: Option<PathBuf>,
    ) -> PyResult<SctpOperation> {
        let builder =
            Endpoint::builder().local(local).encapsulation(encapsulation).streams(streams);
        let builder = options.apply(builder);
        let builder = match backlog {
            Some(backlog) => builder.listen(backlog),
            None => builder,
        };
        let builder = match concurrent {
            true => builder.concurrent(congestion),
            false => builder.congestion(congestion),
        };
        let runtime = runtime(py)?;
        let events = events.map(EventFile::create).transpose()?;
        let builder = match &events {
            Some(events) => builder.events(events.log.clone()),
            None => builder,
        };
        let handle = runtime.clone();
        let bind = async move { builder.bind(port).await };
        Ok(SctpOperation::new(handle, bind, |py, endpoint| {
            Ok(Py::new(py, Self { runtime, endpoint, events })?.into_any())
        }))
    }

    /// Opens an association.
    fn connect(&self, addresses: Vec<IpAddr>, port: u16, encapsulation: u16) -> SctpOperation {
        let endpoint = self.endpoint.clone();
        let peer = Peer::new(addresses, port).encapsulation(encapsulation);
        let (handle, runtime) = (self.runtime.clone(), self.runtime.clone());
        let connect = async move { endpoint.connect(peer).await };
        SctpOperation::new(handle, connect, |py, association| give(runtime, py, association))
    }

    /// The next association that a peer opened.
    fn accept(&self) -> SctpOperation {
        let endpoint = self.endpoint.clone();
        let (handle, runtime) = (self.runtime.clone(), self.runtime.clone());
        let accept = async move { endpoint.accept().await };
        SctpOperation::new(handle, accept, |py, association| give(runtime, py, association))
    }

    /// Shuts down all associations, and waits until they have ended.
    fn close(&self) -> SctpOperation {
        let endpoint = self.endpoint.clone();
        let close = async move {
            endpoint.close().await;
            Ok(())
        };
        SctpOperation::new(self.runtime.clone(), close, nothing)
    }

    /// Completes the file of events; returns the number of events that are missing because the disk was too slow.
    fn finish_events(&self) -> SctpOperation {
        let events = self.events.clone();
        let finish = async move {
            let finish = move || events.map_or(Ok(0), |events| events.finish());
            let finished = tokio::task::spawn_blocking(finish).await;
            Ok(finished.unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic())))
        };
        SctpOperation::new(self.runtime.clone(), finish, |py, missed: PyResult<u64>| {
            Ok(missed?.into_pyobject(py)?.into_any().unbind())
        })
    }

    /// The counters of the endpoint, and the packets of its host that belong to no endpoint.
    fn counters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let found = counters::of(py, Counters::COUNTERS, &self.endpoint.counters())?;
        found.set_item(counters::FOREIGN_PACKETS.0, self.endpoint.foreign_packets())?;
        Ok(found)
    }

    /// The SCTP port.
    fn port(&self) -> u16 {
        self.endpoint.port()
    }

    /// The UDP port.
    fn encapsulation(&self) -> u16 {
        self.endpoint.encapsulation_port()
    }

    /// The local addresses.
    fn local(&self) -> Vec<String> {
        self.endpoint.local_addresses().iter().map(ToString::to_string).collect()
    }
}
