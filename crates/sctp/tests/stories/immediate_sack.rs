//! A sender that asks for a SACK without delay, where it would otherwise wait for one. RFC 9260 §6.1, RFC 7053 §4

use manypath_core::{SansIo, Span};
use manypath_sctp::{CloseReason, Config, DataFlags, Packet, SackRequest, SendOptions};

use crate::pair::{A, FIRST, Fault, Pair, Sent, Z, message};
use crate::send::peer::{Peer, alone};

/// Asks only where a delayed SACK would stop the sender.
fn sparing() -> Config {
    Config { sack_immediately: SackRequest::Stalled, ..alone() }
}

fn sparing_pair() -> Pair {
    let mut pair = Pair::configured(1, |_, config| {
        config.sack_immediately = SackRequest::Stalled;
    });
    pair.connect();
    pair.drive(Span::from_secs(1));
    pair.network.log.clear();
    pair
}

fn asks(packet: &Packet) -> bool {
    packet.data.iter().any(|chunk| chunk.flags.contains(DataFlags::IMMEDIATE))
}

/// Which packets with DATA of A asked for a SACK.
fn asked(pair: &Pair) -> Vec<bool> {
    let is_asking =
        |sent: &Sent| sent.data.iter().any(|it| it.flags.contains(DataFlags::IMMEDIATE));
    pair.data_packets(A).map(is_asking).collect()
}

#[test]
fn a_packet_that_fills_the_window_with_others_requests_no_sack() {
    let mut peer = Peer::of(sparing());
    for _ in 0..10 {
        peer.endpoint.send(peer.now, FIRST, message(1452)).expect("there is room");
    }
    // Three packets fill the window: the peer acknowledges the second one at once
    let flags: Vec<bool> = peer.packets().iter().map(asks).collect();
    assert_eq!(flags, [false, false, false]);
}

#[test]
fn the_only_packet_after_a_timeout_requests_a_sack_for_any_size() {
    for length in [1452, 1000] {
        let mut peer = Peer::of(sparing());
        peer.submit(3, length);
        peer.now = peer.timer();
        peer.endpoint.handle_timeout(peer.now);
        let flags: Vec<bool> = peer.packets().iter().map(asks).collect();
        assert_eq!(flags, [true], "{length}");
    }
}

#[test]
fn a_packet_that_fills_the_window_of_the_peer_requests_a_sack_if_it_is_alone_in_flight() {
    let first = |window| {
        let mut peer = Peer::with_window(window, sparing());
        for _ in 0..10 {
            peer.endpoint.send(peer.now, FIRST, message(1000)).expect("there is room");
        }
        peer.packets().iter().map(asks).collect::<Vec<_>>()
    };
    assert_eq!(first(1500), [true]);
    assert_eq!(first(2500), [false, false]);
}

#[test]
fn the_last_packet_before_a_shutdown_is_acknowledged_without_delay() {
    let mut pair = sparing_pair();
    pair.act(A, |endpoint, now| {
        (0..3).for_each(|_| endpoint.send(now, FIRST, message(1400)).expect("there is room"));
        endpoint.shutdown(now, FIRST);
    });
    assert_eq!(asked(&pair), [false, false, true]);
    // Two round trips; the peer delays other SACKs by 200 ms
    pair.drive(Span::from_millis(60));
    assert_eq!(pair.close_reason(A), Some(CloseReason::Shutdown));
}

#[test]
fn the_last_retransmission_before_a_shutdown_requests_a_sack() {
    let mut pair = sparing_pair();
    pair.network.times(3, A, "DATA", Fault::Lose);
    // A window of three packets
    for _ in 0..3 {
        pair.send(A, 1400);
    }
    pair.shutdown(A);
    pair.drive_until(|pair| pair.read(Z) > 0);
    pair.network.log.clear();
    pair.settle();
    assert_eq!(asked(&pair), [false, true]);
}

#[test]
fn the_last_packet_of_an_association_that_continues_requests_no_sack() {
    let mut pair = sparing_pair();
    pair.send(A, 1400);
    pair.settle();
    assert_eq!(asked(&pair), [false]);
}

#[test]
fn an_application_may_request_an_immediate_sack_for_a_message() {
    for sack_immediately in [SackRequest::Never, SackRequest::Stalled] {
        let mut pair = Pair::configured(1, |_, config| {
            config.nagle = false;
            config.sack_immediately = sack_immediately;
        });
        pair.connect();
        pair.drive(Span::from_secs(1));
        pair.network.log.clear();
        // The message takes three packets, and the last one of them is lost once
        let mut left = 3;
        pair.network.rule(move |sent| {
            left -= i32::from(!sent.data.is_empty());
            if left == 0 && !sent.data.is_empty() { Fault::Lose } else { Fault::None }
        });
        let options = SendOptions { sack_immediately: true, ..SendOptions::default() };
        pair.act(A, |endpoint, now| {
            endpoint.send_with(now, FIRST, message(4000), options).expect("there is room");
        });
        pair.drive(Span::from_secs(2));
        assert_eq!(pair.read(Z), 4000);
        assert_eq!(asked(&pair), [false, false, true, true], "the last one, and again");
        // The request was for that message alone
        pair.network.log.clear();
        pair.send(A, 100);
        pair.settle();
        assert_eq!(asked(&pair), [false]);
    }
}
