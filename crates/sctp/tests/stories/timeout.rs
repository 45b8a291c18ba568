//! The retransmission timer: its expiry, its restarts, and the path of the retransmissions. RFC 9260 §6.3, §6.4

use manypath_core::{RtoLimits, Span};
use manypath_sctp::{Config, T3Path, T3Reset};

use crate::cmt::concurrent;
use crate::pair::{A, Pair, Z};
use crate::send::peer::{Peer, Report, alone};

/// Chunks 1 to 3 fill the window of path 0, and so on; half a second later none has been acknowledged.
fn half_a_second_after(paths: usize, config: Config) -> Peer {
    let mut peer = Peer::on(paths, 100_000, config);
    assert_eq!(peer.submit_by_path(60, 1452).len(), 3 * paths);
    peer.advance_by_path(Span::from_millis(500));
    peer
}

#[test]
fn each_timeout_doubles_the_rto_up_to_its_maximum_and_a_sample_collapses_it() {
    let mut peer = Peer::of(Config {
        path_max_retransmissions: 100,
        association_max_retransmissions: 100,
        ..alone()
    });
    peer.submit(1, 1452);
    let times = [1.0, 3.0, 7.0, 15.0, 31.0, 63.0, 123.0, 183.0];
    assert_eq!(peer.advance_to_packets(8), times);
    peer.sack(1, &[]);
    assert_eq!(peer.stats(0).rto, Span::from_secs(60), "Karn: nothing was measured");
    peer.submit(1, 1452);
    peer.advance(Span::from_millis(100));
    peer.sack(2, &[]);
    assert_eq!(peer.stats(0).rto, Span::from_secs(1));
}

/// A path with a constant round-trip time of 1.2 s, until one SACK arrives `late`; returns the number of timeouts.
fn timeouts_on_a_long_path(granularity: Span, late: Span) -> u64 {
    let rto = RtoLimits { granularity, ..RtoLimits::RFC4960 };
    let mut peer = Peer::of(Config { rto, ..alone() });
    for tsn in 1..=60 {
        peer.submit(1, 100);
        peer.advance(Span::from_millis(1200) + if tsn == 60 { late } else { Span::ZERO });
        peer.sack(tsn, &[]);
    }
    peer.stats(0).timeouts
}

#[test]
fn a_constant_round_trip_time_above_rto_min_causes_no_timeouts() {
    let late = Span::from_millis(3);
    assert_eq!(timeouts_on_a_long_path(Config::default().rto.granularity, late), 0);
    assert_eq!(timeouts_on_a_long_path(Span::ZERO, late), 1, "a clock without granularity");
}

#[test]
fn a_granularity_of_a_quarter_of_the_sack_delay_leaves_time_for_a_delayed_sack() {
    let late = Config::default().sack_delay;
    let granularity = late / 4 + Span::from_millis(1);
    assert_eq!(timeouts_on_a_long_path(granularity, late), 0);
    assert_eq!(timeouts_on_a_long_path(Config::default().rto.granularity, late), 1);
}

#[test]
fn after_a_timeout_one_packet_is_in_flight_until_the_path_answers() {
    let mut peer = Peer::of(alone());
    assert_eq!(peer.submit(8, 1000), [[1], [2], [3], [4], [5]]);
    // A second chunk would still begin within the window of 1468
    assert_eq!(peer.advance(Span::from_secs(1)), [[1]]);
    assert_eq!(peer.stats(0).window, 1468);
    assert_eq!(peer.sack(1, &[]), [[2], [3]]);
}

#[test]
fn fast_recovery_does_not_outlive_a_timeout() {
    let mut peer = Peer::grown();
    assert!(peer.lose_first(&[2, 3, 4]));
    let exit = peer.highest;
    peer.advance(Span::from_secs(1));
    assert_eq!(peer.stats(0).timeouts, 1);
    // All chunks from 1 on are retransmitted; long before the exit point another chunk is lost
    let base = peer.base;
    let mut acked = base + 4;
    while peer.stats(0).outstanding < 6 * 1468 {
        peer.sack(acked, &[]);
        acked += 1;
    }
    for last in 1..4 {
        peer.sack(acked, &[(acked + 2, acked + 1 + last)]);
    }
    assert!(acked + 4 < exit, "{acked} {exit}");
    assert_eq!(peer.stats(0).window_cuts, 2);
}

#[test]
fn the_policy_selects_the_path_of_chunks_after_a_timeout() {
    let policies = [
        (T3Path::Same, 0),
        (T3Path::Next, 1),
        (T3Path::LargestWindow, 2),
        (T3Path::LargestSsthresh, 2),
    ];
    for (t3_path, expected) in policies {
        let mut peer = half_a_second_after(3, Config { t3_path, ..concurrent() });
        // Path 2 delivers all of its chunks, path 1 loses 4
        for gaps in [&[(7, 7)], &[(7, 8)], &[(7, 9)]] {
            peer.sack_by_path(Report { gaps, path: 2, ..Report::default() });
        }
        peer.sack_by_path(Report { gaps: &[(5, 9)], packets: 3, path: 1, ..Report::default() });
        assert!(peer.stats(1).ssthresh < peer.stats(2).ssthresh);
        assert!(peer.stats(1).window < peer.stats(2).window);
        let packets = peer.advance_by_path(Span::from_millis(500));
        assert_eq!(packets[0], (expected, vec![1]), "{t3_path:?}");
    }
}

