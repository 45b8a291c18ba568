//! The queue disciplines there are: one line each.

use manypath_core::{Random, Rate, Time};

use super::dispatch::queues;
use super::{Capacity, DropTail, Entry, Limit, Queue, Red, RedConfig, Verdict};
use crate::error::ConfigError;
use crate::kind::Kind;

queues! {
    DropTail "drop-tail" Capacity: "first in, first out; drops what arrives at a full queue",
    Red "red" RedConfig: "random early detection (Floyd and Jacobson 1993), averages in packets",
}

impl Default for QueueConfig {
    fn default() -> Self {
        Self::DropTail(Capacity::Packets(100))
    }
}
