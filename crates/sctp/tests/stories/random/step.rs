//! The steps of a random story.

use manypath_core::Span;
use proptest::prelude::*;
use proptest::sample::select;

use super::faults::FaultRates;
use super::setting::PATHS;
use crate::pair::{A, Fault, Side, Z};

/// A step. Numbers of paths and streams are taken modulo the existing ones.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    /// The application sends messages.
    Send { side: Side, stream: u16, length: Length, unordered: bool, count: usize },
    /// The application reads up to `most` messages.
    Read { side: Side, most: usize },
    /// Time passes.
    Pass(Span),
    /// The next packets of one side on a path have this fault.
    Treat { side: Side, path: usize, packets: usize, fault: Fault },
    /// From now on, packets of one side on a path have faults with these probabilities.
    SetRates { side: Side, path: usize, rates: FaultRates },
    /// All further packets of one side on a path are lost.
    Cut { side: Side, path: usize },
    /// A path works again, both ways.
    Restore { path: usize },
    /// Held packets are sent.
    Release,
    /// The application requests shutdown.
    Shutdown(Side),
    /// The application aborts the association.
    Abort(Side),
    /// An endpoint loses all its state and opens the association again; at most once per story.
    Reboot(Side),
}

/// The length of a message.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Length {
    /// This number of bytes, but at most as many as fit into both buffers.
    Bytes(usize),
    /// As many bytes as fit into both buffers.
    Most,
}

pub(crate) fn step() -> impl Strategy<Value = Step> {
    let send = (side(), 0..4_u16, length(), any::<bool>(), 1..12_usize);
    let most = prop_oneof![2 => Just(1), 3 => Just(usize::MAX)];
    prop_oneof![
        240 => send.prop_map(|(side, stream, length, unordered, count)| {
            Step::Send { side, stream, length, unordered, count }
        }),
        100 => (side(), most).prop_map(|(side, most)| Step::Read { side, most }),
        120 => (1..120_u64).prop_map(|ms| Step::Pass(Span::from_millis(ms))),
        40 => (1..4000_u64).prop_map(|ms| Step::Pass(Span::from_millis(ms))),
        100 => (side(), 0..PATHS, 1..6_usize, fault())
            .prop_map(|(side, path, packets, fault)| Step::Treat { side, path, packets, fault }),
        20 => (side(), 0..PATHS, rates())
            .prop_map(|(side, path, rates)| Step::SetRates { side, path, rates }),
        15 => (side(), 0..PATHS).prop_map(|(side, path)| Step::Cut { side, path }),
        20 => (0..PATHS).prop_map(|path| Step::Restore { path }),
        10 => Just(Step::Release),
        8 => side().prop_map(Step::Shutdown),
        1 => side().prop_map(Step::Abort),
        3 => side().prop_map(Step::Reboot),
    ]
}

pub(super) fn side() -> impl Strategy<Value = Side> {
    select(vec![A, Z])
}

fn length() -> impl Strategy<Value = Length> {
    let bytes = prop_oneof![1..200_usize, 500..1453_usize, 1453..9000_usize];
    prop_oneof![30 => bytes.prop_map(Length::Bytes), 1 => Just(Length::Most)]
}

fn fault() -> impl Strategy<Value = Fault> {
    prop_oneof![
        3 => Just(Fault::Lose),
        1 => Just(Fault::Duplicate),
        2 => (1..400_u64).prop_map(|ms| Fault::Delay(Span::from_millis(ms))),
        1 => (0..1500_u32).prop_map(Fault::Damage),
        1 => Just(Fault::Hold),
    ]
}

fn rates() -> impl Strategy<Value = FaultRates> {
    (0..300_u16, 0..100_u16, 0..300_u16, 0..200_u16)
        .prop_map(|(lose, duplicate, delay, damage)| FaultRates { lose, duplicate, delay, damage })
}
