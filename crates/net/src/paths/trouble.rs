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
            Reason::NobodyThere => self.hear_of_nobody(trouble),
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

    /// An association that is being opened ends once every address of the peer has answered that nobody is there. One that
    /// stands goes on: who forges ICMP messages cannot end it.
    fn hear_of_nobody(&mut self, trouble: Trouble) {
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
            if !entry.nobody_at.contains(&trouble.remote) {
                entry.nobody_at.push(trouble.remote);
            }
            if remotes.iter().all(|remote| entry.nobody_at.contains(remote)) {
                let now = self.clock.now();
                self.core.abort(now, id);
            }
        }
    }
}
