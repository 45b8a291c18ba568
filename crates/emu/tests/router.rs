//! The network without a clock: a router that is called late makes the same decisions as its links.

use manypath_core::{Random, Rate, Span, Streams, Time};
use manypath_emu::Router;
use manypath_emu::router::{Delivery, Handle, Watch};
use manypath_link::loss::{BernoulliConfig, BitErrorConfig};
use manypath_link::queue::RedConfig;
use manypath_link::{Entry, LinkConfig, LossConfig, Pipe, Popped, QueueConfig};
use std::sync::mpsc::{Sender, channel};

const STREAMS: Streams = Streams::new(7, 0);
/// A time after all events.
const END: Time = Time::from_nanos(3_600_000_000_000);

fn link(rate: u64, delay: Span) -> LinkConfig {
    LinkConfig::new(Rate::from_bits_per_second(rate), delay)
}

fn router(links: &[LinkConfig]) -> Router {
    let mut router = Router::new(1500);
    for (index, config) in links.iter().enumerate() {
        router.add_link(Pipe::new(config, &STREAMS, &format!("link{index}")));
    }
    router
}

/// A packet that begins with its number.
fn enter(router: &mut Router, now: Time, port: usize, number: u32, size: usize) {
    router.blank()[..4].copy_from_slice(&number.to_be_bytes());
    router.enter(now, port, size);
}

fn leave(router: &mut Router, delivery: Delivery) -> (Time, u32) {
    let bytes = router.packet(delivery.packet)[..4].try_into().expect("four bytes");
    router.release(delivery.packet);
    (delivery.due, u32::from_be_bytes(bytes))
}

/// Times and sizes of a source that slightly exceeds the rate of the link, 2 Mbit/s.
fn arrivals(random: &mut Random) -> Vec<(Time, u32)> {
    let mut now = Time::ZERO;
    let next = |_| {
        now += Span::from_micros(random.between(0, 5_000));
        (now, random.between(40, 1500) as u32)
    };
    (0..5_000).map(next).collect()
}

#[test]
fn a_router_that_is_called_late_makes_the_same_decisions_as_its_link() {
    let queue = QueueConfig::Red(RedConfig::new(0.002, 5.0, 30.0, 0.1));
    let loss = LossConfig::Bernoulli(BernoulliConfig { p: 0.05 });
    let config = LinkConfig { queue, loss, ..link(2_000_000, Span::from_millis(3)) };
    let mut random = STREAMS.stream("arrivals");
    let arrivals = arrivals(&mut random);

    let mut alone = Pipe::new(&config, &STREAMS, "link0");
    let mut expected = Vec::new();
    let mut drain = |alone: &mut Pipe<u32>, until: Time| {
        while alone.poll_timeout() <= until {
            let due = alone.poll_timeout();
            if let Some(Popped::Delivered(number)) = alone.pop(due) {
                expected.push((due, number));
            }
        }
    };
    for (number, &(at, size)) in arrivals.iter().enumerate() {
        drain(&mut alone, at);
        let _ = alone.push(at, Entry::new(number as u32, size));
    }
    drain(&mut alone, END);

    let mut router = router(&[config]);
    router.add_port(&[0], 0);
    let mut seen = Vec::new();
    for (number, &(at, size)) in arrivals.iter().enumerate() {
        enter(&mut router, at, 0, number as u32, size as usize);
        if random.chance(0.1) {
            while let Some(delivery) = router.poll_delivery(at) {
                seen.push(leave(&mut router, delivery));
            }
        }
    }
    while let Some(delivery) = router.poll_delivery(END) {
        seen.push(leave(&mut router, delivery));
    }
    let first_difference = seen.iter().zip(&expected).find(|(seen, expected)| seen != expected);
    assert_eq!(first_difference, None);
    assert_eq!(seen.len(), expected.len());
    assert_eq!(router.link(0).counters(), alone.counters());
    assert!(alone.counters().dropped_early > 50 && alone.counters().lost > 50);
    assert_eq!(router.travelling(), 0);
}

