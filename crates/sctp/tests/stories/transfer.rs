//! Transfers over faulty paths: all messages arrive once, unchanged, and in order if requested.

use bytes::Bytes;
use manypath_cc::Profile;
use manypath_core::{Random, Span, Streams};
use manypath_sctp::{
    BufferSplit, Burst, Config, CumAck, Data, Message, SackPath, SendError, SendOrder, T3Path,
};

use crate::pair::{A, FIRST, Fault, Pair, Z};

#[test]
fn ordered_messages_come_through_a_small_buffer_over_two_lossy_paths() {
    for (nr_sack, seed) in
        [false, true].into_iter().flat_map(|nr_sack| (0..8).map(move |seed| (nr_sack, seed)))
    {
        let mut transfer = Transfer::over(2, seed, |config| {
            concurrent(config);
            config.nr_sack = nr_sack;
            config.receive_buffer = 6000;
        });
        transfer.lose(0.1);
        transfer.run(300, |number| Shape {
            stream: number % 3,
            unordered: false,
            length: 1 + number * 37 % 1400,
        });
    }
}

#[test]
fn a_stream_waits_before_its_sequence_numbers_become_ambiguous() {
    let mut pair = Pair::configured(1, |_, config| {
        // Only payload counts, one byte per message, so thousands of messages are in flight at once
        config.profile = Profile::INET;
        (config.send_buffer, config.receive_buffer) = (100_000, 200_000);
    });
    pair.connect();
    let message = |number: u32| Message {
        stream: 0,
        ppid: number,
        unordered: false,
        payload: Bytes::from_static(b"x"),
        part: None,
    };
    let end = pair.now + Span::from_millis(900);
    pair.network.rule(move |sent| {
        let is_first = |chunk: &Data| chunk.ssn.0 == 0 && sent.at < end;
        if sent.data.iter().any(is_first) { Fault::Lose } else { Fault::None }
    });
    pair.send_all(A, (0..70_000).map(message));
    pair.drive(Span::from_millis(900));
    let sent = pair.data_packets(A).flat_map(|sent| &sent.data);
    assert_eq!(sent.map(|chunk| chunk.ssn.0).max(), Some(0x7fff), "half of the number space");
    pair.drive(Span::from_secs(20));
    let read = pair.read_messages(Z);
    assert!(read.iter().map(|message| message.ppid).eq(0..70_000));
}

#[test]
fn a_transfer_over_one_path_survives_losses_copies_and_detours() {
    for seed in 0..8 {
        let mut transfer = Transfer::over(1, seed, |_| ());
        transfer.lose(0.05);
        transfer.scramble();
        transfer.run(300, MIXED);
    }
}

#[test]
fn any_settings_carry_everything_over_bad_paths() {
    for seed in 0..100 {
        let mut dice = Streams::new(seed, 0).stream("settings");
        let settings = Settings {
            concurrent: dice.chance(0.7),
            nr_sack: dice.chance(0.5),
            dac: dice.chance(0.5),
            receive_buffer: dice.between(8000, 30_000) as usize,
            burst: *pick(&mut dice, &[Burst::None, Burst::MaxBurst, Burst::UseItOrLoseIt]),
            split: *pick(
                &mut dice,
                &[BufferSplit::None, BufferSplit::Sender, BufferSplit::Receiver, BufferSplit::Both],
            ),
            sack_path: *pick(&mut dice, &SACK_PATHS),
            t3_path: *pick(
                &mut dice,
                &[T3Path::Same, T3Path::Next, T3Path::LargestWindow, T3Path::LargestSsthresh],
            ),
        };
        let paths = dice.between(1, 3) as usize;
        println!("seed {seed}: {paths} paths, {settings:?}");
        let mut transfer = Transfer::over(paths, seed, |config| settings.apply(config));
        transfer.lose(*pick(&mut dice, &[0.0, 0.02, 0.1]));
        if dice.chance(0.5) {
            transfer.scramble();
        }
        transfer.run(150, MIXED);
    }
}

/// The settings of a random transfer.
#[derive(Debug)]
struct Settings {
    concurrent: bool,
    nr_sack: bool,
    dac: bool,
    receive_buffer: usize,
    burst: Burst,
    split: BufferSplit,
    sack_path: SackPath,
    t3_path: T3Path,
}

