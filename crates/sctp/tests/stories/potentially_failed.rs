//! Quick failover: potentially failed paths are avoided before they fail. RFC 7829

use manypath_core::{Rate, Span, Time};
use manypath_link::LinkConfig;
use manypath_sctp::{Burst, CloseReason, Config, Event, PathState};

use crate::pair::{A, FIRST, Fault, Network, Pair, Z, path};
use crate::send::peer::{Peer, Report, alone};

use PathState::{Active, Inactive, PotentiallyFailed};

const DOUBTED: fn(u8) -> Event =
    |index| Event::PathPotentiallyFailed { association: FIRST, path: path(index) };
const DOWN: fn(u8) -> Event = |index| Event::PathDown { association: FIRST, path: path(index) };
const UP: fn(u8) -> Event = |index| Event::PathUp { association: FIRST, path: path(index) };

/// Two paths, used one at a time or concurrently; a path of A becomes potentially failed after more than `after`
/// errors.
fn doubting(after: Option<u32>, concurrent: bool) -> Pair {
    let mut pair = Pair::configured(2, |_, config| {
        config.potentially_failed_after = after;
        config.concurrent = concurrent;
    });
    pair.connect();
    pair.drive(Span::from_millis(100));
    pair
}

fn state(pair: &mut Pair, index: u8) -> PathState {
    pair.endpoint(A).path_stats(FIRST, path(index)).state
}

/// Times at which A sent packets with labels that begin with `label` on a path, in seconds since `start`, rounded to
/// milliseconds.
fn times(pair: &Pair, label: &str, on: usize, start: Time) -> Vec<f64> {
    let is_meant = |sent: &&crate::pair::Sent| {
        sent.from == A && sent.path == on && sent.label.starts_with(label) && sent.at >= start
    };
    let seconds = |at: Time| ((at - start).as_nanos() / 1_000_000) as f64 / 1e3;
    pair.network.log.iter().filter(is_meant).map(|sent| seconds(sent.at)).collect()
}

/// A sends a message every 100 ms during `span`.
fn chats(pair: &mut Pair, span: Span) {
    let end = pair.now + span;
    while pair.now < end {
        pair.send(A, 1000);
        pair.drive(Span::from_millis(100));
    }
}

/// RFC 7829 §3.2 items 2, 3.
#[test]
fn a_path_gets_no_new_data_after_the_timeouts_that_make_it_potentially_failed() {
    for (limit, timeouts, doubted_at) in [(0, 1, 1), (1, 2, 3)] {
        let mut pair = doubting(Some(limit), false);
        pair.network.cut(0);
        let start = pair.now;
        chats(&mut pair, Span::from_secs(20));
        assert!(pair.events(A).contains(&DOUBTED(0)));
        assert_eq!(state(&mut pair, 0), PotentiallyFailed);
        let stats = pair.endpoint(A).path_stats(FIRST, path(0));
        assert_eq!((stats.timeouts, stats.potentially_failed, stats.usable), (timeouts, 1, false));
        let last = times(&pair, "DATA", 0, start).pop();
        assert!(last < Some(f64::from(doubted_at)), "{last:?} with PFMR {limit}");
        pair.drive(Span::from_millis(100));
        assert_eq!(pair.read(Z), 200 * 1000);
    }
}

/// RFC 7829 §1: RFC 9260 gives a path six timeouts, which are 1, 2, 4, 8, 16 and 32 s.
#[test]
fn failover_takes_one_timeout_instead_of_six() {
    for (after, seconds) in [(None, 63), (Some(1), 3), (Some(0), 1)] {
        let mut pair = doubting(after, false);
        pair.network.cut(0);
        let start = pair.now;
        pair.send(A, 1000);
        let left = if after.is_some() { DOUBTED(0) } else { DOWN(0) };
        // New data always waits, so that the failing path is tried at every timeout
        while !pair.events(A).contains(&left) {
            chats(&mut pair, Span::from_millis(100));
        }
        let late = (pair.now - start).as_nanos() - seconds * 1_000_000_000;
        assert!(late < 200_000_000, "{late} ns later than {seconds} s");
        pair.arrows();
        pair.send(A, 1000);
        assert_eq!(pair.network.log.last().map(|sent| sent.path), Some(1));
    }
}

