//! The connection of an endpoint to the driver of its host.

use std::fmt::Debug;
use std::sync::Arc;

/// The driver of a host, as its endpoints use it.
pub(crate) trait Work: Debug + Send + Sync {
    /// Tells the driver that the endpoint in this slot has work.
    fn is_there(&self, slot: usize);

    /// The number of packets for ports without an endpoint.
    fn foreign_packets(&self) -> u64;
}

/// An endpoint's connection to the driver of its host.
#[derive(Clone, Debug)]
pub(crate) struct Link {
    driver: Arc<dyn Work>,
    slot: usize,
}

impl Link {
    pub(super) fn new(driver: Arc<dyn Work>, slot: usize) -> Self {
        Self { driver, slot }
    }

    /// Tells the driver that the endpoint has work.
    pub(crate) fn wake(&self) {
        self.driver.is_there(self.slot);
    }

    /// The number of packets for ports without an endpoint.
    pub(crate) fn foreign(&self) -> u64 {
        self.driver.foreign_packets()
    }
}
