//! The state that the subflows of one connection share: keys, the data sequence space, one receive window, and the
//! scheduler. RFC 8684

mod branch;
mod bundle;
mod lowest_rtt;
mod option;
mod redundant;
mod round_robin;
mod schedule;

pub(crate) use branch::DataRange;
pub(crate) use bundle::{Bundle, Supply};
pub(crate) use option::token;
pub use option::{Dss, MultipathOption};
pub use schedule::Scheduler;