#[test]
fn an_hour_of_late_calls_causes_no_drift() {
    let mut router = router(&[LinkConfig { overhead: 7, ..link(999_983, Span::from_millis(10)) }]);
    router.add_port(&[0], 0);
    let mut random = STREAMS.stream("lateness");
    let (mut sent, mut left, mut last) = (0_u128, 0_u128, Time::ZERO);
    let mut now = Time::ZERO;
    while now < Time::ZERO + Span::from_secs(3600) {
        // The queue of 100 packets is never empty, because two packets leave in 20 ms.
        while sent < left + 20 {
            router.enter(now, 0, 1500);
            sent += 1;
        }
        now += Span::from_micros(random.between(1, 20_000));
        while let Some(delivery) = router.poll_delivery(now) {
            left += 1;
            last = delivery.due;
            router.release(delivery.packet);
        }
    }
    let end = left * 1507 * 8_000_000_000 / 999_983;
    assert_eq!(u128::from(last.as_nanos()), end + 10_000_000, "after {left} packets");
    assert!(left > 298_000);
}

#[test]
fn a_late_caller_does_not_delay_a_hop() {
    let mut router =
        router(&[link(12_000_000, Span::from_millis(5)), link(6_000_000, Span::from_millis(1))]);
    router.add_port(&[0, 1], 0);
    for number in 0..2 {
        enter(&mut router, Time::ZERO, 0, number, 1500);
    }
    // 1 ms and 5 ms, then 2 ms and 1 ms; the second packet waits for the first one on the slower link.
    assert_eq!(router.poll_timeout(), Time::from_nanos(6_000_000));
    let late = Time::ZERO + Span::from_secs(5);
    let mut due = Vec::new();
    while let Some(delivery) = router.poll_delivery(late) {
        due.push(leave(&mut router, delivery));
    }
    let expected = [(9_000_000, 0), (11_000_000, 1)];
    assert_eq!(due, expected.map(|(nanos, number)| (Time::from_nanos(nanos), number)));
}

#[test]
fn paths_that_share_a_link_share_its_queue_and_its_rate() {
    let mut router = router(&[link(12_000_000, Span::ZERO), link(12_000_000, Span::ZERO)]);
    // Two hosts on the left, two on the right; both forward paths share link 0, both reverse paths link 1.
    for port in 0..4 {
        router.add_port(&[port % 2], port ^ 1);
    }
    for number in 0..3 {
        enter(&mut router, Time::ZERO, 0, number, 1500);
        enter(&mut router, Time::ZERO, 2, 10 + number, 1500);
    }
    enter(&mut router, Time::ZERO, 3, 20, 1500);
    let mut left = Vec::new();
    while let Some(delivery) = router.poll_delivery(Time::from_nanos(10_000_000)) {
        let port = delivery.port;
        let (due, number) = leave(&mut router, delivery);
        left.push((due.as_nanos() / 1_000_000, port, number));
    }
    left.sort_unstable();
    let shared = [(1, 1, 0), (2, 3, 10), (3, 1, 1), (4, 3, 11), (5, 1, 2), (6, 3, 12)];
    let mut expected = [&shared[..], &[(1, 2, 20)]].concat();
    expected.sort_unstable();
    assert_eq!(left, expected);
}

/// Passes the observed packets to a test.
struct Witness(Sender<(usize, Time, Option<u32>)>);

impl Watch for Witness {
    fn see(&mut self, link: usize, at: Time, _packet: &[u8], damaged: Option<u32>) {
        self.0.send((link, at, damaged)).expect("the test listens");
    }
}

