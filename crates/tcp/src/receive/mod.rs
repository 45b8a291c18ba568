//! The way in: what arrived on a subflow, and the stream that the application reads.

mod arrivals;
mod assembly;

pub(crate) use arrivals::Arrivals;
pub(crate) use assembly::Assembly;