impl Settings {
    fn apply(&self, config: &mut Config) {
        if self.concurrent {
            concurrent(config);
        }
        config.nr_sack = self.nr_sack;
        config.dac = self.dac;
        config.receive_buffer = self.receive_buffer;
        config.burst = self.burst;
        config.buffer_split = self.split;
        config.sack_path = self.sack_path;
        config.t3_path = self.t3_path;
    }
}

const SACK_PATHS: [SackPath; 5] = [
    SackPath::FirstData,
    SackPath::LastData,
    SackPath::Primary,
    SackPath::RoundRobin,
    SackPath::SmallestSrtt,
];

/// CMT with the settings of the papers.
fn concurrent(config: &mut Config) {
    config.concurrent = true;
    config.cuc = CumAck::PathV2;
    config.sfr = true;
    config.dac = true;
    config.path_fast_recovery = true;
    config.sack_path = SackPath::SmallestSrtt;
    config.send_order = SendOrder::SmallestLastTransmission;
}

/// Messages from A to Z. The payload protocol identifier of each is its number.
struct Transfer {
    pair: Pair,
    dice: Random,
}

impl Transfer {
    fn over(paths: usize, seed: u64, change: impl Fn(&mut Config)) -> Self {
        let mut pair = Pair::configured(paths, |_, config| {
            config.send_buffer = 50_000;
            config.association_max_retransmissions = 1000;
            config.path_max_retransmissions = 1000;
            change(config);
        });
        pair.connect();
        pair.drive(Span::from_secs(1));
        Self { pair, dice: Streams::new(seed, 0).stream("dice") }
    }

    /// Each packet is lost with this probability.
    fn lose(&mut self, probability: f64) {
        let mut dice = self.dice.clone();
        self.pair
            .network
            .rule(move |_| if dice.chance(probability) { Fault::Lose } else { Fault::None });
    }

    /// Duplicates and delays some packets.
    fn scramble(&mut self) {
        let mut dice = self.dice.clone();
        self.pair.network.rule(move |_| match dice.below(20) {
            0 => Fault::Duplicate,
            1 => Fault::Delay(Span::from_millis(dice.between(1, 60))),
            _ => Fault::None,
        });
    }

    /// Sends `count` messages with the properties that `shape` returns, and reads from time to time.
    fn run(&mut self, count: usize, shape: impl Fn(usize) -> Shape) {
        let message = |number: usize| shape(number).message(number);
        let (mut sent, mut received, mut last_in_order) = (0, vec![false; count], [None; 3]);
        let end = self.pair.now + Span::from_secs(3000);
        while received.contains(&false) {
            let now = self.pair.now;
            assert!(now < end, "the transfer stalls");
            while sent < count {
                match self.pair.endpoint(A).send(now, FIRST, message(sent)) {
                    Ok(()) => sent += 1,
                    Err(SendError::BufferFull) => break,
                    Err(error) => panic!("{error:?}"),
                }
            }
            while let Some(got) = self.pair.endpoint(Z).receive(now, FIRST) {
                let number = got.ppid as usize;
                assert!(!received[number], "message {number} came twice");
                assert_eq!(got, message(number));
                received[number] = true;
                if !got.unordered {
                    let last = &mut last_in_order[usize::from(got.stream)];
                    assert!(last.is_none_or(|last| last < number), "{number} came after {last:?}");
                    *last = Some(number);
                }
            }
            self.pair.drive(Span::from_millis(self.dice.between(1, 40)));
        }
    }
}

/// The properties of a message.
struct Shape {
    stream: usize,
    unordered: bool,
    length: usize,
}

impl Shape {
    fn message(&self, number: usize) -> Message {
        let payload: Vec<u8> =
            (0..self.length).map(|index| (number * 31 + index * 7) as u8).collect();
        Message {
            stream: self.stream as u16,
            ppid: number as u32,
            unordered: self.unordered,
            payload: Bytes::from(payload),
            part: None,
        }
    }
}

/// Three streams, every other message unordered, some in fragments.
const MIXED: fn(usize) -> Shape = |number| Shape {
    stream: number % 3,
    unordered: number % 2 == 0,
    length: 1 + number * 97 % 6000,
};

fn pick<'a, T>(dice: &mut Random, choices: &'a [T]) -> &'a T {
    &choices[dice.below(choices.len() as u64) as usize]
}