#[test]
fn one_packet_of_a_timeout_leaves_at_once_and_the_rest_as_the_window_of_the_new_path_allows() {
    let mut peer = half_a_second_after(2, concurrent());
    let news = Report { gaps: &[(4, 6)], path: 1, ..Report::default() };
    assert_eq!(peer.sack_by_path(news), [7, 8, 9, 10].map(|chunk| (1, vec![chunk])));
    assert!(peer.stats(1).outstanding >= peer.stats(1).window, "path 1 is full");
    // Path 0 may also send again: one chunk of new data
    assert_eq!(peer.advance_by_path(Span::from_millis(500)), [(1, vec![1]), (0, vec![11])]);
    let news = Report { gaps: &[(4, 7)], path: 1, ..Report::default() };
    assert_eq!(peer.sack_by_path(news), [(1, vec![2])]);
}

#[test]
fn without_cmt_lost_chunks_take_another_path_and_new_ones_the_primary() {
    let mut peer = Peer::on(2, 100_000, alone());
    assert_eq!(peer.submit_by_path(60, 1452).len(), 3);
    peer.advance_by_path(Span::from_millis(500));
    let packets = peer.advance_by_path(Span::from_millis(500));
    assert_eq!(packets, [(1, 1), (1, 2), (1, 3), (0, 4)].map(|(path, chunk)| (path, vec![chunk])));
}

#[test]
fn the_smart_rule_restarts_the_timer_when_the_oldest_chunk_is_a_younger_one() {
    for (t3_reset, restarts) in [(T3Reset::Rfc9260, true), (T3Reset::Smart, false)] {
        let mut peer = Peer::of(Config { t3_reset, ..alone() });
        let start = peer.now;
        assert_eq!(peer.submit(4, 1452).len(), 3);
        peer.advance(Span::from_millis(300));
        // 2 is now the earliest chunk; it was sent together with 1
        assert_eq!(peer.sack(1, &[]), [[4]]);
        let elapsed = if restarts { 1300 } else { 1000 };
        assert_eq!(peer.timer(), start + Span::from_millis(elapsed), "{t3_reset:?}");
        peer.advance(Span::from_millis(200));
        peer.sack(3, &[]);
        assert_eq!(peer.timer(), start + Span::from_millis(1500), "{t3_reset:?}");
    }
}

#[test]
fn acknowledgements_of_another_path_do_not_restart_a_timer() {
    for t3_reset in [T3Reset::Rfc9260, T3Reset::Smart] {
        let mut peer = half_a_second_after(2, Config { t3_reset, ..concurrent() });
        peer.sack_by_path(Report { cumulative: 1, ..Report::default() });
        peer.sack_by_path(Report { cumulative: 3, ..Report::default() });
        peer.advance_by_path(Span::from_millis(499));
        assert_eq!(peer.stats(1).timeouts, 0);
        peer.advance_by_path(Span::from_millis(1));
        assert_eq!((peer.stats(0).timeouts, peer.stats(1).timeouts), (0, 1), "{t3_reset:?}");
    }
}

#[test]
fn a_chunk_that_is_no_longer_reported_starts_the_timer_of_its_path() {
    for t3_reset in [T3Reset::Rfc9260, T3Reset::Smart] {
        let mut peer = Peer::on(2, 100_000, Config { t3_reset, ..concurrent() });
        assert_eq!(peer.submit_by_path(6, 1452).len(), 6);
        peer.advance_by_path(Span::from_millis(300));
        // Path 1 has delivered everything: its timer stops
        peer.sack_by_path(Report { gaps: &[(4, 6)], path: 1, ..Report::default() });
        peer.advance_by_path(Span::from_millis(300));
        // The receiver has reneged 4 to 6
        peer.sack_by_path(Report { cumulative: 3, ..Report::default() });
        assert_eq!((peer.stats(0).outstanding, peer.stats(1).outstanding), (0, 3 * 1468));
        assert_eq!(peer.timer(), peer.now + Span::from_secs(1), "{t3_reset:?}");
    }
}

#[test]
fn a_chunk_that_is_reported_again_is_not_newly_acknowledged() {
    let mut peer = Peer::on(2, 100_000, concurrent());
    peer.submit_by_path(60, 1452);
    let reported = Report { gaps: &[(4, 4)], path: 1, ..Report::default() };
    peer.sack_by_path(reported);
    let window = peer.stats(1).window;
    peer.advance_by_path(Span::from_millis(100));
    peer.sack_by_path(Report { path: 1, ..Report::default() });
    peer.sack_by_path(reported);
    assert_eq!(peer.stats(1).window, window, "it does not grow twice for one chunk");
    assert_eq!(peer.stats(1).bytes_acked, 1452);
    assert_eq!(peer.stats(1).srtt, Span::ZERO, "nor does a reneged chunk give an RTT sample");
}

#[test]
fn chunks_waiting_for_a_failed_path_use_the_first_path_that_works_again() {
    for (concurrent_paths, restored) in [(true, 0), (true, 1), (false, 0), (false, 1)] {
        let mut pair = Pair::configured(2, |_, config| {
            config.concurrent = concurrent_paths;
            config.path_max_retransmissions = 1;
            config.association_max_retransmissions = 1000;
            config.heartbeat_interval = Span::from_secs(1);
        });
        pair.connect();
        pair.drive(Span::from_secs(1));
        pair.network.cut(0);
        pair.network.cut(1);
        pair.send_many(A, 20, 1400);
        pair.drive(Span::from_secs(60));
        pair.network.restore(restored);
        let patience = Span::from_secs(200);
        assert!(pair.drive_until_read(Z, 20 * 1400) < patience, "{concurrent_paths} {restored}");
    }
}
