//! The end of a random story: all data has arrived, both sides agree, and nothing happens afterwards.

use manypath_core::{Span, Time};
use manypath_sctp::CloseReason;

use super::party::Party;
use super::story::Story;
use super::tally::{Subject, Tally};
use crate::pair::{A, Side, Z, path};

impl Story {
    /// Ends the story after all faults are gone: closes open associations, and checks everything.
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

    /// Waits until no new data has been read for long. A receive buffer of one packet receives one chunk per timeout.
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

    /// Checks that no side ended the association without a reason.
    fn check_reasons(&self, healed: Time) {
        for side in [A, Z] {
            let (party, config) =
                (&self.parties[side as usize], &self.setting.ends[side as usize].config);
            let Some((reason, at)) = party.end else { continue };
            match reason {
                // The cookie belongs to an endpoint that has lost its state
                CloseReason::Unreachable if self.rebooted && !party.connected => {}
                CloseReason::Unreachable => {
                    let may_give_up = config.association_max_retransmissions < u32::MAX;
                    assert!(may_give_up || party.shut_down, "{side:?} gives up without a reason");
                    let last = healed + config.rto.max * 2 + Span::from_secs(60);
                    assert!(at <= last, "{side:?} gives up although all paths work");
                }
                CloseReason::ProtocolViolation => panic!("{side:?} reports a protocol violation"),
                _ => {}
            }
        }
    }

    fn check_complete(&self) {
        for party in &self.parties {
            let missing = party.outgoing.missing(party.life);
            let first = missing.iter().take(20).collect::<Vec<_>>();
            assert!(missing.is_empty(), "{} messages never arrive: {first:?}", missing.len());
        }
    }

    /// Checks that nothing is outstanding, after all paths work.
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

    /// An idle association sends only heartbeats, among them probes of the MTU, and their answers, at most as often as
    /// configured.
    fn check_rest(&mut self) {
        self.pass(SETTLED);
        let sent = std::mem::take(&mut self.pair.network.log);
        let restless = sent.iter().find(|sent| !sent.label.contains("HEARTBEAT"));
        assert!(restless.is_none(), "{restless:?} was sent at rest");
        let paths = self.setting.links.len() as u64;
        let most: u64 = self
            .setting
            .ends
            .iter()
            .map(|end| {
                let probes = SETTLED.as_nanos() / end.config.heartbeat_interval.as_nanos() + 2;
                let search = if end.config.mtu_discovery.is_some() { MTU_PROBES } else { 0 };
                2 * paths * (probes + search)
            })
            .sum();
        assert!(sent.len() as u64 <= most, "{} packets at rest, {most} at most", sent.len());
        for sent in sent {
            self.seen_packets.note(&sent);
        }
    }

    /// Both sides have closed gracefully where possible, and nothing happens afterwards.
    fn check_closed(&mut self) {
        let ends = self.parties.each_ref().map(Party::end_reason);
        for (party, side) in self.parties.iter().zip([A, Z]) {
            assert!(party.end.is_some() || !party.begun, "{side:?} does not end: {ends:?}");
        }
        // A late SHUTDOWN to a side that has lost its state is answered with ABORT
        let both_were_aborted = ends.iter().all(|end| *end == Some(CloseReason::AbortedByPeer));
        // A late ABORT may arrive at a newer attempt, whose answers its sender then receives
        let excused = self.rebooted || self.parties.iter().any(|party| party.reopened);
        assert!(excused || !both_were_aborted, "both sides report that the other one closed");
        for end in ends.into_iter().flatten() {
            self.tally.add(Subject::End, format!("{end:?}"), 1);
        }
        assert!(!self.instant(), "an event occurs after the end");
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
        for (fault, count) in self.faults.packets() {
            self.tally.add(Subject::Fault, fault, count);
        }
        self.tally.add(Subject::Fault, "overflow", self.pair.network.overflows);
        for end in &self.setting.ends {
            for switch in super::switches::positions(&end.config) {
                self.tally.add(Subject::Switch, format!("{} {}", switch.name, switch.position), 1);
            }
        }
    }
}

/// Whether messages may have been lost because an association did not end gracefully.
fn is_broken_off(party: &Party) -> bool {
    match party.end_reason() {
        Some(CloseReason::Unreachable | CloseReason::AbortedHere) => true,
        // A late COOKIE ECHO of an earlier life had opened an association that the peer did not know
        Some(CloseReason::AbortedByPeer) => party.reopened,
        _ => false,
    }
}

/// Time at rest after which probes have found every path and every delayed packet has arrived.
const SETTLED: Span = Span::from_secs(300);
/// Interval at which an application reads during this time.
const READS: Span = Span::from_secs(1);
/// Largest number of such times for a transfer; longer ones count as stalled. A flood of short messages into a receive
/// buffer of one packet, which is read once a second, takes 6,000 s and more.
const MOST_ROUNDS: u32 = 120;
/// Largest number of probes of a search for the MTU, which begins again 600 s after the last one: eight sizes, three
/// probes of each. RFC 8899, section 5.1
const MTU_PROBES: u64 = 24;
