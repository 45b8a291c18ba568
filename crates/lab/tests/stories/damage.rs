//! Bit errors of links: the counters of links and flows.

use crate::networks::{disjoint, flow, link, outcome, scenario};
use manypath_core::Span;
use manypath_lab::scenario::SctpFlow;
use manypath_lab::{FlowOutcome, Outcome};
use manypath_link::loss::BitErrorConfig;
use manypath_link::{LinkConfig, LossConfig};

/// 5.82 % of the packets of 1500 bytes are damaged in the direction of the data.
fn damaged(packet_drop_reports: bool) -> Outcome {
    let noisy = LinkConfig {
        loss: LossConfig::BitError(BitErrorConfig { rate: 5e-6, spared: 0 }),
        ..link(10.0, Span::from_millis(20), 100)
    };
    let flow = SctpFlow { packet_drop_reports, ..flow(&["south"], "newreno") };
    outcome(&scenario(disjoint([("south", noisy)]), [("single", flow)], 5, 60), 0)
}

#[test]
fn a_flow_counts_what_its_links_damaged() {
    let outcome = damaged(false);
    let (south, single) = (&outcome.links["south"], &outcome.flows["single"]);
    assert!(
        south.damaged.abs_diff(single.counters["damaged_packets"]) <= 2,
        "{south:?} {single:?}"
    );
    let share = south.damaged as f64 / south.delivered as f64;
    assert!((share / 0.0582 - 1.0).abs() < 0.1, "{share}");
    assert_eq!((single.counters["drop_reports"], single.counters["reported_chunks"]), (0, 0));
}

/// A report identifies the damaged chunk, so the window is not reduced, unless a byte is damaged that identifies it.
#[test]
fn reports_keep_the_window_open() {
    let outcomes = [damaged(false), damaged(true)];
    let [silent, told] = outcomes.each_ref().map(|outcome| &outcome.flows["single"]);
    let cuts = |flow: &FlowOutcome| {
        (flow.window_cuts + flow.counters["timeouts"]) as f64
            / flow.counters["damaged_packets"] as f64
    };
    // 48 bytes of headers and 31 of payload, of 1500.
    assert!(cuts(told) < 0.07 && cuts(silent) > 0.5, "{} and {}", cuts(told), cuts(silent));
    assert!(told.goodput > 3.0 * silent.goodput, "{} and {}", told.goodput, silent.goodput);
    assert!(
        0 < told.counters["reported_chunks"]
            && told.counters["reported_chunks"] <= told.counters["drop_reports"]
    );
    assert!(told.counters["drop_reports"] <= told.counters["damaged_packets"]);
    assert!(told.counters["reported_chunks"] <= told.counters["retransmitted_chunks"]);
}
