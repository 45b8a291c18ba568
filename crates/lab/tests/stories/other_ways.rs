//! SCTP packets that are encoded and decoded, and links that compute nothing: the runs are equal to other runs.

use crate::networks::{disjoint, flow, link, scenario, shared, tcp};
use manypath_core::{Span, Time};
use manypath_lab::scenario::{Application, Flow, MessageSize, Network, SctpFlow};
use manypath_lab::{Job, Outcome, Scenario, Watch, run};
use manypath_link::loss::{BernoulliConfig, BitErrorConfig};
use manypath_link::{Change, LinkConfig, LinkEvent, LossConfig};

/// The outcome, which must be the same in all ways except for its processor time.
fn in_all_ways(scenario: &Scenario) -> Outcome {
    scenario.validate().expect("a valid scenario");
    let outcome = |watch: Watch| {
        let job = Job { seed: 1, replication: 0 };
        run(scenario, job, &watch).expect("a run").0
    };
    let typed = outcome(Watch::default());
    let bytes = outcome(Watch { by_bytes: true, ..Watch::default() });
    let events = outcome(Watch { event_by_event: true, ..Watch::default() });
    assert_eq!(events, Outcome { cpu_seconds: events.cpu_seconds, ..typed.clone() });
    assert_eq!(bytes.digest, typed.digest);
    for (name, flow) in &typed.flows {
        assert_eq!(bytes.flows[name].goodput, flow.goodput, "{name}");
    }
    bytes
}

fn fast() -> LinkConfig {
    link(10.0, Span::from_millis(5), 50)
}

fn two_paths(south: LinkConfig) -> Network {
    disjoint([("south", south), ("north", fast())])
}

#[test]
fn rivals_with_every_extension_over_lossy_paths() {
    let lossy = LinkConfig { loss: LossConfig::Bernoulli(BernoulliConfig { p: 0.01 }), ..fast() };
    let cmt = flow(&["south", "north"], "cmt-rpv2");
    in_all_ways(&scenario(
        two_paths(lossy),
        [("cmt", cmt), ("single", flow(&["south"], "olia"))],
        1,
        6,
    ));
}

#[test]
fn fragments_and_small_messages_in_order_on_several_streams() {
    let app =
        Application::Saturated { message: MessageSize { min: 1, max: 20_000 }, ordered: true };
    let cmt = SctpFlow { app, streams: 3, nr_sack: false, ..flow(&["south", "north"], "newreno") };
    in_all_ways(&scenario(two_paths(fast()), [("cmt", cmt)], 1, 6));
}

#[test]
fn a_path_that_fails_and_comes_back() {
    let at = |seconds| Time::ZERO + Span::from_secs(seconds);
    let events = vec![
        LinkEvent { at: at(3), change: Change::Down },
        LinkEvent { at: at(6), change: Change::Up },
    ];
    let cut = LinkConfig { events, ..fast() };
    in_all_ways(&scenario(two_paths(cut), [("cmt", flow(&["south", "north"], "lia"))], 1, 20));
}

#[test]
fn damaged_packets_fail_their_checksum_and_come_back_in_reports() {
    let loss = LossConfig::BitError(BitErrorConfig { rate: 5e-6, spared: 0 });
    let noisy = || LinkConfig { loss, ..fast() };
    let mut network = disjoint([("south", noisy()), ("north", noisy())]);
    // Acknowledgements and reports are damaged, too
    for back in ["south/back", "north/back"] {
        network.links.insert(back.to_owned(), noisy());
    }
    let app = Application::Saturated { message: MessageSize { min: 1, max: 3000 }, ordered: false };
    let told = SctpFlow { packet_drop_reports: true, app, ..flow(&["south", "north"], "cmt-rpv2") };
    let silent = flow(&["south"], "newreno");
    let outcome = in_all_ways(&scenario(network, [("told", told), ("silent", silent)], 1, 60));
    let told = &outcome.flows["told"];
    assert!(told.counters["damaged_packets"] > 500, "{}", told.counters["damaged_packets"]);
    assert!(
        told.counters["drop_reports"] > 100 && told.counters["reported_chunks"] > 100,
        "{told:?}"
    );
}

#[test]
fn sctp_beside_tcp() {
    let cmt: Flow = flow(&["0", "1"], "cmt-rpv1").into();
    let flows = [("cmt", cmt), ("tcp", tcp("1").into())];
    in_all_ways(&scenario(shared(fast(), 2), flows, 1, 6));
}
