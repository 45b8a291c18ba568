//! What ICMP says about packets of the association; the caller has validated the message. RFC 9260 §10

use manypath_core::{PathId, Time};

use super::Association;
use super::state::State;
use crate::event::CloseReason;
use crate::path::Probe;

impl Association {
    /// The host at the end of a path does not speak SCTP, or no longer: as an ABORT with the T bit set. If the packet was an
    /// INIT, that holds only while the answer to it is awaited. RFC 9260 §10 ICMP8
    ///
    /// Where the peer has several addresses, one of them may have moved to another host. So all must have said so, unlike
    /// in the RFC; until then the path counts as unreachable.
    pub(crate) fn protocol_unreachable(&mut self, now: Time, path: PathId, was_init: bool) {
        if was_init {
            if matches!(self.state, State::CookieWait(_)) {
                self.lose_peer();
            }
            return;
        }
        let Some(known) = self.paths.get_mut(path.index()) else { return };
        known.has_no_sctp = true;
        if self.paths.iter().all(|path| path.has_no_sctp) {
            self.lose_peer();
        } else {
            self.destination_unreachable(now, path);
        }
    }

    fn lose_peer(&mut self) {
        if !self.is_closed() {
            self.close(CloseReason::Unreachable);
        }
    }

    /// The destination of a path cannot be reached: an error of the path, and a reason to look at once whether it still
    /// works. While the answer is awaited, further messages tell nothing new. RFC 9260 §10 ICMP9
    pub(crate) fn destination_unreachable(&mut self, now: Time, path: PathId) {
        let Some(known) = self.paths.get(path.index()) else { return };
        if !self.state.may_send_data() || matches!(known.probe, Probe::Waiting(_)) {
            return;
        }
        self.path_error(now, path);
        let is_probed = |path: PathId| matches!(self.paths[path.index()].probe, Probe::Waiting(_));
        if !self.is_closed() && !is_probed(path) {
            self.send_heartbeat(now, path);
        }
    }

    /// Whether an ICMP message that quotes these fields of a packet answers one of this association: the tag of the peer,
    /// or no tag and the initiate tag of our INIT. RFC 9260 §10 ICMP6
    pub(crate) fn sent(&self, tag: u32, initiate_tag: Option<u32>) -> bool {
        match tag {
            0 => initiate_tag == Some(self.local_tag),
            tag => tag == self.peer_tag,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use manypath_core::{Address, Streams, Via};

    use super::*;
    use crate::config::Config;
    use crate::entropy::Entropy;

    #[test]
    fn a_quoted_packet_is_known_by_the_peers_tag_or_by_the_initiate_tag_of_our_init() {
        let via = Via { local: Address::v4(10, 0, 0, 1), remote: Address::v4(10, 0, 0, 2) };
        let random = Entropy::Simulated(Streams::new(1, 0).stream("icmp"));
        let config = Arc::new(Config::default());
        let mut association = Association::connect(Time::ZERO, config, &[via], 9, 77, random);
        assert!(association.sent(0, Some(77)));
        assert!(!association.sent(0, Some(78)) && !association.sent(0, None));
        // No tag of the peer is known yet, which must not look like one
        assert!(!association.sent(5, Some(77)));
        association.peer_tag = 5;
        assert!(association.sent(5, None) && !association.sent(6, Some(77)));
    }

    #[test]
    fn an_init_that_finds_no_sctp_ends_the_attempt_while_its_answer_is_awaited() {
        let via = Via { local: Address::v4(10, 0, 0, 1), remote: Address::v4(10, 0, 0, 2) };
        let random = Entropy::Simulated(Streams::new(1, 0).stream("icmp"));
        let config = Arc::new(Config::default());
        let mut association = Association::connect(Time::ZERO, config, &[via], 9, 77, random);
        association.protocol_unreachable(Time::ZERO, PathId(0), true);
        assert!(association.is_closed());
    }
}
