//! FQ-CoDel shares a link among flows, and keeps the delay of sparse flows short.

use manypath_core::{Rate, Span, Streams, Time};
use manypath_link::queue::{FqCoDel, FqCoDelConfig, Queue};
use manypath_link::{Entry, LinkConfig, Pipe, Popped, QueueConfig, Verdict};

/// A source of packets of one size at a constant rate.
#[derive(Debug, Clone, Copy)]
struct Source {
    size: u32,
    gap: Span,
    start: Time,
}

/// The result of a flow.
#[derive(Debug, Clone, Copy, Default)]
struct FlowResult {
    delivered_bytes: u64,
    lost: u64,
    longest: Span,
}

/// Runs these sources (flow 0, 1, 2, ...) for ten seconds over 12 Mbit/s, where 1500 bytes take a millisecond.
fn run(config: FqCoDelConfig, sources: &[Source]) -> Vec<FlowResult> {
    let mut link = LinkConfig::new(Rate::from_bits_per_second(12_000_000), Span::ZERO);
    link.queue = QueueConfig::FqCoDel(config);
    let mut pipe: Pipe<(usize, Time)> = Pipe::new(&link, &Streams::new(1, 0), "fq-codel");
    let mut fortunes = vec![FlowResult::default(); sources.len()];
    let mut next: Vec<Time> = sources.iter().map(|source| source.start).collect();
    let end = Time::ZERO + Span::from_secs(10);
    loop {
        let (flow, now) = next.iter().copied().enumerate().min_by_key(|source| source.1).unwrap();
        while pipe.poll_timeout() <= now.min(end) {
            let due = pipe.poll_timeout();
            match pipe.pop(due) {
                Some(Popped::Delivered((flow, sent))) => {
                    let fortune = &mut fortunes[flow];
                    fortune.delivered_bytes += u64::from(sources[flow].size);
                    fortune.longest = fortune.longest.max(due - sent);
                }
                Some(Popped::Lost { item: (flow, _), .. }) => fortunes[flow].lost += 1,
                other => assert_eq!(other, None),
            }
        }
        if now > end {
            return fortunes;
        }
        let Source { size, gap, .. } = sources[flow];
        next[flow] = now + gap;
        let entry = Entry { item: (flow, now), size, flow: flow as u32 };
        assert_eq!(pipe.push(now, entry), Verdict::Queued, "no packet is refused on arrival");
    }
}

fn micros(us: u64) -> Span {
    Span::from_micros(us)
}

/// Packets of 1500 bytes at twice the rate of the link.
const BULK: Source = Source { size: 1500, gap: Span::from_nanos(500_000), start: Time::ZERO };

#[test]
fn two_bulk_flows_with_different_packet_sizes_get_equal_bytes() {
    let small = Source { size: 300, gap: micros(120), ..BULK };
    let [bulk, small] = run(FqCoDelConfig::default(), &[BULK, small])[..] else { panic!() };
    assert!(bulk.delivered_bytes.abs_diff(7_500_000) < 15_000, "{bulk:?}");
    assert!(small.delivered_bytes.abs_diff(7_500_000) < 15_000, "{small:?}");
}

#[test]
fn a_sparse_flow_waits_only_for_the_packet_in_transmission() {
    // One packet every 20 ms, not synchronised with the others. 1 ms for the rest of the packet in transmission and its
    // own transmission. At first all flows are new, so this flow starts a little later.
    let start = Time::ZERO + Span::from_millis(10);
    let sparse = Source { size: 150, gap: Span::from_nanos(20_030_001), start };
    let fortunes = run(FqCoDelConfig::default(), &[BULK, BULK, sparse]);
    assert!(fortunes[2].longest <= micros(1100), "{:?}", fortunes[2]);
    assert_eq!(fortunes[2].lost, 0);
    // The others wait longer than CoDel's target and lose their surplus.
    for bulk in &fortunes[..2] {
        assert!(bulk.longest > Span::from_millis(5) && bulk.lost > 1000, "{bulk:?}");
    }
}

#[test]
fn flows_without_a_queue_do_not_starve_a_bulk_flow() {
    // Thirty flows, each slightly below an equal share, together 29/31 of the link. Their buckets are nearly always
    // new. The bulk flow gets the rest.
    let polite = Source { size: 1500, gap: Span::from_nanos(31_000_000 * 30 / 29), ..BULK };
    let mut sources = vec![polite; 30];
    sources.push(BULK);
    let fortunes = run(FqCoDelConfig::default(), &sources);
    let bulk = fortunes[30].delivered_bytes as f64 / 15e6;
    assert!((bulk - 2.0 / 31.0).abs() < 0.005, "the bulk flow gets {bulk} of the link");
    assert!(fortunes[..30].iter().all(|polite| polite.lost == 0));
}

