//! Changes of local addresses, which the owner of the endpoint reports.

use manypath_core::{Address, Time};

use super::Endpoint;

impl Endpoint {
    /// Reports that no packets can be sent from a local address: its interface is down or has lost the address.
    ///
    /// The paths of this address fail at once, and their chunks in flight move to other paths. RFC 9260 §8.2 waits for
    /// Path.Max.Retrans errors, because it has no better indication. Their error counters stay as they are, so that the
    /// association ends no earlier than after silence. Until [`local_address_up`](Self::local_address_up), only an answered
    /// heartbeat makes such a path active again.
    pub fn local_address_down(&mut self, now: Time, address: Address) {
        for index in 0..self.slots.len() {
            if self.leaves_from(index, address)
                && let Some(association) = self.touch(index)
            {
                association.local_down(now, address);
            }
        }
    }

    /// Reports that packets can be sent from a local address again. Paths of this address that do not work are probed at
    /// once, and the first one that answers sends what is in flight on all of them again.
    /// Another call repeats the probes.
    pub fn local_address_up(&mut self, now: Time, address: Address) {
        for index in 0..self.slots.len() {
            if self.leaves_from(index, address)
                && let Some(association) = self.touch(index)
            {
                association.local_up(now, address);
            }
        }
    }

    fn leaves_from(&self, index: usize, address: Address) -> bool {
        self.slots.get(index).is_some_and(|association| association.paths().leaves_from(address))
    }
}
