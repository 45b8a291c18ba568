//! Random stories: whatever the network does and whoever writes, reads and closes when, every byte arrives in order and
//! both sides end.

use manypath_core::{Rate, RtoLimits, Span};
use manypath_link::loss::BernoulliConfig;
use manypath_link::queue::Capacity;
use manypath_link::{LinkConfig, LossConfig, QueueConfig};
use manypath_tcp::{CloseReason, Config, Event};
use proptest::prelude::*;

use crate::stage::{A, FIRST, Fate, Pair, Path, Side, Z};

/// So many of the longest timeouts that a FIN hardly comes too late.
const TIME_WAIT: Span = Span::from_secs(200);

/// What happens next.
#[derive(Clone, Debug)]
enum Step {
    /// Writes, as far as there is room.
    Write(Side, usize),
    /// Reads so many pieces.
    Read(Side, usize),
    /// Time passes.
    Wait(Span),
    /// One side writes no more.
    Close(Side),
    /// Nothing arrives any more.
    Cut,
    /// Everything arrives again.
    Mend,
    /// The next segments of one side meet a fate.
    Weather(Side, usize, Fate),
}

/// Everything that a story is made of.
#[derive(Clone, Debug)]
struct Story {
    link: LinkConfig,
    configs: [Config; 2],
    steps: Vec<Step>,
}

fn side() -> impl Strategy<Value = Side> {
    prop_oneof![3 => Just(A), 1 => Just(Z)]
}

fn step() -> impl Strategy<Value = Step> {
    let fate = prop_oneof![
        Just(Fate::Lose),
        Just(Fate::Duplicate),
        (1_u64..200).prop_map(|millis| Fate::Delay(Span::from_millis(millis))),
    ];
    prop_oneof![
        8 => (side(), 1_usize..60_000).prop_map(|(side, bytes)| Step::Write(side, bytes)),
        4 => (side(), 1_usize..40).prop_map(|(side, pieces)| Step::Read(side.other(), pieces)),
        8 => (0_u64..120_000).prop_map(|micros| Step::Wait(Span::from_micros(micros))),
        1 => (100_u64..5_000).prop_map(|millis| Step::Wait(Span::from_millis(millis))),
        1 => side().prop_map(Step::Close),
        1 => Just(Step::Cut),
        2 => Just(Step::Mend),
        6 => (side(), 1_usize..12, fate).prop_map(|(side, count, fate)| Step::Weather(side, count, fate)),
    ]
}

fn link() -> impl Strategy<Value = LinkConfig> {
    let loss = prop_oneof![3 => Just(0.0), 2 => 0.0..0.1, 1 => 0.1..0.2];
    (200_000_u64..50_000_000, 0_u64..100_000, 3_u64..60, loss).prop_map(
        |(rate, delay, queue, p)| LinkConfig {
            queue: QueueConfig::DropTail(Capacity::Packets(queue)),
            loss: LossConfig::Bernoulli(BernoulliConfig { p }),
            ..LinkConfig::new(Rate::from_bits_per_second(rate), Span::from_micros(delay))
        },
    )
}

prop_compose! {
    fn config()(
        mss in prop_oneof![Just(1460_u16), 100_u16..1460],
        options in 0_u8..24,
        buffers in (3_000_usize..200_000, 1_000_usize..200_000),
        initial_window in 1_u32..12,
        switches in any::<(bool, bool, bool)>(),
        ack_every in 1_u32..3,
        ack_delay in 1_u64..200,
        abc_limit in 1_u32..3,
        initial_sequence in prop::option::of(prop_oneof![any::<u32>(), 0xffff_0000_u32..=u32::MAX]),
    ) -> Config {
        Config {
            mss,
            data_option_bytes: options,
            ack_option_bytes: options,
            send_buffer: buffers.0,
            receive_buffer: buffers.1,
            initial_window,
            selective_acks: switches.0,
            limited_transmit: switches.1,
            nagle: switches.2,
            ack_every,
            ack_delay: Span::from_millis(ack_delay),
            abc_limit,
            initial_sequence,
            rto: RtoLimits { max: Span::from_secs(4), ..Config::default().rto },
            time_wait: TIME_WAIT,
            max_retransmissions: 1000,
            max_syn_retransmissions: 1000,
            ..Config::default()
        }
    }
}

fn story() -> impl Strategy<Value = Story> {
    (link(), [config(), config()], prop::collection::vec(step(), 1..60))
        .prop_map(|(link, configs, steps)| Story { link, configs, steps })
}

fn tell(story: &Story) -> Pair {
    let mut pair = Pair::across(Path::of(&story.link), |side, config| {
        *config = story.configs[side as usize].clone();
    });
    pair.open(A);
    pair.drive_until(|pair| !pair.events(A).is_empty());
    pair.drive_until(|pair| {
        pair.events(Z).contains(&Event::Connected(FIRST)) || {
            // Its last segment of the handshake may be lost: data stands in for it
            pair.write_what_fits(A, 1);
            false
        }
    });
    for step in &story.steps {
        match *step {
            Step::Write(side, bytes) => {
                pair.write_what_fits(side, bytes);
            }
            Step::Read(side, pieces) => {
                pair.read_at_most(side, pieces);
            }
            Step::Wait(span) => pair.drive(span),
            Step::Close(side) => pair.close(side),
            Step::Cut => pair.network.cut(),
            Step::Mend => pair.network.mend(),
            Step::Weather(side, count, fate) => pair.network.times(count, side, "", fate),
        }
    }
    pair.network.clear_up();
    assert_eq!(pair.finish_within(Span::from_secs(3600)), [CloseReason::Finished; 2]);
    pair
}

fn check(story: &Story) {
    let mut pair = tell(story);
    for side in [A, Z] {
        let (written, read) = pair.books(side);
        assert_eq!(written, read, "what {side:?} wrote arrives");
        assert_eq!(pair.endpoint(side).unread(FIRST), 0);
    }
    // A FIN that came twice makes it begin anew
    pair.drive(TIME_WAIT);
    pair.drive(TIME_WAIT);
    assert!(!pair.step(), "nothing is due after the end");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn every_byte_arrives_in_order_in_any_weather(story in story()) {
        check(&story);
    }
}
