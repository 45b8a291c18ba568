//! Probes find the largest packet of each path. RFC 8899, RFC 4820

use manypath_core::{PathId, SansIo, Span, Time};
use manypath_sctp::{Config, Control, MtuDiscovery, PathState};

use crate::cmt::concurrent;
use crate::pair::{A, FIRST, Fault, Pair, Sent, Side, Z, path};

/// Two endpoints. A probes all paths and begins with packets of 1280 bytes.
fn probing(paths: usize) -> Pair {
    Pair::configured(paths, probes)
}

fn probes(side: Side, config: &mut Config) {
    config.mtu = 1280;
    config.mtu_discovery = (side == A).then_some(MtuDiscovery::RFC8899);
}

fn is_probe(sent: &Sent) -> bool {
    sent.control.iter().any(|chunk| matches!(chunk, Control::Padding(_)))
}

/// From now on packets larger than `mtu` are lost without an ICMP message, unless they may be fragmented.
fn swallow(pair: &mut Pair, mtu: usize) {
    pair.network.forget_rules();
    pair.network.rule(move |sent| {
        let fits = sent.size <= mtu || sent.may_fragment;
        if fits { Fault::None } else { Fault::Lose }
    });
}

fn mtu(pair: &mut Pair, number: u8) -> u16 {
    pair.endpoint(A).path_mtu(FIRST, path(number)).expect("the path is there")
}

/// The sizes of A's probes on a path in the log.
fn probed(pair: &Pair, number: usize) -> Vec<usize> {
    let probes = pair.network.log.iter().filter(|sent| sent.from == A && sent.path == number);
    probes.filter(|sent| is_probe(sent)).map(|sent| sent.size).collect()
}

#[test]
fn a_probe_is_a_heartbeat_with_padding_alone_in_a_packet_of_its_size() {
    for udp_encapsulation in [false, true] {
        let mut pair = Pair::configured(1, |side, config| {
            probes(side, config);
            config.udp_encapsulation = udp_encapsulation;
        });
        pair.open(A);
        pair.send(A, 20_000);
        pair.drive(Span::from_secs(1));
        assert_eq!(probed(&pair, 0), [1280, 1500, 9216]);
        let probes: Vec<_> = pair.network.log.iter().filter(|sent| is_probe(sent)).collect();
        assert!(probes.iter().all(|sent| sent.label == "HEARTBEAT + PAD" && !sent.may_fragment));
        // The packets grow only after the answer
        assert_eq!(mtu(&mut pair, 0), 9216);
        assert_eq!(pair.read(Z), 20_000);
    }
}

#[test]
fn without_mtu_discovery_nothing_is_probed() {
    let mut pair = Pair::new(1);
    pair.connect();
    pair.send(A, 20_000);
    pair.drive(Span::from_secs(700));
    assert!(!pair.network.log.iter().any(is_probe));
    assert_eq!(pair.endpoint(A).path_stats(FIRST, path(0)).mtu_probes, 0);
}

#[test]
fn each_size_is_tried_three_times_before_it_counts_as_too_large() {
    let mut pair = probing(1);
    pair.open(A);
    swallow(&mut pair, 1500);
    pair.drive(Span::from_secs(5));
    assert_eq!(probed(&pair, 0)[..7], [1280, 1500, 9216, 9216, 9216, 9000, 9000]);
    assert_eq!(mtu(&mut pair, 0), 1500);
}

#[test]
fn the_search_ends_close_below_the_largest_packet_that_passes() {
    for (largest, found) in [(1500, 1500), (1492, 1492), (1400, 1400), (1279, 1245), (1360, 1340)] {
        let mut pair = probing(1);
        pair.open(A);
        swallow(&mut pair, largest);
        pair.drive(Span::from_secs(120));
        assert_eq!(usize::from(mtu(&mut pair, 0)), found, "{largest}");
        pair.network.log.clear();
        pair.drive(Span::from_secs(400));
        assert_eq!(probed(&pair, 0), [0; 0], "{largest}");
    }
}

#[test]
fn after_ten_minutes_larger_packets_are_tried_again() {
    let mut pair = probing(1);
    pair.open(A);
    swallow(&mut pair, 1400);
    pair.drive(Span::from_secs(60));
    assert_eq!(mtu(&mut pair, 0), 1400);
    pair.network.forget_rules();
    pair.drive(Span::from_secs(500));
    assert_eq!(mtu(&mut pair, 0), 1400);
    pair.drive(Span::from_secs(120));
    assert_eq!(mtu(&mut pair, 0), 9216);
}

