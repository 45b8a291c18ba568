//! Worlds with computed links equal worlds in which every step of a packet is an event.

use manypath_core::{Address, Rate, Span, Streams, Time, Via};
use manypath_link::loss::{BernoulliConfig, BitErrorConfig, GilbertElliottConfig};
use manypath_link::queue::{Capacity, CoDelConfig, RedConfig};
use manypath_link::{Change, LinkConfig, LinkEvent, LossConfig, QueueConfig};
use manypath_sim::{HostId, World};
use proptest::prelude::*;

use crate::toy::{Dumbbell, Player, lossy_core};

/// A network: its links, and for each game the links there, the links back and the number of balls.
#[derive(Debug, Clone)]
struct Plan {
    links: Vec<LinkConfig>,
    games: Vec<(Vec<usize>, Vec<usize>, u64)>,
}

/// Few values, so that many packets reach a link within the same nanosecond.
fn any_link() -> impl Strategy<Value = LinkConfig> {
    let rate = prop::sample::select(vec![1_000_000, 10_000_000, 12_345_678, 1_000_000_000]);
    let delay = prop::sample::select(vec![0, 1, 1_000, 1_000_000, 30_000_000]);
    let queue = prop_oneof![
        4 => (1_u64..30).prop_map(|packets| QueueConfig::DropTail(Capacity::Packets(packets))),
        1 => (40_u64..9000).prop_map(|bytes| QueueConfig::DropTail(Capacity::Bytes(bytes))),
        2 => (0.001..1.0, 0.0..5.0, 1.0..10.0, any::<bool>()).prop_map(|(weight, min, range, gentle)| {
            let red = RedConfig::new(weight, min, min + range, 0.1);
            QueueConfig::Red(RedConfig { gentle, bytes: gentle.then_some(6000), ..red })
        }),
        1 => Just(QueueConfig::CoDel(CoDelConfig::default())),
    ];
    let burst = GilbertElliottConfig { to_bad: 0.1, to_good: 0.5, loss_bad: 0.9, loss_good: 0.0 };
    let loss = prop_oneof![
        5 => Just(LossConfig::default()),
        1 => Just(LossConfig::Bernoulli(BernoulliConfig { p: 0.1 })),
        1 => Just(LossConfig::BitError(BitErrorConfig { rate: 1e-5, spared: 0 })),
        1 => Just(LossConfig::GilbertElliott(burst)),
    ];
    let jitter = prop_oneof![6 => Just(0_u64), 1 => 1_u64..1_000_000];
    let is_broken = prop::bool::weighted(0.1);
    (rate, delay, queue, loss, jitter, 0_u64..9, is_broken).prop_map(
        |(rate, delay, queue, loss, jitter, overhead, is_broken)| {
            let link = LinkConfig::new(Rate::from_bits_per_second(rate), Span::from_nanos(delay));
            let at = |millis| Time::ZERO + Span::from_millis(millis);
            let events = vec![
                LinkEvent { at: at(300), change: Change::Down },
                LinkEvent { at: at(500), change: Change::Up },
            ];
            LinkConfig {
                queue,
                loss,
                overhead,
                jitter: Span::from_nanos(jitter),
                events: if is_broken { events } else { Vec::new() },
                ..link
            }
        },
    )
}

fn any_plan() -> impl Strategy<Value = Plan> {
    prop::collection::vec(any_link(), 1..9).prop_flat_map(|links| {
        let count = links.len();
        let way = move || prop::collection::vec(0..count, 1..5);
        let games = prop::collection::vec((way(), way(), 0_u64..25), 1..6);
        games.prop_map(move |games| Plan { links: links.clone(), games })
    })
}

/// The hosts, each with the addresses that it uses.
type Hosts = Vec<(HostId, Via)>;