/// RFC 7829 §3.2 items 5, 6, 8.
#[test]
fn a_potentially_failed_path_is_probed_once_per_rto_until_it_fails() {
    let mut pair = doubting(Some(0), false);
    pair.network.cut(0);
    let start = pair.now;
    pair.send(A, 1000);
    pair.drive_until(|pair| pair.events(A).contains(&DOWN(0)));
    assert_eq!(pair.now - start, Span::from_secs(63));
    assert_eq!(times(&pair, "HEARTBEAT", 0, start), [1.0, 3.0, 7.0, 15.0, 31.0]);
    assert_eq!(state(&mut pair, 0), Inactive);
    // Then HB.interval applies again: 30 s, and an RTO of 60 s ± 50 %
    pair.drive(Span::from_secs(400));
    let probes = times(&pair, "HEARTBEAT", 0, start);
    let pauses: Vec<f64> = probes[4..].windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(pauses.iter().all(|pause| (60.0..=120.0).contains(pause)), "{pauses:?}");
    assert!(pauses.len() >= 3);
}

/// RFC 7829 §3.2 item 7; RFC 9260 §7.2.1: slow start after a timeout.
#[test]
fn one_answered_probe_makes_a_potentially_failed_path_active() {
    let mut pair = doubting(Some(0), false);
    pair.network.cut(0);
    chats(&mut pair, Span::from_secs(5));
    pair.network.restore(0);
    let restored = pair.now;
    pair.drive_until(|pair| pair.events(A).contains(&UP(0)));
    // Probes leave after 1, 3 and 7 s
    assert!(pair.now - restored < Span::from_millis(2_500));
    let stats = pair.endpoint(A).path_stats(FIRST, path(0));
    assert_eq!((stats.state, stats.usable), (Active, true));
    assert_eq!((stats.window, stats.rto), (1468, Span::from_secs(1)));
    pair.arrows();
    pair.send(A, 1000);
    assert_eq!(pair.network.log.last().map(|sent| (sent.path, sent.lost)), Some((0, false)));
    // The errors are forgotten: it takes all of them again until the path fails
    pair.network.cut(0);
    pair.events(A);
    chats(&mut pair, Span::from_secs(60));
    assert_eq!(pair.events(A).iter().filter(|event| **event == DOWN(0)).count(), 0);
}

/// RFC 7829 §3.2 item 2: probes of an idle path count too.
#[test]
fn an_unanswered_probe_makes_an_idle_path_potentially_failed() {
    let mut pair = doubting(Some(0), false);
    pair.network.cut(1);
    let start = pair.now;
    pair.drive_until(|pair| pair.events(A).contains(&DOUBTED(1)));
    let probes = times(&pair, "HEARTBEAT", 1, start);
    assert_eq!(probes.len(), 2, "the next one leaves at once: {probes:?}");
    assert!((probes[1] - probes[0] - 1.0).abs() < 0.002, "{probes:?}");
    assert_eq!(state(&mut pair, 0), Active);
}

/// RFC 7829 §3.2 item 1.
#[test]
fn a_limit_that_is_not_below_path_max_retrans_changes_nothing() {
    let story = |after| {
        let mut pair = doubting(after, true);
        pair.network.cut(0);
        chats(&mut pair, Span::from_secs(70));
        pair.network.restore(0);
        chats(&mut pair, Span::from_secs(70));
        assert!(pair.events(A).contains(&DOWN(0)));
        assert_eq!(pair.endpoint(A).path_stats(FIRST, path(0)).potentially_failed, 0);
        pair.arrows()
    };
    let plain = story(None);
    assert!(story(Some(5)) == plain && story(Some(6)) == plain);
}

