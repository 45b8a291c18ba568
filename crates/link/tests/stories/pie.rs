//! PIE keeps the delay at its target, with the exceptions of RFC 8033.

use manypath_core::{Rate, Span, Streams, Time};
use manypath_link::queue::{Pie, PieConfig, Queue};
use manypath_link::{DropReason, Entry, LinkConfig, Pipe, Popped, QueueConfig, Verdict};
use proptest::prelude::*;

fn queue(config: &PieConfig) -> Pie<()> {
    Pie::new(config, Rate::from_bits_per_second(1), Streams::new(1, 0).stream("pie"))
}

/// 12 Mbit/s: a packet of 1500 bytes takes one millisecond.
fn pipe(config: PieConfig) -> Pipe<usize> {
    let mut link = LinkConfig::new(Rate::from_bits_per_second(12_000_000), Span::ZERO);
    link.queue = QueueConfig::Pie(config);
    Pipe::new(&link, &Streams::new(1, 0), "pie")
}

/// The wait of each delivered packet in milliseconds, and the arrival time of each dropped one. Packets arrive every
/// `gap` nanoseconds from the beginning on.
fn drive(pipe: &mut Pipe<usize>, count: usize, gap: u64) -> (Vec<f64>, Vec<Time>) {
    let (mut waits, mut drops) = (Vec::new(), Vec::new());
    for n in 0..count {
        let now = Time::from_nanos(n as u64 * gap);
        while pipe.poll_timeout() <= now {
            let due = pipe.poll_timeout();
            if let Some(Popped::Delivered(index)) = pipe.pop(due) {
                let arrival = Time::from_nanos(index as u64 * gap);
                waits.push((due - arrival).as_secs_f64() * 1000.0 - 1.0);
            }
        }
        if let Verdict::Dropped(reason) = pipe.push(now, Entry::new(n, 1500)) {
            assert_eq!(reason, DropReason::Early);
            drops.push(now);
        }
    }
    (waits, drops)
}

#[test]
fn pie_keeps_the_delay_at_its_target_and_drops_the_surplus() {
    // A controller with an integral part has no steady-state error: the mean delay equals the target for every surplus.
    for (target, surplus) in [(15, 6), (15, 2), (30, 10)] {
        let config = PieConfig { target: Span::from_millis(target), ..PieConfig::default() };
        let mut pipe = pipe(config);
        // For each `surplus - 1` packets that the link carries, `surplus` arrive.
        let gap = 1_000_000 * (surplus - 1) / surplus;
        let (waits, drops) = drive(&mut pipe, 300_000, gap);
        let settled = &waits[waits.len() / 3..];
        let mean = settled.iter().sum::<f64>() / settled.len() as f64;
        let share = drops.len() as f64 / 300_000.0;
        assert!((mean / target as f64 - 1.0).abs() < 0.02, "{mean} ms instead of {target} ms");
        assert!((share * surplus as f64 - 1.0).abs() < 0.01, "{share} dropped, not 1/{surplus}");
    }
}

#[test]
fn a_burst_has_no_drops_during_the_burst_allowance() {
    for burst in [150, 300] {
        let config = PieConfig { burst: Span::from_millis(burst), ..PieConfig::default() };
        // Twice the rate of the link from the beginning on: soon every other packet must be dropped.
        let (_, drops) = drive(&mut pipe(config), 3000, 500_000);
        let first = (drops[0] - Time::ZERO).as_secs_f64() * 1000.0;
        assert!(
            (burst as f64..burst as f64 + 60.0).contains(&first),
            "{first} ms after {burst} ms"
        );
    }
}

/// Adds two packets to a queue and removes one in each millisecond from `first` to `last`; returns the number of drops.
fn overload(queue: &mut Pie<()>, first: u64, last: u64) -> usize {
    let mut drops = 0;
    for half_ms in 2 * first..=2 * last {
        let now = Time::from_nanos(half_ms * 500_000);
        let verdict = queue.enqueue(now, Entry::new((), 1500), &mut Vec::new());
        drops += usize::from(verdict != Verdict::Queued);
        if half_ms % 2 == 0 {
            let _ = queue.dequeue(now, &mut Vec::new());
        }
    }
    drops
}

