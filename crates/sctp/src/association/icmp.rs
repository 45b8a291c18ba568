//! ICMP messages about packets of the association. The caller has validated the message. RFC 9260 §10

use manypath_core::{PathId, Time};

use super::Association;
use super::state::State;
use crate::event::CloseReason;
use crate::path::HeartbeatProbe;

impl Association {
    /// Handles a host at the end of a path that does not support SCTP: like an ABORT with the T bit. If the packet was
    /// an INIT, this applies only while its answer is outstanding. RFC 9260 §10 ICMP8
    ///
    /// If the peer has several addresses, one of them may have moved to another host. Unlike in the RFC, such messages
    /// must therefore have arrived for all paths; until then the path counts as unreachable. A packet of the peer voids
    /// the message for its path: a NAT may have lost the peer's UDP port and given it another one.
    pub(crate) fn protocol_unreachable(&mut self, now: Time, path: PathId, was_init: bool) {
        if was_init {
            if matches!(self.state, State::CookieWait(_)) {
                self.lose_peer();
            }
            return;
        }
        let Some(known) = self.paths.get_mut(path) else { return };
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

    /// Handles an unreachable destination of a path: an error of the path, which is then probed at once. Until the
    /// answer, further messages are ignored. RFC 9260 §10 ICMP9
    pub(crate) fn destination_unreachable(&mut self, now: Time, path: PathId) {
        let Some(known) = self.paths.get(path) else { return };
        if !self.state.may_send_data() || matches!(known.probe, HeartbeatProbe::Waiting(_)) {
            return;
        }
        self.path_error(now, path);
        let is_probed = |path: PathId| matches!(self.paths[path].probe, HeartbeatProbe::Waiting(_));
        if !self.is_closed() && !is_probed(path) {
            self.send_heartbeat(now, path);
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
    fn protocol_unreachable_for_an_unanswered_init_ends_the_attempt() {
        let via = Via { local: Address::v4(10, 0, 0, 1), remote: Address::v4(10, 0, 0, 2) };
        let random = Entropy::Simulated(Streams::new(1, 0).stream("icmp"));
        let config = Arc::new(Config::default());
        let mut association = Association::connect(Time::ZERO, config, &[via], 9, 77, random);
        association.protocol_unreachable(Time::ZERO, PathId(0), true);
        assert!(association.is_closed());
    }
}
