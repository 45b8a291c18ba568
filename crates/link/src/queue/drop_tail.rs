//! Drop-tail: first in, first out. A packet that arrives at a full queue is dropped.

use std::collections::VecDeque;

use manypath_core::{Random, Rate, Time};

use super::{DropReason, Entry, Limit, Queue, Verdict};
use crate::error::ConfigError;

/// The capacity of the queue. The packet in transmission does not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Capacity {
    /// A number of packets of any size.
    Packets(u64),
    /// A number of bytes, framing excluded. A packet larger than this is always dropped.
    Bytes(u64),
}

impl Capacity {
    /// Checks the values.
    ///
    /// # Errors
    /// If the capacity is zero.
    pub fn validate(&self) -> Result<(), ConfigError> {
        self.limit().validate()
    }

    /// The capacity of the queue.
    #[must_use]
    pub fn limit(&self) -> Limit {
        match *self {
            Self::Packets(packets) => Limit { packets, bytes: u64::MAX },
            Self::Bytes(bytes) => Limit { packets: u64::MAX, bytes },
        }
    }
}

/// A drop-tail queue.
#[derive(Debug)]
pub struct DropTail<T> {
    waiting: VecDeque<Entry<T>>,
    bytes: u64,
    limit: Limit,
}

impl<T> DropTail<T> {
    /// An empty queue; the rate and the random numbers are not used.
    #[must_use]
    pub fn new(capacity: &Capacity, _rate: Rate, _random: Random) -> Self {
        Self { waiting: VecDeque::new(), bytes: 0, limit: capacity.limit() }
    }
}

impl<T: Copy> Queue<T> for DropTail<T> {
    #[inline]
    fn enqueue(&mut self, _now: Time, entry: Entry<T>, _discarded: &mut Vec<T>) -> Verdict {
        let bytes = self.bytes + u64::from(entry.size);
        if !self.limit.admits(self.waiting.len() + 1, bytes) {
            return Verdict::Dropped(DropReason::Full);
        }
        self.bytes = bytes;
        self.waiting.push_back(entry);
        Verdict::Queued
    }

    #[inline]
    fn dequeue(&mut self, _start: Time, _discarded: &mut Vec<T>) -> Option<Entry<T>> {
        let entry = self.waiting.pop_front()?;
        self.bytes -= u64::from(entry.size);
        Some(entry)
    }

    #[inline]
    fn may_skip(&self, size: u32) -> bool {
        self.limit.admits(1, u64::from(size))
    }

    #[inline]
    fn len(&self) -> usize {
        self.waiting.len()
    }

    #[inline]
    fn bytes(&self) -> u64 {
        self.bytes
    }
}
