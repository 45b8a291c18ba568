//! How a random story must end: everything has arrived, both ends agree, and nothing ever happens again.

use manypath_core::{Span, Time};
use manypath_sctp::CloseReason;

use super::party::Party;
use super::story::Story;
use super::tally::{Subject, Tally};
use crate::pair::{A, Side, Z, path};

impl Story {
    /// The network works, and what was under way has had its time: closes what is open, and looks at everything.
    pub(super) fn end(mut self, closes: Side) -> Tally {
        let healed = self.pair.now;
        self.settle();
        self.check_reasons(healed);
        if !self.parties.iter().any(is_broken_off) {
            self.check_complete();
        }
        if self.parties.iter().all(|party| party.end.is_none()) {
            self.check_open();
            self.check_rest();
            self.narrate(|| format!("{closes:?} closes"));
            self.shut_down(closes);
            self.rest(SETTLED);
        }
        self.check_closed();
        self.count();
        self.tally
    }

    /// Waits until nothing new has been read for long. A receive buffer of one packet takes one chunk for each timeout.
    fn settle(&mut self) {
        for _ in 0..MOST_ROUNDS {
            let before = self.bytes_read();
            for _ in 0..SETTLED.as_nanos() / READS.as_nanos() {
                self.rest(READS);
            }
            if self.bytes_read() == before {
                return;
            }
        }
    }

    fn bytes_read(&self) -> [u64; 2] {
        self.parties.each_ref().map(|party| party.outgoing.read().1)
    }

    /// Nobody gives up or breaks off without a reason.
    fn check_reasons(&self, healed: Time) {
        for side in [A, Z] {
            let (party, config) =
                (&self.parties[side as usize], &self.setting.ends[side as usize].config);
            let Some((reason, at)) = party.end else { continue };
            match reason {
                // The cookie that it echoes is of an endpoint that has forgotten everything
                CloseReason::Unreachable if self.rebooted && !party.connected => {}
                CloseReason::Unreachable => {
                    let may_give_up = config.association_max_retransmissions < u32::MAX;
                    assert!(may_give_up || party.shut_down, "{side:?} gives up without a reason");
                    let last = healed + config.rto.max * 2 + Span::from_secs(60);
                    assert!(at <= last, "{side:?} gives up though everything works");
                }
                CloseReason::ProtocolViolation => panic!("{side:?} finds fault with its peer"),
                _ => {}
            }
        }
    }

    fn check_complete(&self) {
        for party in &self.parties {
            let missing = party.outgoing.missing(party.life);
            assert!(missing.is_empty(), "messages {missing:?} never arrive");
        }
    }

    /// Nothing is outstanding, and everything works.
    fn check_open(&mut self) {
        for side in [A, Z] {
            let party = &self.parties[side as usize];
            assert!(!party.waits_for_room, "{side:?} never hears that there is room");
            assert!(!party.shut_down, "{side:?} has closed, and it stays open");
            let (id, config) = (party.association, &self.setting.ends[side as usize].config);
            let (bytes, read) = (party.outgoing.taken().1, party.outgoing.read().1);
            let endpoint = self.pair.endpoint(side);
            assert_eq!(endpoint.send_space(id), config.send_buffer);
            let mut acked = 0;
            for index in 0..endpoint.path_count(id) {
                let stats = endpoint.path_stats(id, path(index as u8));
                assert_eq!(
                    (stats.outstanding, stats.usable),
                    (0, true),
                    "path {index} of {side:?}"
                );
                acked += stats.bytes_acked;
            }
            if self.parties.iter().all(|party| party.life == 0) {
                assert_eq!((acked, read), (bytes, bytes), "acknowledged and read of {side:?}");
            }
        }
    }

    /// An association at rest sends heartbeats and their answers only, no more than it should.
    fn check_rest(&mut self) {
        self.pass(SETTLED);
        let sent = std::mem::take(&mut self.pair.network.log);
        let restless = sent.iter().find(|sent| !sent.label.contains("HEARTBEAT"));
        assert!(restless.is_none(), "nobody has a reason to send {restless:?}");
        let paths = self.setting.links.len() as u64;
        let most: u64 = self
            .setting
            .ends
            .iter()
            .map(|end| {
                let probes = SETTLED.as_nanos() / end.config.heartbeat_interval.as_nanos() + 2;
                2 * paths * probes
            })
            .sum();
        assert!(sent.len() as u64 <= most, "{} packets at rest, {most} at most", sent.len());
        for sent in sent {
            self.books.note(&sent);
        }
    }

    /// Both sides have closed in order where they could, and nothing ever happens again.
    fn check_closed(&mut self) {
        let ends = self.parties.each_ref().map(Party::end_reason);
        for (party, side) in self.parties.iter().zip([A, Z]) {
            assert!(party.end.is_some() || !party.begun, "{side:?} does not end: {ends:?}");
        }
        // A SHUTDOWN that comes late to a side that has forgotten everything is answered with ABORT
        let nobody_closed = ends.iter().all(|end| *end == Some(CloseReason::AbortedByPeer));
        // A late ABORT may meet an attempt that began after it, and its sender then gets answers from that attempt
        let excused = self.rebooted || self.parties.iter().any(|party| party.hears_again);
        assert!(excused || !nobody_closed, "both sides say that the other one closed");
        for end in ends.into_iter().flatten() {
            self.tally.add(Subject::End, format!("{end:?}"), 1);
        }
        assert!(!self.instant(), "something goes on after the end");
        for side in [A, Z] {
            let id = self.parties[side as usize].association;
            self.pair.endpoint(side).forget(id);
            assert_eq!(
                self.pair.endpoint(side).send_space(id),
                0,
                "a closed association is forgotten"
            );
        }
    }

    fn count(&mut self) {
        for (fate, count) in self.weather.fates() {
            self.tally.add(Subject::Fate, fate, count);
        }
        self.tally.add(Subject::Fate, "overflow", self.pair.network.overflows);
        for end in &self.setting.ends {
            for switch in super::switches::positions(&end.config) {
                self.tally.add(Subject::Switch, format!("{} {}", switch.name, switch.position), 1);
            }
        }
    }
}

/// Whether messages may have been lost because an association did not end in order.
fn is_broken_off(party: &Party) -> bool {
    match party.end_reason() {
        Some(CloseReason::Unreachable | CloseReason::AbortedHere) => true,
        // A COOKIE ECHO of an earlier life that came late had opened an association that the peer knew nothing of
        Some(CloseReason::AbortedByPeer) => party.hears_again,
        _ => false,
    }
}

/// After so long at rest, probes have found every path, and every late packet has come.
const SETTLED: Span = Span::from_secs(300);
/// How often an application reads while it waits for that.
const READS: Span = Span::from_secs(1);
/// Transfers that take longer than so many times that have come to a standstill in all but name.
const MOST_ROUNDS: u32 = 20;
