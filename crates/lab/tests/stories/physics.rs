//! Properties of single flows and shared links that are known without a simulator: closed forms and laws.

use crate::networks::{disjoint, flow, link, near, outcome, outcomes, scenario, shared};
use manypath_core::Span;
use manypath_lab::scenario::{Application, MessageSize, SctpFlow};
use manypath_lab::{Job, Scenario};
use manypath_link::loss::BernoulliConfig;
use manypath_link::{LinkConfig, LossConfig};
use manypath_sctp::{BufferSplit, Rescheduling, SplitBy};

/// Of 1507 bytes on the wire 1452 are user data: IP 20, SCTP 12, DATA 16, PPP 7.
const PAYLOAD_OF_PACKET: f64 = 1452.0 / 1507.0;

#[test]
fn the_ceiling_of_goodput_is_payload_over_framed_packet() {
    let network = disjoint([("south", link(10.0, Span::from_millis(1), 100))]);
    let outcome = outcome(&scenario(network, [("single", flow(&["south"], "newreno"))], 5, 20), 0);
    near(outcome.flows["single"].goodput / 10e6, PAYLOAD_OF_PACKET, 0.005);
}

#[test]
fn two_empty_paths_give_the_sum_of_both() {
    let network = disjoint([
        ("south", link(100.0, Span::from_millis(1), 100)),
        ("north", link(10.0, Span::from_millis(1), 100)),
    ]);
    let outcome =
        outcome(&scenario(network, [("cmt", flow(&["south", "north"], "newreno"))], 5, 20), 0);
    near(outcome.flows["cmt"].goodput / 110e6, PAYLOAD_OF_PACKET, 0.005);
}

#[test]
fn throughput_counts_whole_packets_of_data_and_what_a_link_drops() {
    let app =
        Application::Saturated { message: MessageSize { min: 1452, max: 1452 }, ordered: false };
    let network = disjoint([("south", link(10.0, Span::from_millis(1), 20))]);
    let single = SctpFlow { app, ..flow(&["south"], "newreno") };
    let outcome = outcome(&scenario(network, [("single", single)], 5, 20), 0);
    let (flow, link) = (&outcome.flows["single"], &outcome.links["south"]);
    assert!(link.dropped > 0 && flow.counters["retransmitted_chunks"] > 0);
    near(flow.throughput * 20.0 / 8.0, 1500.0 * flow.data_packets as f64, 1e-9);
    let offered = 8.0 * 1500.0 * link.arrived as f64 / 20.0;
    near(flow.throughput / offered, 1.0, 0.001);
    assert_eq!(flow.throughput.to_bits(), flow.paths["south"].throughput.to_bits());
    assert!(flow.throughput > flow.goodput * 1500.0 / 1452.0);
}

/// \[D10] figure 4: if the buffers are smaller than the queue of the slow path, the slow path occupies them completely.
#[test]
fn small_buffers_carry_two_unequal_paths_where_each_has_its_share_of_them() {
    let goodput = |(send_buffer, receive_buffer), buffer_split, split_by| {
        let network = disjoint([
            ("south", link(100.0, Span::from_millis(1), 100)),
            ("north", link(10.0, Span::from_millis(1), 100)),
        ]);
        let both = flow(&["south", "north"], "newreno");
        let flow = SctpFlow { send_buffer, receive_buffer, buffer_split, split_by, ..both };
        outcome(&scenario(network, [("cmt", flow)], 4, 2), 0).flows["cmt"].goodput
    };
    for buffers in [(250_000, 125_000), (125_000, 250_000)] {
        for by in [SplitBy::Outstanding, SplitBy::Buffered] {
            near(goodput(buffers, BufferSplit::Both, by) / 110e6, PAYLOAD_OF_PACKET, 0.005);
        }
        let shared = goodput(buffers, BufferSplit::None, SplitBy::Outstanding);
        assert!(shared < 25e6, "{shared} bit/s with {buffers:?} for both");
    }
}

/// \[D10] figure 7: with ordered delivery, a fast path waits for chunks in the queue of the slow path unless it sends
/// them itself.
#[test]
fn in_order_a_slow_path_stops_a_fast_one_unless_the_fast_one_takes_its_chunks_over() {
    let goodput = |rescheduling, nr_sack| {
        let network = disjoint([
            ("south", link(20.0, Span::from_millis(1), 100)),
            ("north", link(0.5, Span::from_millis(1), 100)),
        ]);
        let app =
            Application::Saturated { message: MessageSize { min: 1452, max: 1452 }, ordered: true };
        let flow = SctpFlow {
            app,
            rescheduling,
            nr_sack,
            buffer_split: BufferSplit::None,
            send_buffer: 250_000,
            receive_buffer: 250_000,
            ..flow(&["south", "north"], "newreno")
        };
        outcome(&scenario(network, [("cmt", flow)], 4, 4), 0).flows["cmt"].goodput
    };
    let fast_alone = 20e6 * PAYLOAD_OF_PACKET;
    for nr_sack in [false, true] {
        let stopped = goodput(Rescheduling::None, nr_sack);
        assert!(stopped < fast_alone / 3.0, "{stopped} bit/s");
        for rescheduling in [Rescheduling::Threshold, Rescheduling::Inet] {
            let released = goodput(rescheduling, nr_sack);
            assert!(released > 0.9 * fast_alone, "{rescheduling:?}: {released} bit/s");
        }
    }
}

