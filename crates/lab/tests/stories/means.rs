//! Means over time are exact: integrals of what changes, and not samples.

use std::collections::HashMap;

use manypath_core::{Rate, Span, Time};
use manypath_lab::scenario::{Application, Flow, MessageSize, MptcpFlow, SctpFlow, Start, TcpFlow};
use manypath_lab::{Changes, Job, Outcome, Scenario, Watch, run};
use manypath_link::{Change, LinkConfig, LinkEvent};
use manypath_sctp::RttSample;

use crate::networks::{disjoint, flow, link, outcome, scenario, shared, tcp};

/// A run with all its changes.
fn changes(scenario: &Scenario) -> (Outcome, Changes) {
    let watch = Watch { changes: true, ..Watch::default() };
    let (outcome, recorded) = run(scenario, Job { seed: 1, replication: 0 }, &watch).unwrap();
    (outcome, recorded.changes.unwrap())
}

/// The mean between two times of steps `(time, value)`, over the time in which the value is a number.
fn mean(steps: &[(f64, f64)], from: f64, to: f64) -> Option<f64> {
    let ends = steps.iter().skip(1).map(|step| step.0).chain([to]);
    let (mut area, mut known) = (0.0, 0.0);
    for (&(begin, value), end) in steps.iter().zip(ends) {
        let span = (end.clamp(from, to) - begin.clamp(from, to)).max(0.0);
        if span > 0.0 && !value.is_nan() {
            (area, known) = (area + value * span, known + span);
        }
    }
    (known > 0.0).then(|| area / known)
}

fn cmt_and_rivals() -> Scenario {
    let slow = link(2.0, Span::from_millis(40), 15);
    let down = |at, change| LinkEvent { at: Time::from_nanos(at), change };
    let events = vec![down(4_000_000_000, Change::Down), down(5_500_000_000, Change::Up)];
    let fast = LinkConfig { events, ..link(5.0, Span::from_millis(5), 15) };
    let joined = MptcpFlow { paths: vec!["fast".into(), "slow".into()], ..MptcpFlow::default() };
    let flows: [(&str, Flow); 3] = [
        ("cmt", flow(&["fast", "slow"], "cmt-rpv2").into()),
        ("tcp", tcp("slow").into()),
        ("mptcp", joined.into()),
    ];
    scenario(disjoint([("fast", fast), ("slow", slow)]), flows, 1, 7)
}

#[test]
fn means_of_paths_are_those_of_their_changes() {
    let scenario = cmt_and_rivals();
    let (outcome, changes) = changes(&scenario);
    let columns = &changes.paths;
    let mut steps: HashMap<(usize, usize), Vec<usize>> = HashMap::new();
    for row in 0..columns.time.len() {
        steps.entry((columns.flow[row], columns.path[row])).or_default().push(row);
    }
    let mut compared = 0;
    for (flow, (name, measured)) in outcome.flows.iter().enumerate() {
        for (path, (place, found)) in measured.paths.iter().enumerate() {
            let rows = &steps[&(flow, path)];
            let expected = |column: &[f64]| {
                let steps: Vec<_> =
                    rows.iter().map(|&row| (columns.time[row], column[row])).collect();
                // Before the first change the state is that of a path that is unknown.
                let first = (0.0, if column[rows[0]].is_nan() { f64::NAN } else { 0.0 });
                mean(&[&[first][..], &steps].concat(), 1.0, 8.0)
            };
            for (value, column) in [
                (Some(found.cwnd), &columns.cwnd),
                (found.ssthresh, &columns.ssthresh),
                (found.srtt, &columns.srtt),
                (Some(found.outstanding), &columns.outstanding),
            ] {
                let (value, expected) = (value.unwrap(), expected(column).unwrap());
                assert!(
                    (value - expected).abs() <= 1e-9 * expected,
                    "{name} {place}: {value} {expected}"
                );
                compared += 1;
            }
        }
    }
    assert_eq!(compared, 20);
}

/// Ten flows whose packets arrive together each 20 ms: the queue is empty at each multiple of 20 ms.
fn ten_in_step() -> Scenario {
    let app = Application::Cbr {
        rate: Rate::from_bits_per_second(400_000),
        message: MessageSize { min: 1000, max: 1000 },
        ordered: false,
    };
    let start = Start { earliest: Span::ZERO, latest: Span::ZERO };
    let flow = TcpFlow { app, start, ..tcp("0") };
    let names: Vec<String> = (0..10).map(|number| format!("f{number}")).collect();
    let flows = names.iter().map(|name| (name.as_str(), flow.clone()));
    scenario(shared(link(10.0, Span::from_millis(10), 100), 1), flows, 1, 2)
}

#[test]
fn means_of_queues_are_those_of_many_samples() {
    for scenario in [ten_in_step(), cmt_and_rivals()] {
        let watch = Watch { series: Some(Span::from_micros(20)), ..Watch::default() };
        let (outcome, recorded) = run(&scenario, Job { seed: 1, replication: 0 }, &watch).unwrap();
        let columns = recorded.series.unwrap().links;
        for (index, (name, found)) in outcome.links.iter().enumerate() {
            let rows = (0..columns.time.len()).filter(|&row| columns.link[row] == index);
            let measured = rows.filter(|&row| columns.time[row] > scenario.warmup.as_secs_f64());
            let queues: Vec<_> = measured.map(|row| columns.queue[row]).collect();
            let mean = queues.iter().sum::<f64>() / queues.len() as f64;
            let (value, tolerance) = (found.mean_queue, 0.01 * mean + 1e-3);
            assert!((value - mean).abs() < tolerance, "{name}: {value} is not {mean}");
        }
        assert!(outcome.links[0].mean_queue > 0.5, "{:?}", outcome.links[0]);
    }
}

#[test]
fn a_slower_path_of_an_association_has_round_trip_times() {
    let links = [
        ("a", link(20.0, Span::from_millis(10), 100)),
        ("b", link(10.0, Span::from_millis(30), 100)),
    ];
    let measured = |rtt_sample| {
        let cmt = SctpFlow { rtt_sample, ..flow(&["a", "b"], "cmt-rpv2") };
        outcome(&scenario(disjoint(links.clone()), [("cmt", cmt)], 10, 30), 0).flows["cmt"].clone()
    };
    let (any, same) = (measured(RttSample::AnySack), measured(RttSample::SamePath));
    let srtt = any.paths["b"].srtt.expect("SACKs on the faster path give samples");
    assert!((0.04..0.2).contains(&srtt), "{srtt} s");
    assert!(any.paths["b"].goodput > 5e6, "{} bit/s", any.paths["b"].goodput);
    // INET's rule: the first SACK of each chunk of the slower path arrives on the faster one.
    assert_eq!(same.paths["b"].srtt, None);
    assert!(same.paths["b"].goodput < 3e6, "{} bit/s", same.paths["b"].goodput);
}
