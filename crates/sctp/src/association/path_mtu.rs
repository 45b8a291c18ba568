//! The MTU of each path, which limits packets and chunks, and a change of its route. RFC 9260 §6.9, §7.2.5.2

use manypath_core::{PathId, Time};

use super::Association;

impl Association {
    /// Limits the chunks to the smallest MTU of all paths and to the peer's receive buffer. RFC 9260 §6.9
    pub(super) fn fit_chunks(&mut self) {
        let smallest = self.paths.iter().map(|path| path.network.max_payload()).min();
        self.sender.limit_payload(smallest.unwrap_or(usize::MAX));
    }

    /// Sets the MTU of a path, in bytes.
    ///
    /// Outstanding chunks that no longer fit are retransmitted in packets that IP may fragment.
    pub(crate) fn set_path_mtu(&mut self, path: PathId, mtu: u16) {
        let Some(known) = self.paths.get_mut(path) else { return };
        known.network.set_mtu(mtu);
        let (ip, mtu) = known.network.segment();
        self.control.set_mtu(path, ip, mtu);
        self.fit_chunks();
    }

    /// Handles a change of the route of a path: the window begins as on a new path. RFC 9260 §7.2.5.2
    pub(crate) fn change_route(&mut self, now: Time, path: PathId) {
        if self.paths.get(path).is_some() {
            self.restart_mtu_search(now, path);
            self.control.restart(path);
            self.recovery.leave(path);
            self.open_opportunity(now, path);
        }
    }
}