#[test]
fn lost_probes_are_no_errors_of_their_path_and_no_losses_of_its_window() {
    let mut pair = probing(1);
    pair.open(A);
    swallow(&mut pair, 1280);
    pair.send(A, 100_000);
    pair.drive(Span::from_secs(30));
    let stats = pair.endpoint(A).path_stats(FIRST, path(0));
    assert!(probed(&pair, 0).len() >= 6);
    assert_eq!((stats.state, stats.timeouts), (PathState::Active, 0));
    assert!(stats.in_slow_start && !stats.in_recovery);
    assert_eq!(pair.endpoint(A).stats(FIRST).fast_retransmissions, 0);
    assert_eq!(pair.read(Z), 100_000);
}

#[test]
fn each_path_has_at_most_one_probe_on_its_way() {
    let mut pair = probing(3);
    pair.open(A);
    swallow(&mut pair, 1450);
    pair.drive(Span::from_secs(60));
    for number in 0..3 {
        let sent = pair.network.log.iter().filter(|sent| sent.path == number && is_probe(sent));
        let sent: Vec<_> = sent.collect();
        assert_eq!(sent.len(), 8, "path {number}");
        // The next probe follows a lost one after PROBE_TIMER, an answered one after a round trip
        for both in sent.windows(2) {
            let least = if both[0].lost { Span::from_secs(1) } else { Span::from_millis(20) };
            assert!(both[1].at.saturating_since(both[0].at) >= least, "path {number}");
        }
        assert_eq!(mtu(&mut pair, number as u8), 1450);
    }
}

#[test]
fn a_path_below_the_base_size_starts_with_the_smallest_packets_and_searches_upwards() {
    let mut pair = probing(1);
    pair.open(A);
    swallow(&mut pair, 600);
    pair.drive(Span::from_secs(4));
    assert_eq!(mtu(&mut pair, 0), 576);
    pair.send(A, 5000);
    pair.drive(Span::from_secs(5));
    assert_eq!(pair.read(Z), 5000);
    pair.network.forget_rules();
    pair.drive(Span::from_secs(700));
    assert_eq!(mtu(&mut pair, 0), 9216);
}

#[test]
fn an_icmp_message_shortens_the_search() {
    let mut pair = probing(1);
    pair.open(A);
    swallow(&mut pair, 1450);
    let too_big = |pair: &mut Pair, size| {
        pair.act(A, |endpoint, now| endpoint.packet_too_big(now, FIRST, path(0), size));
    };
    pair.drive_until(|pair| probed(pair, 0).last() == Some(&1500));
    // Larger than the probe, or smaller than any network takes: forged, or stale. RFC 8899 §4.6.2
    too_big(&mut pair, 1500);
    too_big(&mut pair, 60);
    too_big(&mut pair, 1450);
    pair.drive(Span::from_millis(500));
    assert_eq!(probed(&pair, 0), [1280, 1500, 1448]);
    assert_eq!(mtu(&mut pair, 0), 1450);
}

#[test]
fn an_icmp_message_about_the_size_in_use_resets_to_the_base_and_probes_the_reported_size() {
    for (named, meanwhile) in [(1400, 1280), (1200, 576), (1280, 1280)] {
        let mut pair = probing(1);
        pair.open(A);
        pair.drive(Span::from_secs(1));
        swallow(&mut pair, named);
        let act = |endpoint: &mut manypath_sctp::Endpoint, now: Time| {
            endpoint.packet_too_big(now, FIRST, path(0), named as u16);
            endpoint.packet_too_big(now, FIRST, PathId(9), named as u16);
        };
        pair.act(A, act);
        assert_eq!(mtu(&mut pair, 0), meanwhile, "{named}");
        pair.drive(Span::from_millis(100));
        assert_eq!(usize::from(mtu(&mut pair, 0)), named);
    }
}

#[test]
fn without_a_search_icmp_lowers_an_mtu_and_never_raises_it() {
    let mut pair = Pair::new(1);
    pair.connect();
    for size in [1400, 1450, 1300, 9000] {
        pair.act(A, |endpoint, now| endpoint.packet_too_big(now, FIRST, path(0), size));
    }
    assert_eq!(mtu(&mut pair, 0), 1300);
}

