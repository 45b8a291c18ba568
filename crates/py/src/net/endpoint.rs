//! An endpoint for Python.

use std::net::IpAddr;

use manypath_net::{Endpoint, Peer};
use pyo3::prelude::*;
use tokio::runtime::Handle;

use super::operation::{Outcome, SctpOperation};
use super::runtime::runtime;

/// One SCTP port on some local addresses. When Python drops it, it ends as soon as its associations have.
#[pyclass(frozen)]
pub(crate) struct SctpEndpoint {
    runtime: Handle,
    endpoint: Endpoint,
}

impl SctpEndpoint {
    pub(crate) fn new(runtime: Handle, endpoint: Endpoint) -> Self {
        Self { runtime, endpoint }
    }
}

#[pymethods]
impl SctpEndpoint {
    /// Makes an endpoint; without a backlog no peer can open an association.
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
    ) -> PyResult<SctpOperation> {
        let builder =
            Endpoint::builder().local(local).encapsulation(encapsulation).streams(streams);
        let builder = match backlog {
            Some(backlog) => builder.listen(backlog),
            None => builder,
        };
        let builder = match concurrent {
            true => builder.concurrent(congestion),
            false => builder.congestion(congestion),
        };
        let bind = async move { Ok(Outcome::Endpoint(builder.bind(port).await?)) };
        Ok(SctpOperation::new(runtime(py)?, bind))
    }

    /// Opens an association.
    fn connect(&self, addresses: Vec<IpAddr>, port: u16, encapsulation: u16) -> SctpOperation {
        let endpoint = self.endpoint.clone();
        let peer = Peer::new(addresses, port).encapsulation(encapsulation);
        SctpOperation::new(self.runtime.clone(), async move {
            Ok(Outcome::Association(endpoint.connect(peer).await?))
        })
    }

    /// The next association that a peer opened.
    fn accept(&self) -> SctpOperation {
        let endpoint = self.endpoint.clone();
        SctpOperation::new(self.runtime.clone(), async move {
            Ok(Outcome::Association(endpoint.accept().await?))
        })
    }

    /// Shuts all associations down, and waits until they have ended.
    fn close(&self) -> SctpOperation {
        let endpoint = self.endpoint.clone();
        SctpOperation::new(self.runtime.clone(), async move {
            endpoint.close().await;
            Ok(Outcome::Nothing)
        })
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
