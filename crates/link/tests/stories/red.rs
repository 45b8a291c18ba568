//! RED has the drop probability and the uniform gaps of its definition.

use manypath_core::{Rate, Span, Streams, Time};
use manypath_link::queue::{Queue, Red, RedConfig};
use manypath_link::{DropReason, Entry, LinkConfig, Pipe, QueueConfig, Verdict};

/// The routers of the papers: `min` 30, `max` 90, `max_p` 0.1.
fn red() -> RedConfig {
    RedConfig::new(0.002, 30.0, 90.0, 0.1)
}

/// With the weight 1 the average is the length of the queue.
fn with_weight_1() -> RedConfig {
    RedConfig { packets: Some(1000), weight: 1.0, ..red() }
}

fn queue(config: &RedConfig) -> Red<()> {
    Red::new(config, Rate::from_bits_per_second(10_000_000), Streams::new(3, 0).stream("red"))
}

fn arrive(queue: &mut Red<()>) -> Verdict {
    arrive_at(queue, Time::ZERO)
}

fn arrive_at(queue: &mut Red<()>, now: Time) -> Verdict {
    queue.enqueue(now, Entry::new((), 1500), &mut Vec::new())
}

fn leave(queue: &mut Red<()>) -> bool {
    queue.dequeue(Time::ZERO, &mut Vec::new()).is_some()
}

/// The numbers of packets from one drop to the next, `count` times, at a constant queue length.
fn gaps(queue: &mut Red<()>, count: usize) -> Vec<u32> {
    let mut gaps = Vec::new();
    let mut gap = 0;
    while gaps.len() < count {
        gap += 1;
        match arrive(queue) {
            Verdict::Queued => assert!(leave(queue)),
            Verdict::Dropped(reason) => {
                assert_eq!(reason, DropReason::Early);
                gaps.push(gap);
                gap = 0;
            }
        }
    }
    gaps
}

fn mean(gaps: &[u32]) -> f64 {
    f64::from(gaps.iter().sum::<u32>()) / gaps.len() as f64
}

#[test]
fn red_spaces_its_drops_evenly_at_a_constant_average() {
    // [F93] section 4: with p constant the gap between drops is uniform on 1 .. 1/p - 1, so its mean is 1/(2 p).
    // A queue held at 60 packets has the average 60: p = 0.1 * (60 - 30) / (90 - 30) = 1/20.
    let mut queue = queue(&RedConfig { packets: Some(1000), ..red() });
    while queue.average() < 59.999 {
        let _ = arrive(&mut queue);
        if queue.len() > 60 {
            leave(&mut queue);
        }
    }
    let gaps = gaps(&mut queue, 20_000);
    assert!((mean(&gaps) - 10.0).abs() < 0.15, "a mean gap of {} instead of 10", mean(&gaps));
    assert!(gaps.iter().all(|&gap| gap < 20));
    for gap in 1..=19 {
        let share = gaps.iter().filter(|&&g| g == gap).count() as f64 / gaps.len() as f64;
        assert!((share * 19.0 - 1.0).abs() < 0.15, "gap {gap} has the share {share}, not 1/19");
    }
}

#[test]
fn red_settles_at_the_average_that_drops_the_surplus() {
    // Arrivals at 1.1 times the rate: 1/11 must be dropped. Drops have the rate 2 p, so p = 1/22, and the average with
    // this p is 30 + 60 * (1/22) / 0.1 = 57.3 packets. 12 Mbit/s: a packet of 1500 bytes takes a millisecond.
    let mut config = LinkConfig::new(Rate::from_bits_per_second(12_000_000), Span::ZERO);
    config.queue = QueueConfig::Red(RedConfig { packets: Some(1000), ..red() });
    let mut pipe = Pipe::new(&config, &Streams::new(5, 0), "red");
    let mut sum = (0.0, 0);
    for n in 0..400_000_u64 {
        let now = Time::from_nanos(n * 10_000_000 / 11);
        while pipe.pop(now).is_some() {}
        let _ = pipe.push(now, Entry::new((), 1500));
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
    let mut queue = queue(&with_weight_1());
    while queue.len() < 90 {
        let _ = arrive(&mut queue);
    }
    for _ in 0..1000 {
        assert_eq!(arrive(&mut queue), Verdict::Dropped(DropReason::Early));
    }
    // With one packet fewer the probability is 0.1 instead of 1.
    leave(&mut queue);
    assert!((0..100).any(|_| arrive(&mut queue) == Verdict::Queued));
}

#[test]
fn the_drop_probability_of_gentle_red_is_continuous_at_max() {
    // [F00]: max_p at `max`, 1 at twice `max`. The published slope, and the mean of gaps that are even at p:
    // a gap is longer than k with probability (1 - (k + 1) p) / (1 - p), which is 0 from p = 1/2 on.
    let mut queue = queue(&RedConfig { gentle: true, ..with_weight_1() });
    for (length, p) in [
        (60, 0.05),
        (89, 0.1 * 59.0 / 60.0),
        (90, 0.1),
        (91, 0.1 + 0.9 / 90.0),
        (120, 0.4),
        (130, 0.5),
    ] {
        while queue.len() < length {
            let _ = arrive(&mut queue);
        }
        let longer = |k: i32| (1.0 - f64::from(k + 1) * p).max(0.0) / (1.0 - p);
        let expected = 1.0 + (1..100).map(longer).sum::<f64>();
        let measured = mean(&gaps(&mut queue, 20_000));
        assert!(
            (measured / expected - 1.0).abs() < 0.02,
            "at {length} packets a mean gap of {measured} instead of {expected}"
        );
    }
}

#[test]
fn gentle_red_drops_everything_while_the_average_is_at_twice_max() {
    let mut queue = queue(&RedConfig { gentle: true, packets: Some(1000), ..red() });
    let mut queued_above_max = 0;
    while queue.average() < 180.0 {
        let is_queued = arrive(&mut queue) == Verdict::Queued;
        queued_above_max += u32::from(is_queued && queue.average() > 90.0);
    }
    assert!(queued_above_max > 10);
    assert!((0..1000).all(|_| arrive(&mut queue) == Verdict::Dropped(DropReason::Early)));
}

#[test]
fn the_average_of_red_decays_while_the_queue_is_empty() {
    // 0.998^(150 packets/s * 2 s) = 0.5485, with INET's packet rate.
    let mut queue = queue(&RedConfig { packet_rate: Some(150.0), ..red() });
    for _ in 0..50 {
        let _ = arrive(&mut queue);
    }
    while leave(&mut queue) {}
    let before = queue.average();
    let _ = arrive_at(&mut queue, Time::ZERO + Span::from_secs(2));
    assert!((queue.average() / before - 0.548_47).abs() < 1e-4);
}

#[test]
fn red_respects_its_limits_which_follow_from_its_thresholds_by_default() {
    // In a burst the average has not changed yet, and the hard limit applies.
    let (bytes, packets) = (Some(15_000), Some(20));
    for (config, room) in [
        (red(), 90),
        (RedConfig { gentle: true, ..red() }, 180),
        (RedConfig { bytes, ..red() }, 10),
        (RedConfig { packets, ..red() }, 20),
        (RedConfig { packets, bytes, ..red() }, 10),
    ] {
        let mut queue = queue(&config);
        for _ in 0..room {
            assert_eq!(arrive(&mut queue), Verdict::Queued);
        }
        assert!(queue.average() < 30.0);
        assert_eq!(arrive(&mut queue), Verdict::Dropped(DropReason::Full));
        assert_eq!((queue.len(), queue.bytes()), (room, 1500 * room as u64));
    }
}
