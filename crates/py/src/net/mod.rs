//! SCTP over real sockets for Python: the interface between asyncio and `manypath-net`.
//!
//! No thread runs before the first endpoint is bound. [`runtime`] has the threads that drive endpoints, [`operation`]
//! the awaited operations.

mod association;
mod counters;
mod endpoint;
mod errors;
mod event;
mod message;
mod operation;
mod options;
mod runtime;
mod wake;

pub(crate) use association::SctpAssociation;
pub(crate) use counters::sctp_counters;
pub(crate) use endpoint::SctpEndpoint;
pub(crate) use errors::SctpError;
pub(crate) use event::SctpEvents;
pub(crate) use operation::SctpOperation;
