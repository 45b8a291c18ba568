//! Concurrent multipath transfer, and the mechanisms that distinguish reordering between paths from loss. Iyengar, Amer
//! and Stewart 2006: CUC, SFR, DAC; \[D10] III: smart fast retransmission

use manypath_core::Span;
use manypath_sctp::{Config, CumAck, DataFlags, RttSample, SackPath, SackRequest, SendOrder};

use crate::pair::{A, FIRST, Fault, Pair, Z, path};
use crate::send::peer::{Peer, Report, alone};

/// CMT with all of its mechanisms.
pub(crate) fn concurrent() -> Config {
    Config {
        concurrent: true,
        cuc: CumAck::PathV2,
        sfr: true,
        dac: true,
        path_fast_recovery: true,
        smart_fast_rtx: true,
        ..alone()
    }
}

/// Chunks 1 to 3 fill the window of path 0, chunks 4 to 6 that of path 1, and more wait.
fn two_full_windows(config: Config) -> Peer {
    let mut peer = Peer::on(2, 100_000, config);
    let filled: Vec<_> = (1..=6).map(|chunk| (usize::from(chunk > 3), vec![chunk])).collect();
    assert_eq!(peer.submit_by_path(60, 1452), filled);
    peer
}

#[test]
fn new_data_takes_every_path_that_has_room() {
    two_full_windows(concurrent());
    let mut peer = Peer::on(2, 100_000, alone());
    assert_eq!(
        peer.submit_by_path(60, 1452),
        [1, 2, 3].map(|chunk| (0, vec![chunk])),
        "without CMT one"
    );
}

#[test]
fn two_paths_carry_twice_as_much() {
    let goodput = |paths| {
        let mut pair = Pair::configured(paths, |_, config| {
            *config = Config { send_buffer: 3_000_000, ..keeping_addresses(config, concurrent()) };
        });
        pair.connect();
        pair.drive(Span::from_secs(1));
        pair.send_many(A, 2000, 1400);
        2000.0 * 1400.0 * 8.0 / pair.drive_until_read(Z, 2000 * 1400).as_secs_f64()
    };
    let (one, two) = (goodput(1), goodput(2));
    assert!(one > 8.5e6 && one < 10e6, "{one} bit/s");
    assert!(two > 1.8 * one, "{two} bit/s");
}

#[test]
fn with_cuc_a_window_grows_by_acknowledgements_of_its_own_path() {
    // Path 1 is faster: its chunk 4 arrives while 1 is in flight on path 0
    for (cuc, grows) in
        [(CumAck::Association, false), (CumAck::PathV1, true), (CumAck::PathV2, true)]
    {
        let mut peer = two_full_windows(Config { cuc, ..concurrent() });
        peer.sack_by_path(Report { gaps: &[(4, 4)], path: 1, ..Report::default() });
        let growth = if grows { 1468 } else { 0 };
        assert_eq!(peer.stats(1).window, 4404 + growth, "{cuc:?}");
        assert_eq!(peer.stats(0).window, 4404, "{cuc:?}");
    }
}

#[test]
fn with_cuc_a_window_waits_for_the_lowest_chunk_of_its_path() {
    for cuc in [CumAck::PathV1, CumAck::PathV2] {
        let mut peer = two_full_windows(Config { cuc, ..concurrent() });
        peer.sack_by_path(Report { gaps: &[(5, 5)], path: 1, ..Report::default() });
        assert_eq!(peer.stats(1).window, 4404, "{cuc:?}: 4 is missing");
        peer.sack_by_path(Report { gaps: &[(4, 5)], path: 1, ..Report::default() });
        assert_eq!(peer.stats(1).window, 4404 + 1468, "{cuc:?}: 4 was the lowest");
    }
}

