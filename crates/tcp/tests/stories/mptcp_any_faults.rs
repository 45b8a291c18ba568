//! Random stories over two to four paths: for any behaviour of the paths, and for any paths that join and leave, every
//! byte arrives once and in order, and both sides end.

use manypath_core::{PathId, RtoLimits, Span};
use manypath_link::LinkConfig;
use manypath_tcp::{Config, Multipath, Scheduler};
use proptest::prelude::*;

use crate::random::{self, TIME_WAIT, Traffic, assert_good_end, fault, side, traffic};
use crate::stage::{A, Fate, Path, Several, Side, Z};

/// The next event of a story.
#[derive(Clone, Debug)]
enum Step {
    /// The applications continue.
    Traffic(Traffic),
    /// All segments of a path are lost from now on.
    Cut(usize),
    /// Segments arrive again.
    Mend(usize),
    /// A fault for the next segments of one side on a path.
    Fault(usize, Side, usize, Fate),
    /// A side opens another subflow.
    Join(Side, usize),
    /// A side removes a subflow.
    Leave(Side, u8),
}

/// All parameters of a story.
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
        3 => (0_usize..4).prop_map(Step::Mend),
        6 => (0_usize..4, fault())
            .prop_map(|(path, (side, count, fate))| Step::Fault(path, side, count, fate)),
        1 => (side(), 0_usize..4).prop_map(|(side, path)| Step::Join(side, path)),
        1 => (side(), 0_u8..6).prop_map(|(side, path)| Step::Leave(side, path)),
    ]
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
            Step::Traffic(traffic) => traffic.happen(&mut several),
            Step::Cut(path) => several.network[path % paths].cut(),
            Step::Mend(path) => several.network[path % paths].mend(),
            Step::Fault(path, side, count, fate) => {
                several.network[path % paths].times(count, side, "", fate);
            }
            Step::Join(side, path) => several.join(side, path % paths),
            Step::Leave(side, path) => several.leave(side, PathId(path)),
        }
    }
    several.network.iter_mut().for_each(Path::clear_rules);
    several
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]

    #[test]
    fn every_byte_arrives_once_and_in_order_over_any_paths(story in story()) {
        assert_good_end(&mut tell(&story), Span::from_secs(36_000), TIME_WAIT * 10);
    }
}
