//! Bytes over several paths at once: speed, order, and the distribution by each scheduler. RFC 8684 §3.3

use manypath_core::{PathId, Span};
use manypath_tcp::{CloseReason, Event, Multipath, Scheduler};

use crate::stage::{A, FIRST, PLAIN, Several, Z, link};

#[test]
fn two_disjoint_paths_are_filled_together() {
    let mut several = Several::new(&[link(10, 10), link(10, 10)], PLAIN);
    several.connect();
    let took = several.transfer(10_000_000);
    // 6945 segments of 1500 bytes take 4.167 s at 20 Mbit/s
    assert!(took > Span::from_millis(4170) && took < Span::from_millis(4500), "{took}");
    let [north, south] = [0, 1].map(|path| several.path_stats(Z, path).bytes_received);
    assert_eq!(north + south, 10_000_000);
    assert!(north.abs_diff(south) < 500_000, "{north} and {south}");
    assert_eq!(several.finish(), [CloseReason::Finished; 2]);
}

#[test]
fn further_paths_join_once_the_first_one_is_established() {
    let mut several = Several::new(&[link(10, 10), link(10, 20), link(10, 5)], PLAIN);
    several.open(3);
    several.settle();
    let up = |path| Event::PathUp { connection: FIRST, path: PathId(path) };
    let expected = [Event::Connected(FIRST), up(2), up(1)];
    assert_eq!(several.events(A), expected);
    assert_eq!(several.endpoint(A).path_count(FIRST), 3);
    assert_eq!(several.endpoint(Z).path_count(FIRST), 3);
    // Each path has its own window, whatever the order in which the paths were opened
    for path in 0..3 {
        assert_eq!(several.path_stats(A, path).window, 14_400);
    }
}

#[test]
fn a_little_data_takes_the_path_with_the_lowest_rtt() {
    let mut several = Several::new(&[link(10, 30), link(10, 10)], PLAIN);
    several.connect();
    for _ in 0..10 {
        several.transfer(10_000);
        several.drive(Span::from_millis(100));
    }
    assert_eq!(several.path_stats(Z, 0).bytes_received, 0);
    assert_eq!(several.path_stats(Z, 1).bytes_received, 100_000);
}

#[test]
fn round_robin_gives_each_path_the_same() {
    let rules = Multipath { scheduler: Scheduler::RoundRobin, ..PLAIN };
    let mut several = Several::new(&[link(10, 30), link(10, 10)], rules);
    several.connect();
    for _ in 0..10 {
        several.transfer(8 * 1440);
        several.drive(Span::from_millis(200));
    }
    for path in [0, 1] {
        assert_eq!(several.path_stats(Z, path).bytes_received, 40 * 1440);
    }
}

#[test]
fn redundant_paths_carry_everything_and_deliver_it_once() {
    let rules = Multipath { scheduler: Scheduler::Redundant, ..PLAIN };
    let mut several = Several::new(&[link(10, 10), link(10, 10)], rules);
    several.connect();
    let took = several.transfer(2_000_000);
    // The time of a single path: 1389 segments of 1500 bytes in 1.67 s
    assert!(took > Span::from_millis(1680) && took < Span::from_millis(1950), "{took}");
    for path in [0, 1] {
        let sent = several.path_stats(A, path).data_packets;
        assert!(sent > 1300, "path {path} sent {sent}");
    }
    assert_eq!(several.stats(Z).bytes_received, 2_000_000);
    assert!(several.stats(Z).duplicate_segments > 1200);
    assert_eq!(several.finish(), [CloseReason::Finished; 2]);
}

#[test]
fn both_directions_use_both_paths_at_once() {
    let mut several = Several::new(&[link(10, 10), link(10, 15)], PLAIN);
    several.connect();
    several.write(A, 500_000);
    several.write(Z, 500_000);
    several.drive(Span::from_secs(1));
    assert_eq!(several.finish(), [CloseReason::Finished; 2]);
    assert_eq!(
        (several.written_and_read(A), several.written_and_read(Z)),
        ((500_000, 500_000), (500_000, 500_000))
    );
    for side in [A, Z] {
        for path in [0, 1] {
            assert!(several.path_stats(side, path).bytes_received > 100_000);
        }
    }
}