fn build(mut world: World<Player>, plan: &Plan, streams: &Streams) -> (World<Player>, Hosts) {
    let mut hosts = Vec::new();
    let mut links = Vec::new();
    for (number, (there, back, window)) in plan.games.iter().enumerate() {
        // Links and hosts are added in turns, so that hosts come before and after links in the order of events.
        while links.len() < plan.links.len()
            && (links.len() <= number || number + 1 == plan.games.len())
        {
            let name = links.len().to_string();
            links.push(world.add_link(&plan.links[links.len()], streams, &name));
        }
        let number = number as u8;
        let via =
            Via { local: Address::v4(10, number, 0, 1), remote: Address::v4(10, number, 0, 2) };
        hosts.push((world.add_host(Player::pinger(via, *window)), via, there));
        let ponger =
            if number.is_multiple_of(2) { Player::ponger() } else { Player::timed_ponger() };
        hosts.push((world.add_host(ponger), via.reversed(), back));
    }
    for pair in hosts.chunks(2) {
        for (from, to) in [(0, 1), (1, 0)] {
            let (host, via, way) = pair[from];
            let way: Vec<_> = way.iter().map(|&index| links[index]).collect();
            world.add_route(host, via, &way, pair[to].0);
        }
    }
    (world, hosts.into_iter().map(|(host, via, _)| (host, via)).collect())
}

/// Everything that can be read from a world.
fn readings(world: &mut World<Player>, hosts: &Hosts) -> Vec<String> {
    let mut lines = vec![format!("{} {:?} {:x}", world.now(), world.totals(), world.digest())];
    for link in world.links() {
        let counters = world.link_counters(link);
        let queue = (world.queue_len(link), world.queue_integral(link), world.busy(link));
        lines.push(format!("{link:?} {counters:?} {queue:?}"));
    }
    for &(host, via) in hosts {
        lines.push(format!("{host:?} {:?} {}", world.host_counters(host), world.lost(host, via)));
    }
    lines
}

proptest! {
    #[test]
    fn every_network_behaves_as_event_by_event(plan in any_plan(), steps in prop::collection::vec(0_u64..400, 1..6)) {
        let streams = Streams::new(1, 0);
        let (mut computed, hosts) = build(World::new(), &plan, &streams);
        let (mut events, _) = build(World::event_by_event(), &plan, &streams);
        let mut until = Time::ZERO;
        for (number, step) in steps.into_iter().enumerate() {
            until += Span::from_micros(step * 1000 + step % 3);
            computed.run_until(until);
            events.run_until(until);
            let (found, expected) = (readings(&mut computed, &hosts), readings(&mut events, &hosts));
            for (found, expected) in found.iter().zip(&expected) {
                prop_assert_eq!(found, expected);
            }
            prop_assert_eq!(computed.check_conservation(), Ok(()));
            prop_assert_eq!(events.check_conservation(), Ok(()));
            // A command between two runs.
            let (host, _) = hosts[number % hosts.len()];
            for world in [&mut computed, &mut events] {
                if let Player::Pinger(pinger) = world.host_mut(host) {
                    pinger.widen(number as u64 * 7);
                }
            }
        }
    }
}

#[test]
fn a_dumbbell_with_losses_behaves_as_event_by_event() {
    let run = |world| {
        let mut dumbbell = Dumbbell::within(world, 9, 20, &lossy_core(), &Streams::new(1, 0));
        dumbbell.world.run_until(Time::ZERO + Span::from_secs(60));
        dumbbell.world.check_conservation().unwrap();
        (dumbbell.world.digest(), dumbbell.world.totals(), dumbbell.returned())
    };
    assert_eq!(run(World::new()), run(World::event_by_event()));
}

/// A packet waits to enter a link, which drops it: the last event is the drop.
#[test]
fn without_an_end_the_time_stays_at_the_last_event() {
    let ends = |mut world: World<Player>| {
        let streams = Streams::new(1, 0);
        let fast = LinkConfig::new(Rate::from_bits_per_second(1_000_000_000), Span::ZERO);
        let queue = QueueConfig::DropTail(Capacity::Bytes(100));
        let full = LinkConfig { queue, delay: Span::from_millis(30), ..fast.clone() };
        let links = [("first", &fast), ("second", &fast), ("shared", &full)]
            .map(|(name, config)| world.add_link(config, &streams, name));
        let sink = world.add_host(Player::ponger());
        for number in 0..2 {
            let via =
                Via { local: Address::v4(10, number, 0, 1), remote: Address::v4(10, number, 0, 2) };
            let host = world.add_host(Player::persistent_pinger(via, u64::from(number)));
            world.add_route(host, via, &[links[usize::from(number)], links[2]], sink);
        }
        world.run_until(Time::NEVER);
        assert_eq!(world.totals().dropped, 1);
        world.now()
    };
    assert_eq!(ends(World::new()), Time::from_nanos(12_000));
    assert_eq!(ends(World::event_by_event()), Time::from_nanos(12_000));
}
