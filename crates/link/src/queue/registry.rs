//! The registry of queue disciplines: one line each.

use manypath_core::{Random, Rate, Time};

use super::dispatch::queues;
use super::*;
use crate::error::ConfigError;
use crate::kind::Kind;

queues! {
    DropTail "drop-tail" Capacity: "first in, first out; drops what arrives at a full queue",
    Red "red" RedConfig: "random early detection (Floyd and Jacobson 1993), averages in packets",
    CoDel "codel" CoDelConfig: "controlled delay: drops at the head while all packets wait too long (RFC 8289)",
    Pie "pie" PieConfig: "drops at random with a probability that a controller steers by the delay (RFC 8033)",
    FqCoDel "fq-codel" FqCoDelConfig: "flows take turns, new ones first, each under CoDel (RFC 8290)",
}

impl Default for QueueConfig {
    fn default() -> Self {
        Self::DropTail(Capacity::Packets(100))
    }
}
