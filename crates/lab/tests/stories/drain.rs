//! Data in buffers when a run ends: the check waits for flows that make progress, and only for these.

use crate::networks::{disjoint, flow, link, scenario, tcp};
use manypath_core::{Rate, Span, Time};
use manypath_lab::scenario::{Flow, SctpFlow, TcpFlow};
use manypath_lab::{Cause, Job, Outcome, RunError, Scenario, Watch, run};
use manypath_link::loss::BernoulliConfig;
use manypath_link::queue::CoDelConfig;
use manypath_link::{Change, LinkConfig, LinkEvent, LossConfig, QueueConfig};

/// 10 Mbit/s, 300 ms there and back, and losses.
fn lossy(p: f64) -> LinkConfig {
    LinkConfig {
        loss: LossConfig::Bernoulli(BernoulliConfig { p }),
        ..link(10.0, Span::from_millis(150), 500)
    }
}

fn once(scenario: &Scenario) -> Result<Outcome, RunError> {
    scenario.validate().unwrap();
    run(scenario, Job { seed: 1, replication: 0 }, &Watch::default()).map(|(outcome, _)| outcome)
}

#[test]
fn a_large_buffer_over_a_lossy_link_is_slow_but_not_stuck() {
    let buffer = 64_000_000;
    let sctp = SctpFlow { send_buffer: buffer, ..flow(&["south"], "newreno") };
    let tcp = TcpFlow { send_buffer: buffer, ..tcp("south") };
    for (name, flow) in [("sctp", Flow::from(sctp)), ("tcp", Flow::from(tcp))] {
        for p in [0.03, 0.1] {
            let scenario = scenario(disjoint([("south", lossy(p))]), [(name, flow.clone())], 0, 30);
            let told = once(&scenario).map(|outcome| outcome.flows[name].delivered_messages);
            assert!(matches!(told, Ok(1..)), "{name}, {p}: {told:?}");
        }
    }
}

#[test]
fn a_link_that_becomes_slow_before_the_end_is_waited_for() {
    let at = Time::ZERO + Span::from_secs(9);
    let slow = Change::Rate(Rate::from_bits_per_second(20_000));
    let link = LinkConfig {
        events: vec![LinkEvent { at, change: slow }],
        ..link(10.0, Span::from_millis(5), 50)
    };
    let scenario =
        scenario(disjoint([("south", link)]), [("one", flow(&["south"], "newreno"))], 0, 10);
    assert!(once(&scenario).is_ok());
}

/// Every link works, but no full packet fits into the queue, so that there is no progress although both ends try
/// forever.
#[test]
fn an_association_without_progress_is_stuck() {
    let narrow = QueueConfig::CoDel(CoDelConfig { bytes: Some(1000), ..CoDelConfig::default() });
    let link = LinkConfig { queue: narrow, ..link(10.0, Span::from_millis(5), 50) };
    let patient = SctpFlow {
        association_max_retransmissions: 60_000,
        path_max_retransmissions: 60_000,
        ..flow(&["south"], "newreno")
    };
    let scenario = scenario(disjoint([("south", link)]), [("patient", patient)], 0, 10);
    let error = once(&scenario).unwrap_err();
    assert!(matches!(error.cause, Cause::Messages { .. }), "{error}");
    assert!(error.to_string().contains("messages are stuck although every link works"), "{error}");
}
