//! A computed link treats packets exactly as a pipe with the same configuration, and knows it earlier.

use manypath_core::{Rate, Span, Streams, Time};
use manypath_link::{ComputedLink, Entry, LinkConfig, Passage, Pipe, Popped, QueueConfig, Verdict};
use proptest::prelude::*;

/// What became of each packet, and everything that can be read at some instants.
#[derive(Debug, PartialEq)]
struct Story {
    passages: Vec<Passage>,
    readings: Vec<String>,
}

/// Packets enter after pauses of these nanoseconds, with these sizes. The link is read after each packet.
type Packets = [(u64, u32)];

fn story_of_pipe(config: &LinkConfig, packets: &Packets) -> Story {
    let mut pipe = Pipe::new(config, &Streams::new(1, 0), "link");
    let mut passages = vec![None; packets.len()];
    let mut readings = Vec::new();
    let deliver = |pipe: &mut Pipe<usize>, until: Time, passages: &mut Vec<Option<Passage>>| {
        while pipe.poll_timeout() <= until && pipe.poll_timeout() != Time::NEVER {
            let at = pipe.poll_timeout();
            match pipe.pop(at) {
                Some(Popped::Delivered(packet)) => passages[packet] = Some(Passage::Arrives(at)),
                Some(Popped::Damaged { item, byte }) => {
                    passages[item] = Some(Passage::Damaged { at, byte });
                }
                Some(Popped::Lost { item, .. }) => passages[item] = Some(Passage::Lost(at)),
                None => {}
            }
        }
    };
    for (packet, (now, size)) in entries(packets).enumerate() {
        deliver(&mut pipe, now, &mut passages);
        if let Verdict::Dropped(reason) = pipe.push(now, Entry::new(packet, size)) {
            passages[packet] = Some(Passage::Dropped(reason));
        }
        let queue = (pipe.queue_len(now), pipe.queue_integral(now), pipe.busy(now));
        readings.push(format!("{:?} {queue:?} {}", pipe.counters(), pipe.in_flight()));
    }
    deliver(&mut pipe, Time::NEVER, &mut passages);
    Story { passages: passages.into_iter().flatten().collect(), readings }
}

/// With `ahead`, all packets enter at the beginning of the owner's time, ahead of it.
fn story_of_computed(config: &LinkConfig, packets: &Packets, ahead: bool) -> Option<Story> {
    let mut link = ComputedLink::new(config, &Streams::new(1, 0), "link")?;
    let mut story = Story { passages: Vec::new(), readings: Vec::new() };
    // What has been computed and not been counted, because it happens later.
    let mut later: Vec<(Time, Passage, u32)> = Vec::new();
    let mut popped = Vec::new();
    let entries: Vec<_> = entries(packets).collect();
    for (number, &(now, _)) in entries.iter().enumerate() {
        let (owners_time, enter) = match (ahead, number) {
            (true, 0) => (Time::ZERO, 0..entries.len()),
            (true, _) => (now, 0..0),
            (false, _) => (now, number..number + 1),
        };
        for packet in enter {
            let (at, size) = entries[packet];
            let earliest = link.earliest_arrival(at);
            let passage = link.push(owners_time, at, size, Some(packet));
            let happens = match passage {
                Passage::Arrives(at) | Passage::Damaged { at, .. } | Passage::Lost(at) => at,
                Passage::Dropped(_) => at,
            };
            assert!(happens >= earliest || matches!(passage, Passage::Dropped(_)));
            later.push((happens, passage, size));
            story.passages.push(passage);
        }
        while let Some(packet) = link.pop(now) {
            popped.push(packet);
        }
        later.retain(|&(at, passage, size)| {
            if at <= now {
                link.count(passage, size);
            }
            at > now
        });
        let queue = (link.queue_len(now), link.queue_integral(now), link.busy(now));
        let counters = link.counters(now);
        story.readings.push(format!("{counters:?} {queue:?} {}", link.in_flight(now)));
    }
    popped.extend(std::iter::from_fn(|| link.pop(Time::NEVER)));
    let arrives =
        |passage: &Passage| matches!(passage, Passage::Arrives(_) | Passage::Damaged { .. });
    let expected = (0..).zip(&story.passages).filter(|packet| arrives(packet.1));
    assert!(expected.map(|packet| packet.0).eq(popped), "each packet that arrives, in order");
    Some(story)
}

