//! \[D10] figure 4: plain CMT over 100 and 10 Mbit/s, where the buffers limit the goodput.
//!
//! Send buffer 250,000 bytes, receive buffer 125,000, unordered messages of 1452 bytes. The expected goodputs are those
//! of the authors' simulator, INET 4.5.4, with its missing calls restored; the paper shows about 20 and 106 Mbit/s.

use crate::networks::{disjoint, flow, link, outcome, scenario};
use manypath_core::Span;
use manypath_lab::FlowOutcome;
use manypath_lab::scenario::SctpFlow;
use manypath_sctp::{BufferSplit, SplitBy, WindowOverrun};

fn run(flow: SctpFlow) -> FlowOutcome {
    let network = disjoint([
        ("south", link(100.0, Span::from_millis(1), 100)),
        ("north", link(10.0, Span::from_millis(1), 100)),
    ]);
    outcome(&scenario(network, [("cmt", flow)], 3, 5), 0).flows.swap_remove("cmt").unwrap()
}

fn settings() -> SctpFlow {
    let plain = flow(&["south", "north"], "newreno");
    SctpFlow { send_buffer: 250_000, receive_buffer: 125_000, ..plain }
}

#[track_caller]
fn near(flow: &FlowOutcome, megabits: f64) {
    let goodput = flow.goodput / 1e6;
    assert!((goodput / megabits - 1.0).abs() < 0.02, "{goodput:.2} Mbit/s is not {megabits}");
}

/// The fast path waits for the slow one. INET's window wraps around when a packet exceeds it.
#[test]
fn without_splitting_the_slow_path_fills_the_receive_buffer() {
    let undivided = SctpFlow { buffer_split: BufferSplit::None, ..settings() };
    near(&run(SctpFlow { window_overrun: WindowOverrun::Wraps, ..undivided.clone() }), 22.6);
    let cmt = run(undivided);
    assert!(cmt.goodput < 20e6, "{} Mbit/s", cmt.goodput / 1e6);
    assert!(cmt.paths["north"].outstanding > 0.9 * 125_000.0, "{:?}", cmt.paths["north"]);
}

/// 110 Mbit/s minus framing and headers, for both ways of counting the shares.
#[test]
fn divided_buffers_with_gaps_acknowledged_for_good_fill_both_paths() {
    for split_by in [SplitBy::Outstanding, SplitBy::Buffered] {
        let cmt = run(SctpFlow { buffer_split: BufferSplit::Both, split_by, ..settings() });
        near(&cmt, 105.99);
        near(&cmt, 110.0 * 1452.0 / 1507.0);
    }
}

/// Chunks that arrived beyond a gap stay in the send buffer until the gap is closed.
#[test]
fn divided_buffers_are_not_enough_where_gaps_may_be_taken_back() {
    near(&run(SctpFlow { buffer_split: BufferSplit::Both, nr_sack: false, ..settings() }), 39.2);
}
