//! The receiving direction: arrivals on a subflow, and the stream for the application.

mod arrivals;
mod assembly;

pub(crate) use arrivals::Arrivals;
pub(crate) use assembly::Assembly;