#[test]
fn with_cmt_new_data_leaves_a_path_that_stops_answering_after_one_timeout() {
    let wasted = |after| {
        let mut pair = doubting(after, true);
        // Both windows are open when the path stops answering
        chats(&mut pair, Span::from_secs(1));
        pair.network.cut(1);
        let start = pair.now;
        let mut received = 0;
        for _ in 0..20 {
            (0..60).for_each(|_| pair.send(A, 1400));
            pair.drive(Span::from_millis(500));
            received += pair.read(Z);
        }
        pair.drive(Span::from_secs(10));
        assert_eq!(received + pair.read(Z), 10 * 1000 + 20 * 60 * 1400);
        times(&pair, "DATA", 1, start).into_iter().filter(|time| *time > 1.0).collect::<Vec<_>>()
    };
    assert_eq!(wasted(Some(0)), [] as [f64; 0]);
    assert!(wasted(None).len() >= 3, "a packet is lost at every timeout");
}

/// RFC 7829 §3.2 item 4.
#[test]
fn if_all_paths_are_potentially_failed_data_uses_the_one_with_the_fewest_errors() {
    let mut pair = doubting(Some(0), false);
    pair.network.cut(0);
    pair.send(A, 1000);
    pair.drive(Span::from_secs(8));
    let start = pair.now;
    pair.network.cut(1);
    pair.send(A, 1000);
    pair.drive(Span::from_secs(20));
    assert_eq!([0, 1].map(|index| state(&mut pair, index)), [PotentiallyFailed; 2]);
    // Path 0 has four errors after 15 s; path 1 has its first after 9 s and its third after 15 s
    assert_eq!(times(&pair, "DATA", 0, start), [] as [f64; 0]);
    assert_eq!(times(&pair, "DATA", 1, start), [0.0, 1.0, 3.0, 7.0, 15.0]);
    assert_eq!(pair.close_reason(A), None);
    // A path that answers is used at once, although the data waits on the other one
    pair.network.restore(0);
    pair.drive_until(|pair| pair.events(A).contains(&UP(0)));
    pair.drive(Span::from_secs(20));
    assert_eq!(pair.read(Z), 2000);
}

/// RFC 7829 §4.1.
#[test]
fn if_all_paths_have_failed_data_is_still_sent() {
    let delivered_after = |after| {
        let mut pair = Pair::configured(2, |_, config| {
            config.potentially_failed_after = after;
            config.path_max_retransmissions = 1;
            config.heartbeat_interval = Span::from_secs(3600);
        });
        pair.connect();
        pair.drive(Span::from_millis(100));
        let start = pair.now;
        pair.network.cut(0);
        pair.network.cut(1);
        pair.send(A, 1000);
        pair.drive(Span::from_secs(20));
        assert_eq!([0, 1].map(|index| state(&mut pair, index)), [Inactive; 2]);
        pair.network.restore(0);
        pair.network.restore(1);
        pair.drive_until(|pair| pair.read(Z) == 1000);
        assert_eq!(pair.close_reason(A), None);
        (pair.now - start).as_nanos() / 1_000_000_000
    };
    assert!(delivered_after(Some(0)) < 64);
    assert!(delivered_after(None) > 1800, "only the next probe finds out");
}

/// Three chunks timed out on path 0, which is potentially failed; only the first one has been retransmitted on path 1.
fn three_chunks_after_a_timeout() -> Peer {
    let mut peer = Peer::on(
        2,
        100_000,
        Config {
            potentially_failed_after: Some(0),
            burst: Burst::MaxBurst,
            max_burst: 1,
            ..alone()
        },
    );
    let mut sent = peer.submit_by_path(1, 1452);
    (0..2).for_each(|_| sent.extend(peer.submit_by_path(1, 1452)));
    assert_eq!(sent, [(0, vec![1]), (0, vec![2]), (0, vec![3])]);
    assert_eq!(peer.advance_by_path(Span::from_millis(1_000)), [(1, vec![1])]);
    assert_eq!(peer.stats(0).state, PotentiallyFailed);
    peer
}

