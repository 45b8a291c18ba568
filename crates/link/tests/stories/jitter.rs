//! Jitter: its distribution, and its effect on phase effects.

use manypath_core::{Rate, Span, Streams, Time};
use manypath_link::{Entry, LinkConfig, Pipe, Popped, Verdict};

/// 12 Mbit/s: a packet of 1500 bytes takes one millisecond.
const SERVICE: Span = Span::from_millis(1);

fn bottleneck() -> LinkConfig {
    LinkConfig::new(Rate::from_bits_per_second(12_000_000), Span::ZERO)
}

/// A link on which only the jitter takes time.
fn wire(jitter: Span) -> LinkConfig {
    LinkConfig {
        jitter,
        ..LinkConfig::new(Rate::from_bits_per_second(1_000_000_000_000), Span::ZERO)
    }
}

/// The times at which packets leave a link, if they enter it every `period` from `first` on.
fn departures(config: &LinkConfig, name: &str, first: Span, period: Span, count: u32) -> Vec<Time> {
    let mut pipe = Pipe::new(config, &Streams::new(1, 0), name);
    let mut left = Vec::new();
    for number in 0..count {
        let now = Time::ZERO + first + period * u64::from(number);
        drain(&mut pipe, now, &mut left);
        assert_eq!(pipe.push(now, Entry::new(number, 1500)), Verdict::Queued);
    }
    drain(&mut pipe, Time::NEVER, &mut left);
    assert_eq!(
        left.iter().map(|&(number, _)| number).collect::<Vec<_>>(),
        Vec::from_iter(0..count)
    );
    left.into_iter().map(|(_, at)| at).collect()
}

fn drain(pipe: &mut Pipe<u32>, until: Time, left: &mut Vec<(u32, Time)>) {
    while pipe.poll_timeout() <= until && pipe.poll_timeout() != Time::NEVER {
        let at = pipe.poll_timeout();
        if let Some(Popped::Delivered(number)) = pipe.pop(at) {
            left.push((number, at));
        }
    }
}

#[test]
fn the_additional_delay_of_distant_packets_is_uniform_up_to_the_jitter() {
    const COUNT: u32 = 40_000;
    let (delay, jitter) = (Span::from_millis(5), Span::from_millis(2));
    let config = LinkConfig { delay, jitter, ..bottleneck() };
    let period = Span::from_millis(10);
    let mut tenths = [0_u32; 10];
    for (number, at) in
        departures(&config, "far", Span::ZERO, period, COUNT).into_iter().enumerate()
    {
        let longer = at - (Time::ZERO + period * number as u64 + SERVICE + delay);
        assert!(longer <= jitter, "{longer:?}");
        tenths[(longer.as_nanos() * 10 / (jitter.as_nanos() + 1)) as usize] += 1;
    }
    // Chi-squared with 9 degrees of freedom exceeds 27.9 once in a thousand seeds.
    let mean = f64::from(COUNT) / 10.0;
    let chi: f64 = tenths.iter().map(|&n| (f64::from(n) - mean).powi(2) / mean).sum();
    assert!(chi < 27.9, "{tenths:?}");
}

#[test]
fn packets_at_short_distance_are_not_reordered() {
    let config = LinkConfig { jitter: Span::from_millis(20), ..bottleneck() };
    let left = departures(&config, "close", Span::ZERO, SERVICE, 1000);
    assert!(left.is_sorted());
    let gaps = left.windows(2).map(|pair| pair[1] - pair[0]);
    assert!(gaps.filter(|&gap| gap == Span::ZERO).count() > 500, "held up by those ahead");
}

/// The number of packets of each of two senders that a full drop-tail queue drops. Each sends at the rate of the link,
/// the second a tenth of a packet after the first.
fn refused(jitter: Span) -> [u32; 2] {
    let sent = |name, first| departures(&wire(jitter), name, first, SERVICE, 2000);
    let arrivals = [sent("first", Span::ZERO), sent("second", SERVICE / 10)];
    let mut merged: Vec<_> =
        (0..2).flat_map(|who| arrivals[who].iter().map(move |&at| (at, who))).collect();
    merged.sort();
    let mut pipe = Pipe::new(&bottleneck(), &Streams::new(1, 0), "full");
    let (mut refused, mut left) = ([0, 0], Vec::new());
    for (number, (at, who)) in merged.into_iter().enumerate() {
        drain(&mut pipe, at, &mut left);
        let verdict = pipe.push(at, Entry::new(number as u32, 1500));
        refused[who] += u32::from(verdict != Verdict::Queued);
    }
    refused
}

#[test]
fn without_jitter_a_full_queue_drops_packets_of_one_sender_only() {
    // Phase effects ([F92]): the first arrival after a departure always gets the free place.
    let [first, second] = refused(Span::ZERO);
    assert!(first.min(second) <= 1 && first.max(second) > 1800, "{first} {second}");
    let [first, second] = refused(SERVICE);
    let share = f64::from(first) / f64::from(first + second);
    assert!((0.45..0.55).contains(&share), "{first} {second}");
}
