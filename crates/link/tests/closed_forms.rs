//! Queues whose behaviour is known on paper.

use manypath_core::{Random, Rate, Span, Streams, Time};
use manypath_link::queue::{Capacity, Entry, Queue, Red, RedConfig};
use manypath_link::{DropReason, LinkConfig, Pipe, Popped, QueueConfig, Verdict};

/// 12 Mbit/s: a packet of 1500 bytes takes one millisecond.
fn one_packet_per_millisecond() -> LinkConfig {
    LinkConfig::new(Rate::from_bits_per_second(12_000_000), Span::ZERO)
}

fn millis(ms: u64) -> Time {
    Time::ZERO + Span::from_millis(ms)
}

/// Pushes packets of 1500 bytes at `arrivals` and hands every delivery to `delivered` with its arrival index.
fn drive(
    pipe: &mut Pipe<usize>,
    arrivals: impl Iterator<Item = Time>,
    mut delivered: impl FnMut(usize, Time),
) {
    let mut deliver_until = |pipe: &mut Pipe<usize>, now: Time| {
        while pipe.poll_timeout() <= now && pipe.poll_timeout() != Time::NEVER {
            let due = pipe.poll_timeout();
            if let Some(Popped::Delivered(index)) = pipe.pop(due) {
                delivered(index, due);
            }
        }
    };
    for (index, now) in arrivals.enumerate() {
        deliver_until(pipe, now);
        let _ = pipe.push(now, index, 1500);
    }
    deliver_until(pipe, Time::NEVER);
}

#[test]
fn a_full_drop_tail_queue_holds_100_and_one_more_is_in_transmission() {
    let mut pipe = Pipe::new(&one_packet_per_millisecond(), &Streams::new(1, 0), "full");
    for item in 0..101 {
        assert_eq!(pipe.push(Time::ZERO, item, 1500), Verdict::Queued);
    }
    assert_eq!(pipe.push(Time::ZERO, 101, 1500), Verdict::Dropped(DropReason::Full));
    assert_eq!(pipe.queue_len(Time::ZERO), 100);
    assert_eq!(pipe.queue_bytes(Time::ZERO), 150_000);

    // After a millisecond the transmitter takes the next one, and there is room for exactly one.
    assert_eq!(pipe.queue_len(millis(1)), 99);
    assert_eq!(pipe.push(millis(1), 101, 1500), Verdict::Queued);
    assert_eq!(pipe.push(millis(1), 102, 1500), Verdict::Dropped(DropReason::Full));
}

#[test]
fn a_queue_in_bytes_counts_bytes() {
    let queue = QueueConfig::DropTail(Capacity::Bytes(3000));
    let config = LinkConfig { queue, ..one_packet_per_millisecond() };
    let mut pipe = Pipe::new(&config, &Streams::new(1, 0), "bytes");
    for item in 0..3 {
        assert_eq!(pipe.push(Time::ZERO, item, 1500), Verdict::Queued);
    }
    assert_eq!(pipe.push(Time::ZERO, 3, 1), Verdict::Dropped(DropReason::Full));
    assert_eq!(pipe.push(millis(1), 4, 1500), Verdict::Queued);
    assert_eq!(pipe.push(millis(1), 5, 3001), Verdict::Dropped(DropReason::Full));
}

#[test]
fn half_as_many_again_as_the_link_carries_loses_a_third() {
    let mut pipe = Pipe::new(&one_packet_per_millisecond(), &Streams::new(1, 0), "overload");
    let arrivals = (0..30_000).map(|n| Time::from_nanos(n * 2_000_000 / 3));
    drive(&mut pipe, arrivals, |_, _| {});
    let counters = pipe.counters();
    // At the last arrival 19 999 packets are through; the 101 inside follow.
    assert_eq!(counters.delivered, 19_999 + 101);
    assert_eq!(counters.dropped_queue, 30_000 - counters.delivered);
}