/// A sawtooth between half the window and the full window uses the link less, the smaller its queue is.
#[test]
fn a_sawtooth_fills_the_pipe_as_far_as_its_buffer_allows() {
    let closed_form = [(0.1, 0.818), (0.25, 0.893), (0.5, 0.964), (1.0, 1.0)];
    for (buffer, expected) in closed_form {
        near(utilisation(buffer), expected, 0.03);
    }
}

/// Utilisation by one flow over 10 Mbit/s and 100 ms round-trip time, with a queue of `buffer` bandwidth-delay
/// products.
fn utilisation(buffer: f64) -> f64 {
    let pipe = 10e6 * 0.1 / 8.0 / 1507.0;
    let bottleneck = link(10.0, Span::from_millis(50), (buffer * pipe).round() as u64);
    let scenario = scenario(
        disjoint([("south", bottleneck)]),
        [("single", flow(&["south"], "newreno"))],
        60,
        200,
    );
    outcome(&scenario, 0).links["south"].utilisation
}

/// x · RTT · √p of AIMD under independent losses. Ott, Kemperman, Mathis 1996: 1.3098 for p → 0.
#[test]
fn independent_losses_give_the_rate_of_the_square_root_law() {
    for (p, constant) in [(0.001, 1.3194), (0.01, 1.3416)] {
        let lossy = LinkConfig {
            loss: LossConfig::Bernoulli(BernoulliConfig { p }),
            ..link(100.0, Span::from_millis(50), 1000)
        };
        let scenario = scenario(
            disjoint([("south", lossy)]),
            [("single", flow(&["south"], "newreno"))],
            20,
            1000,
        );
        let packets_per_second = outcome(&scenario, 0).flows["single"].goodput / 8.0 / 1452.0;
        near(packets_per_second * 0.1 * p.sqrt(), constant, 0.15);
    }
}

/// Each uncoupled subflow gets the share of one flow.
#[test]
fn plain_cmt_takes_n_parts_of_n_plus_one() {
    for paths in [1, 2, 4] {
        let names: Vec<_> = (0..paths).map(|index| index.to_string()).collect();
        let names: Vec<_> = names.iter().map(String::as_str).collect();
        let network = shared(link(10.0, Span::from_millis(10), 50), paths);
        let flows = [("cmt", flow(&names, "newreno")), ("single", flow(&["0"], "newreno"))];
        let flows = flows.map(|(name, flow)| (name, random_sizes(flow)));
        let scenario = scenario(network, flows, 20, 300);
        let outcome = outcome(&scenario, 0);
        let (cmt, single) = (outcome.flows["cmt"].goodput, outcome.flows["single"].goodput);
        near(cmt / (cmt + single), paths as f64 / (paths + 1) as f64, 0.1);
    }
}

/// Equal packets synchronise with a full queue; random sizes do not. \[D11] V
fn random_sizes(flow: SctpFlow) -> SctpFlow {
    SctpFlow { app: Application::default(), ..flow }
}

/// Random streams have names, so an additional flow does not change the random numbers of another flow.
#[test]
fn an_independent_flow_changes_nothing() {
    let lossy = LinkConfig {
        loss: LossConfig::Bernoulli(BernoulliConfig { p: 0.005 }),
        ..link(10.0, Span::from_millis(10), 50)
    };
    let network = disjoint([("south", lossy.clone()), ("north", lossy)]);
    let single = ("single", random_sizes(flow(&["south"], "newreno")));
    let neighbour = ("neighbour", random_sizes(flow(&["north"], "cmt-rpv2")));
    let alone = scenario(network.clone(), [single.clone()], 5, 20);
    let together = scenario(network, [neighbour, single], 5, 20);
    assert_eq!(outcome(&alone, 3).flows["single"], outcome(&together, 3).flows["single"]);
    assert_ne!(outcome(&alone, 3).flows["single"], outcome(&alone, 4).flows["single"]);
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let network = disjoint([
        ("south", link(10.0, Span::from_millis(5), 50)),
        ("north", link(5.0, Span::from_millis(20), 50)),
    ]);
    let flows =
        |cc| [("cmt", flow(&["south", "north"], cc)), ("single", flow(&["south"], "newreno"))];
    let scenarios = ["newreno", "cmt-rpv2"].map(|cc| scenario(network.clone(), flows(cc), 2, 5));
    let jobs: Vec<(&Scenario, Job)> = scenarios
        .iter()
        .flat_map(|scenario| {
            (0..3).map(move |replication| (scenario, Job { seed: 9, replication }))
        })
        .collect();
    let digests = |threads| -> Vec<_> {
        outcomes(&jobs, threads).into_iter().map(|outcome| outcome.unwrap().digest).collect()
    };
    assert_eq!(digests(1), digests(2));
}
