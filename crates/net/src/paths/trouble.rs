//! What becomes of a packet that did not arrive, as the error queue tells.

use manypath_core::PathId;
use manypath_sctp::AssociationId;

use crate::driver::State;
use crate::socket::errors::{Quoted, Reason, Trouble};

impl State {
    /// Takes what the system says about a packet that was sent.
    pub(crate) fn hear(&mut self, trouble: Trouble) {
        match trouble.reason {
            Reason::TooBig(mtu) => {
                for (id, path) in self.concerned(trouble) {
                    // It never raises an MTU, and forged ones do not get below what the state machine allows
                    if self.core.path_mtu(id, path).is_some_and(|known| mtu < known) {
                        self.core.set_path_mtu(id, path, mtu);
                    }
                }
            }
            Reason::PortUnreachable => self.note_port_unreachable(trouble),
            Reason::Other => {}
        }
    }

    /// The paths that a trouble concerns: the one whose packet is quoted, or all between two addresses.
    fn concerned(&self, trouble: Trouble) -> Vec<(AssociationId, PathId)> {
        if let Some(quoted) = trouble.quoted {
            let port = quoted.destination_port;
            return self.core.path_of_sent(trouble.remote, port, quoted.tag).into_iter().collect();
        }
        let ids = self.open_ids(|_| true);
        let paths = ids.into_iter().flat_map(|id| {
            (0..).map_while(move |path| self.via(id, path)).map(move |(path, via)| (id, path, via))
        });
        let concerned =
            paths.filter(|(_, _, via)| via.local == trouble.local && via.remote == trouble.remote);
        concerned.map(|(id, path, _)| (id, path)).collect()
    }

    /// Ends an association that is being opened once ICMP has reported port unreachable for every address of the peer. An
    /// established association goes on, because ICMP messages can be forged.
    fn note_port_unreachable(&mut self, trouble: Trouble) {
        let own = |quoted: &Quoted| quoted.source_port == self.port;
        let Some(quoted) = trouble.quoted.filter(own) else { return };
        let opening = self.open_ids(|entry| !entry.connected);
        for id in opening {
            if self.core.peer_port(id) != Some(quoted.destination_port) {
                continue;
            }
            let remotes: Vec<_> =
                (0..).map_while(|path| self.via(id, path)).map(|(_, via)| via.remote).collect();
            if !remotes.contains(&trouble.remote) {
                continue;
            }
            let entry = self.entry(id);
            if !entry.unreachable.contains(&trouble.remote) {
                entry.unreachable.push(trouble.remote);
            }
            if remotes.iter().all(|remote| entry.unreachable.contains(remote)) {
                let now = self.clock.now();
                self.core.abort(now, id);
            }
        }
    }
}
