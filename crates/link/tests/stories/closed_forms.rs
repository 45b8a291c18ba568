//! Queues compared with closed forms.

use manypath_core::{Random, Rate, Span, Streams, Time};
use manypath_link::queue::{Capacity, PieConfig, RedConfig};
use manypath_link::{DropReason, Entry, LinkConfig, Pipe, Popped, QueueConfig, Verdict};
use proptest::prelude::*;

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
        let _ = pipe.push(now, Entry::new(index, 1500));
    }
    deliver_until(pipe, Time::NEVER);
}

#[test]
fn a_full_drop_tail_queue_has_100_packets_beside_the_one_in_transmission() {
    let mut pipe = Pipe::new(&one_packet_per_millisecond(), &Streams::new(1, 0), "full");
    for item in 0..101 {
        assert_eq!(pipe.push(Time::ZERO, Entry::new(item, 1500)), Verdict::Queued);
    }
    assert_eq!(pipe.push(Time::ZERO, Entry::new(101, 1500)), Verdict::Dropped(DropReason::Full));
    assert_eq!(pipe.queue_len(Time::ZERO), 100);
    assert_eq!(pipe.queue_bytes(Time::ZERO), 150_000);

    // After a millisecond the transmitter takes the next packet, and the queue has room for exactly one.
    assert_eq!(pipe.queue_len(millis(1)), 99);
    assert_eq!(pipe.push(millis(1), Entry::new(101, 1500)), Verdict::Queued);
    assert_eq!(pipe.push(millis(1), Entry::new(102, 1500)), Verdict::Dropped(DropReason::Full));
}

#[test]
fn a_limit_in_bytes_counts_bytes() {
    let queue = QueueConfig::DropTail(Capacity::Bytes(3000));
    let config = LinkConfig { queue, ..one_packet_per_millisecond() };
    let mut pipe = Pipe::new(&config, &Streams::new(1, 0), "bytes");
    for item in 0..3 {
        assert_eq!(pipe.push(Time::ZERO, Entry::new(item, 1500)), Verdict::Queued);
    }
    assert_eq!(pipe.push(Time::ZERO, Entry::new(3, 1)), Verdict::Dropped(DropReason::Full));
    assert_eq!(pipe.push(millis(1), Entry::new(4, 1500)), Verdict::Queued);
    assert_eq!(pipe.push(millis(1), Entry::new(5, 3001)), Verdict::Dropped(DropReason::Full));
}

#[test]
fn an_overload_of_50_percent_loses_a_third_of_the_packets() {
    let mut pipe = Pipe::new(&one_packet_per_millisecond(), &Streams::new(1, 0), "overload");
    let arrivals = (0..30_000).map(|n| Time::from_nanos(n * 2_000_000 / 3));
    drive(&mut pipe, arrivals, |_, _| {});
    let counters = pipe.counters();
    // At the last arrival 19 999 packets have left; the 101 packets inside follow.
    assert_eq!(counters.delivered, 19_999 + 101);
    assert_eq!(counters.dropped_queue, 30_000 - counters.delivered);
}

proptest! {
    /// Little's law: the integral of the queue over time is the sum of the waiting times of its packets.
    #[test]
    fn the_integral_of_the_queue_is_the_sum_of_the_waiting_times(
        gaps in prop::collection::vec(0_u64..2_500_000, 1..300),
        queue in prop::sample::select(vec![
            QueueConfig::DropTail(Capacity::Packets(5)),
            QueueConfig::Red(RedConfig::new(0.1, 2.0, 6.0, 0.1)),
            QueueConfig::Pie(PieConfig::default()),
        ]),
    ) {
        let config = LinkConfig { queue, ..one_packet_per_millisecond() };
        let mut pipe = Pipe::new(&config, &Streams::new(1, 0), "waiting");
        let mut now = Time::ZERO;
        let arrivals: Vec<_> = gaps.iter().map(|&gap| { now += Span::from_nanos(gap); now }).collect();
        let (mut waited, mut last) = (0_u128, Time::ZERO);
        drive(&mut pipe, arrivals.iter().copied(), |index, delivered| {
            let inside = (delivered - arrivals[index]).as_nanos();
            waited += u128::from(inside - Span::from_millis(1).as_nanos());
            last = delivered;
        });
        prop_assert_eq!(pipe.queue_integral(last), waited);
        prop_assert_eq!(pipe.queue_integral(last + Span::from_secs(1)), waited, "an empty queue adds nothing");
    }
}

#[test]
fn framing_takes_transmission_time_but_no_queue_space() {
    let config = LinkConfig { overhead: 7, ..one_packet_per_millisecond() };
    let mut pipe = Pipe::new(&config, &Streams::new(1, 0), "ppp");
    assert_eq!(pipe.push(Time::ZERO, Entry::new((), 1500)), Verdict::Queued);
    assert_eq!(pipe.push(Time::ZERO, Entry::new((), 1500)), Verdict::Queued);
    assert_eq!(pipe.queue_bytes(Time::ZERO), 1500);
    // 1507 bytes * 8 / 12 Mbit/s = 1 004 666 and 2/3 ns; the second ends at 2 009 333 and 1/3 ns.
    assert_eq!(pipe.poll_timeout(), Time::from_nanos(1_004_666));
    assert!(pipe.pop(Time::from_nanos(1_004_666)).is_some());
    assert_eq!(pipe.poll_timeout(), Time::from_nanos(2_009_333));
}

#[test]
fn the_wait_of_poisson_arrivals_follows_pollaczek_and_khinchine() {
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