#[test]
fn a_black_hole_is_found_by_timeouts_of_large_packets() {
    let mut pair = probing(1);
    pair.open(A);
    pair.drive(Span::from_secs(1));
    assert_eq!(mtu(&mut pair, 0), 9216);
    swallow(&mut pair, 1400);
    pair.send(A, 200_000);
    let begin = pair.now;
    pair.drive_until(|pair| mtu(pair, 0) == 1280);
    assert_eq!(pair.endpoint(A).path_stats(FIRST, path(0)).timeouts, 2);
    assert!(pair.now.saturating_since(begin) < Span::from_secs(5));
    pair.drive(Span::from_secs(60));
    assert_eq!(pair.read(Z), 200_000);
    assert_eq!(mtu(&mut pair, 0), 1400);
}

#[test]
fn timeouts_of_packets_up_to_the_base_size_are_ignored() {
    let mut pair = probing(1);
    pair.open(A);
    pair.drive(Span::from_secs(1));
    pair.network.cut(0);
    pair.send(A, 800);
    pair.drive(Span::from_secs(20));
    assert!(pair.endpoint(A).path_stats(FIRST, path(0)).timeouts >= 3);
    assert_eq!(mtu(&mut pair, 0), 9216);
    pair.network.restore(0);
    pair.drive(Span::from_secs(30));
    assert_eq!(pair.read(Z), 800);
}

#[test]
fn a_path_that_has_failed_is_not_probed_until_it_works_again() {
    let mut pair = Pair::configured(2, |side, config| {
        probes(side, config);
        (config.path_max_retransmissions, config.heartbeat_interval) = (0, Span::from_secs(5));
    });
    pair.network.cut(1);
    pair.open(A);
    pair.drive_until(|pair| {
        pair.endpoint(A).path_stats(FIRST, path(1)).state == PathState::Inactive
    });
    pair.network.log.clear();
    pair.drive(Span::from_secs(30));
    assert_eq!(probed(&pair, 1), [0; 0]);
    pair.network.restore(1);
    pair.drive(Span::from_secs(200));
    assert_eq!(mtu(&mut pair, 1), 9216);
}

#[test]
fn another_route_is_searched_like_a_new_path() {
    let mut pair = probing(1);
    pair.open(A);
    pair.drive(Span::from_secs(1));
    swallow(&mut pair, 1400);
    pair.act(A, |endpoint, now| endpoint.change_route(now, FIRST, path(0)));
    assert_eq!(mtu(&mut pair, 0), 1280);
    pair.drive(Span::from_secs(60));
    assert_eq!(mtu(&mut pair, 0), 1400);
}

#[test]
fn chunks_grow_when_the_last_path_has_found_its_mtu() {
    let mut pair = Pair::configured(2, |side, config| {
        let (port, local) = (config.port, config.local.clone());
        *config = Config { port, local, ..concurrent() };
        probes(side, config);
    });
    pair.network.rule(|sent| {
        let fits = sent.path == 0 || sent.size <= 1500;
        if fits { Fault::None } else { Fault::Lose }
    });
    pair.open(A);
    pair.drive(Span::from_secs(60));
    pair.network.log.clear();
    pair.send(A, 100_000);
    pair.drive(Span::from_secs(3));
    assert_eq!((mtu(&mut pair, 0), mtu(&mut pair, 1)), (9216, 1500));
    let chunks = pair.data_packets(A).flat_map(|sent| &sent.data);
    assert_eq!(chunks.map(|chunk| chunk.payload.len()).max(), Some(1500 - 20 - 12 - 16));
    assert_eq!(
        pair.data_packets(A).filter(|sent| sent.path == 1).map(|it| it.size).max(),
        Some(1500)
    );
    assert_eq!(pair.read(Z), 100_000);
}

#[test]
fn nothing_is_probed_once_the_association_ends() {
    let mut pair = probing(1);
    pair.open(A);
    swallow(&mut pair, 1280);
    pair.drive(Span::from_secs(2));
    pair.shutdown(A);
    pair.network.log.clear();
    pair.drive(Span::from_secs(700));
    assert_eq!(probed(&pair, 0), [0; 0]);
    assert_eq!(pair.endpoint(A).poll_timeout(), Time::NEVER);
}
