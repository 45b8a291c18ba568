//! Links with a trace: departures compared with calculated ones and with a constant rate.

use manypath_core::{Rate, Span, Streams, Time};
use manypath_link::queue::Capacity;
use manypath_link::{Change, Entry, LinkConfig, LinkEvent, Pipe, Popped, QueueConfig, Verdict};
use proptest::prelude::*;

fn recorded(trace: &str, overhead: u64) -> LinkConfig {
    LinkConfig::recorded(trace.parse().unwrap(), overhead, Span::ZERO)
}

fn millis(millis: u64) -> Time {
    Time::ZERO + Span::from_millis(millis)
}

/// The delivery times in milliseconds of packets with these arrival times (in milliseconds) and sizes.
fn departures(config: &LinkConfig, arrivals: &[(u64, u32)]) -> Vec<(usize, f64)> {
    let mut pipe = Pipe::new(config, &Streams::new(1, 0), "recorded");
    let mut seen = Vec::new();
    let until = |pipe: &mut Pipe<usize>, now: Time, seen: &mut Vec<_>| {
        while pipe.poll_timeout() <= now && pipe.poll_timeout() != Time::NEVER {
            let due = pipe.poll_timeout();
            if let Some(Popped::Delivered(number)) = pipe.pop(due) {
                seen.push((number, due.as_secs_f64() * 1e3));
            }
        }
    };
    for (number, &(at, size)) in arrivals.iter().enumerate() {
        until(&mut pipe, millis(at), &mut seen);
        assert_eq!(pipe.push(millis(at), Entry::new(number, size)), Verdict::Queued);
    }
    until(&mut pipe, Time::NEVER, &mut seen);
    seen
}

#[test]
fn full_packets_leave_one_at_each_opportunity_and_the_trace_repeats() {
    // Opportunities at 5, 5, 10 and 30 ms, then at 35, 35, 40 and 60 ms, ...
    let packets = [(0, 1500); 6];
    let expected = [(0, 5.0), (1, 5.0), (2, 10.0), (3, 30.0), (4, 35.0), (5, 35.0)];
    assert_eq!(departures(&recorded("5 0 5 20", 0), &packets), expected);
    assert_eq!(departures(&recorded("5 0 5 20", 7), &packets), expected);
}

#[test]
fn small_packets_share_an_opportunity_and_large_ones_need_several() {
    let small = [(0, 500); 4];
    let expected = [(0, 10.0), (1, 10.0), (2, 10.0), (3, 20.0)];
    assert_eq!(departures(&recorded("10", 0), &small), expected);
    // The rest of the third opportunity serves the following packet.
    let mixed = [(0, 4000), (0, 500), (0, 1)];
    assert_eq!(departures(&recorded("10", 0), &mixed), [(0, 30.0), (1, 30.0), (2, 40.0)]);
    // With 10 bytes of framing each: 1510 bytes hold two packets of 745.
    let framed = [(0, 745), (0, 745), (0, 745)];
    assert_eq!(departures(&recorded("10", 10), &framed), [(0, 10.0), (1, 10.0), (2, 20.0)]);
}

#[test]
fn unused_transmission_opportunities_are_lost() {
    // A packet at 20 ms misses the opportunity at 10 ms and uses the one at 20 ms.
    assert_eq!(departures(&recorded("10", 0), &[(20, 1500), (21, 1500)]), [(0, 20.0), (1, 30.0)]);
    // The opportunity at 10 ms has 1000 bytes left, which a later packet cannot use.
    assert_eq!(departures(&recorded("10", 0), &[(0, 500), (11, 500)]), [(0, 10.0), (1, 20.0)]);
    // After a long time without packets the trace has advanced.
    let late = 3 * 24 * 3600 * 1000;
    let packets = [(late + 1, 1500), (late + 1, 1500)];
    let expected = [(0, (late + 5) as f64), (1, (late + 25) as f64)];
    assert_eq!(departures(&recorded("5 20", 0), &packets), expected);
}

#[test]
fn a_link_that_comes_up_continues_at_the_current_position_of_the_trace() {
    let at = |at, change| LinkEvent { at: millis(at), change };
    let events = vec![at(12, Change::Down), at(14, Change::Up)];
    let config = LinkConfig { events, ..recorded("10 100", 0) };
    let mut pipe = Pipe::new(&config, &Streams::new(1, 0), "failing");
    // The packet that is discarded at 12 ms would have left at 110 ms. The next one leaves at that time.
    for number in [0, 1] {
        assert_eq!(pipe.push(millis(0), Entry::new(number, 1500)), Verdict::Queued);
    }
    let mut seen = Vec::new();
    while pipe.poll_timeout() <= millis(15) {
        let due = pipe.poll_timeout();
        seen.extend(pipe.pop(due));
    }
    assert_eq!(pipe.push(millis(15), Entry::new(2, 1500)), Verdict::Queued);
    assert_eq!(pipe.poll_timeout(), millis(110));
    assert_eq!(pipe.pop(millis(110)), Some(Popped::Delivered(2)));
    assert_eq!(seen[0], Popped::Delivered(0));
    assert_eq!(pipe.counters().lost_down, 1);
}

