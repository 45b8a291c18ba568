//! CoDel drops packets at the times of RFC 8289.

use manypath_core::{Rate, Span, Streams, Time};
use manypath_link::queue::{CoDel, CoDelConfig, Queue};
use manypath_link::{DropReason, Entry, LinkConfig, Pipe, Popped, QueueConfig, Verdict};

fn millis(ms: u64) -> Time {
    Time::ZERO + Span::from_millis(ms)
}

fn roomy() -> CoDelConfig {
    CoDelConfig { packets: Some(100_000), ..CoDelConfig::default() }
}

fn queue(config: &CoDelConfig) -> CoDel<()> {
    CoDel::new(config, Rate::from_bits_per_second(1), Streams::new(1, 0).stream("codel"))
}

fn arrive(queue: &mut CoDel<()>, ms: u64, packets: usize) {
    for _ in 0..packets {
        assert_eq!(
            queue.enqueue(millis(ms), Entry::new((), 1500), &mut Vec::new()),
            Verdict::Queued
        );
    }
}

/// Removes one packet in each millisecond from `first` to `last`; returns the milliseconds with drops.
fn drops(queue: &mut CoDel<()>, first: u64, last: u64) -> Vec<u64> {
    let mut drops = Vec::new();
    for ms in first..=last {
        let mut discarded = Vec::new();
        assert!(queue.dequeue(millis(ms), &mut discarded).is_some());
        drops.extend(discarded.iter().map(|()| ms));
    }
    drops
}

/// The drop times of a dropping state that begins at `begin`: drop n + 1 follows drop n after interval / √n.
fn control_law(begin: f64, first: u32, count: u32) -> Vec<u64> {
    let pauses = (first..).map(|n| 100.0 / f64::from(n).sqrt());
    let times = pauses.scan(begin, |at, pause| {
        let now = *at;
        *at += pause;
        Some(now)
    });
    // The transmitter takes packets at whole milliseconds.
    times.take(count as usize).map(|at: f64| (at - 1e-4).ceil() as u64).collect()
}

#[test]
fn the_gaps_between_drops_shrink_with_the_square_root_of_their_number() {
    // From 5 ms on all packets wait longer than the target. One interval later the first one is dropped.
    let mut queue = queue(&roomy());
    arrive(&mut queue, 0, 10_000);
    let drops = drops(&mut queue, 0, 3000);
    assert_eq!(drops, control_law(105.0, 1, drops.len() as u32));
    // 1 + 1/√2 + ... + 1/√n is nearly 2 √n - 1.46, so n = ((2895 + 146) / 200)² = 231 drops occur in 3 s.
    assert!(drops.len().abs_diff(231) <= 1, "{} drops in 3 s", drops.len());
}

#[test]
fn a_burst_shorter_than_an_interval_has_no_drops() {
    let mut queue = queue(&roomy());
    arrive(&mut queue, 0, 100);
    assert!(drops(&mut queue, 0, 99).is_empty());
    assert!(queue.is_empty());
}

#[test]
fn one_packet_without_delay_ends_the_dropping_state() {
    let mut queue = queue(&roomy());
    arrive(&mut queue, 0, 100);
    arrive(&mut queue, 98, 300);
    // At 98 and 99 ms the last packets of the first burst leave; the next ones have waited for 2 ms. From 103 ms on all
    // packets are late again.
    let drops = drops(&mut queue, 0, 250);
    assert_eq!(drops, [203]);
}

#[test]
fn a_soon_following_dropping_state_continues_the_drop_rate() {
    for (pause, resumes) in [(200, true), (1500, true), (1700, false)] {
        let mut queue = queue(&roomy());
        arrive(&mut queue, 0, 2000);
        let before = drops(&mut queue, 0, 1000);
        while queue.dequeue(millis(1000), &mut Vec::new()).is_some() {}
        // `pause` after the last drop, the first drop of another dropping state is due.
        let begin = before[before.len() - 1] + pause;
        arrive(&mut queue, begin - 105, 2000);
        let after = drops(&mut queue, begin - 105, begin + 400);
        let first = if resumes { before.len() as u32 - 1 } else { 1 };
        assert_eq!(after, control_law(begin as f64, first, after.len() as u32));
        assert!(after.len() >= if resumes { 15 } else { 4 });
    }
}

#[test]
fn a_link_with_late_packets_only_keeps_one_packet_waiting() {
    // A packet takes 20 ms. One packet waits behind it, which is not more than the MTU.
    for (standing, is_spared) in [(1, true), (2, true), (3, false)] {
        let mut queue = queue(&roomy());
        arrive(&mut queue, 0, standing);
        let mut discarded = Vec::new();
        for n in 1..100 {
            let _ = queue.dequeue(millis(20 * n), &mut discarded);
            arrive(&mut queue, 20 * n, 1);
        }
        assert_eq!(discarded.is_empty(), is_spared, "{standing} packets");
    }
}

#[test]
fn an_overload_keeps_the_link_busy_and_the_queue_short() {
    // 12 Mbit/s: a packet of 1500 bytes takes a millisecond. A source of 12.6 Mbit/s must lose 1 of 21 packets.
    let mut config = LinkConfig::new(Rate::from_bits_per_second(12_000_000), Span::ZERO);
    config.queue = QueueConfig::CoDel(CoDelConfig::default());
    let mut pipe = Pipe::new(&config, &Streams::new(1, 0), "codel");
    let mut waits = Vec::new();
    let mut arrivals = Vec::new();
    for n in 0..126_000_usize {
        let now = Time::from_nanos(n as u64 * 20_000_000 / 21);
        while pipe.poll_timeout() <= now {
            let due = pipe.poll_timeout();
            if let Some(Popped::Delivered(index)) = pipe.pop(due) {
                let arrival: Time = arrivals[index];
                waits.push((due - arrival).as_secs_f64() * 1000.0 - 1.0);
            }
        }
        arrivals.push(now);
        assert_eq!(pipe.push(now, Entry::new(n, 1500)), Verdict::Queued);
    }
    let counters = pipe.counters();
    assert_eq!(counters.dropped_late, counters.dropped());
    assert!(counters.delivered > 119_800, "{} of 120 000 ms used", counters.delivered);
    // Dropping ends with a packet that waits less than 5 ms. In the interval before it begins again, the surplus of
    // 1/20 adds 5 ms to the queue. Then the drop rate is that of the last state. One packet is 1 ms.
    let settled = &waits[60_000..];
    let shortest = settled.iter().copied().fold(f64::INFINITY, f64::min);
    let longest = settled.iter().copied().fold(0.0, f64::max);
    assert!((4.0..5.0).contains(&shortest), "the shortest wait is {shortest} ms");
    assert!((10.0..11.0).contains(&longest), "the longest wait is {longest} ms");
}

#[test]
fn codel_respects_its_limits() {
    let (bytes, packets) = (Some(15_000), Some(20));
    for (config, room) in [
        (CoDelConfig::default(), 1000),
        (CoDelConfig { bytes, ..CoDelConfig::default() }, 10),
        (CoDelConfig { packets, bytes, ..CoDelConfig::default() }, 10),
    ] {
        let mut queue = queue(&config);
        arrive(&mut queue, 0, room);
        let verdict = queue.enqueue(Time::ZERO, Entry::new((), 1500), &mut Vec::new());
        assert_eq!(verdict, Verdict::Dropped(DropReason::Full));
    }
}
