//! Both sides remove subflows, and the connection keeps a path for each direction. RFC 8684 §3.3.3

use manypath_core::{PathId, Span};
use manypath_tcp::{CloseReason, Event, Flags, Segment};

use crate::mptcp_subflows::{down, predictable};
use crate::stage::{A, FIRST, Fault, PLAIN, Several, Z, link};

#[test]
fn when_both_sides_leave_different_paths_at_once_each_keeps_a_direction() {
    let mut several = Several::new(&[link(10, 10), link(10, 10)], PLAIN);
    several.connect();
    several.write(A, 200_000);
    several.write(Z, 200_000);
    several.drive(Span::from_millis(50));
    several.leave(A, PathId(1));
    several.leave(Z, PathId(0));
    several.drive(Span::from_secs(1));
    several.read(A);
    several.read(Z);
    for side in [A, Z] {
        assert_eq!(several.written_and_read(side), (200_000, 200_000));
    }
    let sent = |several: &mut Several, side, path| several.path_stats(side, path).data_packets;
    let before = [sent(&mut several, A, 1), sent(&mut several, Z, 0)];
    several.transfer(100_000);
    several.write(Z, 100_000);
    several.drive(Span::from_secs(1));
    several.read(A);
    assert_eq!(several.written_and_read(Z), (300_000, 300_000));
    assert_eq!(before, [sent(&mut several, A, 1), sent(&mut several, Z, 0)], "FIN was the last");
    assert_eq!(several.finish(), [CloseReason::Finished; 2]);
    several.drive(Span::from_secs(300));
    assert!(!several.step(), "no timer is left");
}

#[test]
fn a_path_that_joins_frees_both_sides_of_the_paths_that_they_left() {
    let mut several = Several::new(&[link(10, 10), link(10, 10), link(10, 10)], PLAIN);
    several.open(2);
    several.settle();
    several.leave(A, PathId(1));
    several.leave(Z, PathId(0));
    several.drive(Span::from_secs(1));
    for side in [A, Z] {
        let events = several.events(side);
        assert!(!events.contains(&down(0)) && !events.contains(&down(1)), "{events:?}");
    }
    several.join(A, 2);
    several.drive(Span::from_secs(1));
    for side in [A, Z] {
        let events = several.events(side);
        assert!(events.contains(&down(0)) && events.contains(&down(1)), "{events:?}");
    }
    several.transfer(100_000);
    assert_eq!(several.path_stats(Z, 2).bytes_received, 100_000);
    assert_eq!(several.finish(), [CloseReason::Finished; 2]);
}

#[test]
fn the_last_path_that_the_peer_still_sends_on_does_not_leave() {
    let mut several = Several::new(&[link(10, 10), link(10, 10)], PLAIN);
    several.connect();
    several.leave(A, PathId(1));
    several.leave(Z, PathId(0));
    several.settle();
    several.leave(A, PathId(0));
    several.leave(Z, PathId(1));
    several.transfer(100_000);
    assert_eq!(several.finish(), [CloseReason::Finished; 2]);
}

#[test]
fn a_path_that_one_side_leaves_before_it_is_established_is_not_the_last_one_of_the_other() {
    let mut several = Several::new(&[link(10, 10), link(10, 10)], PLAIN);
    several.network.times_if(usize::MAX, Fault::Lose, |sent| {
        sent.path == 1 && sent.from == A && sent.label == "ACK"
    });
    several.open(2);
    several.settle();
    assert!(several.path_stats(A, 1).usable && !several.path_stats(Z, 1).usable);
    several.leave(Z, PathId(1));
    several.leave(A, PathId(0));
    several.transfer(100_000);
    several.write(Z, 100_000);
    several.drive(Span::from_secs(1));
    several.read(A);
    assert_eq!(several.written_and_read(Z), (100_000, 100_000));
    assert_eq!(several.finish(), [CloseReason::Finished; 2]);
}

#[test]
fn a_side_without_a_path_to_send_on_closes_the_subflow() {
    let mut several = predictable(2, |_, _| ());
    several.connect();
    several.leave(A, PathId(1));
    several.leave(Z, PathId(0));
    several.settle();
    several.events(A);
    several.inject(A, 0, Segment { seq: 1002, flags: Flags::RST, ..Segment::default() });
    let closed = Event::Closed { connection: FIRST, reason: CloseReason::ResetByPeer };
    assert_eq!(several.events(A), [down(0), closed]);
    several.drive(Span::from_secs(1));
    assert!(!several.path_stats(Z, 1).usable);
}
