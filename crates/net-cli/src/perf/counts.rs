//! The data of one direction of a test, counted by the application.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counters that one future writes and another one reads.
#[derive(Debug)]
pub(super) struct Counts {
    messages: AtomicU64,
    /// Payload bytes by stream, from stream 1.
    streams: Vec<AtomicU64>,
}

impl Counts {
    pub(super) fn new(streams: u16) -> Self {
        let streams = (0..streams).map(|_| AtomicU64::new(0)).collect();
        Self { messages: AtomicU64::new(0), streams }
    }

    /// Counts a payload; returns false if the test has no such stream.
    pub(super) fn add(&self, stream: u16, bytes: usize, completes_message: bool) -> bool {
        let place = usize::from(stream).checked_sub(1).and_then(|place| self.streams.get(place));
        let Some(place) = place else { return false };
        place.fetch_add(bytes as u64, Ordering::Relaxed);
        self.messages.fetch_add(u64::from(completes_message), Ordering::Relaxed);
        true
    }

    pub(super) fn messages(&self) -> u64 {
        self.messages.load(Ordering::Relaxed)
    }

    pub(super) fn bytes(&self) -> u64 {
        self.streams.iter().map(|bytes| bytes.load(Ordering::Relaxed)).sum()
    }

    /// Payload bytes by stream.
    pub(super) fn streams(&self) -> Vec<u64> {
        self.streams.iter().map(|bytes| bytes.load(Ordering::Relaxed)).collect()
    }
}
