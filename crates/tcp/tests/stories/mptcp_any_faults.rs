//! Random test cases over two to four paths: after any sequence of faults and calls, and of subflows that join and
//! leave, every byte arrives once and in order, and both connections close.

use manypath_core::{PathId, RtoLimits, Span};
use manypath_link::LinkConfig;
use manypath_tcp::{Config, Multipath, Scheduler};
use proptest::prelude::*;

use crate::random::{self, TIME_WAIT, Traffic, assert_good_end, fault, side, traffic};
use crate::stage::{A, Fault, Several, Side, Z};

/// A step of a random test case.
#[derive(Clone, Debug)]
enum Step {
    /// A side writes or reads, or time passes.
    Traffic(Traffic),
    /// All segments of a path are lost from now on.
    Cut(usize),
    /// Segments of a path arrive again.
    Restore(usize),
    /// The next segments of one side on a path are lost, duplicated or delayed; the last number says how many.
    Fault(usize, Side, usize, Fault),
    /// A side opens another subflow.
    Join(Side, usize),
    /// A side removes a subflow.
    Leave(Side, u8),
}

/// A random test case.
#[derive(Clone, Debug)]
struct Story {
    links: Vec<LinkConfig>,
    rules: Multipath,
    configs: [Config; 2],
    steps: Vec<Step>,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        21 => traffic().prop_map(Step::Traffic),
        2 => (0_usize..4).prop_map(Step::Cut),
        3 => (0_usize..4).prop_map(Step::Restore),
        6 => (0_usize..4, fault())
            .prop_map(|(path, (side, count, fault))| Step::Fault(path, side, count, fault)),
        1 => (side(), 0_usize..4).prop_map(|(side, path)| Step::Join(side, path)),
        1 => (side(), 0_u8..6).prop_map(|(side, path)| Step::Leave(side, path)),
    ]
}

fn rules() -> impl Strategy<Value = Multipath> {
    (prop::sample::select(Scheduler::ALL), any::<(bool, bool)>()).prop_map(
        |(scheduler, (opportunistic_retransmission, penalisation))| Multipath {
            scheduler,
            opportunistic_retransmission,
            penalisation,
        },
    )
}

prop_compose! {
    fn config()(
        usual in random::config(),
        congestion in prop::sample::select(&["newreno", "lia", "olia", "balia", "wvegas"]),
    ) -> Config {
        Config {
            data_option_bytes: 20,
            ack_option_bytes: 20,
            cc: congestion.to_owned(),
            rto: RtoLimits { max: Span::from_secs(10), ..usual.rto },
            ..usual
        }
    }
}

fn story() -> impl Strategy<Value = Story> {
    let links = prop::collection::vec(random::link(0.3), 2..5);
    let steps = prop::collection::vec(step(), 1..60);
    (links, rules(), [config(), config()], steps).prop_map(|(links, rules, configs, steps)| Story {
        links,
        rules,
        configs,
        steps,
    })
}

/// Opens the connection, executes the steps and removes all faults.
fn run(story: &Story) -> Several {
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
            Step::Traffic(traffic) => traffic.execute(&mut several),
            Step::Cut(path) => several.network.cut(path % paths),
            Step::Restore(path) => several.network.restore(path % paths),
            Step::Fault(path, side, count, fault) => {
                let path = path % paths;
                several
                    .network
                    .times_if(count, fault, move |sent| sent.path == path && sent.from == side);
            }
            Step::Join(side, path) => several.join(side, path % paths),
            Step::Leave(side, path) => several.leave(side, PathId(path)),
        }
    }
    (0..paths).for_each(|path| several.network.restore(path));
    several.network.forget_rules();
    several
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]

    #[test]
    fn every_byte_arrives_once_and_in_order_over_any_paths(story in story()) {
        assert_good_end(&mut run(&story), Span::from_secs(36_000), TIME_WAIT * 10);
    }
}
