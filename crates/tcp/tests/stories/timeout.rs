//! The retransmission timer: how long it waits, what it measures, what it does to the window. RFC 6298, RFC 5681 §3.1

use manypath_core::{Span, Time};

use crate::loss::warm;
use crate::stage::{A, Fate, Pair, Z};

#[test]
fn the_timer_doubles_until_something_new_is_measured() {
    let mut pair = warm(true);
    pair.network.times(4, A, "DATA", Fate::Lose);
    pair.write(A, 1000);
    pair.drive_until_read(Z, 1000);
    let at: Vec<Time> = pair.data_sent(A, 1000).iter().map(|sent| sent.0).collect();
    let pauses: Vec<u64> =
        at.windows(2).map(|pair| (pair[1] - pair[0]).as_nanos() / 1_000_000).collect();
    assert_eq!(pauses, [200, 400, 800, 1600]);
    pair.drive(Span::from_millis(100));
    // Karn: the acknowledgement of a segment that was sent again measures nothing
    assert_eq!(pair.path_stats(A).rto, Span::from_millis(3200));
    pair.write(A, 1000);
    pair.drive(Span::from_millis(100));
    assert_eq!(pair.path_stats(A).rto, Span::from_millis(200));
}

#[test]
fn a_timeout_takes_the_window_to_one_segment_and_the_threshold_to_half_of_what_was_in_flight() {
    let mut pair = warm(true);
    pair.network.cut();
    pair.write(A, 30 * 1460);
    pair.drive(Span::from_millis(250));
    let path = pair.path_stats(A);
    assert_eq!((path.window, path.ssthresh, path.timeouts), (1460, 15 * 1460, 1));
    pair.drive(Span::from_millis(500));
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

#[test]
fn a_long_repair_is_no_timeout() {
    // A flight of 60 segments whose first half is lost: its repair takes several round trips
    let mut pair = Pair::configured(|_, config| {
        config.initial_window = 60;
        config.rto.min = Span::from_millis(100);
    });
    pair.connect();
    let mut sent_already = 0;
    pair.network.rule(move |sent| {
        sent_already += usize::from(sent.from == A && sent.has_data());
        if sent.from == A && sent_already <= 30 { Fate::Lose } else { Fate::Pass }
    });
    pair.write(A, 60 * 1460);
    pair.drive_until_read(Z, 60 * 1460);
    let path = pair.path_stats(A);
    assert_eq!((path.timeouts, path.fast_retransmissions), (0, 30));
}
