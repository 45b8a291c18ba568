//! Any settings, any network, any applications: every message arrives once, in order where that was asked for, and both
//! ends come to rest. Debug builds check the books of both ends after every event.

use bytes::Bytes;
use manypath_cc::Profile;
use manypath_core::Span;
use manypath_sctp::{
    BufferSplit, Burst, CloseReason, Config, CumAck, Event, Message, SackPath, SendError,
    SendOrder, T3Path, T3Reset,
};
use proptest::prelude::*;
use proptest::sample::select;

use crate::pair::{A, FIRST, Fate, Pair, Side, Z, path};

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1000) })]

    #[test]
    fn any_interaction_ends_well(setting in setting(), steps in prop::collection::vec(step(), 1..120)) {
        let mut story = Story::new(&setting);
        for step in steps {
            story.take(step);
            story.check_packets();
        }
        story.heal();
        let ends = story.ends();
        // The guard of a shutdown that takes more than five minutes may end what the peer has still to send
        let complete = !ends.contains(&Some(CloseReason::Unreachable));
        story.check_messages(complete);
        if !story.shut_down {
            story.check_open(ends);
        } else if complete {
            story.check_closed(ends);
        }
    }
}

/// Something that happens.
#[derive(Clone, Copy, Debug)]
enum Step {
    Send { side: Side, stream: u16, length: usize, unordered: bool, count: usize },
    ReadOne(Side),
    ReadAll(Side),
    Pass(Span),
    Treat { side: Side, path: usize, packets: usize, fate: Fate },
    Cut(usize),
    Mend(usize),
    Shutdown(Side),
}

fn step() -> impl Strategy<Value = Step> {
    let side = || select(vec![A, Z]);
    let fate = prop_oneof![
        3 => Just(Fate::Lose),
        1 => Just(Fate::Duplicate),
        2 => (1..400_u64).prop_map(|ms| Fate::Delay(Span::from_millis(ms))),
        1 => (0..1500_u32).prop_map(Fate::Damage),
    ];
    let length = prop_oneof![1..200_usize, 500..1453_usize, 1453..9000_usize];
    let send = (side(), 0..3_u16, length, any::<bool>(), 1..12_usize);
    prop_oneof![
        12 => send.prop_map(|(side, stream, length, unordered, count)| {
            Step::Send { side, stream, length, unordered, count }
        }),
        2 => side().prop_map(Step::ReadOne),
        3 => side().prop_map(Step::ReadAll),
        6 => (1..120_u64).prop_map(|ms| Step::Pass(Span::from_millis(ms))),
        2 => (1..4000_u64).prop_map(|ms| Step::Pass(Span::from_millis(ms))),
        6 => (side(), 0..PATHS, 1..6_usize, fate)
            .prop_map(|(side, path, packets, fate)| Step::Treat { side, path, packets, fate }),
        1 => (0..PATHS).prop_map(Step::Cut),
        1 => (0..PATHS).prop_map(Step::Mend),
        1 => side().prop_map(Step::Shutdown),
    ]
}

/// What both endpoints are set to; shrinks towards the plainest.
#[derive(Clone, Debug)]
struct Setting {
    paths: usize,
    profile: Profile,
    congestion: &'static str,
    cumack: CumAck,
    burst: Burst,
    buffer_split: BufferSplit,
    sack_path: SackPath,
    send_order: SendOrder,
    t3: (T3Reset, T3Path),
    switches: [bool; 8],
    send_buffer: usize,
    receive_buffer: usize,
}

