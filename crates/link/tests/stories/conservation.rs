//! A link conserves packets and the order within flows under any operations and events.

use std::collections::VecDeque;

use manypath_core::{Rate, Span, Streams, Time};
use manypath_link::queue::Capacity;
use manypath_link::{Change, Entry, LinkConfig, LossCause, Pipe, Popped, QueueConfig, Verdict};
use proptest::prelude::*;

/// An operation of a test on a pipe, after a pause.
#[derive(Debug, Clone, Copy)]
enum Operation {
    Push { size: u32 },
    Pop,
    LookAtQueue,
}

fn operations() -> impl Strategy<Value = Vec<(u64, Operation)>> {
    let operation = prop_oneof![
        4 => (40_u32..1500).prop_map(|size| Operation::Push { size }),
        3 => Just(Operation::Pop),
        1 => Just(Operation::LookAtQueue),
    ];
    prop::collection::vec((0_u64..2_000_000, operation), 1..300)
}

/// The test's own counters, and the checks after every step.
#[derive(Default)]
struct Books {
    inside: Vec<u32>,
    /// For each flow; packet number `n` is of flow `n % flows`.
    last_delivered: Vec<Option<u32>>,
    delivered: u64,
    damaged: u64,
    refused: u64,
    dropped_late: u64,
    lost: u64,
    stranded: u64,
}

impl Books {
    fn new(flows: usize) -> Self {
        Self { last_delivered: vec![None; flows], ..Self::default() }
    }

    fn flow(&self, item: u32) -> u32 {
        item % self.last_delivered.len() as u32
    }

    fn note(&mut self, popped: Popped<u32>) {
        let (Popped::Delivered(item) | Popped::Damaged { item, .. } | Popped::Lost { item, .. }) =
            popped;
        let place = self.inside.iter().position(|&inside| inside == item);
        self.inside.remove(place.expect("an item that was inside"));
        match popped {
            Popped::Lost { cause: LossCause::Queue, .. } => self.dropped_late += 1,
            Popped::Lost { cause: LossCause::Chance, .. } => self.lost += 1,
            Popped::Lost { cause: LossCause::Down, .. } => self.stranded += 1,
            Popped::Delivered(_) | Popped::Damaged { .. } => {
                let flow = self.flow(item) as usize;
                assert!(self.last_delivered[flow] < Some(item), "{item} was overtaken");
                self.last_delivered[flow] = Some(item);
                self.delivered += 1;
                self.damaged += u64::from(popped != Popped::Delivered(item));
            }
        }
    }

    fn check(&self, pipe: &Pipe<u32>) {
        let counters = pipe.counters();
        assert_eq!(pipe.in_flight(), self.inside.len());
        assert_eq!(counters.arrived, counters.settled() + self.inside.len() as u64);
        assert_eq!(counters.delivered, self.delivered);
        assert_eq!(counters.damaged, self.damaged);
        assert_eq!(counters.dropped_queue + counters.dropped_down, self.refused);
        assert_eq!(counters.dropped_late, self.dropped_late);
        assert_eq!((counters.lost, counters.lost_down), (self.lost, self.stranded));
    }
}

