//! The capacity of a queue, for all disciplines.

use crate::error::{ConfigError, positive};

/// The capacity of a queue; the packet in transmission does not count. `u64::MAX` means no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// A number of packets of any size.
    pub packets: u64,
    /// A number of bytes, framing excluded. A packet larger than this is always dropped.
    pub bytes: u64,
}

impl Limit {
    /// The given limits, both if both are given; `otherwise` packets if none is given.
    #[must_use]
    pub fn new(packets: Option<u64>, bytes: Option<u64>, otherwise: u64) -> Self {
        let (packets, bytes) = match (packets, bytes) {
            (None, None) => (otherwise, u64::MAX),
            (packets, bytes) => (packets.unwrap_or(u64::MAX), bytes.unwrap_or(u64::MAX)),
        };
        Self { packets, bytes }
    }

    /// Checks the values.
    ///
    /// # Errors
    /// If the capacity is zero.
    pub fn validate(self) -> Result<(), ConfigError> {
        positive("queue.packets", self.packets)?;
        positive("queue.bytes", self.bytes)
    }

    /// Whether `packets` packets with `bytes` bytes in total may wait.
    #[inline]
    #[must_use]
    pub fn admits(self, packets: usize, bytes: u64) -> bool {
        packets as u64 <= self.packets && bytes <= self.bytes
    }
}
