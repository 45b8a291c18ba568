//! Checks that counters add up: with the observed packets, with the messages, and with each other.

use std::collections::{BTreeMap, BTreeSet};

use manypath_sctp::{PathStats, Stats};

use super::party::Party;
use crate::pair::{A, Pair, Sent, Side, Z, path};

/// The packets that each side sent, by path.
#[derive(Debug, Default)]
pub(crate) struct SeenPackets {
    sides: [BTreeMap<usize, Seen>; 2],
    /// TSNs that each side has sent.
    tsns: [BTreeSet<u32>; 2],
}

/// Packets with DATA, DATA chunks, retransmitted ones, and SACKs.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
struct Seen {
    data_packets: u64,
    chunks: u64,
    copies: u64,
    sacks: u64,
}

impl SeenPackets {
    pub(crate) fn note(&mut self, sent: &Sent) {
        let seen = self.sides[sent.from as usize].entry(sent.path).or_default();
        seen.data_packets += u64::from(!sent.data.is_empty());
        seen.chunks += sent.data.len() as u64;
        let tsns = &mut self.tsns[sent.from as usize];
        let copies = sent.data.iter().filter(|chunk| !tsns.insert(chunk.tsn.0)).count();
        seen.copies += copies as u64;
        seen.sacks += u64::from(sent.sack.is_some());
    }

    /// Compares the counters of the first association of each side with the observed packets. Requires that no endpoint
    /// rebooted.
    pub(crate) fn compare(&self, pair: &mut Pair, parties: &[Party; 2]) {
        for side in [A, Z] {
            let party = &parties[side as usize];
            if party.life > 0 || !party.connected {
                continue;
            }
            let endpoint = pair.endpoint(side);
            let stats = *endpoint.stats(party.association);
            let paths: Vec<PathStats> = (0..endpoint.path_count(party.association))
                .map(|index| endpoint.path_stats(party.association, path(index as u8)))
                .collect();
            self.compare_paths(side, &paths);
            add_up(&stats, &paths);
            compare_messages(&stats, party, &parties[side.other() as usize]);
        }
    }

    /// The order of an association's paths may differ from that of the network, so the paths are compared as a
    /// multiset.
    fn compare_paths(&self, side: Side, paths: &[PathStats]) {
        let mut seen: Vec<_> = self.sides[side as usize]
            .values()
            .map(|seen| (seen.data_packets, seen.chunks, seen.copies, seen.sacks))
            .filter(|seen| *seen != (0, 0, 0, 0))
            .collect();
        let mut counted: Vec<_> = paths
            .iter()
            .map(|path| {
                let (chunks, copies) = (path.data_chunks_sent, path.retransmitted_chunks);
                (path.data_packets, chunks, copies, path.sacks_sent)
            })
            .filter(|counted| *counted != (0, 0, 0, 0))
            .collect();
        seen.sort_unstable();
        counted.sort_unstable();
        assert_eq!(counted, seen, "DATA packets, chunks, copies and SACKs of {side:?} by path");
    }
}

/// The association's counters are the sums of those of its paths.
fn add_up(stats: &Stats, paths: &[PathStats]) {
    let sum = |count: fn(&PathStats) -> u64| paths.iter().map(count).sum::<u64>();
    assert_eq!(stats.data_packets, sum(|path| path.data_packets));
    assert_eq!(stats.data_chunks_sent, sum(|path| path.data_chunks_sent));
    assert_eq!(stats.retransmitted_chunks, sum(|path| path.retransmitted_chunks));
    // A marked chunk may be acknowledged before its retransmission
    assert!(stats.retransmitted_chunks <= marked(stats), "{stats:?}");
    assert_eq!(stats.sacks_sent, sum(|path| path.sacks_sent));
    assert_eq!(stats.fast_retransmissions, sum(|path| path.fast_retransmissions));
    assert_eq!(stats.timeouts, sum(|path| path.timeouts));
    assert_eq!(stats.rescheduled_chunks, sum(|path| path.rescheduled_chunks));
    assert!(stats.data_packets <= stats.packets_sent);
    assert!(stats.stale_sacks <= stats.sacks_received);
    assert!(sum(|path| path.window_cuts) <= stats.fast_retransmissions + stats.rescheduled_chunks);
    assert!(sum(|path| path.bytes_acked) <= stats.bytes_sent);
    assert!(stats.spurious_fast_retransmissions <= stats.fast_retransmissions);
    assert!(2 * stats.spurious_bursts <= stats.spurious_fast_retransmissions);
}

/// How often a chunk was marked for retransmission, for any reason.
fn marked(stats: &Stats) -> u64 {
    stats.fast_retransmissions
        + stats.timer_retransmissions
        + stats.reported_chunks
        + stats.probe_retransmissions
        + stats.rescheduled_chunks
}

fn compare_messages(stats: &Stats, party: &Party, peer: &Party) {
    assert_eq!((stats.messages_sent, stats.bytes_sent), party.outgoing.taken());
    if peer.life == 0 {
        let (messages, bytes) = peer.outgoing.read();
        let read = (messages, bytes + party.unfinished());
        assert_eq!((stats.messages_received, stats.bytes_received), read);
    }
}
