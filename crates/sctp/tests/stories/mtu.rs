//! Different headers and MTUs of paths, and a decreasing MTU. RFC 9260 §6.9, §7.3

use manypath_core::{Address, Packet as _, SansIo, Span, Streams, Time, Via};
use manypath_sctp::{Config, Endpoint, Packet};

use crate::cmt::concurrent;
use crate::pair::{A, FIRST, Fault, Pair, Z, message, path};

/// The sizes of A's packets with DATA in the log, and of their payloads.
fn sizes(pair: &Pair) -> (usize, usize) {
    let packets = || pair.data_packets(A);
    let payloads = packets().flat_map(|sent| &sent.data).map(|chunk| chunk.payload.len());
    (packets().map(|sent| sent.size).max().unwrap(), payloads.max().unwrap())
}

#[test]
fn packets_inside_udp_leave_room_for_its_header() {
    let mut pair = Pair::configured(1, |_, config| config.udp_encapsulation = true);
    pair.connect();
    pair.send(A, 20_000);
    pair.drive(Span::from_secs(2));
    assert_eq!(sizes(&pair), (20 + 8 + 12 + 16 + 1444, 1444));
    assert_eq!(pair.read(Z), 20_000);
}

/// Delivers all packets of one endpoint to the other; records network headers and sizes.
fn carry(from: &mut Endpoint, to: &mut Endpoint, via: Via, carried: &mut Vec<(u16, usize)>) {
    let mut packet = Packet::default();
    while from.poll_transmit(Time::ZERO, &mut packet).is_some() {
        carried.push((packet.network_header, packet.size()));
        to.handle_packet(Time::ZERO, via, &mut packet);
        packet.clear();
    }
}

#[test]
fn packets_of_ipv6_leave_room_for_its_header() {
    let address = |end: u128| Address::from_bits((0x2001_0db8 << 96) + end);
    let via = Via { local: address(1), remote: address(2) };
    for (udp_encapsulation, header) in [(false, 40), (true, 48)] {
        let config = |port| Config { port, udp_encapsulation, sack_every: 1, ..Config::default() };
        let streams = Streams::new(1, 0);
        let mut a = Endpoint::new(config(1), &streams, "a");
        let mut z = Endpoint::new(config(2), &streams, "z");
        a.connect(Time::ZERO, &[via], 2);
        a.send(Time::ZERO, FIRST, message(20_000)).unwrap();
        let mut carried = Vec::new();
        for _ in 0..20 {
            carry(&mut a, &mut z, via.reversed(), &mut carried);
            carry(&mut z, &mut a, via, &mut carried);
        }
        assert!(carried.iter().all(|(network_header, _)| *network_header == header));
        assert_eq!(carried.iter().map(|(_, size)| *size).max(), Some(1500));
        let received = z.receive(Time::ZERO, FIRST).expect("the message has arrived");
        assert_eq!(received.payload.len(), 20_000);
    }
}

#[test]
fn chunks_fit_the_smallest_mtu_of_all_paths() {
    let mut pair = Pair::configured(2, |_, config| {
        let (port, local) = (config.port, config.local.clone());
        *config = Config { port, local, ..concurrent() };
    });
    pair.connect();
    pair.drive(Span::from_secs(1));
    pair.endpoint(A).set_path_mtu(FIRST, path(1), 1280);
    pair.send(A, 100_000);
    pair.drive(Span::from_secs(3));
    let on = |path: usize| {
        let sizes = pair.data_packets(A).filter(|sent| sent.path == path).map(|sent| sent.size);
        sizes.max().expect("the path carries data")
    };
    assert_eq!((on(0), on(1)), (1280, 1280));
    assert!(pair.data_packets(A).all(|sent| !sent.may_fragment));
    assert_eq!(pair.read(Z), 100_000);
}

/// From now on routers drop larger packets that must not be fragmented.
fn narrow(pair: &mut Pair, mtu: usize) {
    pair.network.rule(move |sent| {
        let fits = sent.size <= mtu || sent.may_fragment;
        if fits { Fault::None } else { Fault::Lose }
    });
}