proptest! {
    #[test]
    fn every_packet_is_accounted_for(
        operations in operations(),
        queue in crate::any::queue(),
        events in crate::any::events(),
        loss in crate::any::loss(),
        delay in 0_u64..30_000_000,
        jitter in prop_oneof![Just(0), 0_u64..30_000_000],
        trace in prop::option::of(crate::any::trace()),
    ) {
        let mut config =
            LinkConfig::new(Rate::from_bits_per_second(3_000_000), Span::from_nanos(delay));
        let flows = if matches!(queue, QueueConfig::FqCoDel(_)) { 3 } else { 1 };
        config.jitter = Span::from_nanos(jitter);
        config.queue = queue;
        config.loss = loss;
        config.events = events;
        if let Some(trace) = trace {
            config.rate = trace.mean_rate(config.overhead);
            config.events.retain(|event| !matches!(event.change, Change::Rate(_)));
            config.trace = Some(trace);
        }
        let mut pipe = Pipe::new(&config, &Streams::new(1, 0), "any");
        let (mut now, mut books) = (Time::ZERO, Books::new(flows));
        for (number, (pause, operation)) in operations.into_iter().enumerate() {
            now += Span::from_nanos(pause);
            match operation {
                Operation::Push { size } => {
                    let item = number as u32;
                    match pipe.push(now, Entry { item, size, flow: books.flow(item) }) {
                        Verdict::Queued => books.inside.push(item),
                        Verdict::Dropped(_) => books.refused += 1,
                    }
                }
                Operation::Pop => {
                    if let Some(popped) = pipe.pop(now) {
                        books.note(popped);
                    }
                }
                Operation::LookAtQueue => {
                    prop_assert!(pipe.queue_len(now) <= books.inside.len());
                }
            }
            books.check(&pipe);
        }
        while pipe.pop(now).map(|popped| books.note(popped)).is_some() {}
        while pipe.poll_timeout() != Time::NEVER {
            prop_assert!(pipe.poll_timeout() >= now, "time goes back");
            now = pipe.poll_timeout();
            if let Some(popped) = pipe.pop(now) {
                books.note(popped);
            }
            books.check(&pipe);
        }
        prop_assert!(books.inside.is_empty());
    }

    /// The reference is a second simulator of a drop-tail link. It computes every start and end in fractions of a
    /// nanosecond when the packet arrives.
    #[test]
    fn a_drop_tail_link_equals_a_reference_simulator(
        arrivals in prop::collection::vec((0_u64..1_500_000, 40_u64..1500), 1..300),
        rate in 1_000_000_u64..30_000_000,
        capacity in 1_usize..10,
        delay in 0_u64..5_000_000,
    ) {
        let mut config =
            LinkConfig::new(Rate::from_bits_per_second(rate), Span::from_nanos(delay));
        config.queue = QueueConfig::DropTail(Capacity::Packets(capacity as u64));
        let mut pipe = Pipe::new(&config, &Streams::new(1, 0), "paper");

        let scale = u128::from(rate);
        let mut free_at = 0_u128;
        let mut starts = VecDeque::new();
        let (mut expected, mut seen) = (Vec::new(), Vec::new());
        let mut now = 0_u64;
        for (number, &(pause, size)) in arrivals.iter().enumerate() {
            now += pause;
            let arrival = u128::from(now) * scale;
            // The transmitter is free from the whole nanosecond in which the previous packet ends.
            while starts.front().is_some_and(|&start: &u128| start / scale <= u128::from(now)) {
                starts.pop_front();
            }
            let has_room = starts.len() < capacity;
            if has_room {
                let start = if free_at / scale >= u128::from(now) { free_at } else { arrival };
                free_at = start + u128::from(size) * 8_000_000_000;
                starts.push_back(start);
                expected.push((number, (free_at / scale) as u64 + delay));
            }

            let now = Time::from_nanos(now);
            while pipe.poll_timeout() <= now {
                let due = pipe.poll_timeout();
                seen.extend(pipe.pop(due).map(|popped| (popped, due)));
            }
            let verdict = pipe.push(now, Entry::new(number, size as u32));
            prop_assert_eq!(verdict == Verdict::Queued, has_room, "arrival {}", number);
        }
        while pipe.poll_timeout() != Time::NEVER {
            let due = pipe.poll_timeout();
            seen.extend(pipe.pop(due).map(|popped| (popped, due)));
        }
        let expected: Vec<_> = expected
            .into_iter()
            .map(|(number, at)| (Popped::Delivered(number), Time::from_nanos(at)))
            .collect();
        prop_assert_eq!(seen, expected);
    }
}
