//! When acknowledgements are sent: for every second segment, after a delay, or at once. RFC 5681 §4.2

use manypath_core::Span;

use crate::stage::{A, Fault, Pair, Z};

/// When Z's acknowledgements in the log were sent, in milliseconds after `start`.
fn acks(pair: &Pair, start: manypath_core::Time) -> Vec<u64> {
    let of_z = pair.network.log.iter().filter(|sent| sent.from == Z);
    of_z.map(|sent| (sent.at - start).as_nanos() / 1_000_000).collect()
}

#[test]
fn every_second_segment_is_acknowledged_and_a_single_one_after_the_delay() {
    let mut pair = Pair::new();
    pair.connect();
    let start = pair.now;
    pair.write(A, 5 * 1460);
    pair.drive_until_read(Z, 5 * 1460);
    pair.drive(Span::from_millis(100));
    // A segment takes 1.2 ms to be sent and 10 ms to arrive: the second at 12.4, the fourth at 14.8, the fifth at 16
    assert_eq!(acks(&pair, start), [12, 14, 56]);
}

#[test]
fn every_segment_is_acknowledged_if_so_configured() {
    let mut pair = Pair::configured(|_, config| config.ack_every = 1);
    pair.connect();
    let start = pair.now;
    pair.write(A, 5 * 1460);
    pair.drive_until_read(Z, 5 * 1460);
    pair.settle();
    assert_eq!(acks(&pair, start), [11, 12, 13, 14, 16]);
}

#[test]
fn an_acknowledgement_waits_for_the_application_but_not_longer_than_for_the_next_segment() {
    let mut pair = Pair::configured(|_, config| config.ack_every = 1);
    pair.connect();
    let start = pair.now;
    pair.write(A, 3 * 1460);
    pair.drive(Span::from_millis(100));
    // The application does not read: the segment that arrives at 11.2 ms is acknowledged with the one at 12.4, and from
    // then on at once
    assert_eq!(acks(&pair, start), [12, 13]);
    assert_eq!(pair.read(Z), 3 * 1460);

    pair.network.log.clear();
    let start = pair.now;
    pair.write(A, 1460);
    pair.drive(Span::from_millis(100));
    assert_eq!(acks(&pair, start), [51], "or than the delay");
}

#[test]
fn segments_beyond_a_gap_and_the_one_that_fills_it_are_acknowledged_at_once() {
    let mut pair = Pair::new();
    pair.connect();
    pair.network.lose(A, &[1]);
    pair.write(A, 4 * 1460);
    pair.drive(Span::from_millis(16));
    assert_eq!(pair.stats(Z).acks_sent, 3);
    pair.drive_until_read(Z, 4 * 1460);
    let stats = pair.stats(Z);
    assert_eq!((stats.acks_sent, stats.duplicate_segments), (4, 0));
}

#[test]
fn a_repeated_segment_is_acknowledged_at_once() {
    let mut pair = Pair::new();
    pair.connect();
    pair.network.once(A, "DATA", Fault::Duplicate);
    let start = pair.now;
    pair.write(A, 1000);
    pair.drive_until_read(Z, 1000);
    pair.settle();
    assert_eq!(acks(&pair, start), [11]);
}

#[test]
fn reports_name_the_latest_range_first() {
    let mut pair = Pair::new();
    pair.connect();
    pair.network.lose(A, &[1, 3, 5, 7, 9]);
    pair.write(A, 10 * 1460);
    pair.drive(Span::from_micros(22_500));
    let last = pair.network.log.iter().rfind(|sent| sent.from == Z).unwrap();
    let blocks = last.options.sack.as_slice();
    let places: Vec<u32> =
        blocks.iter().map(|block| block.start.wrapping_sub(last.ack) / 1460 + 1).collect();
    assert_eq!(places, [10, 8, 6, 4]);
    assert_eq!(last.size, 40 + 36, "four blocks fill the options");
}

#[test]
fn data_carries_acknowledgements_that_are_not_due_yet() {
    let mut pair = Pair::new();
    pair.connect();
    pair.write(A, 1000);
    pair.drive_until_read(Z, 1000);
    pair.write(Z, 1000);
    pair.settle();
    pair.drive(Span::from_millis(30));
    assert_eq!(pair.stats(Z).acks_sent, 0);
}