/// RFC 7829 §3.2 item 10: the timeout was spurious, as the acknowledgement of a chunk that was sent on this path only
/// shows.
#[test]
fn an_acknowledged_chunk_of_one_path_only_makes_that_path_active() {
    let mut peer = three_chunks_after_a_timeout();
    peer.sack_by_path(Report { gaps: &[(2, 2)], ..Report::default() });
    assert_eq!(peer.stats(0).state, Active);
}

/// Unlike RFC 7829 §3.2 item 10: chunk 2 arrived, then both directions of its path failed, and its SACK was lost.
#[test]
fn acknowledgements_of_chunks_from_before_the_failure_do_not_make_a_path_active() {
    let mut peer = three_chunks_after_a_timeout();
    peer.sack_by_path(Report { cumulative: 2, path: 1, ..Report::default() });
    assert_eq!(peer.stats(0).state, PotentiallyFailed);
}

#[test]
fn a_path_that_fails_in_both_directions_carries_nothing_after_its_timeout() {
    let mut pair = doubting(Some(0), false);
    (0..40).for_each(|_| pair.send(A, 1400));
    pair.drive(Span::from_millis(25));
    // The first chunks have arrived; Z's SACKs are lost
    pair.network.cut(0);
    let start = pair.now;
    pair.drive(Span::from_secs(10));
    assert_eq!(pair.read(Z), 40 * 1400);
    assert!(times(&pair, "DATA", 0, start).last() < Some(&0.1));
    assert_eq!(pair.endpoint(A).path_stats(FIRST, path(0)).timeouts, 1);
}

/// RFC 7829 §3.2 item 9: it is unknown which of the copies arrived.
#[test]
fn an_acknowledged_chunk_of_two_paths_makes_neither_active() {
    let mut peer = three_chunks_after_a_timeout();
    peer.sack_by_path(Report { cumulative: 1, ..Report::default() });
    assert_eq!([0, 1].map(|index| peer.stats(index).state), [PotentiallyFailed, Active]);

    let mut peer = three_chunks_after_a_timeout();
    peer.advance_by_path(Span::from_millis(1_000));
    assert_eq!([0, 1].map(|index| peer.stats(index).state), [PotentiallyFailed; 2]);
    peer.sack_by_path(Report { cumulative: 1, ..Report::default() });
    assert_eq!([0, 1].map(|index| peer.stats(index).state), [PotentiallyFailed; 2]);
}

/// RFC 7829 §3.2 item 10.
#[test]
fn new_data_delivered_by_a_potentially_failed_path_makes_it_active() {
    let mut peer = Peer::of(Config { potentially_failed_after: Some(0), ..alone() });
    peer.submit_by_path(1, 1000);
    assert_eq!(
        peer.advance_by_path(Span::from_millis(1_000)),
        [(0, vec![1])],
        "there is no other path"
    );
    assert_eq!((peer.stats(0).state, peer.stats(0).usable), (PotentiallyFailed, true));
    peer.sack_by_path(Report { cumulative: 1, ..Report::default() });
    assert_eq!(peer.stats(0).state, Active);
}

/// RFC 7829 §3.2 item 6: the timer of data in flight counts, and a probe does not count a second time.
#[test]
fn a_timeout_and_an_unanswered_probe_on_one_path_are_one_error() {
    let give_up = |after| {
        let mut pair = Pair::configured(1, |_, config| {
            config.potentially_failed_after = after;
            config.path_max_retransmissions = 6;
            config.association_max_retransmissions = 4;
        });
        pair.connect();
        let start = pair.now;
        pair.network.cut(0);
        pair.send(A, 1000);
        pair.drive_until(|pair| pair.close_reason(A) == Some(CloseReason::Unreachable));
        (pair.now - start, times(&pair, "DATA", 0, start))
    };
    assert_eq!(give_up(Some(0)), give_up(None));
}

