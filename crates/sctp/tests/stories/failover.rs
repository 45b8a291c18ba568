//! Failure and recovery of paths, and detection of an unreachable peer. RFC 9260 §8.1 to §8.3

use manypath_core::{Span, Time};
use manypath_sctp::{CloseReason, Control, Event, HeartbeatInfo};

use crate::pair::{A, FIRST, Fault, Pair, Side, Z, path};

const DOWN: fn(u8) -> Event = |index| Event::PathDown { association: FIRST, path: path(index) };
const UP: fn(u8) -> Event = |index| Event::PathUp { association: FIRST, path: path(index) };

/// Times at which `side` probed the path, in seconds since `start`.
fn probes(pair: &Pair, side: Side, on: usize, start: Time) -> Vec<f64> {
    let is_probe = |sent: &&crate::pair::Sent| {
        sent.from == side && sent.path == on && sent.label == "HEARTBEAT"
    };
    pair.network.log.iter().filter(is_probe).map(|sent| (sent.at - start).as_secs_f64()).collect()
}

fn probe_of(pair: &Pair, side: Side) -> HeartbeatInfo {
    let chunks = pair
        .network
        .log
        .iter()
        .rev()
        .filter(|sent| sent.from == side)
        .flat_map(|sent| &sent.control);
    let mut probes = chunks
        .filter_map(|chunk| if let Control::Heartbeat(info) = chunk { info.own() } else { None });
    probes.next().expect("a HEARTBEAT was sent")
}

#[test]
fn an_idle_path_is_probed_after_the_heartbeat_interval_and_half_to_one_and_a_half_rto() {
    let mut pair = Pair::new(1);
    pair.connect();
    let start = pair.now;
    pair.drive(Span::from_secs(600));
    let at = probes(&pair, A, 0, start);
    assert_eq!(at.len(), 19, "{at:?}");
    let pauses: Vec<f64> = at.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(pauses.iter().all(|pause| (30.5..=31.5).contains(pause)), "{pauses:?}");
    let spread = pauses.iter().fold(0.0, |most: f64, pause| most.max((pause - pauses[0]).abs()));
    assert!(spread > 0.1, "the intervals are random");
}

#[test]
fn an_application_may_disable_the_heartbeats_and_enable_them_again() {
    let mut pair = Pair::new(2);
    pair.connect();
    let set = |pair: &mut Pair, interval| {
        pair.network.log.clear();
        pair.act(A, |endpoint, now| endpoint.set_heartbeat_interval(now, FIRST, interval));
        pair.now
    };
    // Both paths have carried heartbeats, and the next ones are scheduled
    pair.drive(Span::from_secs(100));
    let disabled = set(&mut pair, Span::MAX);
    pair.drive(Span::from_secs(600));
    pair.send(A, 100);
    pair.drive(Span::from_secs(600));
    for path in 0..2 {
        assert_eq!(probes(&pair, A, path, disabled), [] as [f64; 0]);
        // The peer has settings of its own, and its heartbeats are answered
        assert!(probes(&pair, Z, path, disabled).iter().any(|at| *at > 1100.0));
    }
    assert_eq!(pair.close_reason(Z), None);
    let enabled = set(&mut pair, Span::from_secs(30));
    pair.drive(Span::from_secs(100));
    for path in 0..2 {
        let at = probes(&pair, A, path, enabled);
        assert_eq!(at.len(), 3, "{at:?}");
        assert!((30.5..=31.5).contains(&at[0]), "{at:?}");
    }
}

#[test]
fn addresses_are_confirmed_without_heartbeats_of_idle_paths() {
    let mut pair = Pair::configured(2, |_, config| config.heartbeat_interval = Span::MAX);
    pair.connect();
    let start = pair.now;
    pair.drive(Span::from_secs(600));
    for side in [A, Z] {
        assert!(pair.endpoint(side).path_stats(FIRST, path(1)).confirmed);
        assert_eq!(probes(&pair, side, 0, start), [] as [f64; 0]);
        assert!(probes(&pair, side, 1, start).len() < 2);
    }
}

#[test]
fn a_path_that_carries_data_is_not_probed() {
    let mut pair = Pair::new(1);
    pair.connect();
    let start = pair.now;
    for _ in 0..20 {
        pair.send(A, 100);
        pair.drive(Span::from_secs(10));
    }
    assert_eq!(probes(&pair, A, 0, start), [] as [f64; 0]);
    // The peer sends no data, so it monitors the path by its own probes
    assert!(!probes(&pair, Z, 0, start).is_empty());
}

