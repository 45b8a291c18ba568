//! ICMP messages about packets of an association. RFC 9260 §10

use manypath_core::{PathId, Span};
use manypath_sctp::{CloseReason, Event, PathState};

use crate::pair::{A, FIRST, Pair, Z, path};

fn no_sctp(pair: &mut Pair, number: u8) {
    pair.act(A, |endpoint, now| endpoint.protocol_unreachable(now, FIRST, path(number), false));
}

fn no_way(pair: &mut Pair, number: u8) {
    pair.act(A, |endpoint, now| endpoint.destination_unreachable(now, FIRST, path(number)));
}

#[test]
fn a_host_without_sctp_ends_the_association_as_an_abort_does() {
    let mut pair = Pair::new(1);
    pair.connect();
    pair.act(A, |endpoint, now| endpoint.protocol_unreachable(now, FIRST, PathId(7), false));
    // An INIT that was answered long ago
    pair.act(A, |endpoint, now| endpoint.protocol_unreachable(now, FIRST, path(0), true));
    assert_eq!(pair.close_reason(A), None);
    no_sctp(&mut pair, 0);
    assert_eq!(pair.close_reason(A), Some(CloseReason::Unreachable));
    pair.settle();
    // No ABORT is sent
    assert_eq!(pair.arrows(), [""; 0]);
}

#[test]
fn one_of_several_addresses_without_sctp_fails_alone() {
    let mut pair = Pair::configured(2, |_, config| config.path_max_retransmissions = 0);
    pair.connect();
    no_sctp(&mut pair, 1);
    assert_eq!(pair.events(A), [Event::PathDown { association: FIRST, path: path(1) }]);
    // It answers, and the message is forgotten
    pair.drive(Span::from_secs(1));
    assert_eq!(pair.events(A), [Event::PathUp { association: FIRST, path: path(1) }]);
    no_sctp(&mut pair, 0);
    assert_eq!(pair.close_reason(A), None);
    no_sctp(&mut pair, 1);
    assert_eq!(pair.close_reason(A), Some(CloseReason::Unreachable));
}

/// A NAT that restarts answers for the old UDP ports of both paths. The packets of the peer arrive from new ones.
#[test]
fn a_packet_of_the_peer_voids_an_icmp_message_about_its_path() {
    for (speaks_on, reason) in [(0, None), (1, Some(CloseReason::Unreachable))] {
        let mut pair = Pair::new(2);
        pair.connect();
        // The probe of path 0, which follows the message, is lost
        pair.network.cut(0);
        no_sctp(&mut pair, 0);
        pair.network.restore(0);
        assert!(pair.act(Z, |endpoint, now| endpoint.set_primary(now, FIRST, path(speaks_on))));
        pair.send(Z, 1000);
        pair.settle();
        assert_eq!(pair.read(A), 1000);
        no_sctp(&mut pair, 1);
        assert_eq!(pair.close_reason(A), reason, "data arrived on path {speaks_on}");
    }
}

#[test]
fn a_destination_that_is_unreachable_counts_one_error_until_a_probe_is_answered_or_missed() {
    let mut pair = Pair::configured(2, |_, config| config.path_max_retransmissions = 1);
    pair.connect();
    pair.network.cut(0);
    (0..5).for_each(|_| no_way(&mut pair, 0));
    assert_eq!(pair.arrows(), ["A -> HEARTBEAT -> lost"]);
    let state = |pair: &mut Pair| pair.endpoint(A).path_stats(FIRST, path(0)).state;
    assert_eq!(state(&mut pair), PathState::Active);
    // The missing answer is the second error: much earlier than at the end of a heartbeat interval
    let begin = pair.now;
    pair.drive_until(|pair| state(pair) == PathState::Inactive);
    assert!(pair.now.saturating_since(begin) <= Span::from_secs(3));
    pair.send(A, 5000);
    pair.drive(Span::from_secs(1));
    assert_eq!(pair.read(Z), 5000);
}

#[test]
fn an_unreachable_destination_that_answers_keeps_its_path() {
    let mut pair = Pair::new(1);
    pair.connect();
    for _ in 0..50 {
        no_way(&mut pair, 0);
        pair.settle();
    }
    assert_eq!(pair.events(A), []);
    assert_eq!(pair.endpoint(A).path_stats(FIRST, path(0)).state, PathState::Active);
}
