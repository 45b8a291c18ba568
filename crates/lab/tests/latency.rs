//! How long messages take, against closed forms.

#[expect(dead_code, reason = "each test file uses its part of the networks")]
mod networks;

use manypath_core::Span;
use manypath_lab::{Job, Watch, run};
use networks::{disjoint, flow, link, outcome, scenario};

/// Little's law: what is in the send buffer went in one latency, and an acknowledgement's way back, ago.
#[test]
fn a_full_send_buffer_takes_its_size_over_the_goodput() {
    let network = disjoint([("south", link(10.0, Span::from_millis(5), 100))]);
    let scenario = scenario(network, [("single", flow(&["south"], "newreno"))], 10, 60);
    let single = &outcome(&scenario, 0).flows["single"];
    let expected = 8.0 * 1_000_000.0 / single.goodput - 0.005;
    let latency = single.latency;
    let mean = latency.mean.unwrap();
    assert!((mean / expected - 1.0).abs() < 0.01, "{mean} s is not {expected} s");
    let ascending = [latency.p50, latency.p95, latency.p99, latency.max].map(Option::unwrap);
    assert!(ascending.is_sorted() && ascending[0] < 1.05 * mean, "{latency:?}");
}

#[test]
fn latencies_of_intervals_average_to_the_latency_of_the_run() {
    let network = disjoint([("south", link(10.0, Span::from_millis(5), 30))]);
    let scenario = scenario(network, [("single", flow(&["south"], "newreno"))], 2, 10);
    let job = Job { seed: 1, replication: 0 };
    let watch = Watch { series: Some(Span::from_millis(100)), capture: None };
    let (outcome, series) = run(&scenario, job, &watch).unwrap();
    let flows = series.unwrap().flows;
    let measured: Vec<_> =
        flows.time.iter().zip(&flows.latency).filter(|(time, _)| **time > 2.0).collect();
    let mean = measured.iter().map(|(_, latency)| **latency).sum::<f64>() / measured.len() as f64;
    let latency = outcome.flows["single"].latency.mean.unwrap();
    assert!((mean / latency - 1.0).abs() < 0.02, "{mean} s is not {latency} s");
}

#[test]
fn a_flow_that_delivers_nothing_has_no_latency() {
    let network = disjoint([("south", link(10.0, Span::from_millis(5), 30))]);
    let mut flow = flow(&["south"], "newreno");
    (flow.start.earliest, flow.start.latest) = (Span::from_millis(1_995), Span::from_millis(1_995));
    let outcome = outcome(&scenario(network, [("late", flow)], 1, 1), 0);
    assert_eq!(outcome.flows["late"].latency, manypath_lab::Latency::default());
}
