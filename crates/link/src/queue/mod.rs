//! Queues: the trait that every queue discipline implements.

pub mod codel;
mod dispatch;
pub mod drop_tail;
pub mod fq_codel;
pub mod limit;
pub mod pie;
pub mod red;
pub mod registry;
mod waiting;

use manypath_core::Time;

pub use codel::{CoDel, CoDelConfig};
pub use drop_tail::{Capacity, DropTail};
pub use fq_codel::{FqCoDel, FqCoDelConfig};
pub use limit::Limit;
pub use pie::{Pie, PieConfig};
pub(crate) use red::RedRule;
pub use red::{Red, RedConfig};
pub use registry::{AnyQueue, QueueConfig, kinds};

/// A queue discipline. It decides which packets wait, in which order they leave, and which packets are dropped.
///
/// The packet in transmission has left the queue. Every packet of a [`Pipe`](crate::Pipe) passes through its queue, also
/// when the transmitter is idle: then `dequeue` follows `enqueue` at the same instant, unless the packet [may
/// skip](Self::may_skip) both.
pub trait Queue<T> {
    /// Offers a packet to the queue. Packets that were accepted before and are dropped to make room are appended to
    /// `discarded`.
    fn enqueue(&mut self, now: Time, entry: Entry<T>, discarded: &mut Vec<T>) -> Verdict;

    /// Removes the next packet, which the transmitter starts at `start`. Packets that the discipline drops in this call
    /// (CoDel) are appended to `discarded`.
    fn dequeue(&mut self, start: Time, discarded: &mut Vec<T>) -> Option<Entry<T>>;

    /// Whether a packet of `size` bytes that finds the queue empty and the transmitter idle may skip the queue, because
    /// it would not change the state of the queue. This is an optional optimisation.
    fn may_skip(&self, _size: u32) -> bool {
        false
    }

    /// The number of waiting packets.
    fn len(&self) -> usize;

    /// The number of waiting bytes, framing excluded.
    fn bytes(&self) -> u64;

    /// Whether no packet waits.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A packet as a link sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry<T> {
    /// The owner's handle of the packet.
    pub item: T,
    /// Network-layer size in bytes, framing excluded.
    pub size: u32,
    /// The packet's flow, for disciplines that distinguish flows.
    pub flow: u32,
}

impl<T> Entry<T> {
    /// A packet of `size` bytes of flow 0.
    #[inline]
    pub fn new(item: T, size: u32) -> Self {
        Self { item, size, flow: 0 }
    }
}

/// The decision about an arriving packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use = "a dropped item stays with the caller"]
pub enum Verdict {
    /// The packet was accepted.
    Queued,
    /// The packet was refused and still belongs to the caller.
    Dropped(DropReason),
}

/// Why a packet was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DropReason {
    /// The queue is full.
    Full,
    /// There was room, but active queue management dropped the packet.
    Early,
    /// The link is down.
    Down,
}
