//! Random stories over two to four paths: whatever they do, and whichever join and leave, every byte arrives once and in
//! order, and both sides end.

use manypath_core::{PathId, Rate, RtoLimits, Span};
use manypath_link::loss::BernoulliConfig;
use manypath_link::queue::Capacity;
use manypath_link::{LinkConfig, LossConfig, QueueConfig};
use manypath_tcp::{CloseReason, Config, Multipath, Scheduler};
use proptest::prelude::*;

use crate::stage::{A, Fate, Path, Several, Side, Z};

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
    /// Nothing arrives by a path any more.
    Cut(usize),
    /// Everything arrives again.
    Mend(usize),
    /// The next segments of one side on a path meet a fate.
    Weather(usize, Side, usize, Fate),
    /// A side opens another subflow.
    Join(Side, usize),
    /// A side gives up a subflow.
    Leave(Side, u8),
}

/// Everything that a story is made of.
#[derive(Clone, Debug)]
struct Story {
    links: Vec<LinkConfig>,
    rules: Multipath,
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
        2 => (0_usize..4).prop_map(Step::Cut),
        3 => (0_usize..4).prop_map(Step::Mend),
        6 => (0_usize..4, side(), 1_usize..12, fate)
            .prop_map(|(path, side, count, fate)| Step::Weather(path, side, count, fate)),
        1 => (side(), 0_usize..4).prop_map(|(side, path)| Step::Join(side, path)),
        1 => (side(), 0_u8..6).prop_map(|(side, path)| Step::Leave(side, path)),
    ]
}

fn link() -> impl Strategy<Value = LinkConfig> {
    let loss = prop_oneof![3 => Just(0.0), 2 => 0.0..0.1, 1 => 0.1..0.3];
    (200_000_u64..50_000_000, 0_u64..100_000, 3_u64..60, loss).prop_map(
        |(rate, delay, queue, p)| LinkConfig {
            queue: QueueConfig::DropTail(Capacity::Packets(queue)),
            loss: LossConfig::Bernoulli(BernoulliConfig { p }),
            ..LinkConfig::new(Rate::from_bits_per_second(rate), Span::from_micros(delay))
        },
    )
}

fn rules() -> impl Strategy<Value = Multipath> {
    let schedulers = [Scheduler::LowestRtt, Scheduler::RoundRobin, Scheduler::Redundant];
    (prop::sample::select(schedulers.to_vec()), any::<(bool, bool)>()).prop_map(
        |(scheduler, (opportunistic_retransmission, penalisation))| Multipath {
            scheduler,
            opportunistic_retransmission,
            penalisation,
        },
    )
}

prop_compose! {
    fn config()(
        mss in prop_oneof![Just(1460_u16), 100_u16..1460],
        buffers in (3_000_usize..200_000, 1_000_usize..200_000),
        initial_window in 1_u32..12,
        switches in any::<(bool, bool, bool)>(),
        congestion in prop::sample::select(&["newreno", "lia", "olia", "balia", "wvegas"]),
        ack_every in 1_u32..3,
        initial_sequence in prop::option::of(prop_oneof![any::<u32>(), 0xffff_0000_u32..=u32::MAX]),
    ) -> Config {
        Config {
            mss,
            data_option_bytes: 20,
            ack_option_bytes: 20,
            send_buffer: buffers.0,
            receive_buffer: buffers.1,
            congestion: congestion.to_owned(),
            initial_window,
            selective_acks: switches.0,
            limited_transmit: switches.1,
            nagle: switches.2,
            ack_every,
            initial_sequence,
            rto: RtoLimits { max: Span::from_secs(10), ..Config::default().rto },
            time_wait: TIME_WAIT,
            max_retransmissions: 1000,
            max_syn_retransmissions: 1000,
            ..Config::default()
        }
    }
}

fn story() -> impl Strategy<Value = Story> {
    let links = prop::collection::vec(link(), 2..5);
    let steps = prop::collection::vec(step(), 1..60);
    (links, rules(), [config(), config()], steps).prop_map(|(links, rules, configs, steps)| Story {
        links,
        rules,
        configs,
        steps,
    })
}

fn tell(story: &Story) -> Several {
    let mut several = Several::configured(&story.links, |side, config| {
        *config = story.configs[side as usize].clone();
        config.multipath = Some(story.rules);
    });
    several.open(story.links.len());
    while several.write_what_fits(A, 1) == 0 || several.write_what_fits(Z, 1) == 0 {
        assert!(several.step(), "nothing opens the connection");
    }
    let paths = story.links.len();
    for step in &story.steps {
        match *step {
            Step::Write(side, bytes) => {
                several.write_what_fits(side, bytes);
            }
            Step::Read(side, pieces) => {
                several.read_at_most(side, pieces);
            }
            Step::Wait(span) => several.drive(span),
            Step::Cut(path) => several.network[path % paths].cut(),
            Step::Mend(path) => several.network[path % paths].mend(),
            Step::Weather(path, side, count, fate) => {
                several.network[path % paths].times(count, side, "", fate);
            }
            Step::Join(side, path) => several.join(side, path % paths),
            Step::Leave(side, path) => several.leave(side, PathId(path)),
        }
    }
    several.network.iter_mut().for_each(Path::clear_up);
    several
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]

    #[test]
    fn every_byte_arrives_once_and_in_order_over_any_paths(story in story()) {
        let mut several = tell(&story);
        prop_assert_eq!(several.finish(), [CloseReason::Finished; 2]);
        for side in [A, Z] {
            let (written, read) = several.books(side);
            prop_assert_eq!(written, read, "what {:?} wrote arrives", side);
        }
        several.drive(TIME_WAIT * 10);
        prop_assert!(!several.step(), "nothing is due after the end");
    }
}