#[test]
fn rate_and_events_of_a_recorded_link_follow_its_trace() {
    let link = recorded("1", 7);
    assert_eq!(link.rate, Rate::from_bits_per_second(12_056_000));
    let other = LinkConfig { rate: Rate::from_bits_per_second(12_000_000), ..link.clone() };
    assert_eq!(
        other.validate().unwrap_err().to_string(),
        "`rate` is 12 Mbit/s, expected the mean of `trace` with its framing, which is 12056 kbit/s"
    );
    let change = Change::Rate(Rate::from_bits_per_second(1_000_000));
    let events = vec![LinkEvent { at: Time::ZERO, change }];
    assert_eq!(
        LinkConfig { events, ..link }.validate().unwrap_err().to_string(),
        "`events.0.rate` is a change of rate, expected none on a link with a `trace`, which says when packets leave"
    );
}

#[cfg(feature = "serde")]
#[test]
fn a_trace_is_written_into_the_document() {
    let link = recorded("5 0*3 20", 7);
    let written = serde_json::to_string(&link).unwrap();
    assert!(written.ends_with(r#""trace":"5 0*3 20"}"#), "{written}");
    assert_eq!(serde_json::from_str::<LinkConfig>(&written).unwrap(), link);
    let constant = LinkConfig::new(link.rate, Span::ZERO);
    assert!(!serde_json::to_string(&constant).unwrap().contains("trace"));
    let wrong = serde_json::from_str::<LinkConfig>(&written.replace("20\"", "twenty\""));
    assert!(wrong.unwrap_err().to_string().starts_with("\"twenty\" is no trace"));
}

proptest! {
    /// An opportunity per millisecond, compared with 12 Mbit/s: a full packet takes 1 ms and leaves at most 1 ms earlier
    /// or later. It leaves 1 ms earlier if it arrives at the instant of an opportunity.
    #[test]
    fn an_even_trace_equals_a_constant_rate_within_one_packet(
        pauses in prop::collection::vec(0_u64..4_000_000, 1..200),
    ) {
        let queue = QueueConfig::DropTail(Capacity::Packets(1000));
        let even = LinkConfig { queue, ..recorded("1", 7) };
        let constant = LinkConfig { trace: None, ..even.clone() };
        let times = |config: &LinkConfig| {
            let mut pipe = Pipe::new(config, &Streams::new(1, 0), "link");
            let (mut now, mut times) = (Time::ZERO, Vec::new());
            for (number, &pause) in pauses.iter().enumerate() {
                now += Span::from_nanos(pause);
                assert_eq!(pipe.push(now, Entry::new(number, 1500)), Verdict::Queued);
                while pipe.poll_timeout() <= now {
                    let due = pipe.poll_timeout();
                    times.extend(pipe.pop(due).map(|_| due));
                }
            }
            while pipe.poll_timeout() != Time::NEVER {
                let due = pipe.poll_timeout();
                times.extend(pipe.pop(due).map(|_| due));
            }
            times
        };
        for (even, constant) in times(&even).into_iter().zip(times(&constant)) {
            let apart = even.saturating_since(constant).max(constant.saturating_since(even));
            prop_assert!(apart <= Span::from_millis(1), "{even:?} instead of {constant:?}");
        }
    }

    /// An opportunity carries at most its bytes, for any arrivals.
    #[test]
    fn opportunities_carry_at_most_their_bytes(
        trace in crate::any::trace(),
        arrivals in prop::collection::vec((0_u64..20_000_000, 40_u32..4000), 1..200),
        events in crate::any::events(),
    ) {
        let instants: Vec<_> = trace.millis().to_vec();
        let is_rate = |event: &LinkEvent| matches!(event.change, Change::Rate(_) | Change::Delay(_) | Change::Loss(_));
        let events = events.into_iter().filter(|event| !is_rate(event)).collect();
        let config = LinkConfig { events, ..LinkConfig::recorded(trace, 0, Span::ZERO) };
        let mut pipe = Pipe::new(&config, &Streams::new(1, 0), "link");
        let (mut now, mut bytes) = (Time::ZERO, std::collections::BTreeMap::<u64, u64>::new());
        let mut sizes = Vec::new();
        let period = u64::from(*instants.last().unwrap());
        let mut note = |pipe: &mut Pipe<usize>, until: Time, sizes: &[u32]| {
            while pipe.poll_timeout() <= until && pipe.poll_timeout() != Time::NEVER {
                let due = pipe.poll_timeout();
                if let Some(Popped::Delivered(number)) = pipe.pop(due) {
                    *bytes.entry(due.as_nanos()).or_default() += u64::from(sizes[number]);
                }
            }
        };
        for (pause, size) in arrivals {
            now += Span::from_nanos(pause);
            note(&mut pipe, now, &sizes);
            let _ = pipe.push(now, Entry::new(sizes.len(), size));
            sizes.push(size);
        }
        note(&mut pipe, Time::NEVER, &sizes);
        // At any instant the sent bytes are at most the bytes of all opportunities so far.
        let mut sum = 0;
        for (at, left) in bytes {
            prop_assert_eq!(at % 1_000_000, 0);
            sum += left;
            let at = at / 1_000_000;
            let in_cycle = |until: u64| instants.iter().filter(|&&instant| u64::from(instant) <= until).count() as u64;
            let opportunities = at / period * instants.len() as u64 + in_cycle(at % period);
            prop_assert!(sum <= 1500 * opportunities, "{sum} bytes by {at} ms");
        }
    }
}