#[test]
fn heartbeat_ack_returns_the_probe_unchanged_and_measures_the_round_trip() {
    let mut pair = Pair::new(1);
    pair.connect();
    pair.drive(Span::from_secs(40));
    let sent = probe_of(&pair, A);
    let returned =
        pair.network.log.iter().flat_map(|sent| &sent.control).find_map(|chunk| match chunk {
            Control::HeartbeatAck(info) => info.own().filter(|info| info.nonce == sent.nonce),
            _ => None,
        });
    assert_eq!(returned, Some(sent));
    assert_eq!(sent.address, Z.address(0));
    // 10 ms each way, and 76 bytes at 10 Mbit/s each way
    let srtt = pair.endpoint(A).path_stats(FIRST, path(0)).srtt;
    assert_eq!(srtt, Span::from_nanos(20_000_000 + 2 * 76 * 800));
}

#[test]
fn unanswered_probes_double_the_rto_and_mark_the_path_inactive() {
    let mut pair = Pair::new(2);
    pair.connect();
    pair.drive(Span::from_millis(100));
    let start = pair.now;
    pair.network.cut(1);
    pair.drive_until(|pair| pair.events(A).contains(&DOWN(1)));
    // Path.Max.Retrans is 5: the sixth error counts
    assert_eq!(probes(&pair, A, 1, start).len(), 6);
    assert!(!pair.endpoint(A).path_stats(FIRST, path(1)).usable);
    assert_eq!(pair.endpoint(A).path_stats(FIRST, path(1)).rto, Span::from_secs(60));
    // Probing continues, and one answer makes the path active
    pair.network.restore(1);
    pair.drive_until(|pair| pair.events(A).contains(&UP(1)));
    assert!(pair.endpoint(A).path_stats(FIRST, path(1)).usable);
}

#[test]
fn probes_of_a_path_without_data_never_close_the_association() {
    let mut pair = Pair::configured(2, |_, config| config.association_max_retransmissions = 2);
    pair.connect();
    pair.network.cut(1);
    pair.drive(Span::from_secs(1_000));
    assert_eq!(pair.close_reason(A), None);
    assert_eq!(pair.close_reason(Z), None);
    pair.send(A, 100);
    pair.settle();
    assert_eq!(pair.read(Z), 100);
}

#[test]
fn unanswered_probes_of_the_only_path_close_the_association() {
    let mut pair = Pair::configured(1, |_, config| config.association_max_retransmissions = 3);
    pair.connect();
    let start = pair.now;
    pair.network.cut(0);
    pair.drive_until(|pair| pair.close_reason(A) == Some(CloseReason::Unreachable));
    assert_eq!(probes(&pair, A, 0, start).len(), 4);
}

#[test]
fn unacknowledged_data_closes_the_association() {
    let mut pair = Pair::configured(1, |_, config| {
        config.association_max_retransmissions = 4;
        config.path_max_retransmissions = 4;
    });
    pair.connect();
    let start = pair.now;
    pair.network.cut(0);
    pair.send(A, 100);
    pair.drive_until(|pair| pair.close_reason(A) == Some(CloseReason::Unreachable));
    // T3 after 1, 2, 4, 8 and 16 s: five errors are more than Association.Max.Retrans
    assert_eq!(pair.now - start, Span::from_secs(31));
    let sent: Vec<_> = pair
        .network
        .log
        .iter()
        .map(|sent| (sent.label.as_str(), (sent.at - start).as_nanos() / 1_000_000_000))
        .collect();
    let data = [0, 1, 3, 7, 15].map(|second| ("DATA", second));
    assert_eq!(sent, [&data[..], &[("ABORT", 31)]].concat());
}

#[test]
fn an_unreachable_peer_gets_abort_on_all_paths_and_closes_the_association_if_one_arrives() {
    let mut pair = Pair::configured(2, |_, config| config.association_max_retransmissions = 3);
    pair.connect();
    pair.drive(Span::from_secs(1));
    // Packets of Z are lost, and one path is cut in both directions
    pair.network.rule(|sent| if sent.from == Z { Fault::Lose } else { Fault::None });
    pair.network.cut(0);
    pair.send(A, 100);
    pair.drive_until(|pair| pair.close_reason(A) == Some(CloseReason::Unreachable));
    let aborts = pair.network.log.iter().filter(|sent| sent.label == "ABORT");
    let paths: Vec<usize> = aborts.filter(|sent| sent.from == A).map(|sent| sent.path).collect();
    assert_eq!(paths, [0, 1]);
    pair.drive(Span::from_secs(1));
    assert_eq!(pair.close_reason(Z), Some(CloseReason::AbortedByPeer));
}

