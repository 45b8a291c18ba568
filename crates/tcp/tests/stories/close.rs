//! The orderly end of connections: one direction after the other, or both at once. RFC 9293 §3.6

use manypath_core::Span;
use manypath_tcp::{CloseReason, Event, WriteError};

use crate::stage::{A, FIRST, Fault, Pair, Z};

const FINISHED: Event = Event::Closed { connection: FIRST, reason: CloseReason::Finished };

/// A has closed, and Z after it received that FIN.
fn closed_in_turn() -> Pair {
    let mut pair = Pair::new();
    pair.connect();
    pair.close(A);
    pair.settle();
    pair.close(Z);
    pair.settle();
    pair
}

#[test]
fn each_side_ends_its_own_direction() {
    let mut pair = Pair::new();
    pair.connect();
    pair.close(A);
    pair.settle();
    assert_eq!(pair.arrows(), ["A -> FIN -> Z", "Z -> ACK -> A"]);
    assert_eq!(pair.events(Z), [Event::PeerFinished(FIRST)]);
    assert_eq!(pair.events(A), []);

    pair.write(Z, 3000);
    pair.drive_until_read(A, 3000);
    pair.close(Z);
    pair.settle();
    assert_eq!(pair.events(Z).last(), Some(&FINISHED));
    assert_eq!(pair.events(A).last(), Some(&FINISHED));
}

#[test]
fn what_was_written_arrives_before_the_end() {
    let mut pair = Pair::new();
    pair.connect();
    pair.write(A, 200_000);
    pair.close(A);
    let refused = pair.act(A, |endpoint, now| endpoint.write(now, FIRST, vec![1].into()));
    assert_eq!(refused, Err(WriteError::NotConnected));
    pair.drive_until_read(Z, 200_000);
    assert_eq!(pair.events(Z).last(), Some(&Event::PeerFinished(FIRST)));
    let fins = pair.network.log.iter().filter(|sent| sent.label.contains("FIN"));
    assert_eq!(fins.map(|sent| sent.label.as_str()).collect::<Vec<_>>(), ["DATA FIN"]);
}

#[test]
fn both_sides_may_close_at_the_same_time() {
    let mut pair = Pair::new();
    pair.connect();
    pair.close(A);
    pair.close(Z);
    pair.settle();
    assert_eq!(pair.arrows(), ["A -> FIN -> Z", "Z -> FIN -> A", "Z -> ACK -> A", "A -> ACK -> Z"]);
    assert_eq!(pair.close_reason(A), Some(CloseReason::Finished));
    assert_eq!(pair.close_reason(Z), Some(CloseReason::Finished));
}

#[test]
fn a_lost_fin_is_sent_again_and_a_repeated_one_is_answered() {
    let mut pair = Pair::new();
    pair.connect();
    pair.network.once(A, "FIN", Fault::Lose);
    pair.close(A);
    pair.drive(Span::from_secs(1));
    pair.network.once(A, "ACK", Fault::Lose);
    pair.network.log.clear();
    pair.close(Z);
    pair.drive(Span::from_millis(500));
    assert_eq!(
        pair.arrows(),
        ["Z -> FIN -> A", "A -> ACK -> lost", "Z -> FIN -> A", "A -> ACK -> Z"]
    );
    assert_eq!(pair.close_reason(Z), Some(CloseReason::Finished));
    assert_eq!(pair.close_reason(A), Some(CloseReason::Finished));
}

#[test]
fn a_closed_connection_is_forgotten_once_the_peer_needs_it_no_more() {
    let mut pair = Pair::new();
    pair.connect();
    pair.close(A);
    pair.close(Z);
    pair.settle();
    pair.act(A, |endpoint, _| endpoint.forget(FIRST));
    assert_eq!(pair.endpoint(A).write_space(FIRST), 1_000_000, "it stands in TIME-WAIT");
    pair.drive(Span::from_secs(11));
    assert_eq!(pair.endpoint(A).write_space(FIRST), 0);
    assert!(!pair.step(), "no timer is left");
}

#[test]
fn a_new_connection_does_not_disturb_one_in_time_wait() {
    let mut pair = closed_in_turn();
    let second = pair.open(A);
    pair.settle();
    assert_eq!(pair.events(A).last(), Some(&Event::Connected(second)));
    assert_eq!(pair.events(Z).last(), Some(&Event::Connected(second)));
    pair.drive(Span::from_secs(20));
    pair.act(A, |endpoint, now| endpoint.write(now, second, vec![7; 10].into())).unwrap();
    pair.settle();
    let read = pair.act(Z, |endpoint, now| endpoint.read(now, second));
    assert_eq!(read.unwrap(), vec![7; 10]);
}

#[test]
fn the_side_that_closed_second_is_done_at_once() {
    let mut pair = closed_in_turn();
    pair.act(Z, |endpoint, _| endpoint.forget(FIRST));
    assert_eq!(pair.endpoint(Z).write_space(FIRST), 0, "no TIME-WAIT here");
    let end = pair.now + Span::from_secs(11);
    pair.drive(Span::from_secs(11));
    assert!(pair.now == end && !pair.step(), "and none at A any more");
}