#[test]
fn framing_takes_time_but_no_room() {
    let config = LinkConfig { overhead: 7, ..one_packet_per_millisecond() };
    let mut pipe = Pipe::new(&config, &Streams::new(1, 0), "ppp");
    assert_eq!(pipe.push(Time::ZERO, (), 1500), Verdict::Queued);
    assert_eq!(pipe.push(Time::ZERO, (), 1500), Verdict::Queued);
    assert_eq!(pipe.queue_bytes(Time::ZERO), 1500);
    // 1507 bytes * 8 / 12 Mbit/s = 1 004 666 and 2/3 ns; the second ends at 2 009 333 and 1/3 ns.
    assert_eq!(pipe.poll_timeout(), Time::from_nanos(1_004_666));
    assert!(pipe.pop(Time::from_nanos(1_004_666)).is_some());
    assert_eq!(pipe.poll_timeout(), Time::from_nanos(2_009_333));
}

#[test]
fn poisson_arrivals_wait_as_long_as_pollaczek_and_khinchine_say() {
    // M/D/1: mean wait = rho / (2 (1 - rho)) service times.
    let mut random = Streams::new(7, 0).stream("arrivals");
    for rho in [0.3, 0.5, 0.8] {
        let queue = QueueConfig::DropTail(Capacity::Packets(1_000_000));
        let config = LinkConfig { queue, ..one_packet_per_millisecond() };
        let mut pipe = Pipe::new(&config, &Streams::new(1, 0), "m-d-1");
        let arrivals = poisson(&mut random, rho * 1000.0, 400_000);
        let mut waited = 0.0;
        drive(&mut pipe, arrivals.iter().copied(), |index, at| {
            waited += (at - arrivals[index]).as_secs_f64() * 1000.0 - 1.0;
        });
        let mean = waited / arrivals.len() as f64;
        let expected = rho / (2.0 * (1.0 - rho));
        assert!((mean / expected - 1.0).abs() < 0.03, "rho {rho}: {mean} instead of {expected}");
    }
}

/// `count` arrivals, `rate` of them per second.
fn poisson(random: &mut Random, rate: f64, count: usize) -> Vec<Time> {
    let mut now = Time::ZERO;
    let gap = |random: &mut Random| Span::from_secs_f64(-libm::log(1.0 - random.unit()) / rate);
    (0..count)
        .map(|_| {
            now += gap(random);
            now
        })
        .collect()
}

/// The routers of the papers: `min` 30, `max` 90, `max_p` 0.1.
fn red() -> RedConfig {
    RedConfig { weight: 0.002, min: 30.0, max: 90.0, max_p: 0.1, capacity: None, packet_rate: None }
}

#[test]
fn red_spaces_its_drops_evenly_at_a_constant_average() {
    // [F93] section 4: with p constant the gap between drops is uniform on 1 .. 1/p - 1, so its mean is 1/(2 p).
    // A queue held at 60 packets has the average 60: p = 0.1 * (60 - 30) / (90 - 30) = 1/20.
    let config = RedConfig { capacity: Some(1000), ..red() };
    let random = Streams::new(3, 0).stream("red");
    let mut queue = Red::new(&config, Rate::from_bits_per_second(10_000_000), random);
    let entry = Entry { item: (), size: 1500 };
    while queue.average() < 59.999 {
        let _ = queue.enqueue(Time::ZERO, entry);
        if queue.len() > 60 {
            let _ = queue.dequeue(Time::ZERO, &mut Vec::new());
        }
    }

    let mut gaps = Vec::new();
    let mut gap = 0_u32;
    while gaps.len() < 20_000 {
        gap += 1;
        match queue.enqueue(Time::ZERO, entry) {
            Verdict::Queued => drop(queue.dequeue(Time::ZERO, &mut Vec::new())),
            Verdict::Dropped(reason) => {
                assert_eq!(reason, DropReason::Early);
                gaps.push(gap);
                gap = 0;
            }
        }
    }
    let mean = f64::from(gaps.iter().sum::<u32>()) / gaps.len() as f64;
    assert!((mean - 10.0).abs() < 0.15, "a mean gap of {mean} instead of 10");
    assert!(gaps.iter().all(|&gap| gap < 20));
    for gap in 1..=19 {
        let share = gaps.iter().filter(|&&g| g == gap).count() as f64 / gaps.len() as f64;
        assert!((share * 19.0 - 1.0).abs() < 0.15, "gap {gap} has the share {share}, not 1/19");
    }
}