fn setting() -> impl Strategy<Value = Setting> {
    use {BufferSplit as Split, SackPath as Sack, SendOrder as Order};
    let rules = (
        select(Profile::ALL.to_vec()),
        select(vec!["newreno", "cmt-rpv1", "cmt-rpv2", "mptcp-like"]),
        select(vec![CumAck::Association, CumAck::PathV1, CumAck::PathV2]),
        select(vec![Burst::None, Burst::MaxBurst, Burst::UseItOrLoseIt]),
        select(vec![Split::None, Split::Sender, Split::Receiver, Split::Both]),
    );
    let choices = (
        select(vec![
            Sack::LastData,
            Sack::FirstData,
            Sack::Primary,
            Sack::RoundRobin,
            Sack::SmallestSrtt,
        ]),
        select(vec![
            Order::Address,
            Order::RoundRobin,
            Order::SmallestLastTransmission,
            Order::LargestSpace,
            Order::LargestSsthresh,
        ]),
        select(vec![T3Reset::Rfc9260, T3Reset::Smart]),
        select(vec![T3Path::Next, T3Path::Same, T3Path::LargestWindow, T3Path::LargestSsthresh]),
    );
    let sizes = (1..=PATHS, any::<[bool; 8]>(), 1_000..80_000_usize, 9_000..60_000_usize);
    (rules, choices, sizes).prop_map(|(rules, choices, sizes)| {
        let (profile, congestion, cumack, burst, buffer_split) = rules;
        let (sack_path, send_order, reset, onto) = choices;
        let (paths, switches, send_buffer, receive_buffer) = sizes;
        Setting {
            paths,
            profile,
            congestion,
            cumack,
            burst,
            buffer_split,
            sack_path,
            send_order,
            t3: (reset, onto),
            switches,
            send_buffer,
            receive_buffer,
        }
    })
}

impl Setting {
    fn apply(&self, config: &mut Config) {
        let [concurrent, sfr, dac, path_recovery, smart, nr_sack, immediately, nagle] =
            self.switches;
        *config = Config {
            profile: self.profile,
            congestion: self.congestion.to_owned(),
            concurrent,
            cumack: self.cumack,
            split_fast_retransmit: sfr,
            delayed_ack_for_cmt: dac,
            path_fast_recovery: path_recovery,
            smart_fast_retransmit: smart,
            nr_sack,
            sack_immediately: immediately,
            nagle,
            burst: self.burst,
            buffer_split: self.buffer_split,
            sack_path: self.sack_path,
            send_order: self.send_order,
            t3_reset: self.t3.0,
            t3_path: self.t3.1,
            send_buffer: self.send_buffer,
            receive_buffer: self.receive_buffer,
            path_max_retransmissions: 2,
            association_max_retransmissions: 1000,
            ..config.clone()
        };
    }
}

struct Story {
    pair: Pair,
    setting: Setting,
    /// What each side handed over; the payload protocol identifier of a message is its number.
    sent: [Vec<Message>; 2],
    received: [Vec<Message>; 2],
    shut_down: bool,
    /// Packets in the log that were looked at.
    checked: usize,
}

impl Story {
    fn new(setting: &Setting) -> Self {
        let mut pair = Pair::configured(setting.paths, |_, config| setting.apply(config));
        pair.connect();
        Self {
            pair,
            setting: setting.clone(),
            sent: [Vec::new(), Vec::new()],
            received: [Vec::new(), Vec::new()],
            shut_down: false,
            checked: 0,
        }
    }

    fn take(&mut self, step: Step) {
        let paths = self.setting.paths;
        match step {
            Step::Send { side, stream, length, unordered, count } => {
                for _ in 0..count {
                    self.send(side, stream, length, unordered);
                }
            }
            Step::ReadOne(side) => self.received[side as usize].extend(self.pair.read_one(side)),
            Step::ReadAll(side) => {
                self.received[side as usize].extend(self.pair.read_messages(side));
            }
            Step::Pass(span) => self.pair.drive(span),
            Step::Treat { side, path, packets, fate } => {
                let mut left = packets;
                self.pair.network.rule(move |sent| {
                    let is_meant = left > 0 && (sent.from, sent.path) == (side, path % paths);
                    left -= usize::from(is_meant);
                    if is_meant { fate } else { Fate::Pass }
                });
            }
            Step::Cut(path) => self.pair.network.cut(path % paths),
            Step::Mend(path) => self.pair.network.mend(path % paths),
            Step::Shutdown(side) => {
                self.shut_down = true;
                self.pair.shutdown(side);
            }
        }
    }