#[test]
fn only_the_second_version_of_cuc_grows_past_a_retransmission_that_is_missing() {
    for (cuc, grows) in [(CumAck::PathV1, false), (CumAck::PathV2, true)] {
        let mut peer = two_full_windows(Config { cuc, ..concurrent() });
        peer.advance_by_path(Span::from_millis(500));
        let news = Report { gaps: &[(4, 6)], path: 1, ..Report::default() };
        assert_eq!(peer.sack_by_path(news).len(), 4);
        // The timer of path 0 moves chunk 1 to path 1, where 7 is the lowest first transmission
        let again = peer.advance_by_path(Span::from_millis(500));
        assert_eq!(again[0], (1, vec![1]));
        let window = peer.stats(1).window;
        peer.sack_by_path(Report { gaps: &[(4, 7)], path: 1, ..Report::default() });
        assert_eq!(peer.stats(1).window > window, grows, "{cuc:?}");
    }
}

#[test]
fn with_sfr_acknowledgements_of_another_path_do_not_indicate_loss() {
    for (sfr, spurious) in [(true, 0), (false, 3)] {
        let mut peer = two_full_windows(Config { sfr, ..concurrent() });
        for last in 4..8 {
            peer.sack_by_path(Report { gaps: &[(4, last)], path: 1, ..Report::default() });
        }
        assert_eq!(peer.endpoint.stats(FIRST).fast_retransmissions, spurious);
    }
}

#[test]
fn paths_of_different_delay_cause_no_fast_retransmission_with_sfr() {
    let retransmissions = |sfr| {
        let mut pair = Pair::configured(2, |_, config| {
            *config = keeping_addresses(config, Config { sfr, ..concurrent() });
        });
        pair.connect();
        pair.drive(Span::from_secs(1));
        pair.network.rule(|sent| match (sent.from, sent.path) {
            (A, 1) => Fault::Delay(Span::from_millis(60)),
            _ => Fault::None,
        });
        pair.send_many(A, 100, 1400);
        pair.drive_until_read(Z, 100 * 1400);
        assert_eq!(pair.endpoint(A).stats(FIRST).timeouts, 0);
        pair.endpoint(A).stats(FIRST).fast_retransmissions
    };
    assert_eq!(retransmissions(true), 0);
    assert!(retransmissions(false) > 5, "without SFR reordering looks like loss");
}

#[test]
fn with_sfr_losses_of_a_path_are_still_detected() {
    let mut peer = two_full_windows(Config { dac: false, ..concurrent() });
    for gaps in [&[(2, 2)], &[(2, 3)]] {
        peer.sack_by_path(Report { gaps, ..Report::default() });
    }
    // 7 and 8 were sent on path 0; 7 causes the third report, and chunk 1 stays on its path
    let third = peer.sack_by_path(Report { gaps: &[(2, 3), (7, 7)], ..Report::default() });
    assert!(third.contains(&(0, vec![1])), "{third:?}");
    assert_eq!((peer.stats(0).window_cuts, peer.stats(1).window_cuts), (1, 0));
}

#[test]
fn with_dac_a_sack_counts_for_the_packets_that_it_acknowledges() {
    // Two packets arrived beyond chunk 1, then one more
    let both = |packets| Report { gaps: &[(2, 3)], packets, ..Report::default() };
    let third = Report { gaps: &[(2, 3), (7, 7)], packets: 1, ..Report::default() };
    for (dac, packets, found) in [(true, 2, 1), (false, 2, 0), (true, 1, 0)] {
        let mut peer = two_full_windows(Config { dac, ..concurrent() });
        peer.sack_by_path(both(packets));
        assert_eq!(peer.stats(0).fast_retransmissions, 0);
        peer.sack_by_path(third);
        assert_eq!(peer.stats(0).fast_retransmissions, found, "{dac} {packets}");
    }
}

