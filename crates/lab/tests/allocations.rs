//! A warm run allocates nothing, however many packets it moves.

#[expect(dead_code, reason = "each test file uses its part of the networks")]
mod networks;

use manypath_core::Span;
use networks::{disjoint, flow, link, outcome, scenario};

/// \[D11]'s disjoint scenario at 10 Mbit/s: what 200 more seconds allocate.
#[test]
fn packets_cost_no_allocation() {
    let link = || link(10.0, Span::from_millis(1), 100);
    let allocations = |seconds| {
        let network = disjoint([("south", link()), ("north", link())]);
        let flows = [
            ("cmt", flow(&["south", "north"], "newreno")),
            ("single", flow(&["south"], "newreno")),
        ];
        let scenario = scenario(network, flows, 10, seconds);
        let mut packets = 0;
        let measured = allocation_counter::measure(|| packets = outcome(&scenario, 0).data_packets);
        (measured.count_total, packets)
    };
    let ((short, few), (long, many)) = (allocations(100), allocations(300));
    assert!(many > few + 300_000, "{few} and {many} packets");
    let growth = long - short;
    // A queue that is longer than ever before may double its memory once more.
    assert!(growth <= 2, "{growth} allocations for {} packets", many - few);
}
