//! Whatever the network and the applications do, in whatever order: nothing is lost, doubled or altered, and every
//! shutdown comes to its end.

use bytes::Bytes;
use manypath_core::Span;
use manypath_sctp::{CloseReason, Config, Event, Message, SendError};
use proptest::prelude::*;

use crate::pair::{A, FIRST, Fate, Pair, Side, Z};

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn everything_arrives_whatever_happens(setting in setting(), steps in prop::collection::vec(step(), 1..40)) {
        let mut story = Story::new(&setting);
        for step in steps {
            story.take(step);
        }
        story.heal();
        for side in [A, Z] {
            let expected: Vec<u32> = (0..story.sent[side as usize]).collect();
            let mut received = story.received[side.other() as usize].clone();
            received.sort_unstable();
            prop_assert_eq!(received, expected, "from {:?}", side);
        }
        for end in story.ends {
            // A SHUTDOWN that comes late to a side that has forgotten everything is answered with ABORT
            let in_order = matches!(end, Some(CloseReason::Shutdown | CloseReason::AbortedByPeer));
            prop_assert_eq!(in_order, story.shut_down, "{:?}", story.ends);
        }
        prop_assert!(!story.shut_down || story.ends.contains(&Some(CloseReason::Shutdown)));
    }
}

/// Something that happens.
#[derive(Clone, Copy, Debug)]
enum Step {
    Send { side: Side, length: usize, unordered: bool },
    Read(Side),
    Pass(Span),
    Cut(usize),
    Mend(usize),
    Treat { side: Side, fate: Fate },
    Shutdown(Side),
}

fn step() -> impl Strategy<Value = Step> {
    let side = || prop_oneof![Just(A), Just(Z)];
    let fate = prop_oneof![
        Just(Fate::Lose),
        Just(Fate::Duplicate),
        (1..3000_u64).prop_map(|ms| Fate::Delay(Span::from_millis(ms)))
    ];
    prop_oneof![
        10 => (side(), 1..6000_usize, any::<bool>())
            .prop_map(|(side, length, unordered)| Step::Send { side, length, unordered }),
        3 => side().prop_map(Step::Read),
        5 => (1..2000_u64).prop_map(|ms| Step::Pass(Span::from_millis(ms))),
        1 => (0..3_usize).prop_map(Step::Cut),
        1 => (0..3_usize).prop_map(Step::Mend),
        4 => (side(), fate).prop_map(|(side, fate)| Step::Treat { side, fate }),
        1 => side().prop_map(Step::Shutdown),
    ]
}

#[derive(Clone, Debug)]
struct Setting {
    paths: usize,
    concurrent: bool,
    nr_sack: bool,
    receive_buffer: usize,
}

fn setting() -> impl Strategy<Value = Setting> {
    (1..=3_usize, any::<bool>(), any::<bool>(), 8_000..60_000_usize).prop_map(
        |(paths, concurrent, nr_sack, receive_buffer)| Setting {
            paths,
            concurrent,
            nr_sack,
            receive_buffer,
        },
    )
}

impl Setting {
    fn apply(&self, config: &mut Config) {
        config.concurrent = self.concurrent;
        config.nr_sack = self.nr_sack;
        config.receive_buffer = self.receive_buffer;
        config.path_max_retransmissions = 2;
        config.association_max_retransmissions = 1000;
    }
}

struct Story {
    pair: Pair,
    paths: usize,
    /// Messages that each side handed over; the payload protocol identifier of each is its number.
    sent: [u32; 2],
    /// Numbers of the messages that each side read.
    received: [Vec<u32>; 2],
    shut_down: bool,
    ends: [Option<CloseReason>; 2],
}

impl Story {
    fn new(setting: &Setting) -> Self {
        let mut pair = Pair::configured(setting.paths, |_, config| setting.apply(config));
        pair.connect();
        let received = [Vec::new(), Vec::new()];
        Self {
            pair,
            paths: setting.paths,
            sent: [0; 2],
            received,
            shut_down: false,
            ends: [None; 2],
        }
    }

    fn take(&mut self, step: Step) {
        match step {
            Step::Send { side, length, unordered } => self.send(side, length, unordered),
            Step::Read(side) => self.read(side),
            Step::Pass(span) => self.pair.drive(span),
            Step::Cut(path) if path < self.paths => self.pair.network.cut(path),
            Step::Mend(path) if path < self.paths => self.pair.network.mend(path),
            Step::Treat { side, fate } => self.pair.network.once(side, "", fate),
            Step::Shutdown(side) => {
                self.shut_down = true;
                self.pair.shutdown(side);
            }
            Step::Cut(_) | Step::Mend(_) => {}
        }
    }

    fn send(&mut self, side: Side, length: usize, unordered: bool) {
        let number = self.sent[side as usize];
        let payload = Bytes::from(vec![number as u8; length]);
        match self.pair.hand_over(side, Message { stream: 1, ppid: number, unordered, payload }) {
            Ok(()) => self.sent[side as usize] += 1,
            Err(error) => assert!(self.shut_down && error == SendError::NotConnected, "{error:?}"),
        }
    }

    fn read(&mut self, side: Side) {
        for message in self.pair.read_messages(side) {
            assert!(message.payload.iter().all(|byte| *byte == message.ppid as u8), "altered");
            self.received[side as usize].push(message.ppid);
        }
    }

    /// Everything works again, and there is time for everything.
    fn heal(&mut self) {
        for path in 0..self.paths {
            self.pair.network.mend(path);
        }
        self.pair.network.forget_rules();
        for _ in 0..60 {
            self.read(A);
            self.read(Z);
            self.pair.drive(Span::from_secs(5));
        }
        for side in [A, Z] {
            let events = self.pair.events(side);
            self.ends[side as usize] = events.into_iter().find_map(|event| match event {
                Event::Closed { association: FIRST, reason } => Some(reason),
                _ => None,
            });
        }
    }
}
