//! Common parts of random test cases: traffic of the applications, links, configurations, faults, and the final checks.

use manypath_core::{Rate, Span};
use manypath_link::loss::BernoulliConfig;
use manypath_link::queue::Capacity;
use manypath_link::{LinkConfig, LossConfig, QueueConfig};
use manypath_tcp::{CloseReason, Config, Recovery};
use proptest::prelude::*;

use crate::stage::{A, FIRST, Fault, Side, Stage, Z};

/// At least 20 of the longest retransmission timeouts that test cases configure, which are 4 s and 10 s. So a FIN is
/// unlikely to arrive later.
pub(crate) const TIME_WAIT: Span = Span::from_secs(200);

/// Actions of the applications, over any network.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Traffic {
    /// Writes this many bytes, as far as there is room.
    Write(Side, usize),
    /// Reads at most this many pieces.
    Read(Side, usize),
    /// Time passes.
    Wait(Span),
}

impl Traffic {
    /// Executes the action on `stage`.
    pub(crate) fn execute<const MULTIPATH: bool>(self, stage: &mut Stage<MULTIPATH>) {
        match self {
            Self::Write(side, bytes) => _ = stage.write_what_fits(side, bytes),
            Self::Read(side, pieces) => _ = stage.read_at_most(side, pieces),
            Self::Wait(span) => stage.drive(span),
        }
    }
}

/// An action of an application. The weights add up to 21, the weight of traffic in the strategies for steps.
pub(crate) fn traffic() -> impl Strategy<Value = Traffic> {
    prop_oneof![
        8 => (side(), 1_usize..60_000).prop_map(|(side, bytes)| Traffic::Write(side, bytes)),
        4 => (side(), 1_usize..40).prop_map(|(side, pieces)| Traffic::Read(side.other(), pieces)),
        8 => (0_u64..120_000).prop_map(|micros| Traffic::Wait(Span::from_micros(micros))),
        1 => (100_u64..5_000).prop_map(|millis| Traffic::Wait(Span::from_millis(millis))),
    ]
}

pub(crate) fn side() -> impl Strategy<Value = Side> {
    prop_oneof![3 => Just(A), 1 => Just(Z)]
}

/// A fault for the next segments of a side, and how many.
pub(crate) fn fault() -> impl Strategy<Value = (Side, usize, Fault)> {
    let fault = prop_oneof![
        Just(Fault::Lose),
        Just(Fault::Duplicate),
        (1_u64..200).prop_map(|millis| Fault::Delay(Span::from_millis(millis))),
    ];
    (side(), 1_usize..12, fault)
}

/// Links that lose at most this share of the packets.
pub(crate) fn link(worst_loss: f64) -> impl Strategy<Value = LinkConfig> {
    let loss = prop_oneof![3 => Just(0.0), 2 => 0.0..0.1, 1 => 0.1..worst_loss];
    (200_000_u64..50_000_000, 0_u64..100_000, 3_u64..60, loss).prop_map(
        |(rate, delay, queue, p)| LinkConfig {
            queue: QueueConfig::DropTail(Capacity::Packets(queue)),
            loss: LossConfig::Bernoulli(BernoulliConfig { p }),
            ..LinkConfig::new(Rate::from_bits_per_second(rate), Span::from_micros(delay))
        },
    )
}

prop_compose! {
    /// A side with such a configuration does not give up, whatever the faults.
    pub(crate) fn config()(
        mss in prop_oneof![Just(1460_u16), 100_u16..1460],
        buffers in (3_000_usize..200_000, 1_000_usize..200_000),
        initial_window in 1_u32..12,
        switches in any::<(bool, bool, bool, bool)>(),
        ack_every in 1_u32..3,
        initial_sequence in prop::option::of(prop_oneof![any::<u32>(), 0xffff_0000_u32..=u32::MAX]),
    ) -> Config {
        Config {
            mss,
            send_buffer: buffers.0,
            receive_buffer: buffers.1,
            initial_window,
            sack: switches.0,
            limited_transmit: switches.1,
            nagle: switches.2,
            recovery: if switches.3 { Recovery::Reno } else { Recovery::NewReno },
            ack_every,
            initial_sequence,
            time_wait: TIME_WAIT,
            max_retransmissions: 1000,
            max_syn_retransmissions: 1000,
            ..Config::default()
        }
    }
}

/// Both sides must end within `limit`, every byte must have arrived, and no timer may be left after another `rest`.
pub(crate) fn assert_good_end<const MULTIPATH: bool>(
    stage: &mut Stage<MULTIPATH>,
    limit: Span,
    rest: Span,
) {
    assert_eq!(stage.finish_within(limit), [CloseReason::Finished; 2]);
    for side in [A, Z] {
        let (written, read) = stage.written_and_read(side);
        assert_eq!(written, read, "what {side:?} wrote arrives");
        assert_eq!(stage.endpoint(side).unread(FIRST), 0);
    }
    stage.drive(rest);
    assert!(!stage.step(), "nothing is due after the end");
}
