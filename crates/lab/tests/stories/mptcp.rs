//! Properties of Multipath TCP on small networks.

use crate::networks::{disjoint, flow, link, near, outcome, scenario, shared, tcp};
use manypath_core::{Span, Time};
use manypath_lab::scenario::{Application, Flow, MessageSize, MptcpFlow, Start};
use manypath_lab::{ByLimit, Scenario};
use manypath_link::loss::BernoulliConfig;
use manypath_link::{Change, LinkConfig, LinkEvent, LossConfig};
use manypath_tcp::Scheduler;

/// A connection whose packets have 1500 bytes, 20 of them options.
fn mptcp(paths: &[&str]) -> MptcpFlow {
    let message = MessageSize { min: 1440, max: 1440 };
    MptcpFlow {
        paths: paths.iter().map(|&path| path.to_owned()).collect(),
        app: Application::Saturated { message, ordered: true },
        ..MptcpFlow::default()
    }
}

fn middling(megabits: f64, milliseconds: u64) -> LinkConfig {
    link(megabits, Span::from_millis(milliseconds), 100)
}

/// Share of the payload in a packet with PPP framing.
const PAYLOAD: f64 = 1440.0 / 1507.0;

/// Joins arrive in the order of the delays of the paths, which is not the order of the scenario.
#[test]
fn disjoint_paths_add_up_and_are_reported_separately() {
    let network = disjoint([
        ("first", middling(5.0, 10)),
        ("far", middling(10.0, 30)),
        ("near", middling(20.0, 2)),
    ]);
    let wide = MptcpFlow {
        send_buffer: 4_000_000,
        receive_buffer: 4_000_000,
        ..mptcp(&["first", "far", "near"])
    };
    let run = outcome(&scenario(network, [("mptcp", wide)], 10, 60), 0);
    let flow = &run.flows["mptcp"];
    for (path, megabits) in [("first", 5e6), ("far", 10e6), ("near", 20e6)] {
        near(flow.paths[path].goodput, megabits * PAYLOAD, 0.02);
        near(flow.paths[path].throughput, megabits * 1500.0 / 1507.0, 0.02);
        assert_eq!(flow.paths[path].lost_packets, run.links[path].dropped);
    }
    near(flow.goodput, 35e6 * PAYLOAD, 0.02);
    assert!(flow.reorder_buffer.mean > 0.0 && flow.head_of_line.messages == 0);
}

#[test]
fn the_same_on_every_path_is_no_faster_than_the_fastest() {
    let network = disjoint([("slow", middling(5.0, 10)), ("fast", middling(10.0, 10))]);
    let redundant = MptcpFlow { scheduler: Scheduler::Redundant, ..mptcp(&["slow", "fast"]) };
    let run = outcome(&scenario(network, [("mptcp", redundant)], 10, 30), 0);
    let goodput = run.flows["mptcp"].goodput;
    assert!(goodput < 1.02 * 10e6 * PAYLOAD && goodput > 0.9 * 10e6 * PAYLOAD, "{goodput}");
}

#[test]
fn a_connection_continues_when_a_path_fails_and_uses_the_path_again_when_it_returns() {
    let at = |seconds, change| LinkEvent { at: Time::ZERO + Span::from_secs(seconds), change };
    let events = vec![at(10, Change::Down), at(20, Change::Up)];
    let failing = LinkConfig { events, ..middling(10.0, 10) };
    let network = || disjoint([("good", middling(10.0, 10)), ("failing", failing.clone())]);
    let during = outcome(&scenario(network(), [("mptcp", mptcp(&["good", "failing"]))], 12, 8), 0);
    let flow = &during.flows["mptcp"];
    assert_eq!((flow.closed.as_deref(), flow.paths["failing"].goodput), (None, 0.0));
    near(flow.goodput, 10e6 * PAYLOAD, 0.05);
    let after = outcome(&scenario(network(), [("mptcp", mptcp(&["good", "failing"]))], 40, 20), 0);
    near(after.flows["mptcp"].goodput, 20e6 * PAYLOAD, 0.05);
}