#[test]
fn with_dac_a_sack_counts_once_if_its_packets_may_precede_the_chunk() {
    let reports = |first: Report<'_>, third: &[(u32, u32)]| {
        let mut peer = two_full_windows(concurrent());
        peer.sack_by_path(first);
        peer.sack_by_path(Report { gaps: third, packets: 1, ..first });
        peer.endpoint.stats(FIRST).fast_retransmissions
    };
    let two = Report { packets: 2, ..Report::default() };
    assert_eq!(reports(Report { gaps: &[(2, 2), (4, 4)], ..two }, &[(2, 4)]), 0, "of two paths");
    assert_eq!(
        reports(Report { cumulative: 1, gaps: &[(3, 3)], ..two }, &[(3, 3), (7, 7)]),
        0,
        "the cumulative TSN covers one of the two"
    );
    assert_eq!(reports(Report { gaps: &[(2, 3)], ..two }, &[(2, 3), (7, 7)]), 1, "both beyond 1");
}

#[test]
fn a_loss_on_each_path_cuts_each_window_once() {
    let mut peer = two_full_windows(Config { dac: false, ..concurrent() });
    // 1 and 4 are lost. Without the lowest chunk the windows do not grow beyond 4404
    for gaps in [&[(2, 2), (5, 5)], &[(2, 3), (5, 6)]] {
        peer.sack_by_path(Report { gaps, ..Report::default() });
    }
    peer.sack_by_path(Report { gaps: &[(2, 3), (5, 10)], ..Report::default() });
    for index in [0, 1] {
        let stats = peer.stats(index);
        assert_eq!((stats.fast_retransmissions, stats.window_cuts), (1, 1), "path {index}");
    }
}

#[test]
fn fast_recovery_of_a_path_ends_when_its_own_chunks_have_arrived() {
    for (path_fast_recovery, cuts) in [(true, 2), (false, 1)] {
        let config = Config { dac: false, path_fast_recovery, ..concurrent() };
        let mut peer = two_full_windows(config);
        // Path 1 loses 4; the retransmission and all other chunks of the path arrive, while 1 to 3 are in flight
        for gaps in [&[(5, 5)], &[(5, 6)]] {
            peer.sack_by_path(Report { gaps, path: 1, ..Report::default() });
        }
        peer.sack_by_path(Report { gaps: &[(5, 7)], path: 1, ..Report::default() });
        assert_eq!(peer.stats(1).window_cuts, 1);
        let exit = peer.highest;
        peer.sack_by_path(Report { gaps: &[(4, exit)], path: 1, ..Report::default() });
        // The next loss there: without its own Fast Recovery the path waits for chunk 1
        for last in 2..5 {
            let gaps = [(4, exit), (exit + 2, exit + last)];
            peer.sack_by_path(Report { gaps: &gaps, path: 1, ..Report::default() });
        }
        assert_eq!(peer.stats(1).fast_retransmissions, 2);
        assert_eq!(peer.stats(1).window_cuts, cuts, "{path_fast_recovery}");
    }
}

#[test]
fn a_chunk_moved_by_a_timeout_does_not_indicate_losses_on_its_new_path() {
    for (smart_fast_rtx, spurious) in [(true, 0), (false, 2)] {
        let config = Config { smart_fast_rtx, dac: false, ..concurrent() };
        let mut peer = two_full_windows(config);
        peer.advance_by_path(Span::from_millis(500));
        peer.sack_by_path(Report { cumulative: 1, ..Report::default() });
        // The timer of path 1 moves 4 to 6 to path 0, where 2 and 3 are still in flight
        assert!(peer.advance_by_path(Span::from_millis(500)).contains(&(0, vec![4])));
        for last in 4..7 {
            peer.sack_by_path(Report { cumulative: 1, gaps: &[(4, last)], ..Report::default() });
        }
        assert_eq!(peer.stats(0).fast_retransmissions, spurious, "{smart_fast_rtx}");
    }
}