#[test]
fn with_every_path_must_fail_more_paths_do_not_shorten_the_outage_that_an_association_survives() {
    let survived = |paths, every_path_must_fail, potentially_failed: bool, sends: bool| {
        let mut pair = Pair::configured(paths, |_, config| {
            config.concurrent = true;
            config.every_path_must_fail = every_path_must_fail;
            config.potentially_failed_after = potentially_failed.then_some(0);
            config.path_max_retransmissions = 3;
            config.association_max_retransmissions = 5;
            config.rto.max = Span::from_secs(5);
            config.heartbeat_interval = Span::from_secs(2);
        });
        pair.connect();
        pair.drive(Span::from_millis(500));
        for _ in 0..if sends { paths * 10 } else { 0 } {
            pair.send(A, 1400);
        }
        (0..paths).for_each(|path| pair.network.cut(path));
        let start = pair.now;
        pair.drive_until(|pair| pair.close_reason(A) == Some(CloseReason::Unreachable));
        (pair.now - start).as_secs_f64()
    };
    for (pf, sends) in [(false, false), (false, true), (true, false), (true, true)] {
        // T3 alone: the sixth error of a path occurs after 1 + 2 + 4 + 5 + 5 + 5 s, its fourth after 12 s
        for paths in [2, 4] {
            let seconds = survived(paths, true, pf, sends);
            assert!((12.0..31.0).contains(&seconds), "{seconds} s on {paths} paths");
        }
        assert!(survived(4, false, pf, sends) < 10.0, "the errors of all paths add up");
        let [one, other] = [true, false].map(|switch| survived(1, switch, pf, sends));
        assert!((one - other).abs() < 1e-9, "{one} s and {other} s on one path");
    }
}

#[test]
fn an_acknowledgement_resets_the_error_counters() {
    let mut pair = Pair::configured(1, |_, config| config.association_max_retransmissions = 2);
    pair.connect();
    for _ in 0..5 {
        pair.network.forget_rules();
        pair.network.times(2, A, "DATA", Fault::Lose);
        pair.send(A, 100);
        pair.drive(Span::from_secs(100));
    }
    assert_eq!(pair.close_reason(A), None);
    assert_eq!(pair.read(Z), 500);
}

#[test]
fn data_uses_another_path_while_the_primary_one_has_failed() {
    let mut pair = Pair::configured(2, |_, config| config.path_max_retransmissions = 1);
    pair.connect();
    pair.drive(Span::from_millis(100));
    for _ in 0..100 {
        pair.send(A, 1400);
    }
    pair.drive(Span::from_millis(30));
    pair.network.cut(0);
    pair.drive(Span::from_secs(120));
    assert_eq!(pair.read(Z), 100 * 1400);
    assert!(pair.events(A).contains(&DOWN(0)));

    pair.arrows();
    pair.send(A, 100);
    assert_eq!(pair.network.log.last().map(|sent| sent.path), Some(1));
    pair.network.restore(0);
    pair.drive_until(|pair| pair.events(A).contains(&UP(0)));
    pair.send(A, 100);
    assert_eq!(pair.network.log.last().map(|sent| sent.path), Some(0));
}

#[test]
fn an_association_that_uses_all_paths_loses_nothing_when_one_fails() {
    let mut pair = Pair::configured(2, |_, config| {
        config.concurrent = true;
        config.nr_sack = true;
        config.path_max_retransmissions = 2;
    });
    pair.connect();
    pair.drive(Span::from_millis(100));
    let (rounds, burst) = (40, 60);
    let mut received = 0;
    for round in 0..rounds {
        if round == 10 {
            pair.network.cut(1);
        }
        for _ in 0..burst {
            pair.send(A, 1400);
        }
        pair.drive(Span::from_millis(500));
        received += pair.read(Z);
    }
    pair.drive(Span::from_secs(10));
    assert_eq!(received + pair.read(Z), rounds * burst * 1400);
    assert!(pair.events(A).contains(&DOWN(1)));
}

#[test]
fn an_association_whose_only_path_failed_sends_data_when_a_probe_is_answered() {
    let mut pair = Pair::configured(1, |_, config| config.path_max_retransmissions = 1);
    pair.connect();
    pair.network.cut(0);
    pair.send(A, 100);
    pair.drive_until(|pair| pair.events(A).contains(&DOWN(0)));
    pair.network.restore(0);
    pair.drive_until(|pair| pair.events(A).contains(&UP(0)));
    pair.settle();
    assert_eq!(pair.read(Z), 100);
}

