//! How much may wait in a queue, whatever its discipline.

use crate::error::{ConfigError, positive};

/// The most that may wait; the packet in transmission does not count. `u64::MAX` is no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// So many packets, whatever their size.
    pub packets: u64,
    /// So many bytes, framing excluded. A packet larger than this never passes.
    pub bytes: u64,
}

impl Limit {
    /// The limits that are given, both if both are; `otherwise` packets if none is.
    #[must_use]
    pub fn new(packets: Option<u64>, bytes: Option<u64>, otherwise: u64) -> Self {
        let (packets, bytes) = match (packets, bytes) {
            (None, None) => (otherwise, u64::MAX),
            (packets, bytes) => (packets.unwrap_or(u64::MAX), bytes.unwrap_or(u64::MAX)),
        };
        Self { packets, bytes }
    }

    /// Says what is wrong with the numbers.
    ///
    /// # Errors
    /// If there is no room at all.
    pub fn validate(self) -> Result<(), ConfigError> {
        positive("queue.packets", self.packets)?;
        positive("queue.bytes", self.bytes)
    }

    /// Whether so much may wait at once.
    #[inline]
    #[must_use]
    pub fn admits(self, packets: usize, bytes: u64) -> bool {
        packets as u64 <= self.packets && bytes <= self.bytes
    }
}