#[test]
fn earlier_chunks_do_not_report_a_chunk_missing_that_a_timeout_moved() {
    for (smart_fast_rtx, spurious) in [(true, 0), (false, 1)] {
        let config = Config { smart_fast_rtx, dac: false, ..concurrent() };
        let mut peer = two_full_windows(config);
        peer.advance_by_path(Span::from_millis(500));
        peer.sack_by_path(Report { gaps: &[(4, 6)], path: 1, ..Report::default() });
        // 7 to 10 are in flight on path 1 when the timer of path 0 moves chunk 1 there
        assert!(peer.advance_by_path(Span::from_millis(500)).contains(&(1, vec![1])));
        for last in 7..10 {
            peer.sack_by_path(Report { gaps: &[(4, last)], path: 1, ..Report::default() });
        }
        assert_eq!(peer.stats(1).fast_retransmissions, spurious, "{smart_fast_rtx}");
    }
}

#[test]
fn a_sack_measures_the_paths_of_its_chunks_and_in_inet_only_the_path_that_it_takes() {
    let measured = |rtt_sample| {
        let mut peer = two_full_windows(Config { rtt_sample, ..concurrent() });
        peer.advance_by_path(Span::from_millis(80));
        peer.sack_by_path(Report { cumulative: 1, gaps: &[(4, 4)], path: 1, ..Report::default() });
        [0, 1].map(|path| peer.stats(path).srtt)
    };
    let millis = Span::from_millis;
    assert_eq!(measured(RttSample::AnySack), [millis(80), millis(80)]);
    assert_eq!(measured(RttSample::SamePath), [Span::ZERO, millis(80)]);
}

/// Four full windows of three chunks each; the order in which the paths send after a SACK on path 2.
fn order(
    send_order: SendOrder,
    before: impl Fn(&mut Peer),
    last: Option<Report<'_>>,
) -> Vec<usize> {
    let mut peer = Peer::on(4, 100_000, Config { send_order, ..concurrent() });
    assert_eq!(peer.submit_by_path(60, 1452).len(), 12);
    before(&mut peer);
    let all = Report { cumulative: peer.highest, path: 2, ..Report::default() };
    let packets = peer.sack_by_path(last.unwrap_or(all));
    let mut paths: Vec<usize> = packets.into_iter().map(|(path, _)| path).collect();
    paths.dedup();
    paths
}

#[test]
fn the_path_of_the_sack_sends_first_and_the_policy_orders_the_others() {
    let nothing = |_: &mut Peer| ();
    assert_eq!(order(SendOrder::Address, nothing, None), [2, 0, 1, 3]);
    assert_eq!(order(SendOrder::RoundRobin, nothing, None), [2, 3, 0, 1]);
    // Path 0 sends once more while the others are silent
    let path_0_sends = |peer: &mut Peer| {
        peer.advance_by_path(Span::from_millis(50));
        peer.sack_by_path(Report { cumulative: 3, ..Report::default() });
        peer.advance_by_path(Span::from_millis(50));
    };
    let silent = SendOrder::SmallestLastTransmission;
    assert_eq!(order(silent, path_0_sends, None), [2, 1, 3, 0]);
    // Two chunks are still in flight on path 0, one on path 1, none on path 3
    let last = Report { gaps: &[(3, 3), (5, 12)], path: 2, ..Report::default() };
    assert_eq!(order(SendOrder::LargestSpace, nothing, Some(last)), [2, 3, 1, 0]);
    // A timeout lowers the threshold of path 0
    let path_0_expires = |peer: &mut Peer| {
        peer.advance_by_path(Span::from_millis(500));
        peer.sack_by_path(Report { gaps: &[(4, 12)], path: 2, ..Report::default() });
        peer.advance_by_path(Span::from_millis(500));
    };
    assert_eq!(order(SendOrder::LargestSsthresh, path_0_expires, None), [2, 1, 3, 0]);
}

