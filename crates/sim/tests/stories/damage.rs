//! A packet that a link damaged travels on, and its receiver hears of it.

use std::mem;

use manypath_core::{Packet, Rate, SansIo, Span, Streams, Time, Via};
use manypath_link::loss::{BernoulliConfig, BitErrorConfig};
use manypath_link::queue::Capacity;
use manypath_link::{LinkConfig, LossConfig, Pipe, QueueConfig};
use manypath_sim::World;

/// Packets of the numbers 0, 1, 2, ...
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

/// Sends its stock at once, and notes what arrives: the number, and the damaged byte if there is one.
#[derive(Debug, Default)]
struct Station {
    stock: Vec<u64>,
    heard: Vec<(u64, Option<u32>)>,
}

impl SansIo for Station {
    type Packet = Numbered;
    type Event = ();

    fn handle_packet(&mut self, _now: Time, _via: Via, packet: &mut Numbered) {
        self.heard.push((mem::take(&mut packet.0), None));
    }

    fn handle_damaged(&mut self, _now: Time, _via: Via, packet: &mut Numbered, damaged_byte: u32) {
        self.heard.push((mem::take(&mut packet.0), Some(damaged_byte)));
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

/// What a station hears of 2000 packets that another one sends over links with these losses.
fn heard_over(losses: &[LossConfig]) -> World<Station> {
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
            world.add_link(Pipe::new(&config, &streams, &index.to_string()))
        })
        .collect();
    world.add_route(sender, Via::default(), &links, receiver);
    world.run_until(Time::NEVER);
    world.check_conservation().unwrap();
    assert_eq!(world.packets().travelling(), 0);
    world
}

fn heard(world: &World<Station>) -> &[(u64, Option<u32>)] {
    let receiver = world.hosts().nth(1).unwrap();
    &world.host(receiver).heard
}

#[test]
fn a_damaged_packet_travels_over_later_links_and_arrives_damaged() {
    let world = heard_over(&[noise(1e-5), calm(), calm()]);
    let heard = heard(&world);
    assert!(heard.iter().map(|packet| packet.0).eq(0..PACKETS), "in order and complete");
    let damaged: Vec<_> = heard.iter().filter_map(|packet| packet.1).collect();
    assert!(damaged.iter().all(|&byte| byte < SIZE));

    let counters: Vec<_> = world.links().map(|link| *world.link(link).counters()).collect();
    assert_eq!(counters[0].damaged, damaged.len() as u64);
    assert_eq!([counters[1].damaged, counters[2].damaged], [0, 0]);
    assert!(counters.iter().all(|link| link.delivered == PACKETS && link.lost == 0));
    let totals = world.totals();
    assert_eq!((totals.delivered, totals.damaged), (PACKETS, damaged.len() as u64));
    // 1 - (1 - 1e-5)^8000 = 7.69 %: 154 of 2000, with a deviation of 12.
    assert!(damaged.len().abs_diff(154) < 40, "{} packets damaged", damaged.len());
}

#[test]
fn a_packet_damaged_twice_stays_as_the_first_link_damaged_it() {
    // The random numbers of the first link do not depend on the second link.
    let once = heard_over(&[noise(1e-4), calm()]);
    let twice = heard_over(&[noise(1e-4), noise(1.0)]);
    let second = *twice.link(twice.links().nth(1).unwrap()).counters();
    assert_eq!(second.damaged, PACKETS);
    for (first, both) in heard(&once).iter().zip(heard(&twice)) {
        assert_eq!(first.0, both.0);
        assert!(both.1.is_some());
        assert!(first.1.is_none() || first.1 == both.1);
    }
    assert!(heard(&once).iter().filter(|packet| packet.1.is_some()).count() > 800);
}

#[test]
fn a_damaged_packet_can_still_be_lost() {
    let loss = LossConfig::Bernoulli(BernoulliConfig { p: 0.5 });
    let world = heard_over(&[noise(1.0), loss]);
    let totals = world.totals();
    assert_eq!(totals.damaged, totals.delivered);
    assert_eq!(totals.delivered + totals.lost, PACKETS);
    assert!(totals.lost > 900);
}

#[test]
fn a_route_counts_what_did_not_arrive_whole_once() {
    let loss = LossConfig::Bernoulli(BernoulliConfig { p: 0.5 });
    let world = heard_over(&[noise(1e-4), loss]);
    let [sender, receiver] = [0, 1].map(|number| world.hosts().nth(number).unwrap());
    let totals = world.totals();
    assert_eq!(world.lost(sender, Via::default()), totals.lost + totals.damaged);
    let whole = heard(&world).iter().filter(|packet| packet.1.is_none()).count() as u64;
    assert_eq!(world.lost(sender, Via::default()), PACKETS - whole);
    assert_eq!(world.lost(receiver, Via::default()), 0);
}

#[test]
fn the_digest_depends_on_damage_and_its_offset() {
    let digests = [0.0, 1e-5, 1e-4].map(|rate| heard_over(&[noise(rate)]).digest());
    assert_eq!(digests[0], heard_over(&[calm()]).digest());
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
