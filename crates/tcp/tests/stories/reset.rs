//! The abrupt end of connections: by RST, or because the peer does not answer. RFC 9293 §3.5.2, §3.10.7

use manypath_core::Span;
use manypath_tcp::{CloseReason, ConnectionId, Event, Flags, Segment};

use crate::stage::{A, Pair, Z};

#[test]
fn an_abort_ends_both_sides() {
    let mut pair = Pair::new();
    pair.connect();
    pair.write(A, 100_000);
    pair.drive(Span::from_millis(50));
    pair.network.log.clear();
    pair.abort(A);
    assert_eq!(pair.arrows(), ["A -> RST -> Z"]);
    pair.settle();
    assert_eq!(pair.close_reason(A), Some(CloseReason::ResetHere));
    assert_eq!(pair.close_reason(Z), Some(CloseReason::ResetByPeer));
}

#[test]
fn a_rebooted_peer_resets_unknown_connections() {
    let mut pair = Pair::new();
    pair.connect();
    pair.reboot(Z);
    pair.write(A, 1000);
    pair.settle();
    assert_eq!(pair.arrows(), ["A -> DATA -> Z", "Z -> RST -> A"]);
    assert_eq!(pair.close_reason(A), Some(CloseReason::ResetByPeer));
}

#[test]
fn a_new_connection_after_a_reboot_ends_the_old_one_at_the_peer() {
    let mut pair = Pair::new();
    pair.connect();
    pair.reboot(A);
    pair.open(A);
    pair.settle();
    assert_eq!(pair.arrows(), ["A -> SYN -> Z", "Z -> ACK -> A", "A -> RST -> Z"]);
    assert_eq!(pair.close_reason(Z), Some(CloseReason::ResetByPeer));
    pair.drive(Span::from_secs(2));
    assert_eq!(pair.arrows(), ["A -> SYN -> Z", "Z -> SYN ACK -> A", "A -> ACK -> Z"]);
    let connected = |id| Event::Connected(ConnectionId(id));
    assert_eq!((pair.events(A), pair.events(Z)), (vec![connected(0)], vec![connected(1)]));
}

#[test]
fn a_reset_outside_of_the_window_is_ignored() {
    let mut pair = Pair::new();
    pair.connect();
    for seq in [0, 1 << 30, 1 << 31, 3 << 30] {
        pair.inject(Z, Segment { seq, flags: Flags::RST, ..Segment::default() });
    }
    assert_eq!(pair.close_reason(Z), None);
    pair.write(A, 1000);
    pair.drive_until_read(Z, 1000);
}

#[test]
fn a_peer_that_stays_silent_is_given_up() {
    let mut pair = Pair::configured(|_, config| config.max_retransmissions = 4);
    pair.connect();
    let rto = pair.path_stats(A).rto;
    assert_eq!(rto, pair.path_stats(A).srtt + Span::from_millis(200));
    pair.network.cut(0);
    pair.write(A, 1000);
    let start = pair.now;
    pair.drive_until(|pair| pair.close_reason(A) == Some(CloseReason::Unreachable));
    // One timeout, doubled four times: 1 + 2 + 4 + 8 + 16
    assert_eq!(pair.now - start, rto * 31);
    assert_eq!(pair.arrows().len(), 5);
}
