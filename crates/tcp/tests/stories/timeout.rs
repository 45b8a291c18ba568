//! The retransmission timer: its value, its samples, and its effect on the window. RFC 6298, RFC 5681 §3.1

use manypath_core::{RtoRule, Span, Time};

use crate::loss::{warm, warm_with};
use crate::stage::{A, Fault, Network, Pair, Z, link};

#[test]
fn the_timer_doubles_until_something_new_is_measured() {
    let mut pair = warm_with(|config| config.rto.rule = RtoRule::Standard);
    pair.network.times(4, A, "DATA", Fault::Lose);
    pair.write(A, 1000);
    pair.drive_until_read(Z, 1000);
    let at: Vec<Time> = pair.data_sent(A, 1000).iter().map(|sent| sent.0).collect();
    let pauses: Vec<u64> =
        at.windows(2).map(|pair| (pair[1] - pair[0]).as_nanos() / 1_000_000).collect();
    assert_eq!(pauses, [200, 400, 800, 1600]);
    pair.drive(Span::from_millis(100));
    // Karn: the acknowledgement of a retransmitted segment gives no sample
    assert_eq!(pair.path_stats(A).rto, Span::from_millis(3200));
    pair.write(A, 1000);
    pair.drive(Span::from_millis(100));
    assert_eq!(pair.path_stats(A).rto, Span::from_millis(200));
}

#[test]
fn a_timeout_takes_the_window_to_one_segment_and_the_threshold_to_half_of_what_was_in_flight() {
    let mut pair = warm(true);
    pair.network.cut(0);
    pair.write(A, 30 * 1460);
    pair.drive(Span::from_millis(350));
    let path = pair.path_stats(A);
    assert_eq!((path.window, path.ssthresh, path.timeouts), (1460, 15 * 1460, 1));
    pair.drive(Span::from_millis(600));
    let path = pair.path_stats(A);
    assert_eq!((path.timeouts, path.ssthresh), (2, 15 * 1460), "held for the same data");
}

#[test]
fn a_delayed_acknowledgement_is_part_of_the_measured_time() {
    let mut pair = Pair::new();
    pair.connect();
    for _ in 0..60 {
        pair.write(A, 1000);
        pair.drive(Span::from_millis(100));
    }
    // 20 ms of propagation, 1 ms of transmission, 40 ms of delay
    let srtt = pair.path_stats(A).srtt;
    assert!(srtt > Span::from_millis(60) && srtt < Span::from_millis(62), "{srtt}");
}

#[test]
fn the_timer_stops_when_everything_has_arrived() {
    let mut pair = warm(true);
    pair.write(A, 10 * 1460);
    pair.drive_until_read(Z, 10 * 1460);
    pair.drive(Span::from_secs(5));
    assert!(!pair.step(), "nothing is due any more");
    assert_eq!(pair.path_stats(A).timeouts, 0);
}

/// A full segment follows 60 small ones on a path with a constant round-trip time of 300 ms, so that its own sample is
/// 1.2 ms longer; returns the number of timeouts.
fn timeouts_on_a_long_path(rule: RtoRule) -> u64 {
    let mut pair = Pair::across(Network::of(&[link(10, 150)]), |_, config| {
        config.rto.rule = rule;
        config.ack_every = 1;
    });
    pair.connect();
    for size in [[10; 60].as_slice(), &[1460]].concat() {
        pair.write(A, size);
        pair.drive_until_read(Z, size);
        pair.drive(Span::from_millis(200));
    }
    assert_eq!(pair.stats(Z).bytes_received, 60 * 10 + 1460);
    pair.path_stats(A).timeouts
}

#[test]
fn a_constant_round_trip_time_above_the_least_timeout_causes_no_timeouts() {
    assert_eq!(timeouts_on_a_long_path(RtoRule::Linux), 0);
}

#[test]
fn with_the_rule_of_rfc_6298_the_timer_expires_if_the_round_trip_time_is_constant() {
    assert_eq!(timeouts_on_a_long_path(RtoRule::Standard), 1);
}

#[test]
fn the_contribution_of_the_first_sample_to_the_timeout_decays_once_per_round() {
    // Round trips of 300 ms: the handshake's sample gives a margin of 600 ms; the minimum is 200 ms
    let mut pair = Pair::across(Network::of(&[link(10, 150)]), |_, config| config.ack_every = 1);
    pair.connect();
    let margin_after_rounds = |pair: &mut Pair, rounds: usize| {
        for _ in 0..rounds {
            pair.write(A, 10 * 1460);
            pair.drive_until_read(Z, 10 * 1460);
            pair.drive(Span::from_millis(200));
        }
        let path = pair.path_stats(A);
        path.rto - path.srtt
    };
    // The first acknowledgement ends the round of the handshake. The second sample leaves 4 RTTVAR = 600·(3/4)² = 338
    // ms, the largest of the next round, which ends with the second flight: 600 - (600 - 338)/4 = 534 ms
    let second = margin_after_rounds(&mut pair, 2);
    assert!(second > Span::from_millis(530) && second < Span::from_millis(540), "{second}");
    let later = margin_after_rounds(&mut pair, 20);
    assert!(later >= Span::from_millis(200) && later < Span::from_millis(203), "{later}");
}

#[test]
fn acknowledgements_that_are_delayed_longer_than_the_margin_time_out_once_and_then_no_more() {
    // Single segments wait 300 ms for their acknowledgement, 100 ms longer than the minimum margin
    let mut pair = Pair::configured(|_, config| config.ack_delay = Span::from_millis(300));
    pair.connect();
    for _ in 0..50 {
        pair.write(A, 1000);
        pair.drive(Span::from_secs(1));
        pair.read(Z);
    }
    let path = pair.path_stats(A);
    assert!(path.timeouts <= 2, "{}", path.timeouts);
    assert!(path.rto > path.srtt + Span::from_millis(190), "{}", path.rto);
}

#[test]
fn a_long_repair_is_no_timeout() {
    // A flight of 60 segments whose first half is lost: its recovery takes several round trips
    let mut pair = Pair::configured(|_, config| {
        config.initial_window = 60;
        config.rto.min = Span::from_millis(100);
    });
    pair.connect();
    let mut sent_already = 0;
    pair.network.rule(move |sent| {
        sent_already += usize::from(sent.from == A && sent.has_data());
        if sent.from == A && sent_already <= 30 { Fault::Lose } else { Fault::None }
    });
    pair.write(A, 60 * 1460);
    pair.drive_until_read(Z, 60 * 1460);
    let path = pair.path_stats(A);
    assert_eq!((path.timeouts, path.fast_retransmissions), (0, 30));
}
