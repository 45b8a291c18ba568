//! Where packets wait: the trait that every queue discipline implements.

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
pub use red::{Red, RedConfig};
pub use registry::{AnyQueue, QueueConfig, kinds};

/// A queue discipline: decides which packets wait, in which order they leave, and which never do.
///
/// The packet in transmission has left the queue. Every packet passes through the queue, also when the transmitter
/// is idle: then `dequeue` follows `enqueue` at the same instant, unless the packet [may skip](Self::may_skip) both.
pub trait Queue<T> {
    /// A packet arrives. Packets that had been accepted before and must now make room are appended to `discarded`.
    fn enqueue(&mut self, now: Time, entry: Entry<T>, discarded: &mut Vec<T>) -> Verdict;

    /// The transmitter takes the next packet at `start`. Packets that the discipline discards on the way (CoDel) are
    /// appended to `discarded`.
    fn dequeue(&mut self, start: Time, discarded: &mut Vec<T>) -> Option<Entry<T>>;

    /// Whether a packet of `size` bytes that finds the queue empty and the transmitter idle may go straight to the
    /// transmitter, because passing through the queue would leave no trace there. A short cut, never a duty.
    fn may_skip(&self, _size: u32) -> bool {
        false
    }

    /// Packets waiting.
    fn len(&self) -> usize;

    /// Bytes waiting, framing excluded.
    fn bytes(&self) -> u64;

    /// Whether nothing waits.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A packet as a link sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry<T> {
    /// What the owner of the link calls the packet.
    pub item: T,
    /// Network-layer size in bytes, framing excluded.
    pub size: u32,
    /// Which flow it belongs to, for disciplines that tell flows apart.
    pub flow: u32,
}

impl<T> Entry<T> {
    /// A packet of `size` bytes, of flow 0.
    #[inline]
    pub fn new(item: T, size: u32) -> Self {
        Self { item, size, flow: 0 }
    }
}

/// The answer to an arriving packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use = "a dropped item stays with the caller"]
pub enum Verdict {
    /// The packet is inside.
    Queued,
    /// The packet was refused and stays with the caller.
    Dropped(DropReason),
}

/// Why a packet was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DropReason {
    /// No room.
    Full,
    /// There was room, but the discipline wants the sender to slow down.
    Early,
    /// The link is down.
    Down,
}