#[test]
fn a_queue_of_two_packets_has_no_drops() {
    let mut queue = queue(&PieConfig::default());
    assert!(overload(&mut queue, 0, 5000) > 3000);
    assert!(queue.probability() > 0.2, "{} after 5 s of twice the load", queue.probability());
    let now = Time::ZERO + Span::from_millis(5000);
    let arrive = |queue: &mut Pie<()>| queue.enqueue(now, Entry::new((), 1500), &mut Vec::new());
    for (waiting, is_spared) in [(3, false), (2, true), (0, true)] {
        while queue.len() > waiting {
            let _ = queue.dequeue(now, &mut Vec::new());
        }
        let mut drops = 0;
        for _ in 0..200 {
            match arrive(&mut queue) {
                Verdict::Queued => drop(queue.dequeue(now, &mut Vec::new())),
                Verdict::Dropped(_) => drops += 1,
            }
        }
        assert_eq!(drops == 0, is_spared, "{drops} of 200 dropped with {waiting} waiting");
    }
}

#[test]
fn after_the_drop_probability_has_decayed_the_next_burst_has_no_drops() {
    let mut queue = queue(&PieConfig::default());
    assert!(overload(&mut queue, 0, 1000) > 300);
    while queue.dequeue(Time::ZERO + Span::from_millis(1000), &mut Vec::new()).is_some() {}
    // The queue is empty: the probability decays by 2 % every 15 ms, and by the controller's small steps.
    let mut twin = self::queue(&PieConfig::default());
    assert_eq!(overload(&mut queue, 11_000, 11_149), 0);
    assert_eq!(overload(&mut twin, 11_000, 11_149), 0);
    assert_eq!(queue.probability(), twin.probability(), "nothing is left of the first overload");
    assert!(overload(&mut queue, 11_150, 12_000) > 300);
}

/// RFC 8033 sections 4.2 and 4.4 without lazy updates: the owner calls `update` every 15 ms.
#[derive(Default)]
struct Controller {
    probability: f64,
    delay: f64,
    old_delay: f64,
}

impl Controller {
    fn update(&mut self) {
        let growth = 0.125 * (self.delay - 0.015) + 1.25 * (self.delay - self.old_delay);
        let scale = match self.probability {
            p if p < 0.000_001 => 2048.0,
            p if p < 0.000_01 => 512.0,
            p if p < 0.000_1 => 128.0,
            p if p < 0.001 => 32.0,
            p if p < 0.01 => 8.0,
            p if p < 0.1 => 2.0,
            _ => 1.0,
        };
        self.probability += growth / scale;
        if self.delay == 0.0 && self.old_delay == 0.0 {
            self.probability *= 0.98;
        }
        self.probability = self.probability.clamp(0.0, 1.0);
        self.old_delay = self.delay;
    }
}

/// Arrivals (true) or departures of packets, each some nanoseconds after the previous step.
fn steps() -> impl Strategy<Value = Vec<(u64, bool)>> {
    let pause = prop_oneof![40 => 0_u64..2_000_000, 1 => 0_u64..2_000_000_000];
    prop::collection::vec((pause, prop::bool::weighted(0.6)), 1..600)
}

proptest! {
    #[test]
    fn late_updates_equal_timely_ones(steps in steps()) {
        let (mut queue, mut eager) = (queue(&PieConfig::default()), Controller::default());
        let mut arrivals = std::collections::VecDeque::new();
        let (mut now, mut updates) = (0_u64, 0_u64);
        for (pause, comes) in steps {
            now += pause;
            while (updates + 1) * 15_000_000 <= now {
                eager.update();
                updates += 1;
            }
            let at = Time::from_nanos(now);
            if comes {
                if queue.enqueue(at, Entry::new((), 1500), &mut Vec::new()) == Verdict::Queued {
                    arrivals.push_back(now);
                }
            } else if queue.dequeue(at, &mut Vec::new()).is_some() {
                let arrival = arrivals.pop_front().unwrap();
                eager.delay = if arrivals.is_empty() { 0.0 } else { (now - arrival) as f64 / 1e9 };
            }
            prop_assert!((queue.probability() - eager.probability).abs() < 1e-12);
        }
    }
}

#[test]
fn pie_respects_its_limits() {
    let (bytes, packets) = (Some(15_000), Some(20));
    for (config, room) in [
        (PieConfig::default(), 1000),
        (PieConfig { bytes, ..PieConfig::default() }, 10),
        (PieConfig { packets, bytes, ..PieConfig::default() }, 10),
    ] {
        let mut queue = queue(&config);
        let mut arrive = || queue.enqueue(Time::ZERO, Entry::new((), 1500), &mut Vec::new());
        assert!((0..room).all(|_| arrive() == Verdict::Queued));
        assert_eq!(arrive(), Verdict::Dropped(DropReason::Full));
    }
}