#[test]
fn only_the_nonce_that_was_sent_confirms_an_address() {
    let mut pair = Pair::new(2);
    pair.network.rule(|sent| if sent.path == 1 { Fault::Lose } else { Fault::None });
    pair.open(A);
    pair.drive(Span::from_millis(100));
    let usable = |pair: &mut Pair| pair.endpoint(Z).path_stats(FIRST, path(1)).usable;
    assert!(!usable(&mut pair));
    let info = probe_of(&pair, Z);
    assert_eq!(info.address, A.address(1));
    let tag = pair.network.log.iter().find(|sent| sent.label == "COOKIE ECHO").unwrap().tag;
    let wrong = [
        HeartbeatInfo { nonce: info.nonce ^ 1, ..info },
        HeartbeatInfo { address: A.address(0), ..info },
        HeartbeatInfo { address: manypath_core::Address::v4(192, 0, 2, 1), ..info },
    ];
    for info in wrong {
        let packet = pair.forge(Z, tag, Control::HeartbeatAck(info.into()));
        pair.inject(Z, 1, packet);
        assert!(!usable(&mut pair));
    }
    // A time invented by the peer gives no RTT sample
    let late = HeartbeatInfo { sent_at: 0, ..info };
    let packet = pair.forge(Z, tag, Control::HeartbeatAck(late.into()));
    let round_trip = pair.now.saturating_since(manypath_core::Time::from_nanos(info.sent_at));
    pair.inject(Z, 1, packet);
    assert!(usable(&mut pair));
    assert_eq!(pair.endpoint(Z).path_stats(FIRST, path(1)).srtt, round_trip);
}

#[test]
fn a_late_answer_still_proves_that_the_path_works() {
    let mut pair = Pair::configured(1, |_, config| config.association_max_retransmissions = 1);
    pair.connect();
    pair.network.rule(|sent| match sent.label.as_str() {
        "HEARTBEAT ACK" => Fault::Delay(Span::from_millis(1_500)),
        _ => Fault::None,
    });
    pair.drive(Span::from_secs(35));
    let srtt = pair.endpoint(A).path_stats(FIRST, path(0)).srtt;
    assert!(srtt > Span::from_millis(1_500));
    pair.network.forget_rules();
    pair.drive(Span::from_secs(300));
    assert_eq!(pair.close_reason(A), None);
}

#[test]
fn a_heartbeat_is_answered_before_the_association_is_established() {
    let mut pair = Pair::new(1);
    pair.network.times(9, A, "COOKIE ECHO", Fault::Lose);
    pair.open(A);
    pair.settle();
    let tag = crate::setup::init_of(&pair.network.log[0].control).unwrap().tag;
    pair.arrows();
    let info = HeartbeatInfo { nonce: 3, sent_at: 4, address: A.address(0) };
    let packet = pair.forge(A, tag, Control::Heartbeat(info.into()));
    pair.inject(A, 0, packet);
    assert_eq!(pair.arrows(), ["A -> HEARTBEAT ACK -> Z"]);
}

/// T3 of the working path expires before the SACK of a retransmission arrives on it. So the chunk is assigned to the
/// failed path again when the SACK arrives. RFC 9260 §8.2 does not say whether this SACK clears the error counter of the
/// failed path.
#[test]
fn a_late_sack_of_chunks_that_returned_to_a_failed_path_does_not_clear_its_errors() {
    for concurrent in [false, true] {
        let mut pair = Pair::configured(2, |_, config| {
            (config.rto.min, config.rto.initial) = (Span::from_millis(50), Span::from_millis(100));
            config.path_max_retransmissions = 3;
            config.concurrent = concurrent;
        });
        pair.connect();
        pair.drive(Span::from_millis(500));
        pair.send(A, 100);
        pair.drive(Span::from_secs(1));
        pair.network.cut(0);
        pair.events(A);
        let before = pair.endpoint(A).path_stats(FIRST, path(0)).timeouts;
        let mut events = Vec::new();
        while !events.contains(&DOWN(0)) {
            pair.send(A, 100);
            pair.drive(Span::from_millis(500));
            events.extend(pair.events(A));
        }
        // Path.Max.Retrans is 3: the fourth error in a row counts
        let timeouts = pair.endpoint(A).path_stats(FIRST, path(0)).timeouts - before;
        assert_eq!(timeouts, 4, "concurrent: {concurrent}");
        assert!(!events.contains(&DOWN(1)), "the working path was marked as failed");
        pair.drive(Span::from_secs(2));
        pair.arrows();
        pair.send(A, 100);
        assert_eq!(pair.network.log.last().map(|sent| sent.path), Some(1));
    }
}
