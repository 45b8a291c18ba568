//! Errors of sent packets, from the error queue of a socket. RFC 9260 §10, RFC 8899 §4.6

use manypath_core::PathId;
use manypath_sctp::AssociationId;

use crate::Error;
use crate::driver::State;
use crate::socket::errors::{Quoted, Reason, Trouble};

impl State {
    /// Handles an error of a sent packet.
    pub(crate) fn hear(&mut self, trouble: Trouble) {
        let now = self.clock.now();
        match trouble.reason {
            Reason::TooBig(mtu) => {
                for (id, path) in self.concerned(trouble) {
                    self.core.packet_too_big(now, id, path, mtu);
                }
            }
            Reason::NoPort | Reason::NoProtocol | Reason::NoWay => {
                self.hear_of_unreachable(trouble);
            }
            Reason::Other => {}
        }
    }

    /// The paths that an error concerns: the path of the quoted packet, or all paths between the two addresses.
    fn concerned(&self, trouble: Trouble) -> Vec<(AssociationId, PathId)> {
        if let Some(quoted) = trouble.quoted {
            return self.path_of(trouble, quoted).into_iter().collect();
        }
        let ids = self.open_ids(|_| true);
        let paths = ids.into_iter().flat_map(|id| {
            (0..).map_while(move |path| self.via(id, path)).map(move |(path, via)| (id, path, via))
        });
        let concerned =
            paths.filter(|(_, _, via)| via.local == trouble.local && via.remote == trouble.remote);
        concerned.map(|(id, path, _)| (id, path)).collect()
    }

    /// The path of a quoted packet, if this endpoint sent it. RFC 9260 §10 ICMP5, ICMP6
    fn path_of(&self, trouble: Trouble, quoted: Quoted) -> Option<(AssociationId, PathId)> {
        let Quoted { source_port, destination_port, tag, initiate_tag } = quoted;
        let is_own = source_port == self.port;
        let found = self.core.path_of_sent(trouble.remote, destination_port, tag, initiate_tag);
        found.filter(|_| is_own)
    }

    /// An established association ends if the peer's UDP port is closed; for other reasons the path is probed. An
    /// association that is being opened ends as soon as every address of the peer is unreachable.
    ///
    /// Unlike RFC 9260 §10 ICMP8, "protocol unreachable" does not end an established association. Linux sends it when
    /// the raw socket of a program that implements SCTP has a full buffer, and the peer of an established association
    /// has shown that it supports SCTP.
    /// RFC 9260 §10 ICMP8.
    fn hear_of_unreachable(&mut self, trouble: Trouble) {
        let Some(quoted) = trouble.quoted else { return self.find_no_way(trouble) };
        let Some((id, path)) = self.path_of(trouble, quoted) else { return };
        let was_init = quoted.tag == 0;
        let now = self.clock.now();
        if self.entry(id).connected {
            match trouble.reason {
                Reason::NoPort => self.core.protocol_unreachable(now, id, path, was_init),
                _ => self.core.destination_unreachable(now, id, path),
            }
            return;
        }
        self.note_unreachable(trouble, id, path, was_init);
    }

    /// Handles a destination without a local route. It is reported to associations that are being opened. For an
    /// established association the timers detect the failure, because a probe could not be sent either.
    fn find_no_way(&mut self, trouble: Trouble) {
        for (id, path) in self.concerned(trouble) {
            if !self.entry(id).connected {
                self.note_unreachable(trouble, id, path, true);
            }
        }
    }

    /// Records an unreachable address. The attempt to open an association ends when every address of the peer is
    /// unreachable.
    fn note_unreachable(
        &mut self,
        trouble: Trouble,
        id: AssociationId,
        path: PathId,
        was_init: bool,
    ) {
        let remotes: Vec<_> =
            (0..).map_while(|path| self.via(id, path)).map(|(_, via)| via.remote).collect();
        let entry = self.entry(id);
        let address = trouble.remote.into();
        let error = match trouble.reason {
            Reason::NoWay => Error::HostUnreachable(address),
            _ => Error::PortUnreachable(address),
        };
        entry.note_unreachable(trouble.remote, error);
        if remotes.iter().all(|remote| entry.is_unreachable(*remote)) {
            let now = self.clock.now();
            self.core.protocol_unreachable(now, id, path, was_init);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Message;
    use crate::driver::pair::{ADDRESSES, PORTS, Pair};

    /// An ICMP message about a packet of the first end.
    fn trouble(reason: Reason, quoted: Quoted) -> Trouble {
        let [local, remote] = ADDRESSES;
        Trouble { local, remote, port: Some(quoted.source_port), reason, quoted: Some(quoted) }
    }

    #[test]
    fn an_error_about_a_packet_from_another_port_changes_nothing() {
        let mut pair = Pair::new();
        let id = pair.begin();
        let quoted = pair.lose();
        let [state, _] = &mut pair.ends;
        for source_port in [PORTS[0] + 1, PORTS[1], 0] {
            for reason in [Reason::NoPort, Reason::NoProtocol, Reason::NoWay] {
                state.hear(trouble(reason, Quoted { source_port, ..quoted }));
                state.tell(state.clock.now());
                let entry = state.entry(id);
                let is_unchanged = entry.unreachable.is_empty() && entry.ending.is_none();
                assert!(is_unchanged, "{source_port} {reason:?}");
            }
        }
        state.hear(trouble(Reason::NoPort, quoted));
        state.tell(state.clock.now());
        assert!(state.entry(id).ending.is_some(), "the quoted packet is its own");
    }

    #[test]
    fn a_limit_of_a_packet_from_another_port_changes_no_mtu() {
        let mut pair = Pair::new();
        let [id, _] = pair.connect();
        let now = pair.ends[0].clock.now();
        pair.ends[0].core.send(now, id, Message::new("lost").to_core()).unwrap();
        let quoted = pair.lose();
        let [state, _] = &mut pair.ends;
        let before = state.core.path_mtu(id, PathId(0));
        let foreign = Quoted { source_port: PORTS[0] + 1, ..quoted };
        state.hear(trouble(Reason::TooBig(1100), foreign));
        assert_eq!(state.core.path_mtu(id, PathId(0)), before);
        state.hear(trouble(Reason::TooBig(1100), quoted));
        assert!(state.core.path_mtu(id, PathId(0)) < before, "the quoted packet is its own");
    }
}
