//! Local addresses that stop working and come back, as the owner of the endpoint finds out.

use manypath_core::{Address, Time};

use super::Endpoint;

impl Endpoint {
    /// Tells that nothing can leave from a local address any more: its interface is down, or has lost it.
    ///
    /// Paths from there count as failed at once, and what was in flight on them goes to another path. RFC 9260 §8.2 waits
    /// for Path.Max.Retrans errors because it knows of no better sign.
    pub fn local_address_down(&mut self, now: Time, address: Address) {
        for index in 0..self.slots.len() {
            if self.leaves_from(index, address)
                && let Some(association) = self.touch(index)
            {
                association.local_down(now, address);
            }
        }
    }

    /// Tells that packets may leave from a local address again: paths from there that have failed are probed at once.
    /// Calling it again repeats the probes.
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
        self.slots.get(index).is_some_and(|association| association.leaves_from(address))
    }
}