#[test]
fn new_data_uses_the_first_path_of_the_policy() {
    for (send_order, expected) in [
        (SendOrder::Address, [0, 0, 0]),
        (SendOrder::RoundRobin, [0, 0, 0]),
        (SendOrder::SmallestLastTransmission, [0, 1, 0]),
        (SendOrder::LargestSpace, [0, 1, 0]),
        (SendOrder::LargestSsthresh, [0, 0, 0]),
    ] {
        let mut peer = Peer::on(2, 100_000, Config { send_order, ..concurrent() });
        let paths = [0, 1, 2].map(|_| {
            peer.advance_by_path(Span::from_millis(20));
            peer.submit_by_path(1, 1452)[0].0
        });
        assert_eq!(paths, expected, "{send_order:?}");
    }
}

#[test]
fn the_last_packet_that_fits_into_the_window_requests_a_sack() {
    let flagged = |length: usize| {
        let mut peer = Peer::on(
            2,
            100_000,
            Config { sack_immediately: SackRequest::FullWindow, ..concurrent() },
        );
        for _ in 0..30 {
            let message = crate::send::peer::message(length);
            peer.endpoint.send(peer.now, FIRST, message).expect("there is room");
        }
        let asks = |chunk: &manypath_sctp::Data| chunk.flags.contains(DataFlags::IMMEDIATE);
        let packets = peer.data_by_path();
        packets
            .iter()
            .map(|(path, packet)| (*path, packet.data.iter().any(asks)))
            .collect::<Vec<_>>()
    };
    // Three chunks of 1468 bytes fill the window of 4404
    let full = |path| [(path, false), (path, false), (path, true)];
    assert_eq!(flagged(1452), [full(0), full(1)].concat());
    // After four of 1016 bytes there is room for a fifth that exceeds the window: it requests no SACK
    let over = |path| [false, false, false, true, false].map(|asks| (path, asks));
    assert_eq!(flagged(1000), [over(0), over(1)].concat());
}

#[test]
fn the_last_packet_of_all_data_requests_a_sack() {
    let mut pair = Pair::configured(2, |_, config| {
        *config = keeping_addresses(
            config,
            Config { sack_immediately: SackRequest::FullWindow, ..concurrent() },
        );
    });
    pair.connect();
    pair.drive(Span::from_secs(1));
    // The second chunk would wait 200 ms for its SACK
    pair.send(A, 1400);
    pair.drive(Span::from_millis(100));
    pair.network.log.clear();
    let start = pair.now;
    pair.send(A, 1400);
    pair.drive(Span::from_millis(100));
    let (at, _) = pair.sacks(Z).next().expect("a SACK came at once");
    assert!(at - start < Span::from_millis(12), "{at}");
    assert_eq!(pair.endpoint(A).path_stats(FIRST, path(0)).outstanding, 0);
}

/// The settings with the port and the addresses of the endpoint.
fn keeping_addresses(endpoint: &Config, settings: Config) -> Config {
    Config { port: endpoint.port, local: endpoint.local.clone(), ..settings }
}

/// The smoothed RTT of path 1 in milliseconds, after its delay has grown by 100 ms; all SACKs arrive on path 0.
fn timed_by(rtt_sample: RttSample) -> f64 {
    let mut pair = Pair::configured(2, |_, config| {
        let (port, local) = (config.port, config.local.clone());
        let sack_path = SackPath::Primary;
        *config = Config { port, local, sack_path, rtt_sample, ..concurrent() };
    });
    pair.connect();
    pair.drive(Span::from_secs(1));
    pair.network.rule(|sent| match (sent.from, sent.path) {
        (A, 1) => Fault::Delay(Span::from_millis(100)),
        _ => Fault::None,
    });
    for _ in 0..40 {
        pair.send(A, 60_000);
        pair.drive(Span::from_millis(500));
        pair.read(Z);
    }
    pair.endpoint(A).path_stats(FIRST, path(1)).srtt.as_secs_f64() * 1000.0
}

#[test]
fn sacks_on_one_path_give_samples_of_others_only_with_any_sack() {
    let (same, any) = (timed_by(RttSample::SamePath), timed_by(RttSample::AnySack));
    assert!(same < 50.0, "{same} ms: only from the first probe");
    assert!((115.0..250.0).contains(&any), "{any} ms");
}