#[test]
fn a_damaged_packet_differs_in_one_bit_and_is_forwarded() {
    let loss = LossConfig::BitError(BitErrorConfig { rate: 1.0, spared: 20 });
    let mut router = router(&[
        LinkConfig { loss, ..link(1_000_000_000, Span::ZERO) },
        link(1_000_000_000, Span::ZERO),
    ]);
    router.add_port(&[0, 1], 0);
    let (sender, seen) = channel();
    router.watch(Box::new(Witness(sender)));
    let original: Vec<u8> = (0..100).collect();
    for _ in 0..50 {
        router.blank()[..100].copy_from_slice(&original);
        router.enter(Time::ZERO, 0, 100);
    }
    let mut places = Vec::new();
    while let Some(Delivery { packet, .. }) = router.poll_delivery(Time::from_nanos(1_000_000)) {
        let wrong: Vec<(usize, u8)> = (router.packet(packet).iter().zip(&original).enumerate())
            .filter(|(_, (is, was))| is != was)
            .map(|(place, (is, was))| (place, is ^ was))
            .collect();
        let [(place, bit)] = wrong[..] else { panic!("one byte is wrong: {wrong:?}") };
        assert_eq!(bit.count_ones(), 1);
        places.push(place as u32);
        router.release(packet);
    }
    assert_eq!(places.len(), 50);
    assert!(places.iter().all(|&place| place >= 20), "the first 20 bytes are spared");
    let told: Vec<_> = seen.try_iter().collect();
    let damaged: Vec<_> = told.iter().filter_map(|&(link, _, byte)| Some((link, byte?))).collect();
    assert_eq!(damaged, places.iter().map(|&place| (0, place)).collect::<Vec<_>>());
    assert_eq!(told.len(), 100, "every packet is seen behind both links");
}

#[test]
fn every_packet_leaves_or_is_counted() {
    let loss = LossConfig::Bernoulli(BernoulliConfig { p: 0.3 });
    let slow = LinkConfig { loss, ..link(1_000_000, Span::from_millis(50)) };
    let mut router = router(&[link(10_000_000, Span::ZERO), slow]);
    router.add_port(&[0, 1], 0);
    let mut left = 0_u64;
    let mut now = Time::ZERO;
    let out = |router: &mut Router, packet: Handle| router.release(packet);
    for _ in 0..2_000 {
        router.enter(now, 0, 1000);
        now += Span::from_micros(900);
        while let Some(delivery) = router.poll_delivery(now) {
            left += 1;
            out(&mut router, delivery.packet);
        }
    }
    let gone: u64 = (0..router.links())
        .map(|link| {
            router.link(link).counters().dropped() + router.link(link).counters().lost_in_all()
        })
        .sum();
    assert_eq!(left + gone + router.travelling() as u64, 2_000);
    assert!(left > 50 && gone > 1_000 && router.travelling() > 0, "{left} {gone} {router:?}");
}

#[test]
fn a_warm_router_does_not_allocate() {
    let mut router = router(&[link(10_000_000, Span::from_millis(5)), link(9_000_000, Span::ZERO)]);
    router.add_port(&[0, 1], 0);
    let mut now = Time::ZERO;
    let mut pass = |packets: u32| {
        for _ in 0..packets {
            router.enter(now, 0, 1000);
            now += Span::from_micros(850);
            while let Some(delivery) = router.poll_delivery(now) {
                router.release(delivery.packet);
            }
        }
    };
    pass(2_000);
    let allocated = allocation_counter::measure(|| pass(2_000));
    assert_eq!(allocated.count_total, 0);
}

#[test]
fn a_late_caller_does_not_delay_a_recorded_link() {
    let recorded =
        LinkConfig::recorded("5 0 20".parse().expect("a trace"), 7, Span::from_millis(3));
    let mut router = router(&[recorded]);
    router.add_port(&[0], 0);
    for number in 0..4 {
        enter(&mut router, Time::ZERO, 0, number, 1500);
    }
    let mut seen = Vec::new();
    while let Some(delivery) = router.poll_delivery(END) {
        seen.push(leave(&mut router, delivery));
    }
    let at = |millis: u64| Time::ZERO + Span::from_millis(millis);
    assert_eq!(seen, [(at(8), 0), (at(8), 1), (at(28), 2), (at(33), 3)]);
}
