//! A warm run allocates nothing, however many packets it moves.

use crate::networks::{disjoint, flow, link, outcome, scenario, tcp};
use manypath_core::Span;
use manypath_lab::scenario::Flow;

/// \[D11]'s disjoint scenario at 10 Mbit/s: allocations of 200 additional seconds.
#[test]
fn packets_cost_no_allocation() {
    no_growth(&[
        ("cmt", flow(&["south", "north"], "newreno").into()),
        ("single", flow(&["south"], "newreno").into()),
    ]);
}

/// Packets of both protocols recycle each other's memory.
#[test]
fn segments_cost_no_allocation_beside_packets() {
    no_growth(&[
        ("tcp", tcp("south").into()),
        ("cmt", flow(&["south", "north"], "newreno").into()),
    ]);
}

#[track_caller]
fn no_growth(flows: &[(&str, Flow); 2]) {
    let link = || link(10.0, Span::from_millis(1), 100);
    let allocations = |seconds| {
        let network = disjoint([("south", link()), ("north", link())]);
        let scenario = scenario(network, flows.clone(), 10, seconds);
        let mut packets = 0;
        let measured = allocation_counter::measure(|| packets = outcome(&scenario, 0).data_packets);
        (measured.count_total, packets)
    };
    // Allocations that happen once per process are not part of the difference
    allocations(1);
    let ((short, few), (long, many)) = (allocations(100), allocations(300));
    assert!(many > few + 300_000, "{few} and {many} packets");
    let growth = long - short;
    // A queue or a histogram that reaches a new maximum may double its memory once more.
    assert!(growth <= 4, "{growth} allocations for {} packets", many - few);
}