    fn send(&mut self, side: Side, stream: u16, length: usize, unordered: bool) {
        let number = self.sent[side as usize].len() as u32;
        let payload: Vec<u8> = (0..length).map(|at| (at as u32 + number * 31) as u8).collect();
        let message = Message { stream, ppid: number, unordered, payload: Bytes::from(payload) };
        match self.pair.hand_over(side, message.clone()) {
            Ok(()) => self.sent[side as usize].push(message),
            Err(SendError::BufferFull | SendError::TooLarge) => {}
            Err(error) => assert!(self.shut_down && error == SendError::NotConnected, "{error:?}"),
        }
    }

    /// What left since the last look fits the MTU and carries the data that was handed over.
    fn check_packets(&mut self) {
        for sent in &self.pair.network.log[self.checked..] {
            assert!(sent.size <= 1500, "{} bytes in a packet", sent.size);
            for chunk in &sent.data {
                let message = &self.sent[sent.from as usize][chunk.ppid as usize];
                assert_eq!(chunk.stream, message.stream);
                assert!(!chunk.payload.is_empty() && chunk.payload.len() <= 1452);
            }
        }
        self.checked = self.pair.network.log.len();
    }

    /// Everything works again, and there is time for everything.
    fn heal(&mut self) {
        for path in 0..self.setting.paths {
            self.pair.network.mend(path);
        }
        self.pair.network.forget_rules();
        let patience = self.pair.now + Span::from_secs(3600);
        while self.pair.now < patience && !self.all_is_read() {
            self.take(Step::ReadAll(A));
            self.take(Step::ReadAll(Z));
            self.pair.drive(Span::from_millis(200));
            self.check_packets();
        }
        // Probes and the last packets of a shutdown
        self.pair.drive(Span::from_secs(300));
    }

    fn all_is_read(&self) -> bool {
        self.sent[A as usize].len() == self.received[Z as usize].len()
            && self.sent[Z as usize].len() == self.received[A as usize].len()
    }

    /// Each message came once and unchanged, and ordered ones of a stream in their order.
    fn check_messages(&self, all: bool) {
        for side in [A, Z] {
            let (sent, received) =
                (&self.sent[side as usize], &self.received[side.other() as usize]);
            assert!(received.iter().all(|message| *message == sent[message.ppid as usize]));
            for stream in 0..3 {
                let ordered = |message: &&Message| message.stream == stream && !message.unordered;
                let numbers = received.iter().filter(ordered).map(|message| message.ppid);
                assert!(numbers.is_sorted(), "stream {stream} of {side:?}: {received:?}");
            }
            let mut numbers: Vec<u32> = received.iter().map(|message| message.ppid).collect();
            numbers.sort_unstable();
            assert!(numbers.windows(2).all(|pair| pair[0] < pair[1]), "{side:?}: {numbers:?}");
            assert!(!all || numbers.len() == sent.len(), "{side:?}: {numbers:?}");
        }
    }

    /// Both sides have closed, and nothing ever happens again.
    fn check_closed(&mut self, ends: [Option<CloseReason>; 2]) {
        for end in ends {
            // A SHUTDOWN that comes late to a side that has forgotten everything is answered with ABORT
            assert!(
                matches!(end, Some(CloseReason::Shutdown | CloseReason::AbortedByPeer)),
                "{ends:?}"
            );
        }
        assert!(!self.pair.step(), "a timer runs on after the end");
    }

    /// Nothing is outstanding, and everything works.
    fn check_open(&mut self, ends: [Option<CloseReason>; 2]) {
        assert_eq!(ends, [None, None]);
        for side in [A, Z] {
            assert_eq!(self.pair.endpoint(side).send_space(FIRST), self.setting.send_buffer);
            for index in 0..self.setting.paths {
                let stats = self.pair.endpoint(side).path_stats(FIRST, path(index as u8));
                assert_eq!(
                    (stats.outstanding, stats.usable),
                    (0, true),
                    "path {index} of {side:?}"
                );
            }
        }
    }

    /// How each side ended, if it did.
    fn ends(&mut self) -> [Option<CloseReason>; 2] {
        [A, Z].map(|side| {
            self.pair.events(side).into_iter().find_map(|event| match event {
                Event::Closed { association: FIRST, reason } => Some(reason),
                _ => None,
            })
        })
    }
}

const PATHS: usize = 3;
