//! Packets follow their routes, with the delays of the links.

use crate::toy::{Dumbbell, PING, PONG, Player, slow_core};
use manypath_core::{Address, Rate, Span, Streams, Time, Via};
use manypath_link::queue::{Capacity, FqCoDelConfig};
use manypath_link::{Change, LinkConfig, LinkEvent, QueueConfig};
use manypath_sim::{Probe, World};

fn seconds(seconds: u64) -> Time {
    Time::ZERO + Span::from_secs(seconds)
}

#[test]
fn with_one_ball_the_round_trips_follow_each_other() {
    let mut dumbbell = Dumbbell::new(1, 1, &slow_core(), &Streams::new(1, 0));
    dumbbell.world.run_until(seconds(10));
    // Forward: 1500 bytes over 1 Gbit/s, 10 Mbit/s, 1 Gbit/s; reverse: 40 bytes over the same; 2 * 10 ms of propagation.
    let round_trip = (2 * 12_000 + 1_200_000) + (2 * 320 + 32_000) + 20_000_000;
    assert_eq!(dumbbell.returned(), 10_000_000_000 / round_trip);
    assert_eq!(dumbbell.world.totals().hops / 6, dumbbell.returned());
}

#[test]
fn enough_balls_fill_the_core() {
    let mut dumbbell = Dumbbell::new(4, 10, &slow_core(), &Streams::new(1, 0));
    dumbbell.world.run_until(seconds(10));
    // A ball takes 12 us to the core, 1.2 ms of transmission and 10 ms of propagation; then one arrives every 1.2 ms.
    let counters = dumbbell.world.link_counters(dumbbell.core);
    assert_eq!(counters.delivered, (10_000_000_000 - 10_012_000) / 1_200_000);
    assert_eq!(counters.bytes_delivered, counters.delivered * PING as u64);
    assert_eq!(counters.dropped_queue, 0);
    let fair = dumbbell.returned() / 4;
    for &pinger in &dumbbell.pingers {
        assert!(dumbbell.world.host(pinger).as_pinger().returned.abs_diff(fair) <= 10);
    }
}

#[test]
fn dropped_packets_can_be_replayed() {
    let queue = QueueConfig::DropTail(Capacity::Packets(5));
    let mut dumbbell =
        Dumbbell::new(1, 50, &LinkConfig { queue, ..slow_core() }, &Streams::new(1, 0));
    dumbbell.world.run_until(seconds(10));
    dumbbell.world.check_conservation().unwrap();
    let totals = dumbbell.world.totals();
    assert!(totals.dropped > 0);
    assert!(
        dumbbell.world.host(dumbbell.pingers[0]).as_pinger().timeouts == 0,
        "balls still return"
    );
    let sent = *dumbbell.world.host_counters(dumbbell.pingers[0]);
    let got = *dumbbell.world.host_counters(dumbbell.pongers[0]);
    assert_eq!(got.sent, got.received);
    assert_eq!(got.bytes_received, got.received * PING as u64);
    assert_eq!(sent.bytes_received, sent.received * PONG as u64);
}

#[test]
fn routes_are_flows_for_queues_that_distinguish_flows() {
    // One game has a single ball, another one fills the core with a hundred.
    let returned = |queue| {
        let core = LinkConfig { queue, ..slow_core() };
        let mut dumbbell = Dumbbell::new(2, 1, &core, &Streams::new(1, 0));
        let greedy = dumbbell.pingers[1];
        let Player::Pinger(pinger) = dumbbell.world.host_mut(greedy) else { panic!() };
        pinger.widen(100);
        dumbbell.world.run_until(seconds(10));
        dumbbell.world.check_conservation().unwrap();
        dumbbell.world.host(dumbbell.pingers[0]).as_pinger().returned
    };
    // 21.3 ms of round trip, and 1.2 ms for the ball in transmission.
    let fair = returned(QueueConfig::FqCoDel(FqCoDelConfig::default()));
    assert!((10_000_000 / 22_500..10_000_000 / 21_200).contains(&fair), "{fair} balls");
    // Without fair queueing the ball waits for 80 more.
    let unfair = returned(QueueConfig::DropTail(Capacity::Packets(1000)));
    assert!((10_000_000 / 125_000..10_000_000 / 100_000).contains(&unfair), "{unfair} balls");
}

#[test]
fn a_timer_wakes_an_idle_host() {
    let mut core = slow_core();
    core.events = vec![
        LinkEvent { at: seconds(1), change: Change::Down },
        LinkEvent { at: seconds(4), change: Change::Up },
    ];
    let mut dumbbell = Dumbbell::new(1, 5, &core, &Streams::new(1, 0));
    dumbbell.world.run_until(seconds(3));
    // The last ball returned within 10 ms of 1 s; the timeout is half a second.
    let before = dumbbell.returned();
    assert_eq!(dumbbell.world.host(dumbbell.pingers[0]).as_pinger().timeouts, 3);
    dumbbell.world.run_until(seconds(5));
    assert!(dumbbell.returned() > before + 100);
    dumbbell.world.check_conservation().unwrap();
}

