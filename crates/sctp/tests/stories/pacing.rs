//! Pacing: packets are spread over the round trip. RFC 9002 §7.7

use manypath_core::{BlockedTime, Rate, Span, Time};
use manypath_link::LinkConfig;
use manypath_sctp::{Burst, Config};

use crate::cmt::concurrent;
use crate::pair::{A, FIRST, Network, Pair, Z, path};
use crate::send::peer::{Peer, alone};

/// The round-trip time on the links of these stories without queueing.
const ROUND_TRIP: Span = Span::from_millis(20);

/// An association over 100 Mbit/s, 10 ms each way and an unlimited queue, which has carried data for one second.
fn running(paths: usize, change: impl Fn(&mut Config)) -> Pair {
    let link = LinkConfig::new(Rate::from_bits_per_second(100_000_000), ROUND_TRIP / 2);
    running_over(&vec![link; paths], change)
}

fn running_over(links: &[LinkConfig], change: impl Fn(&mut Config)) -> Pair {
    let mut pair = Pair::across(Network::of(links), 1, |_, config| {
        config.pacing = true;
        // The receive window exceeds the 90 packets of a round trip, so that the congestion window is the limit
        config.receive_buffer = 100_000;
        config.send_buffer = 400_000;
        change(config);
    });
    pair.connect();
    pair.drive(Span::from_millis(200));
    transfer(&mut pair, Span::from_secs(1));
    pair
}

/// A always has data to send, and Z reads it; returns the number of bytes that Z reads.
fn transfer(pair: &mut Pair, span: Span) -> usize {
    let end = pair.now + span;
    let mut read = 0;
    while pair.now < end {
        pair.offer(A, 500, 1452);
        assert!(pair.step());
        read += pair.read(Z);
    }
    read
}

/// Delivers and reads all data of A, then leaves the association idle for a while.
fn rest(pair: &mut Pair) {
    for _ in 0..40 {
        pair.drive(ROUND_TRIP);
        pair.read(A);
        pair.read(Z);
    }
    assert_eq!(pair.endpoint(A).path_stats(FIRST, path(0)).outstanding, 0);
    pair.network.log.clear();
}

/// When A's packets with DATA were sent on a path.
fn departures(pair: &Pair, path: usize) -> Vec<Time> {
    pair.data_packets(A).filter(|sent| sent.path == path).map(|sent| sent.at).collect()
}

/// The largest number of packets within one millisecond.
fn largest_burst(times: &[Time]) -> usize {
    let within = |first: &Time| {
        times.iter().filter(|at| *at >= first && **at - *first < Span::from_millis(1)).count()
    };
    times.iter().map(within).max().unwrap_or(0)
}

#[test]
fn departures_are_spaced_by_the_rate_of_the_window() {
    let mut pair = running(1, |_| ());
    pair.network.log.clear();
    transfer(&mut pair, ROUND_TRIP * 10);
    let stats = pair.endpoint(A).path_stats(FIRST, path(0));
    let times = departures(&pair, 0);
    let factor = if stats.in_slow_start { 2.0 } else { 1.25 };
    // Each packet takes 1,468 bytes of the window; a late timer is compensated by up to 2 ms
    let most = |span: Span| {
        let windows = factor * (span.as_secs_f64() + 0.002) / stats.srtt.as_secs_f64();
        (windows * stats.window as f64 / 1468.0).ceil() as usize + 1
    };
    assert!(times.len() > 500, "{}", times.len());
    assert!(largest_burst(&times) <= most(Span::from_millis(1)), "{}", largest_burst(&times));
}

#[test]
fn an_idle_path_sends_a_small_burst_and_paces_the_rest() {
    let burst = |pacing| {
        let mut pair = running(1, |config| (config.pacing, config.burst) = (pacing, Burst::None));
        rest(&mut pair);
        pair.offer(A, 60, 1452);
        let at_once = pair.data_packets(A).count();
        pair.drive(Span::from_millis(500));
        assert_eq!(pair.data_packets(A).count(), 60);
        at_once
    };
    let (sudden, paced) = (burst(false), burst(true));
    assert_eq!(sudden, 60, "the window has room for them all");
    assert!((3..=20).contains(&paced), "{paced}");
}

#[test]
fn a_paced_path_fills_its_window_despite_a_late_timer() {
    let links = [LinkConfig::new(Rate::from_bits_per_second(50_000_000), ROUND_TRIP / 2)];
    let exact = transfer(&mut running_over(&links, |_| ()), Span::from_secs(2));
    let sudden = |config: &mut Config| config.pacing = false;
    let unpaced = transfer(&mut running_over(&links, sudden), Span::from_secs(2));
    let mut pair = running_over(&links, |_| ());
    pair.late = Span::from_millis(1);
    let late = transfer(&mut pair, Span::from_secs(2));
    assert!(exact * 100 >= unpaced * 98, "{exact} of {unpaced} bytes");
    assert!(late * 100 >= unpaced * 98, "{late} of {unpaced} bytes");
}