#[test]
fn a_flow_that_always_has_one_packet_waiting_is_served_in_turn() {
    // Whenever a packet of flow 1 leaves, the next one arrives. Its bucket becomes empty each time, but does not become
    // new before the turns of the others.
    let mut queue = queue(FqCoDelConfig::default());
    for _ in 0..100 {
        arrive(&mut queue, 0, 1500);
    }
    let mut served = [0; 2];
    for _ in 0..60 {
        while queue.len() < 100 - served[0] + 1 {
            arrive(&mut queue, 1, 1500);
        }
        let flow = queue.dequeue(Time::ZERO, &mut Vec::new()).unwrap().flow;
        served[flow as usize] += 1;
    }
    assert!(served[0].abs_diff(30) <= 1, "{served:?}");
}

#[test]
fn a_full_queue_drops_half_of_the_packets_of_the_flow_with_the_most_bytes() {
    let mut queue = queue(FqCoDelConfig { packets: Some(100), ..FqCoDelConfig::default() });
    let mut discarded = Vec::new();
    for number in 0..60 {
        let entry = Entry { item: number, size: 100, flow: 7 };
        assert_eq!(queue.enqueue(Time::ZERO, entry, &mut discarded), Verdict::Queued);
    }
    for number in 60..101 {
        assert!(discarded.is_empty());
        let entry = Entry { item: number, size: 1500, flow: 8 };
        assert_eq!(queue.enqueue(Time::ZERO, entry, &mut discarded), Verdict::Queued);
    }
    // Flow 8 has fewer packets, but more bytes: the 21 oldest of its 41 packets are dropped.
    assert!(discarded.iter().copied().eq(60..81));
    assert_eq!((queue.len(), queue.bytes()), (80, 60 * 100 + 20 * 1500));

    // At most 64 packets are dropped at once: RFC 8290 section 4.1.
    let mut queue = self::queue(FqCoDelConfig { packets: Some(1000), ..FqCoDelConfig::default() });
    let mut discarded = Vec::new();
    for number in 0..1001 {
        let entry = Entry { item: number, size: 100, flow: 7 };
        let _ = queue.enqueue(Time::ZERO, entry, &mut discarded);
    }
    assert!(discarded.iter().copied().eq(0..64));
}

#[test]
fn a_packet_larger_than_the_whole_queue_is_dropped() {
    let mut queue = queue(FqCoDelConfig { bytes: Some(1000), ..FqCoDelConfig::default() });
    let mut discarded = Vec::new();
    assert_eq!(queue.enqueue(Time::ZERO, Entry::new(1, 1500), &mut discarded), Verdict::Queued);
    assert_eq!((discarded.as_slice(), queue.len()), ([1].as_slice(), 0));
    assert_eq!(queue.dequeue(Time::ZERO, &mut discarded), None);
}

#[test]
fn the_hash_spreads_flows_evenly_and_differently_in_each_run() {
    let config = FqCoDelConfig { buckets: 64, ..FqCoDelConfig::default() };
    let place = |replication| {
        let streams = Streams::new(1, replication);
        let queue =
            FqCoDel::<u32>::new(&config, Rate::from_bits_per_second(1), streams.stream("queue"));
        (0..6400).map(|flow| queue.bucket(flow)).collect::<Vec<_>>()
    };
    let (first, second) = (place(0), place(1));
    for places in [&first, &second] {
        let mut counts = [0_u32; 64];
        places.iter().for_each(|&place| counts[place] += 1);
        // Chi-squared with 63 degrees of freedom exceeds 103 once in a thousand seeds.
        let chi: f64 = counts.iter().map(|&n| (f64::from(n) - 100.0).powi(2) / 100.0).sum();
        assert!(chi < 103.0, "{counts:?}");
    }
    let equal = first.iter().zip(&second).filter(|(a, b)| a == b).count();
    assert!(equal < 150, "{equal} of 6400 flows have the same place twice");
}

#[test]
fn flows_that_share_a_bucket_share_its_turns() {
    let one_bucket = FqCoDelConfig { buckets: 1, ..FqCoDelConfig::default() };
    let sparse = Source { size: 150, gap: Span::from_millis(20), ..BULK };
    let fortunes = run(one_bucket, &[BULK, sparse]);
    assert!(fortunes[1].longest > Span::from_millis(5), "{:?}", fortunes[1]);
}

fn queue(config: FqCoDelConfig) -> FqCoDel<u32> {
    FqCoDel::new(&config, Rate::from_bits_per_second(1), Streams::new(1, 0).stream("queue"))
}

fn arrive(queue: &mut FqCoDel<u32>, flow: u32, size: u32) {
    let verdict = queue.enqueue(Time::ZERO, Entry { item: flow, size, flow }, &mut Vec::new());
    assert_eq!(verdict, Verdict::Queued);
}
