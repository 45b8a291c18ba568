//! Packets in the order of their arrival, each with its arrival time.

use std::collections::VecDeque;

use manypath_core::Time;

use super::Entry;

/// The waiting packets, for disciplines that use the queueing delay.
#[derive(Debug)]
pub(super) struct Waiting<T> {
    entries: VecDeque<(Entry<T>, Time)>,
    bytes: u64,
}

impl<T> Waiting<T> {
    pub(super) fn new() -> Self {
        Self { entries: VecDeque::new(), bytes: 0 }
    }

    pub(super) fn push(&mut self, now: Time, entry: Entry<T>) {
        self.bytes += u64::from(entry.size);
        self.entries.push_back((entry, now));
    }

    /// Removes the packet that arrived first; returns it and its arrival time.
    pub(super) fn pop(&mut self) -> Option<(Entry<T>, Time)> {
        let (entry, since) = self.entries.pop_front()?;
        self.bytes -= u64::from(entry.size);
        Some((entry, since))
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The number of waiting bytes, framing excluded.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }
}