#[test]
fn two_paths_are_paced_each_by_its_own_rate() {
    let links = [(100_000_000, 10), (20_000_000, 40)].map(|(rate, delay)| {
        LinkConfig::new(Rate::from_bits_per_second(rate), Span::from_millis(delay))
    });
    let mut pair = running_over(&links, |config| {
        *config = Config {
            local: config.local.clone(),
            port: config.port,
            pacing: true,
            burst: Burst::None,
            receive_buffer: 2_000_000,
            send_buffer: 2_000_000,
            ..concurrent()
        };
    });
    pair.network.log.clear();
    transfer(&mut pair, Span::from_millis(500));
    for index in [0, 1] {
        let stats = pair.endpoint(A).path_stats(FIRST, path(index));
        let times = departures(&pair, usize::from(index));
        let factor = if stats.in_slow_start { 2.0 } else { 1.25 };
        let per_second = factor * stats.window as f64 / stats.srtt.as_secs_f64() / 1468.0;
        let most = (per_second * 0.5 * 1.1) as usize + 10;
        assert!((50..=most).contains(&times.len()), "{} of {most} on {index}", times.len());
    }
}

#[test]
fn a_path_that_waits_for_its_departure_leaves_the_data_to_the_other_path() {
    let config = Config { pacing: true, ..concurrent() };
    let mut pair = Pair::configured(2, move |_, settings| {
        let (local, port) = (settings.local.clone(), settings.port);
        *settings = Config { local, port, ..config.clone() };
    });
    pair.connect();
    transfer(&mut pair, Span::from_secs(1));
    rest(&mut pair);
    pair.offer(A, 20, 1452);
    let at_once: Vec<usize> = pair.data_packets(A).map(|sent| sent.path).collect();
    assert!(at_once.contains(&0) && at_once.contains(&1), "{at_once:?}");
    assert!(at_once.len() < 20, "both wait for the rest: {at_once:?}");
    let waits = |pair: &mut Pair, index| {
        let now = pair.now;
        pair.endpoint(A).blocked(now, FIRST, path(index)).pacing
    };
    let before = waits(&mut pair, 0);
    pair.drive(Span::from_micros(100));
    assert_eq!(waits(&mut pair, 0) - before, Span::from_micros(100));
}

#[test]
fn an_acknowledgement_does_not_wait_while_data_does() {
    let mut pair = running(1, |_| ());
    pair.offer(Z, 60, 1452);
    rest(&mut pair);
    let arrived = pair.network.arrived.len();
    pair.offer(A, 2, 1452);
    pair.drive(ROUND_TRIP / 2);
    pair.offer(Z, 60, 1452);
    pair.network.log.clear();
    let both = |pair: &Pair| pair.network.arrived[arrived..].iter().filter(|it| it.0 == Z).count();
    pair.drive_until(|pair| both(pair) == 2);
    let sack = pair.sacks(Z).last().expect("every second packet is acknowledged").0;
    assert_eq!(sack, pair.now);
    pair.drive(Span::from_millis(500));
    assert!(pair.data_packets(Z).filter(|sent| sent.at > sack).count() > 10, "data waited");
}

#[test]
fn the_initial_window_is_not_paced() {
    let paced = Config { pacing: true, ..alone() };
    let mut peer = Peer::of(paced);
    assert_eq!(peer.submit(60, 1452), Peer::of(alone()).submit(60, 1452));
    assert_eq!(peer.endpoint.blocked(peer.now, FIRST, path(0)), BlockedTime::default());
}

#[test]
fn retransmissions_are_paced() {
    let mut peer = Peer::of(Config { pacing: true, ..alone() });
    peer.submit(100, 1452);
    let mut acked = 0;
    while peer.stats(0).window < 40_000 {
        peer.advance(Span::from_millis(5));
        acked += 1;
        peer.sack(acked, &[]);
    }
    peer.advance(Span::from_millis(5));
    // Ten chunks are lost; everything else arrives
    let highest = peer.highest;
    let gaps = [(acked + 11, highest)];
    let mut again = 0;
    for _ in 0..4 {
        again += peer.sack(acked, &gaps).len();
    }
    let before = peer.now;
    let mut times = Vec::new();
    while again + times.len() < 10 {
        times.extend(peer.advance_to_packets(1));
        assert!(peer.now - before < Span::from_millis(500), "{times:?}");
    }
    assert!(again < 10, "{again} left at once");
}
