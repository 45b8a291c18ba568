//! Transfers that end: all data arrives, and a path that fails during the transfer only delays it.

use crate::networks::{disjoint, flow, link, outcome, scenario};
use manypath_core::{Span, Time};
use manypath_lab::scenario::{Application, MessageSize, Network, SctpFlow, Start};
use manypath_link::{Change, LinkConfig, LinkEvent};

/// 4 MB, which take some 3.4 s over one path, from the start of the run on.
fn transfer(concurrent: bool) -> SctpFlow {
    let message = MessageSize { min: 1452, max: 1452 };
    SctpFlow {
        concurrent,
        start: Start { earliest: Span::ZERO, latest: Span::ZERO },
        app: Application::Transfer { size: 4_000_000, message, ordered: true },
        ..flow(&["south", "north"], "newreno")
    }
}

fn two_paths(south: LinkConfig) -> Network {
    disjoint([("south", south), ("north", link(10.0, Span::from_millis(5), 50))])
}

/// When the transfer ended, in seconds; all of it must have arrived.
fn end_of(flow: SctpFlow, south: LinkConfig) -> f64 {
    let outcome = outcome(&scenario(two_paths(south), [("file", flow)], 0, 300), 0);
    let file = &outcome.flows["file"];
    assert_eq!((file.closed.as_deref(), file.delivered_messages), (Some("shutdown"), 2754));
    file.closed_at.expect("it was closed")
}

fn good() -> LinkConfig {
    link(10.0, Span::from_millis(5), 50)
}

/// The link fails permanently after one second.
fn failing() -> LinkConfig {
    let at = Time::ZERO + Span::from_secs(1);
    LinkConfig { events: vec![LinkEvent { at, change: Change::Down }], ..good() }
}

#[test]
fn a_transfer_takes_as_long_as_its_bytes_on_one_path_and_half_of_it_on_two() {
    let seconds = 2754.0 * 1507.0 * 8.0 / 10e6;
    let one = end_of(transfer(false), good());
    assert!((seconds..1.15 * seconds).contains(&one), "{one} s instead of {seconds}");
    let two = end_of(transfer(true), good());
    assert!((0.5 * seconds..0.65 * seconds).contains(&two), "{two} s instead of {}", seconds / 2.0);
}

#[test]
fn a_transfer_over_a_path_that_fails_ends_on_the_other_one() {
    let patient = end_of(transfer(false), failing());
    let hasty = end_of(SctpFlow { path_max_retransmissions: 0, ..transfer(false) }, failing());
    // One retransmission timeout of at least a second, or six that double until the path counts as failed
    assert!((4.0..10.0).contains(&hasty), "{hasty} s");
    assert!(patient > hasty + 10.0, "{patient} s, but {hasty} s");
    let both = end_of(transfer(true), failing());
    assert!(both < patient, "{both} s, but {patient} s");
}

#[test]
fn late_acknowledgements_of_lost_chunks_do_not_restore_a_failed_path() {
    // The SACKs that the second path causes acknowledge chunks that were sent over the first one before it failed
    let hasty = end_of(SctpFlow { path_max_retransmissions: 0, ..transfer(false) }, failing());
    let undisturbed = end_of(transfer(false), good());
    let lost = hasty - undisturbed;
    assert!((0.9..1.5).contains(&lost), "{lost} s are not one timeout");
}

/// The second path is a backup as long as the association exists, and not any longer.
#[test]
fn ended_flows_wait_for_nothing() {
    let network = || two_paths(good());
    let reserve_waited = |measure| {
        let scenario = scenario(network(), [("file", transfer(false))], 0, measure);
        let outcome = outcome(&scenario, 0);
        let file = &outcome.flows["file"];
        (file.paths["north"].blocked.path, file.closed_at.unwrap())
    };
    let (waited, closed_at) = reserve_waited(300);
    assert!((0.98 * closed_at..closed_at).contains(&waited), "{waited} s of {closed_at}");
    assert_eq!(reserve_waited(5), (waited, closed_at));
}

/// South fails first, so that data on north waits for it until the sink aborts the association, too.
#[test]
fn a_stream_is_blocked_no_longer_than_its_association_lasts() {
    let failing_at = |milliseconds| {
        let at = Time::ZERO + Span::from_millis(milliseconds);
        LinkConfig { events: vec![LinkEvent { at, change: Change::Down }], ..good() }
    };
    let flow = SctpFlow {
        association_max_retransmissions: 2,
        path_max_retransmissions: 2,
        heartbeat_interval: Span::from_secs(1),
        ..transfer(true)
    };
    let waited = |measure| {
        let network = disjoint([("south", failing_at(1000)), ("north", failing_at(1020))]);
        let outcome = outcome(&scenario(network, [("file", flow.clone())], 0, measure), 0);
        let file = &outcome.flows["file"];
        assert_eq!(file.closed.as_deref(), Some("unreachable"));
        (file.streams[0].blocked, measure as f64 * file.reorder_buffer.mean)
    };
    let (blocked, byte_seconds) = waited(20);
    assert!((1.0..15.0).contains(&blocked) && byte_seconds > 0.0, "{blocked} s");
    let later = waited(300);
    assert!((later.0 - blocked).abs() < 1e-9 && (later.1 / byte_seconds - 1.0).abs() < 1e-9);
}