#[test]
fn a_command_takes_effect_when_the_world_continues() {
    let mut dumbbell = Dumbbell::new(1, 0, &slow_core(), &Streams::new(1, 0));
    dumbbell.world.run_until(seconds(1));
    assert_eq!(dumbbell.world.totals().sent, 0);
    let Player::Pinger(pinger) = dumbbell.world.host_mut(dumbbell.pingers[0]) else { panic!() };
    pinger.widen(1);
    dumbbell.world.run_until(seconds(1));
    assert_eq!(dumbbell.world.totals().sent, 1);
    assert_eq!(dumbbell.world.now(), seconds(1));
}

#[test]
fn a_packet_without_a_route_is_counted() {
    let mut world = World::new();
    let lost = Via { local: Address::v4(10, 0, 0, 1), remote: Address::v4(10, 0, 0, 9) };
    let host = world.add_host(Player::pinger(lost, 3));
    world.run_until(Time::from_nanos(1));
    let totals = world.totals();
    assert_eq!((totals.sent, totals.no_route, totals.in_flight), (3, 3, 0));
    assert_eq!(world.host_counters(host).no_route, 3);
    assert_eq!(world.check_conservation(), Ok(()));
}

#[test]
fn packets_of_one_instant_arrive_in_the_order_of_their_links() {
    // Four hosts send 1, 2, 3 and 4 balls to one host at the same instant over separate equal links.
    let config = LinkConfig::new(Rate::from_bits_per_second(1_000_000), Span::from_millis(1));
    let (mut world, streams) = (World::new(), Streams::new(1, 0));
    let sink = world.add_host(Player::logging_ponger());
    let sources = [1, 2, 3, 4].map(|number| Address::v4(10, 0, 0, number));
    for (balls, local) in (1..).zip(sources) {
        let link = world.add_link(&config, &streams, &local.to_string());
        let via = Via { local, remote: Address::v4(10, 0, 0, 9) };
        let host = world.add_host(Player::pinger(via, balls));
        world.add_route(host, via, &[link], sink);
    }
    world.run_until(Time::ZERO + Span::from_millis(100));
    let log = world.host(sink).as_ponger().log.as_ref().unwrap();
    let rounds: Vec<_> = log.chunk_by(|a, b| a.0 == b.0).collect();
    assert_eq!(rounds.len(), 4);
    for (missing, round) in rounds.into_iter().enumerate() {
        let order: Vec<_> = round.iter().map(|&(_, source)| source).collect();
        assert_eq!(order, sources[missing..]);
    }
}

#[test]
fn packets_are_recycled() {
    let mut dumbbell = Dumbbell::new(2, 10, &slow_core(), &Streams::new(1, 0));
    dumbbell.world.run_until(seconds(1));
    let warm = dumbbell.world.packets().capacity();
    dumbbell.world.run_until(seconds(20));
    assert_eq!(dumbbell.world.packets().capacity(), warm);
    assert!(warm <= 21, "{warm} packets for 20 balls");
}

#[test]
fn a_probe_reads_at_regular_intervals_and_at_the_end() {
    let mut dumbbell = Dumbbell::new(1, 1, &slow_core(), &Streams::new(1, 0));
    let mut readings = Vec::new();
    let mut probe = Probe::new(seconds(2), Span::from_secs(2));
    probe.run(&mut dumbbell.world, seconds(7), |world| {
        readings.push((world.now(), world.totals().delivered));
    });
    assert_eq!(readings.iter().map(|r| r.0).collect::<Vec<_>>(), [2, 4, 6].map(seconds));
    assert_eq!(dumbbell.world.now(), seconds(7));
    assert_eq!(probe.next(), seconds(8));
    assert!(readings.is_sorted_by(|a, b| a.1 < b.1));
}

#[test]
#[should_panic(expected = "wakes up without end")]
fn a_timer_that_stays_due_fails_the_run() {
    let mut world = World::new();
    world.add_host(Stuck);
    world.run_until(seconds(1));
}

/// A host whose timer is always due.
#[derive(Debug)]
struct Stuck;

impl manypath_core::SansIo for Stuck {
    type Packet = crate::toy::Ball;
    type Event = ();
    fn handle_packet(&mut self, _now: Time, _via: Via, _ball: &mut crate::toy::Ball) {}
    fn handle_timeout(&mut self, _now: Time) {}
    fn poll_transmit(&mut self, _now: Time, _ball: &mut crate::toy::Ball) -> Option<Via> {
        None
    }
    fn poll_timeout(&self) -> Time {
        Time::ZERO
    }
    fn poll_event(&mut self) -> Option<()> {
        None
    }
}