#[test]
fn red_finds_the_average_that_sheds_the_surplus() {
    // Arrivals at 1.1 times the rate: 1/11 must go. Drops come at the rate 2 p, so p = 1/22, and the average that
    // gives this p is 30 + 60 * (1/22) / 0.1 = 57.3 packets.
    let queue = QueueConfig::Red(RedConfig { capacity: Some(1000), ..red() });
    let config = LinkConfig { queue, ..one_packet_per_millisecond() };
    let mut pipe = Pipe::new(&config, &Streams::new(5, 0), "red");
    let mut sum = (0.0, 0);
    for n in 0..400_000_u64 {
        let now = Time::from_nanos(n * 10_000_000 / 11);
        while pipe.pop(now).is_some() {}
        let _ = pipe.push(now, (), 1500);
        if n > 100_000 {
            sum.0 += pipe.queue_len(now) as f64;
            sum.1 += 1;
        }
    }
    let mean = sum.0 / f64::from(sum.1);
    assert!((mean - 57.3).abs() < 1.5, "a mean queue of {mean} instead of 57.3 packets");
    let counters = pipe.counters();
    let share = counters.dropped_early as f64 / counters.arrived as f64;
    assert!((share - 1.0 / 11.0).abs() < 0.002, "a drop rate of {share} instead of 1/11");
    assert_eq!(counters.dropped_early, counters.dropped_queue);
}

#[test]
fn red_drops_everything_while_the_average_is_at_max() {
    let config = RedConfig { capacity: Some(1000), weight: 1.0, ..red() };
    let random = Streams::new(3, 0).stream("red");
    let mut queue = Red::new(&config, Rate::from_bits_per_second(10_000_000), random);
    let entry = Entry { item: (), size: 1500 };
    // With the weight 1 the average is the length of the queue.
    while queue.len() < 90 {
        let _ = queue.enqueue(Time::ZERO, entry);
    }
    for _ in 0..1000 {
        assert_eq!(queue.enqueue(Time::ZERO, entry), Verdict::Dropped(DropReason::Early));
    }
    // One packet fewer, and the probability is a tenth again, no longer one.
    let _ = queue.dequeue(Time::ZERO, &mut Vec::new());
    assert!((0..100).any(|_| queue.enqueue(Time::ZERO, entry) == Verdict::Queued));
}

#[test]
fn the_average_of_red_decays_while_nothing_waits() {
    // 0.998^(150 packets/s * 2 s) = 0.5485: INET's own packet rate.
    let config = RedConfig { packet_rate: Some(150.0), ..red() };
    let random = Streams::new(3, 0).stream("red");
    let mut queue = Red::new(&config, Rate::from_bits_per_second(10_000_000), random);
    let entry = Entry { item: (), size: 1500 };
    for _ in 0..50 {
        let _ = queue.enqueue(Time::ZERO, entry);
    }
    while queue.dequeue(Time::ZERO, &mut Vec::new()).is_some() {}
    let before = queue.average();
    let _ = queue.enqueue(millis(2000), entry);
    assert!((queue.average() / before - 0.548_47).abs() < 1e-4);
}

#[test]
fn red_never_holds_more_than_max_packets_unless_told() {
    let random = Streams::new(3, 0).stream("red");
    let mut queue = Red::new(&red(), Rate::from_bits_per_second(10_000_000), random);
    let entry = Entry { item: (), size: 1500 };
    // A burst: the average has not moved yet, the hard limit acts.
    for _ in 0..90 {
        assert_eq!(queue.enqueue(Time::ZERO, entry), Verdict::Queued);
    }
    assert!(queue.average() < 30.0);
    assert_eq!(queue.enqueue(Time::ZERO, entry), Verdict::Dropped(DropReason::Full));
}
