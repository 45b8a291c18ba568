//! Failing links: the outcome of flows that lose one path or all of them.

use crate::networks::{disjoint, flow, link, outcome, scenario};
use manypath_core::{Span, Time};
use manypath_link::{Change, LinkConfig, LinkEvent};

/// A link that fails permanently after ten seconds.
fn failing() -> LinkConfig {
    let at = Time::ZERO + Span::from_secs(10);
    LinkConfig {
        events: vec![LinkEvent { at, change: Change::Down }],
        ..link(10.0, Span::from_millis(5), 50)
    }
}

#[test]
fn a_flow_without_its_only_path_ends_and_conservation_holds() {
    let network = disjoint([("south", failing())]);
    let gone = outcome(&scenario(network, [("single", flow(&["south"], "newreno"))], 20, 1000), 0);
    let single = &gone.flows["single"];
    assert_eq!((single.closed.as_deref(), single.delivered_bytes), (Some("unreachable"), 0));
}

#[test]
fn a_flow_with_another_path_continues_on_it() {
    let network = disjoint([("south", failing()), ("north", link(10.0, Span::from_millis(5), 50))]);
    let flows = [("cmt", flow(&["south", "north"], "newreno"))];
    let outcome = outcome(&scenario(network, flows, 600, 60), 0);
    let cmt = &outcome.flows["cmt"];
    assert_eq!(cmt.closed, None);
    assert_eq!(cmt.paths["south"].goodput, 0.0);
    assert!(cmt.goodput > 0.95 * 10e6 * 1452.0 / 1507.0, "{} Mbit/s", cmt.goodput / 1e6);
}