/// When each packet enters, and its size. No two enter at once, so that the link is read after each.
fn entries(packets: &Packets) -> impl Iterator<Item = (Time, u32)> {
    let mut now = Time::ZERO;
    packets.iter().map(move |&(pause, size)| {
        now += Span::from_nanos(pause);
        (now, size)
    })
}

proptest! {
    #[test]
    fn every_packet_has_the_same_fate_at_the_same_time(
        packets in prop::collection::vec((1_u64..3_000_000, 20_u32..1500), 1..300),
        queue in crate::any::queue(),
        loss in crate::any::loss(),
        rate in prop_oneof![
            Just(3_000_000_u64), Just(160_000_000_000), 1_000_000_u64..1_000_000_000,
        ],
        delay in prop_oneof![Just(0_u64), 0_u64..30_000_000],
        overhead in 0_u64..30,
    ) {
        let link = LinkConfig::new(Rate::from_bits_per_second(rate), Span::from_nanos(delay));
        let config = LinkConfig { queue, loss, overhead, ..link };
        for ahead in [false, true] {
            let computed = story_of_computed(&config, &packets, ahead);
            let can_be = matches!(config.queue, QueueConfig::DropTail(_) | QueueConfig::Red(_));
            prop_assert_eq!(computed.is_some(), can_be);
            if let Some(computed) = computed {
                prop_assert_eq!(computed, story_of_pipe(&config, &packets));
            }
        }
    }
}

#[test]
fn items_come_out_in_the_order_of_their_packets_when_these_arrive() {
    // 1000 bytes at 8 Mbit/s take 1 ms, then 5 ms of propagation.
    let config = LinkConfig::new(Rate::from_bits_per_second(8_000_000), Span::from_millis(5));
    let mut link = ComputedLink::new(&config, &Streams::new(1, 0), "link").expect("a simple link");
    let millis = |millis| Time::ZERO + Span::from_millis(millis);
    assert_eq!(link.next_arrival(), Time::NEVER);
    // Packets may enter ahead of time. One without an item is not told.
    for item in [Some('a'), None, Some('c')] {
        link.push(Time::ZERO, millis(10), 1000, item);
    }
    assert_eq!((link.next_arrival(), link.pop(millis(15))), (millis(16), None));
    assert_eq!((link.pop(millis(16)), link.next_arrival()), (Some('a'), millis(18)));
    assert_eq!((link.pop(millis(18)), link.next_arrival()), (Some('c'), Time::NEVER));
    assert_eq!(link.pop(millis(99)), None);
}

#[test]
fn a_link_so_fast_that_two_packets_arrive_within_a_nanosecond_is_not_computed() {
    let computed = |rate| {
        let config = LinkConfig::new(Rate::from_bits_per_second(rate), Span::ZERO);
        ComputedLink::<()>::new(&config, &Streams::new(1, 0), "link").is_some()
    };
    assert_eq!(
        [100, 160, 161].map(|gigabits| computed(gigabits * 1_000_000_000)),
        [true, true, false]
    );
}

#[test]
fn a_delay_of_centuries_is_not_computed() {
    let computed = |years: u64| {
        let delay = Span::from_secs(years * 365 * 86_400);
        let config = LinkConfig::new(Rate::from_bits_per_second(1_000_000), delay);
        ComputedLink::<()>::new(&config, &Streams::new(1, 0), "link").is_some()
    };
    assert_eq!([1, 100, 101].map(computed), [true, true, false]);
}
