//! Detection of spurious fast retransmissions by reported duplicates. \[D10] III-C

use manypath_core::Span;
use manypath_sctp::Config;

use crate::pair::{A, FIRST, Fault, Pair, Z};
use crate::send::peer::{Peer, Report, alone};

/// Spurious fast retransmissions, and bursts of them.
fn spurious(peer: &Peer) -> (u64, u64) {
    let stats = peer.endpoint.stats(FIRST);
    (stats.spurious_fast_retransmissions, stats.spurious_bursts)
}

/// One SACK has caused fast retransmissions of chunks 1 and 3, and the next one of chunk 5.
fn three_fast_retransmissions() -> Peer {
    let mut peer = Peer::of(Config { dac: true, ..alone() });
    peer.submit(100, 1452);
    while peer.stats(0).window < 30_000 {
        peer.advance(Span::from_millis(5));
        peer.sack(peer.base + 1, &[]);
        peer.base += 1;
    }
    let base = peer.base;
    let mut say = |gaps: &[(u32, u32)], packets| {
        let gaps: Vec<_> = gaps.iter().map(|(low, high)| (base + low, base + high)).collect();
        peer.sack_by_path(Report { cumulative: base, gaps: &gaps, packets, ..Report::default() });
    };
    say(&[(2, 2), (4, 4)], 1);
    say(&[(2, 2), (4, 4), (6, 7)], 2);
    say(&[(2, 2), (4, 4), (6, 8)], 1);
    assert_eq!(peer.stats(0).fast_retransmissions, 3);
    peer
}

fn duplicates(peer: &mut Peer, chunks: &[u32]) {
    let base = peer.base;
    let duplicates: Vec<_> = chunks.iter().map(|chunk| base + chunk).collect();
    peer.sack_by_path(Report {
        cumulative: base + 8,
        duplicates: &duplicates,
        ..Report::default()
    });
}

#[test]
fn a_duplicate_of_a_fast_retransmission_counts_after_its_acknowledgement() {
    let mut peer = three_fast_retransmissions();
    let base = peer.base;
    peer.sack_by_path(Report { cumulative: base + 8, ..Report::default() });
    assert_eq!(spurious(&peer), (0, 0));
    duplicates(&mut peer, &[1]);
    assert_eq!(spurious(&peer), (1, 0));
    duplicates(&mut peer, &[2, 4]);
    assert_eq!(spurious(&peer), (1, 0), "these were sent once");
    duplicates(&mut peer, &[1]);
    assert_eq!(spurious(&peer), (1, 0), "once is enough");
}

#[test]
fn two_spurious_retransmissions_by_one_sack_are_a_burst() {
    let mut peer = three_fast_retransmissions();
    duplicates(&mut peer, &[1, 3]);
    assert_eq!(spurious(&peer), (2, 1));
    duplicates(&mut peer, &[5]);
    assert_eq!(spurious(&peer).0, 3);
}

#[test]
fn duplicates_in_a_stale_sack_count() {
    let mut peer = three_fast_retransmissions();
    let base = peer.base;
    peer.sack_by_path(Report { cumulative: base + 9, ..Report::default() });
    duplicates(&mut peer, &[1]);
    assert_eq!((spurious(&peer).0, peer.endpoint.stats(FIRST).stale_sacks), (1, 1));
}

#[test]
fn a_later_retransmission_by_the_timer_explains_one_duplicate() {
    let mut peer = three_fast_retransmissions();
    peer.advance(Span::from_secs(1));
    assert!(peer.endpoint.stats(FIRST).timeouts > 0);
    duplicates(&mut peer, &[1]);
    assert_eq!(spurious(&peer), (0, 0));
    duplicates(&mut peer, &[1]);
    assert_eq!(spurious(&peer), (1, 0));
}

#[test]
fn retransmissions_of_late_chunks_are_spurious_and_those_of_lost_ones_are_not() {
    for (fault, expected) in [(Fault::Delay(Span::from_millis(25)), 1), (Fault::Lose, 0)] {
        let mut pair = Pair::new(1);
        pair.connect();
        let mut packets = 0;
        pair.network.rule(move |sent| {
            packets += u32::from(!sent.data.is_empty());
            if packets == 30 && !sent.data.is_empty() { fault } else { Fault::None }
        });
        pair.send_many(A, 100, 1452);
        pair.drive_until_read(Z, 100 * 1452);
        pair.drive(Span::from_secs(1));
        let stats = *pair.endpoint(A).stats(FIRST);
        assert_eq!(stats.fast_retransmissions, 1);
        assert_eq!((stats.spurious_fast_retransmissions, stats.spurious_bursts), (expected, 0));
    }
}
