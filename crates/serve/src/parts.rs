//! The parts of the daemon that sockets and calls use. Except the dispatch of calls, each function takes only those
//! that it touches.

use std::sync::Arc;

use super::associations::Associations;
use super::limits::Usage;
use super::ports::Ports;
use super::table::Table;

/// All parts.
#[derive(Clone, Debug)]
pub(super) struct Parts {
    /// The sockets by descriptor.
    pub(super) table: Arc<Table>,
    /// The SCTP ports, and the hosts that have them.
    pub(super) ports: Arc<Ports>,
    /// The sockets and calls in use, by user.
    pub(super) usage: Arc<Usage>,
    /// What all associations share.
    pub(super) associations: Arc<Associations>,
}
