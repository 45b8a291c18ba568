//! Digests of small runs of many kinds: a change of a digest is a change of results.
//!
//! A change that is not meant to change results must leave this table unchanged.

use std::fmt::Write;

use crate::networks::{disjoint, flow, link, outcome, scenario, shared, tcp};
use manypath_core::{Span, Time};
use manypath_lab::Scenario;
use manypath_lab::scenario::{Application, Flow, MessageSize, Network, SctpFlow, TcpFlow};
use manypath_link::loss::{BernoulliConfig, BitErrorConfig, GilbertElliottConfig};
use manypath_link::queue::{CoDelConfig, FqCoDelConfig, PieConfig, RedConfig};
use manypath_link::{Change, LinkConfig, LinkEvent, LossConfig, QueueConfig};
use manypath_sctp::{BufferSplit, Burst, CumAck, SackPath, SendOrder, T3Path, T3Reset};

#[test]
fn twelve_small_runs() {
    insta::assert_snapshot!(table(scenarios()));
}

#[test]
fn three_small_tcp_runs() {
    let plain = TcpFlow { sack: false, limited_transmit: false, ack_every: 1, ..tcp("1") };
    let app = Application::Saturated { message: MessageSize { min: 1, max: 5000 }, ordered: false };
    let mixed = TcpFlow { app, initial_window: 3, option_bytes: 12, ..tcp("1") };
    let shared_link = || shared(fast(), 2);
    let runs: [(&str, Scenario); 3] = [
        ("two on one link", scenario(shared_link(), [("sack", tcp("0")), ("plain", plain)], 2, 8)),
        (
            "loss",
            scenario(with_loss(0.01), [("south", tcp("south")), ("north", tcp("north"))], 2, 8),
        ),
        ("beside cmt", {
            let cmt = flow(&["0", "1"], "cmt-rpv2");
            let flows: [(&str, Flow); 2] = [("cmt", cmt.into()), ("mixed", mixed.into())];
            scenario(shared_link(), flows, 2, 8)
        }),
    ];
    insta::assert_snapshot!(table(runs));
}

/// The same competing flows over every registered queue, then over every registered loss model.
#[test]
fn every_kind_of_link() {
    let mut table = String::new();
    let links = queues()
        .map(|(kind, queue)| (kind, LinkConfig { queue, ..fast() }))
        .into_iter()
        .chain(losses().map(|(kind, loss)| (kind, LinkConfig { loss, ..fast() })));
    let kinds = manypath_lab::queues().iter().chain(manypath_lab::loss_models());
    assert!(links.clone().map(|link| link.0).eq(kinds.map(|kind| kind.name)));
    for (kind, link) in links {
        let network = disjoint([("south", link.clone()), ("north", link)]);
        let rivals = [
            ("cmt", flow(&["south", "north"], "cmt-rpv2")),
            ("single", flow(&["south"], "newreno")),
        ];
        let outcome = outcome(&scenario(network, rivals.to_vec(), 2, 8), 0);
        let south = &outcome.links["south"];
        writeln!(
            table,
            "{kind:<16} {}  {:.3} Mbit/s, queue {:.1}, damaged {}, dropped {}, lost {}",
            outcome.digest,
            outcome.flows.values().map(|flow| flow.goodput).sum::<f64>() / 1e6,
            south.mean_queue,
            south.damaged,
            south.dropped,
            south.lost
        )
        .unwrap();
    }
    insta::assert_snapshot!(table);
}

/// Links that follow a trace with a fade, alone and beside a link with a rate.
#[test]
fn recorded_links() {
    let trace = "1*200 0*50 3*40 250 2*60".parse().unwrap();
    let recorded = LinkConfig::recorded(trace, 7, Span::from_millis(5));
    let small = SctpFlow { app: Application::default(), ..flow(&["south"], "newreno") };
    let rivals = [("cmt", flow(&["south", "north"], "cmt-rpv2")), ("small", small)];
    let both = disjoint([("south", recorded.clone()), ("north", recorded.clone())]);
    let one = disjoint([("south", recorded), ("north", fast())]);
    insta::assert_snapshot!(table([
        ("both recorded", scenario(both, rivals.clone(), 2, 8)),
        ("one recorded", scenario(one, rivals, 2, 8)),
    ]));
}

