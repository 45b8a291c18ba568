//! How connections are opened: options, lost segments, crossing SYNs, peers that do not exist. RFC 9293 §3.5

use manypath_core::{Span, Time};
use manypath_tcp::{CloseReason, ConnectionId, Event, WriteError};

use crate::stage::{A, FIRST, Fault, Pair, Z};

#[test]
fn three_segments_open_a_connection() {
    let mut pair = Pair::new();
    pair.open(A);
    pair.settle();
    let syn = &pair.network.log[0].options;
    assert_eq!((syn.mss, syn.window_scale, syn.sack_permitted), (Some(1460), Some(4), true));
    assert_eq!(pair.arrows(), ["A -> SYN -> Z", "Z -> SYN ACK -> A", "A -> ACK -> Z"]);
    assert_eq!(pair.events(A), [Event::Connected(FIRST)]);
    assert_eq!(pair.events(Z), [Event::Connected(FIRST)]);
    let srtt = pair.path_stats(A).srtt;
    assert!(srtt > Span::from_millis(20) && srtt < Span::from_millis(21), "{srtt}");
}

#[test]
fn no_data_is_accepted_before_the_connection_is_established() {
    let mut pair = Pair::new();
    pair.open(A);
    let refused = pair.act(A, |endpoint, now| endpoint.write(now, FIRST, vec![1].into()));
    assert_eq!(refused, Err(WriteError::NotConnected));
    let unknown = pair.act(A, |endpoint, now| endpoint.write(now, ConnectionId(9), vec![1].into()));
    assert_eq!(unknown, Err(WriteError::NotConnected));
}

#[test]
fn the_smaller_segment_size_holds_and_options_of_data_fit_into_it() {
    let mut pair = Pair::configured(|side, config| {
        config.mss = if side == A { 1460 } else { 1000 };
        config.data_option_bytes = 20;
        config.ack_option_bytes = 12;
    });
    pair.connect();
    pair.write(A, 5000);
    pair.drive_until_read(Z, 5000);
    pair.settle();
    let sent = |from| pair.network.log.iter().filter(move |sent| sent.from == from);
    assert!(sent(A).any(|sent| sent.length == 980));
    assert!(sent(A).all(|sent| sent.size <= 1040 && sent.size == sent.length + 60));
    assert!(sent(Z).all(|sent| sent.size == 52), "pure acknowledgements");
}

#[test]
fn a_peer_without_selective_acknowledgements_gets_none() {
    let mut pair = Pair::configured(|side, config| config.sack = side == A);
    pair.connect();
    pair.network.lose(A, &[2]);
    pair.write(A, 10 * 1460);
    pair.drive_until_read(Z, 10 * 1460);
    assert!(pair.network.log.iter().all(|sent| sent.options.sack.is_empty()));
    assert_eq!(pair.stats(A).timeouts, 0, "duplicate acknowledgements repair the loss");
}

#[test]
fn a_lost_syn_costs_a_second_and_the_initial_window() {
    for (from, label) in [(A, "SYN"), (Z, "SYN ACK")] {
        let mut pair = Pair::new();
        pair.network.once(from, label, Fault::Lose);
        pair.open(A);
        pair.drive(Span::from_millis(1100));
        assert_eq!(pair.events(A), [Event::Connected(FIRST)]);
        // RFC 5681 §3.1: one segment; RFC 6298 §5.7: three seconds before there is a measurement
        let path = pair.path_stats(A);
        assert_eq!((path.window, path.rto), (1460, Span::from_secs(3)));
    }
}

#[test]
fn data_replaces_a_lost_ack_of_the_handshake() {
    let mut pair = Pair::new();
    pair.network.once(A, "ACK", Fault::Lose);
    pair.open(A);
    pair.settle();
    assert_eq!(pair.events(Z), []);
    pair.write(A, 1000);
    pair.drive_until_read(Z, 1000);
    assert_eq!(pair.events(Z), [Event::Connected(FIRST), Event::Readable(FIRST)]);
}

#[test]
fn a_lost_ack_of_the_handshake_is_repeated_on_demand() {
    let mut pair = Pair::new();
    pair.network.once(A, "ACK", Fault::Lose);
    pair.open(A);
    pair.drive(Span::from_millis(1500));
    assert_eq!(pair.events(Z), [Event::Connected(FIRST)]);
    assert_eq!(
        pair.arrows(),
        [
            "A -> SYN -> Z",
            "Z -> SYN ACK -> A",
            "A -> ACK -> lost",
            "Z -> SYN ACK -> A",
            "A -> ACK -> Z"
        ]
    );
}

#[test]
fn crossing_syns_open_one_connection() {
    let mut pair = Pair::new();
    pair.open(A);
    pair.open(Z);
    pair.settle();
    assert_eq!(pair.events(A), [Event::Connected(FIRST)]);
    assert_eq!(pair.events(Z), [Event::Connected(FIRST)]);
    pair.network.lose(A, &[2]);
    pair.write(A, 20_000);
    pair.drive_until_read(Z, 20_000);
    pair.write(Z, 3000);
    pair.drive_until_read(A, 3000);
    assert_eq!(pair.stats(A).timeouts, 0);
}

#[test]
fn a_peer_that_never_answers_is_given_up() {
    let mut pair = Pair::configured(|_, config| config.max_syn_retransmissions = 3);
    pair.network.cut(0);
    pair.open(A);
    pair.drive_until(|pair| pair.close_reason(A).is_some());
    // 1 + 2 + 4 + 8 seconds
    assert_eq!(pair.now, Time::ZERO + Span::from_secs(15));
    assert_eq!(pair.arrows(), ["A -> SYN -> lost"; 4]);
}

#[test]
fn a_closed_port_refuses_connections() {
    let mut pair = Pair::new();
    pair.act(A, |endpoint, now| endpoint.connect(now, &[A.via(0)], 9));
    pair.settle();
    assert_eq!(pair.arrows(), ["A -> SYN -> Z", "Z -> RST -> A"]);
    assert_eq!(pair.close_reason(A), Some(CloseReason::ResetByPeer));
}

#[test]
fn two_connections_between_the_same_endpoints_do_not_mix() {
    let mut pair = Pair::new();
    pair.connect();
    let second = pair.open(A);
    pair.settle();
    assert_eq!(pair.events(A), [Event::Connected(second)]);
    pair.act(A, |endpoint, now| endpoint.write(now, second, vec![9; 10].into())).unwrap();
    pair.write(A, 500);
    pair.drive_until_read(Z, 500);
    let other = pair.act(Z, |endpoint, now| endpoint.read(now, second));
    assert_eq!(other.unwrap(), vec![9; 10]);
}
