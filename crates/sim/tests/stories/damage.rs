//! A damaged packet continues on its route, and its receiver is informed of the damage.

use std::mem;

use manypath_core::{Packet, Rate, SansIo, Span, Streams, Time, Via};
use manypath_link::loss::{BernoulliConfig, BitErrorConfig};
use manypath_link::queue::Capacity;
use manypath_link::{LinkConfig, LossConfig, QueueConfig};
use manypath_sim::World;

/// A packet with a number: 0, 1, 2, ...
#[derive(Debug, Default)]
struct Numbered(u64);

impl Packet for Numbered {
    fn size(&self) -> usize {
        SIZE as usize
    }

    fn clear(&mut self) {
        self.0 = 0;
    }
}

/// Sends all its packets at once, and records received ones: the number, and the damaged byte if there is one.
#[derive(Debug, Default)]
struct Station {
    stock: Vec<u64>,
    received: Vec<(u64, Option<u32>)>,
}

impl SansIo for Station {
    type Packet = Numbered;
    type Event = ();

    fn handle_packet(&mut self, _now: Time, _via: Via, packet: &mut Numbered) {
        self.received.push((mem::take(&mut packet.0), None));
    }

    fn handle_damaged(&mut self, _now: Time, _via: Via, packet: &mut Numbered, damaged_byte: u32) {
        self.received.push((mem::take(&mut packet.0), Some(damaged_byte)));
    }

    fn handle_timeout(&mut self, _now: Time) {}

    fn poll_transmit(&mut self, _now: Time, packet: &mut Numbered) -> Option<Via> {
        packet.0 = self.stock.pop()?;
        Some(Via::default())
    }

    fn poll_timeout(&self) -> Time {
        Time::NEVER
    }

    fn poll_event(&mut self) -> Option<()> {
        None
    }
}

/// A world in which one station has sent 2000 packets to another over links with these losses.
fn received_over(losses: &[LossConfig]) -> World<Station> {
    let (mut world, streams) = (World::new(), Streams::new(1, 0));
    let stock = (0..PACKETS).rev().collect();
    let sender = world.add_host(Station { stock, ..Station::default() });
    let receiver = world.add_host(Station::default());
    let links: Vec<_> = losses
        .iter()
        .enumerate()
        .map(|(index, loss)| {
            let mut config = LinkConfig::new(Rate::from_bits_per_second(1_000_000), Span::ZERO);
            config.queue = QueueConfig::DropTail(Capacity::Packets(PACKETS));
            config.loss = *loss;
            world.add_link(&config, &streams, &index.to_string())
        })
        .collect();
    world.add_route(sender, Via::default(), &links, receiver);
    world.run_until(Time::NEVER);
    world.check_conservation().unwrap();
    assert_eq!(world.packets().travelling(), 0);
    world
}

fn received(world: &World<Station>) -> &[(u64, Option<u32>)] {
    let receiver = world.hosts().nth(1).unwrap();
    &world.host(receiver).received
}

#[test]
fn a_damaged_packet_crosses_later_links_and_arrives_damaged() {
    let world = received_over(&[noise(1e-5), calm(), calm()]);
    let received = received(&world);
    assert!(received.iter().map(|packet| packet.0).eq(0..PACKETS), "in order and complete");
    let damaged: Vec<_> = received.iter().filter_map(|packet| packet.1).collect();
    assert!(damaged.iter().all(|&byte| byte < SIZE));

    let counters: Vec<_> = world.links().map(|link| world.link_counters(link)).collect();
    assert_eq!(counters[0].damaged, damaged.len() as u64);
    assert_eq!([counters[1].damaged, counters[2].damaged], [0, 0]);
    assert!(counters.iter().all(|link| link.delivered == PACKETS && link.lost == 0));
    let totals = world.totals();
    assert_eq!((totals.delivered, totals.damaged), (PACKETS, damaged.len() as u64));
    // 1 - (1 - 1e-5)^8000 = 7.69 %: 154 of 2000, with a deviation of 12.
    assert!(damaged.len().abs_diff(154) < 40, "{} packets damaged", damaged.len());
}

#[test]
fn a_packet_damaged_twice_keeps_the_damage_of_the_first_link() {
    // The random numbers of the first link do not depend on the second link.
    let once = received_over(&[noise(1e-4), calm()]);
    let twice = received_over(&[noise(1e-4), noise(1.0)]);
    let second = twice.link_counters(twice.links().nth(1).unwrap());
    assert_eq!(second.damaged, PACKETS);
    for (first, both) in received(&once).iter().zip(received(&twice)) {
        assert_eq!(first.0, both.0);
        assert!(both.1.is_some());
        assert!(first.1.is_none() || first.1 == both.1);
    }
    assert!(received(&once).iter().filter(|packet| packet.1.is_some()).count() > 800);
}

#[test]
fn a_damaged_packet_can_still_be_lost() {
    let loss = LossConfig::Bernoulli(BernoulliConfig { p: 0.5 });
    let world = received_over(&[noise(1.0), loss]);
    let totals = world.totals();
    assert_eq!(totals.damaged, totals.delivered);
    assert_eq!(totals.delivered + totals.lost, PACKETS);
    assert!(totals.lost > 900);
}

#[test]
fn a_route_counts_each_lost_or_damaged_packet_once() {
    let loss = LossConfig::Bernoulli(BernoulliConfig { p: 0.5 });
    let world = received_over(&[noise(1e-4), loss]);
    let [sender, receiver] = [0, 1].map(|number| world.hosts().nth(number).unwrap());
    let totals = world.totals();
    assert_eq!(world.lost(sender, Via::default()), totals.lost + totals.damaged);
    let whole = received(&world).iter().filter(|packet| packet.1.is_none()).count() as u64;
    assert_eq!(world.lost(sender, Via::default()), PACKETS - whole);
    assert_eq!(world.lost(receiver, Via::default()), 0);
}

#[test]
fn the_digest_depends_on_damage_and_its_offset() {
    let digests = [0.0, 1e-5, 1e-4].map(|rate| received_over(&[noise(rate)]).digest());
    assert_eq!(digests[0], received_over(&[calm()]).digest());
    assert!(digests[0] != digests[1] && digests[1] != digests[2] && digests[0] != digests[2]);
}

fn noise(rate: f64) -> LossConfig {
    LossConfig::BitError(BitErrorConfig { rate, spared: 0 })
}

fn calm() -> LossConfig {
    LossConfig::default()
}

const PACKETS: u64 = 2000;
const SIZE: u32 = 1000;
