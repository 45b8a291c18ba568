//! Random stories: for any behaviour of the network and of the applications, every byte arrives in order and both sides
//! end.

use manypath_core::{RtoLimits, Span};
use manypath_link::LinkConfig;
use manypath_tcp::{Config, Event};
use proptest::prelude::*;

use crate::random::{self, TIME_WAIT, Traffic, assert_good_end, fault, side, traffic};
use crate::stage::{A, FIRST, Fate, Pair, Path, Side, Z};

/// The next event of a story.
#[derive(Clone, Debug)]
enum Step {
    /// The applications continue.
    Traffic(Traffic),
    /// One side closes its direction.
    Close(Side),
    /// All segments are lost from now on.
    Cut,
    /// Segments arrive again.
    Mend,
    /// A fault for the next segments of one side.
    Fault(Side, usize, Fate),
}

/// All parameters of a story.
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
        2 => Just(Step::Mend),
        6 => fault().prop_map(|(side, count, fate)| Step::Fault(side, count, fate)),
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

fn tell(story: &Story) -> Pair {
    let mut pair = Pair::across(Path::of(&story.link), |side, config| {
        *config = story.configs[side as usize].clone();
    });
    pair.open(A);
    pair.drive_until(|pair| !pair.events(A).is_empty());
    pair.drive_until(|pair| {
        pair.events(Z).contains(&Event::Connected(FIRST)) || {
            // The last segment of its handshake may be lost: data replaces it
            pair.write_what_fits(A, 1);
            false
        }
    });
    for step in &story.steps {
        match *step {
            Step::Traffic(traffic) => traffic.happen(&mut pair),
            Step::Close(side) => pair.close(side),
            Step::Cut => pair.network.cut(),
            Step::Mend => pair.network.mend(),
            Step::Fault(side, count, fate) => pair.network.times(count, side, "", fate),
        }
    }
    pair.network.clear_rules();
    pair
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn every_byte_arrives_in_order_with_any_faults(story in story()) {
        // Twice the time, because a repeated FIN restarts TIME-WAIT
        assert_good_end(&mut tell(&story), Span::from_secs(3600), TIME_WAIT * 2);
    }
}