#[test]
fn a_file_over_two_paths_arrives_whole_and_its_connection_ends() {
    let size = 5_000_000;
    let app = Application::Transfer { size, message: MessageSize::default(), ordered: true };
    let file = MptcpFlow { app, ..mptcp(&["left", "right"]) };
    let network = disjoint([("left", middling(10.0, 5)), ("right", middling(5.0, 25))]);
    let run = outcome(&scenario(network, [("file", file)], 0, 60), 0);
    let file = &run.flows["file"];
    assert_eq!(file.closed.as_deref(), Some("finished"));
    assert!((size - 1452..=size).contains(&file.delivered_bytes));
    assert!(file.closed_at.unwrap() > 8.0 * 5e6 / 15e6);
}

#[test]
fn all_three_protocols_share_a_link() {
    let flows: [(&str, Flow); 3] = [
        ("sctp", flow(&["0"], "newreno").into()),
        ("tcp", tcp("1").into()),
        ("mptcp", mptcp(&["2", "3"]).into()),
    ];
    let run = outcome(&scenario(shared(middling(20.0, 10), 4), flows, 20, 60), 0);
    let total: f64 = run.flows.values().map(|flow| flow.goodput).sum();
    near(total, 20e6 * PAYLOAD, 0.03);
    assert!(run.flows.values().all(|flow| flow.goodput > 2e6), "{:?}", run.flows);
}

/// A connection that sends an amount of data from the start of the run on, and ends.
fn transfer(paths: &[&str], size: u64) -> MptcpFlow {
    let message = MessageSize { min: 1440, max: 1440 };
    MptcpFlow {
        app: Application::Transfer { size, message, ordered: true },
        start: Start { earliest: Span::ZERO, latest: Span::ZERO },
        ..mptcp(paths)
    }
}

#[test]
fn a_fin_without_data_is_no_packet_with_data() {
    let network = || disjoint([("a", middling(5.0, 10)), ("b", middling(5.0, 20))]);
    for paths in [&["a"][..], &["a", "b"]] {
        let run = outcome(&scenario(network(), [("file", transfer(paths, 144_000))], 0, 10), 0);
        let file = &run.flows["file"];
        assert_eq!((file.closed.as_deref(), file.delivered_messages), (Some("finished"), 100));
        assert_eq!(file.data_packets, 100);
        let sent: f64 = file.paths.values().map(|path| path.throughput).sum();
        near(sent * 10.0 / 8.0, 100.0 * 1500.0, 1e-9);
    }
}

/// The subflow on the lossy path may wait for the acknowledgement of its FIN after the connection has ended.
#[test]
fn no_limit_blocks_a_path_after_the_end_of_its_connection() {
    let loss = LossConfig::Bernoulli(BernoulliConfig { p: 0.05 });
    let lossy = LinkConfig { loss, ..middling(5.0, 50) };
    let network = disjoint([("a", middling(5.0, 10)), ("b", lossy)]);
    let mut after = scenario(network, [("file", transfer(&["a", "b"], 300_000))], 3, 1);
    let whole = Scenario { warmup: Span::ZERO, measure: Span::from_secs(20), ..after.clone() };
    let mut ended = 0;
    for replication in 0..40 {
        let file = &outcome(&whole, replication).flows["file"];
        let closed_at = file.closed_at.expect("the transfer ends");
        for path in file.paths.values() {
            let blocked: f64 = path.blocked.iter().map(|(_, seconds)| seconds).sum();
            assert!(blocked <= closed_at, "{blocked} s of {closed_at} s");
        }
        after.warmup = Span::from_secs_f64(closed_at);
        for path in outcome(&after, replication).flows["file"].paths.values() {
            assert_eq!(path.blocked, ByLimit::default(), "replication {replication}");
            ended += 1;
        }
    }
    assert_eq!(ended, 80);
}