/// RFC 9260 §8.3: no probes after SHUTDOWN.
#[test]
fn a_path_that_becomes_potentially_failed_during_shutdown_is_not_probed() {
    let mut pair = doubting(Some(0), false);
    pair.network.rule(|sent| if sent.path == 0 { Fault::Lose } else { Fault::None });
    pair.arrows();
    pair.shutdown(A);
    pair.drive_until(|pair| pair.close_reason(A).is_some());
    let sent = pair.arrows();
    assert_eq!(sent[..2], ["A -> SHUTDOWN -> lost", "A -> SHUTDOWN -> Z"]);
    assert!(!sent.iter().any(|arrow| arrow.contains("HEARTBEAT")), "{sent:?}");
}

/// RFC 7829 §3.2 item 6: the probe times out before the data that was sent after it.
#[test]
fn a_probe_that_is_not_answered_counts_nothing_while_data_is_in_flight() {
    let heartbeat_interval = Span::from_secs(10);
    let config = Config { potentially_failed_after: Some(0), heartbeat_interval, ..alone() };
    let mut peer = Peer::of(config);
    while peer.stats(0).state == Active {
        peer.now = peer.timer();
        peer.advance(Span::ZERO);
    }
    // The last probe times out after 2 s, and so does the data after it
    peer.advance(Span::from_secs(1));
    peer.submit_by_path(1, 1000);
    assert_eq!(peer.advance_to_packets(3), [2.0, 6.0, 14.0]);
}

/// RFC 7829 §3.2 item 4: path 0 is slow, so that path 1 soon has more errors.
#[test]
fn fewest_errors_count_more_than_which_path_was_active_last() {
    let link =
        |delay| LinkConfig::new(Rate::from_bits_per_second(10_000_000), Span::from_millis(delay));
    let network = Network::of(&[link(2_000), link(10)]);
    let mut pair = Pair::across(network, 1, |_, config| {
        config.concurrent = true;
        config.potentially_failed_after = Some(0);
        config.heartbeat_interval = Span::from_secs(3600);
        config.rto.initial = Span::from_secs(10);
    });
    pair.connect();
    (0..6).for_each(|_| pair.send(A, 1400));
    pair.drive(Span::from_secs(30));
    let rto = [0, 1].map(|index| pair.endpoint(A).path_stats(FIRST, path(index)).rto);
    assert!(rto[0] > Span::from_secs(8) && rto[1] == Span::from_secs(1), "{rto:?}");
    (0..2).for_each(|index| pair.network.cut(index));
    pair.arrows();
    pair.send(A, 1000);
    pair.drive(rto[0] + Span::from_secs(4));
    let data = pair.network.log.iter().filter(|sent| sent.from == A && sent.label == "DATA");
    assert_eq!(data.map(|sent| sent.path).collect::<Vec<_>>(), [0, 1, 1, 0]);
}

#[test]
fn a_coupled_path_grows_as_a_single_path_while_the_other_one_is_potentially_failed() {
    let config =
        |after| Config { cc: "cmt-rpv2".to_owned(), potentially_failed_after: after, ..alone() };
    let mut alone = Peer::of(config(None));
    assert_eq!(alone.submit_by_path(3, 1452).len(), 3);
    alone.sack_by_path(Report { cumulative: 3, ..Report::default() });

    let mut peer = Peer::on(2, 100_000, config(Some(0)));
    assert_eq!(peer.submit_by_path(3, 1452).len(), 3);
    assert_eq!(peer.advance_by_path(Span::from_secs(1)), [1, 2, 3].map(|chunk| (1, vec![chunk])));
    peer.sack_by_path(Report { cumulative: 3, path: 1, ..Report::default() });
    assert_eq!(peer.stats(0).state, PotentiallyFailed);
    assert_eq!(peer.stats(1).window, alone.stats(0).window);
    assert!(peer.stats(1).window > 4380, "it has grown");
}
