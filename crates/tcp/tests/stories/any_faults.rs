//! Random test cases: after any sequence of faults and calls, every byte arrives in order and both connections close.

use manypath_core::{RtoLimits, Span};
use manypath_link::LinkConfig;
use manypath_tcp::{Config, Event};
use proptest::prelude::*;

use crate::random::{self, TIME_WAIT, Traffic, assert_good_end, fault, side, traffic};
use crate::stage::{A, FIRST, Fault, Network, Pair, Side, Z};

/// A step of a random test case.
#[derive(Clone, Debug)]
enum Step {
    /// A side writes or reads, or time passes.
    Traffic(Traffic),
    /// One side closes its direction.
    Close(Side),
    /// All segments are lost from now on.
    Cut,
    /// Segments arrive again.
    Restore,
    /// The next segments of one side are lost, duplicated or delayed; the number says how many.
    Fault(Side, usize, Fault),
}

/// A random test case.
#[derive(Clone, Debug)]
struct Story {
    link: LinkConfig,
    configs: [Config; 2],
    steps: Vec<Step>,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        21 => traffic().prop_map(Step::Traffic),
        1 => side().prop_map(Step::Close),
        1 => Just(Step::Cut),
        2 => Just(Step::Restore),
        6 => fault().prop_map(|(side, count, fault)| Step::Fault(side, count, fault)),
    ]
}

prop_compose! {
    fn config()(
        usual in random::config(),
        options in 0_u8..24,
        ack_delay in 1_u64..200,
        abc_limit in 1_u32..3,
    ) -> Config {
        Config {
            data_option_bytes: options,
            ack_option_bytes: options,
            ack_delay: Span::from_millis(ack_delay),
            abc_limit,
            rto: RtoLimits { max: Span::from_secs(4), ..usual.rto },
            ..usual
        }
    }
}

fn story() -> impl Strategy<Value = Story> {
    (random::link(0.2), [config(), config()], prop::collection::vec(step(), 1..60))
        .prop_map(|(link, configs, steps)| Story { link, configs, steps })
}

/// Opens the connection, executes the steps and removes all faults.
fn run(story: &Story) -> Pair {
    let mut pair = Pair::across(Network::of(std::slice::from_ref(&story.link)), |side, config| {
        *config = story.configs[side as usize].clone();
    });
    pair.open(A);
    pair.drive_until(|pair| !pair.events(A).is_empty());
    pair.drive_until(|pair| {
        pair.events(Z).contains(&Event::Connected(FIRST)) || {
            // The link may lose A's ACK that completes the handshake; a data segment completes it, too
            pair.write_what_fits(A, 1);
            false
        }
    });
    for step in &story.steps {
        match *step {
            Step::Traffic(traffic) => traffic.execute(&mut pair),
            Step::Close(side) => pair.close(side),
            Step::Cut => pair.network.cut(0),
            Step::Restore => pair.network.restore(0),
            // An empty label matches every segment
            Step::Fault(side, count, fault) => pair.network.times(count, side, "", fault),
        }
    }
    pair.network.restore(0);
    pair.network.forget_rules();
    pair
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn every_byte_arrives_in_order_with_any_faults(story in story()) {
        // Afterwards no timer may be left. A repeated FIN restarts TIME-WAIT, so this may take twice that time
        assert_good_end(&mut run(&story), Span::from_secs(3600), TIME_WAIT * 2);
    }
}