fn queues() -> [(&'static str, QueueConfig); 5] {
    [
        ("drop-tail", QueueConfig::default()),
        ("red", QueueConfig::Red(RedConfig::new(0.002, 30.0, 90.0, 0.1))),
        ("codel", QueueConfig::CoDel(CoDelConfig::default())),
        ("pie", QueueConfig::Pie(PieConfig::default())),
        ("fq-codel", QueueConfig::FqCoDel(FqCoDelConfig::default())),
    ]
}

fn losses() -> [(&'static str, LossConfig); 4] {
    let bursts =
        GilbertElliottConfig { to_bad: 0.002, to_good: 0.2, loss_bad: 1.0, loss_good: 0.0 };
    [
        ("none", LossConfig::default()),
        ("bernoulli", LossConfig::Bernoulli(BernoulliConfig { p: 0.01 })),
        ("bit-error", LossConfig::BitError(BitErrorConfig { rate: 1e-6, spared: 0 })),
        ("gilbert-elliott", LossConfig::GilbertElliott(bursts)),
    ]
}

/// The digest of each run, and what its flows achieved.
fn table(runs: impl IntoIterator<Item = (&'static str, Scenario)>) -> String {
    let mut table = String::new();
    for (name, scenario) in runs {
        let outcome = outcome(&scenario, 0);
        write!(table, "{name:<24} {}", outcome.digest).unwrap();
        for (flow, numbers) in &outcome.flows {
            write!(table, "  {flow} {:.3}", numbers.goodput / 1e6).unwrap();
        }
        table.push('\n');
    }
    table
}

fn scenarios() -> Vec<(&'static str, Scenario)> {
    let rivals =
        |cc| [("cmt", flow(&["south", "north"], cc)), ("single", flow(&["south"], "newreno"))];
    let run = |network, flows| scenario(network, flows, 2, 8);
    vec![
        ("newreno", run(two_paths(10.0), rivals("newreno").to_vec())),
        ("cmt-rpv1", run(two_paths(10.0), rivals("cmt-rpv1").to_vec())),
        ("cmt-rpv2", run(two_paths(10.0), rivals("cmt-rpv2").to_vec())),
        ("mptcp-like", run(two_paths(10.0), rivals("mptcp-like").to_vec())),
        ("unequal paths", run(two_paths(1.0), rivals("cmt-rpv2").to_vec())),
        (
            "four on one bottleneck",
            run(shared(fast(), 4), vec![("cmt", flow(&["0", "1", "2", "3"], "newreno"))]),
        ),
        ("loss", run(with_loss(0.01), rivals("cmt-rpv2").to_vec())),
        ("red", run(with_red(), rivals("newreno").to_vec())),
        ("outage", run(with_outage(), rivals("newreno").to_vec())),
        ("mixed, ordered", run(two_paths(10.0), vec![("cmt", mixed_and_ordered())])),
        ("fragments", run(two_paths(10.0), vec![("cmt", fragments())])),
        ("rfc 9260", run(two_paths(10.0), vec![("cmt", as_standardised())])),
    ]
}

fn fast() -> LinkConfig {
    link(10.0, Span::from_millis(5), 50)
}

fn two_paths(northern: f64) -> Network {
    disjoint([("south", fast()), ("north", link(northern, Span::from_millis(5), 50))])
}

fn with_loss(p: f64) -> Network {
    let lossy = LinkConfig { loss: LossConfig::Bernoulli(BernoulliConfig { p }), ..fast() };
    disjoint([("south", lossy.clone()), ("north", lossy)])
}

fn with_red() -> Network {
    let red = RedConfig { packets: Some(50), ..RedConfig::new(0.002, 10.0, 40.0, 0.1) };
    let early = LinkConfig { queue: QueueConfig::Red(red), ..fast() };
    disjoint([("south", early.clone()), ("north", early)])
}

fn with_outage() -> Network {
    let at = |seconds| Time::ZERO + Span::from_secs(seconds);
    let events = vec![
        LinkEvent { at: at(3), change: Change::Down },
        LinkEvent { at: at(6), change: Change::Up },
    ];
    disjoint([("south", fast()), ("north", LinkConfig { events, ..fast() })])
}

fn mixed_and_ordered() -> SctpFlow {
    let app = Application::Saturated { message: MessageSize { min: 1, max: 1452 }, ordered: true };
    SctpFlow { app, streams: 3, ..flow(&["south", "north"], "cmt-rpv1") }
}

fn fragments() -> SctpFlow {
    let app =
        Application::Saturated { message: MessageSize { min: 1, max: 20_000 }, ordered: true };
    SctpFlow { app, ..flow(&["south", "north"], "newreno") }
}

/// Every option differs from the baseline.
fn as_standardised() -> SctpFlow {
    SctpFlow {
        profile: "rfc9260".to_owned(),
        nr_sack: false,
        buffer_split: BufferSplit::None,
        cuc: CumAck::Association,
        sfr: false,
        dac: false,
        path_fast_recovery: false,
        smart_fast_rtx: false,
        sack_path: SackPath::LastData,
        sack_immediately: false,
        burst: Burst::MaxBurst,
        send_order: SendOrder::Address,
        t3_reset: T3Reset::Rfc9260,
        t3_path: T3Path::Same,
        nagle: false,
        ..flow(&["south", "north"], "newreno")
    }
}