#[test]
fn chunks_that_exceed_a_smaller_mtu_are_retransmitted_with_ip_fragmentation() {
    let mut pair = Pair::new(1);
    pair.connect();
    pair.send(A, 200_000);
    pair.drive(Span::from_millis(100));
    narrow(&mut pair, 1000);
    pair.drive(Span::from_millis(100));
    pair.network.log.clear();
    pair.endpoint(A).set_path_mtu(FIRST, path(0), 1000);
    pair.drive(Span::from_secs(10));
    assert_eq!(pair.read(Z), 200_000);

    let large = |sent: &&crate::pair::Sent| sent.size > 1000;
    let packets: Vec<_> = pair.data_packets(A).collect();
    let fragmented = packets.iter().copied().filter(large);
    assert!(fragmented.clone().count() > 0);
    assert!(fragmented.clone().all(|sent| sent.may_fragment && sent.data.len() == 1));
    assert!(packets.iter().filter(|sent| sent.size <= 1000).all(|sent| !sent.may_fragment));
    assert_eq!(packets.iter().rev().nth(1).map(|sent| sent.size), Some(1000));
}

#[test]
fn a_lost_chunk_takes_a_path_with_a_smaller_mtu_when_its_own_one_fails() {
    let mut pair = Pair::new(2);
    pair.connect();
    pair.send(A, 60_000);
    pair.drive(Span::from_millis(30));
    pair.network.cut(0);
    narrow(&mut pair, 600);
    pair.endpoint(A).set_path_mtu(FIRST, path(1), 600);
    pair.drive(Span::from_secs(120));
    assert_eq!(pair.read(Z), 60_000);
}

#[test]
fn an_implausibly_small_mtu_counts_as_the_smallest_one() {
    let mut pair = Pair::new(1);
    pair.connect();
    pair.endpoint(A).set_path_mtu(FIRST, path(0), 0);
    pair.endpoint(A).set_path_mtu(FIRST, path(7), 1280);
    pair.send(A, 5000);
    pair.drive(Span::from_secs(2));
    assert_eq!(sizes(&pair).0, 512);
    assert_eq!(pair.read(Z), 5000);
}

#[test]
fn congestion_control_counts_in_the_packets_of_its_path() {
    let mut pair = Pair::new(1);
    pair.connect();
    pair.send(A, 50_000);
    pair.drive(Span::from_millis(100));
    pair.endpoint(A).set_path_mtu(FIRST, path(0), 1000);
    pair.network.cut(0);
    pair.drive(Span::from_secs(3));
    // RFC 9260 §7.2.3: a timeout leaves one packet, here without the headers of IPv4 and SCTP
    assert_eq!(pair.endpoint(A).path_stats(FIRST, path(0)).window, 1000 - 20 - 12);
    // The larger MTU makes the window larger
    pair.endpoint(A).set_path_mtu(FIRST, path(0), 9000);
    assert_eq!(pair.endpoint(A).path_stats(FIRST, path(0)).window, 9000 - 20 - 12);
}

#[test]
fn the_udp_header_does_not_count_in_windows() {
    let window = |udp_encapsulation| {
        let mut pair =
            Pair::configured(1, |_, config| config.udp_encapsulation = udp_encapsulation);
        pair.connect();
        pair.network.cut(0);
        pair.send(A, 50_000);
        pair.drive(Span::from_secs(3));
        pair.endpoint(A).path_stats(FIRST, path(0)).window
    };
    assert_eq!((window(false), window(true)), (1468, 1460));
}

#[test]
fn another_route_has_the_window_of_a_new_path() {
    let mut pair = Pair::new(2);
    pair.connect();
    let stats = |pair: &mut Pair, number| pair.endpoint(A).path_stats(FIRST, path(number));
    let (first, other) = (stats(&mut pair, 0), stats(&mut pair, 1));
    // The path has lost something and is in Fast Recovery
    pair.send(A, 300_000);
    pair.drive(Span::from_millis(80));
    pair.network.times(1, A, "DATA", Fault::Lose);
    pair.drive_until(|pair| stats(pair, 0).in_recovery);
    assert_ne!(
        (stats(&mut pair, 0).window, stats(&mut pair, 0).ssthresh),
        (first.window, first.ssthresh)
    );
    pair.act(A, |endpoint, now| endpoint.change_route(now, FIRST, path(0)));
    pair.act(A, |endpoint, now| endpoint.change_route(now, FIRST, path(9)));
    let now = stats(&mut pair, 0);
    assert_eq!((now.window, now.ssthresh), (first.window, first.ssthresh));
    assert!(now.in_slow_start && !now.in_recovery);
    assert_eq!(stats(&mut pair, 1).window, other.window);
    pair.drive(Span::from_secs(10));
    assert_eq!(pair.read(Z), 300_000);
}
