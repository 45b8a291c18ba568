//! Properties of TCP on small networks: shares of links, transfers that end, losses, and competing flows of both
//! protocols.

use crate::networks::{disjoint, flow, link, near, outcome, outcomes, scenario, shared, tcp};
use manypath_core::{Rate, RtoRule, Span, Time};
use manypath_lab::scenario::{Application, Flow, MessageSize, SctpFlow, TcpFlow, TcpRto};
use manypath_lab::{FlowOutcome, Job, Outcome, Watch, run};
use manypath_link::loss::BernoulliConfig;
use manypath_link::{Change, LinkConfig, LinkEvent, LossConfig};
use manypath_sctp::{Burst, CumAck};

fn saturated(bytes: u32) -> Application {
    Application::Saturated { message: MessageSize { min: bytes, max: bytes }, ordered: false }
}

/// 10 Mbit/s and 10 ms, with a queue of 100 packets.
fn middling() -> LinkConfig {
    link(10.0, Span::from_millis(10), 100)
}

/// Payload rate of a link in full packets with PPP framing.
fn payload_rate(megabits: f64, payload: f64) -> f64 {
    megabits * 1e6 * payload / 1507.0
}

#[test]
fn a_single_tcp_flow_uses_the_whole_link_except_headers() {
    let run =
        outcome(&scenario(disjoint([("only", middling())]), [("tcp", tcp("only"))], 10, 60), 0);
    let (flow, link) = (&run.flows["tcp"], &run.links["only"]);
    near(flow.goodput, payload_rate(10.0, 1460.0), 0.002);
    near(link.utilisation, 1.0, 0.001);
    let path = &flow.paths["only"];
    near(path.throughput, payload_rate(10.0, 1500.0), 0.003);
    assert_eq!(flow.throughput.to_bits(), path.throughput.to_bits());
    assert_eq!(path.lost_packets, link.dropped);
    near(path.loss_rate.unwrap(), link.dropped as f64 / link.arrived as f64, 0.001);
    assert!(path.counters["window_cuts"] > 0 && flow.counters["timeouts"] == 0, "{path:?}");
    assert!(path.cwnd > 50.0 * 1460.0 && path.srtt > Some(0.02), "{path:?}");
    assert_eq!(flow.counters["retransmitted_chunks"], path.lost_packets);
}

#[test]
fn bytes_of_options_come_out_of_the_payload() {
    let optional = TcpFlow { option_bytes: 20, app: saturated(1440), ..tcp("only") };
    let run = outcome(&scenario(disjoint([("only", middling())]), [("tcp", optional)], 10, 60), 0);
    near(run.flows["tcp"].goodput, payload_rate(10.0, 1440.0), 0.002);
}

#[test]
fn gaps_are_reported_however_many_options_there_are() {
    let full = TcpFlow { option_bytes: 40, app: saturated(1420), ..tcp("only") };
    let run = outcome(&scenario(disjoint([("only", middling())]), [("tcp", full)], 10, 60), 0);
    let path = &run.flows["tcp"].paths["only"];
    assert!(path.counters["window_cuts"] > 0 && path.counters["timeouts"] == 0, "{path:?}");
}

#[test]
fn weights_are_sampled_where_the_control_has_them() {
    let weighted = TcpFlow { cc: "weighted-aimd:weight=2/3".to_owned(), ..tcp("0") };
    let flows = [("weighted", weighted), ("plain", tcp("1"))];
    let watch = Watch { series: Some(Span::from_secs(1)), ..Watch::default() };
    let scenario = scenario(shared(middling(), 2), flows, 2, 3);
    let (_, record) = run(&scenario, Job { seed: 1, replication: 0 }, &watch).unwrap();
    let states = record.series.unwrap().paths.states;
    let weights = |flow| {
        let rows = (0..states.time.len()).filter(|&row| states.flow[row] == flow);
        rows.skip(2).map(|row| states.weight[row]).collect::<Vec<_>>()
    };
    assert_eq!(weights(0), [2.0 / 3.0; 4]);
    assert!(weights(1).iter().all(|weight| weight.is_nan()));
}

#[test]
fn two_tcp_flows_share_a_link_fairly() {
    let flows = [("left", tcp("0")), ("right", tcp("1"))];
    let run = outcome(&scenario(shared(middling(), 2), flows, 20, 600), 0);
    let [left, right] = ["left", "right"].map(|name| run.flows[name].goodput);
    near(left + right, payload_rate(10.0, 1460.0), 0.002);
    near(left, right, 0.15);
}

/// Both acknowledge every packet. With delayed acknowledgements, SCTP, whose window grows by a whole packet once per
/// round trip, sends that packet in a burst of three, and a full drop-tail queue drops more of its packets than of
/// TCP's.
#[test]
fn tcp_and_standard_sctp_share_a_link_fairly() {
    let standard = SctpFlow {
        profile: "rfc9260".to_owned(),
        cuc: CumAck::Association,
        sfr: false,
        dac: false,
        path_fast_recovery: false,
        smart_fast_rtx: false,
        burst: Burst::None,
        sack_every: 1,
        send_buffer: 4_000_000,
        receive_buffer: 4_000_000,
        ..flow(&["1"], "newreno")
    };
    let tcp = TcpFlow { ack_every: 1, ..tcp("0") };
    let flows: [(&str, Flow); 2] = [("tcp", tcp.into()), ("sctp", standard.into())];
    let run = outcome(&scenario(shared(middling(), 2), flows, 20, 600), 0);
    let [tcp, sctp] = ["tcp", "sctp"].map(|name| run.flows[name].goodput);
    near(tcp, sctp, 0.1);
}

#[test]
fn a_transfer_ends_when_all_of_it_has_arrived() {
    let app =
        Application::Transfer { size: 3_000_000, message: MessageSize::default(), ordered: true };
    let run = outcome(
        &scenario(
            disjoint([("only", middling())]),
            [("file", TcpFlow { app, ..tcp("only") })],
            0,
            30,
        ),
        0,
    );
    let file = &run.flows["file"];
    assert_eq!(file.closed.as_deref(), Some("finished"));
    assert!((3_000_000 - 1452..=3_000_000).contains(&file.delivered_bytes), "{file:?}");
    let seconds = 3e6 * 8.0 / payload_rate(10.0, 1460.0);
    let at = file.closed_at.unwrap();
    assert!((seconds..seconds + 1.6).contains(&at), "closed after {at} s, {seconds} s of data");
}

/// A message of 1000 bytes fills one segment of 1040 bytes and does not wait.
#[test]
fn messages_at_a_constant_rate_have_the_delay_of_the_path() {
    let message = MessageSize { min: 1000, max: 1000 };
    let app =
        Application::Cbr { rate: Rate::from_bits_per_second(1_000_000), message, ordered: true };
    let run = outcome(
        &scenario(
            disjoint([("only", middling())]),
            [("calm", TcpFlow { app, ..tcp("only") })],
            5,
            20,
        ),
        0,
    );
    let calm = &run.flows["calm"];
    // Two access links of 1 Gbit/s and the link itself, framing included
    let way = 0.010 + 1047.0 * 8.0 * (1e-7 + 2e-9);
    near(calm.latency.mean.unwrap(), way, 0.001);
    near(calm.latency.max.unwrap(), way, 0.001);
    near(calm.goodput, 1e6, 0.001);
    assert_eq!((calm.reorder_buffer.mean, calm.reorder_buffer.max), (0.0, 0));
}

fn lossy(p: f64) -> LinkConfig {
    LinkConfig {
        loss: LossConfig::Bernoulli(BernoulliConfig { p }),
        ..link(100.0, Span::from_millis(20), 1000)
    }
}

/// With an acknowledgement for every segment, the window under independent losses is near the square root of 3/2p.
#[test]
fn independent_losses_hold_the_window_where_the_square_root_law_has_it() {
    let flow = TcpFlow { ack_every: 1, ..tcp("only") };
    let run = outcome(&scenario(disjoint([("only", lossy(0.002))]), [("tcp", flow)], 10, 600), 0);
    let path = &run.flows["tcp"].paths["only"];
    // Some 800 losses: three standard deviations
    near(path.loss_rate.unwrap(), 0.002, 0.11);
    let segments = run.flows["tcp"].goodput * 0.0402 / 8.0 / 1460.0;
    near(segments, (1.5_f64 / 0.002).sqrt(), 0.15);
    let reorder = &run.flows["tcp"].reorder_buffer;
    assert!(reorder.max > 0 && 0.0 < reorder.mean && reorder.mean < reorder.max as f64);
}

/// Single segments on a path of 300 ms whose one-way delay grows by 50 ms; returns the number of timeouts.
fn timeouts_where_a_delay_grows(rule: RtoRule) -> u64 {
    let longer = Change::Delay(Span::from_millis(200));
    let link = LinkConfig {
        events: vec![LinkEvent { at: Time::ZERO + Span::from_secs(40), change: longer }],
        ..link(10.0, Span::from_millis(150), 100)
    };
    let app = Application::Cbr {
        rate: Rate::from_bits_per_second(8 * 1460),
        message: MessageSize { min: 1460, max: 1460 },
        ordered: false,
    };
    let flow = TcpFlow { app, rto: TcpRto { rule, ..TcpRto::default() }, ..tcp("only") };
    outcome(&scenario(disjoint([("only", link)]), [("tcp", flow)], 0, 60), 0).flows["tcp"].counters
        ["timeouts"]
}

/// Linux adds a margin of at least 200 ms. The margin of RFC 6298 has decayed when the delay grows.
#[test]
fn a_scenario_chooses_the_rule_of_the_timeout() {
    assert_eq!(timeouts_where_a_delay_grows(RtoRule::Linux), 0);
    assert_eq!(timeouts_where_a_delay_grows(RtoRule::Standard), 1);
}

fn mixed() -> [(&'static str, Flow); 3] {
    let chatty = Application::OnOff {
        rate: Rate::from_bits_per_second(2_000_000),
        on: Span::from_millis(500),
        off: Span::from_millis(200),
        message: MessageSize { min: 1, max: 5000 },
        ordered: false,
    };
    [
        ("sctp", flow(&["0", "1"], "cmt-rpv2").into()),
        ("tcp", tcp("0").into()),
        ("chatty", TcpFlow { app: chatty, sack: false, ..tcp("1") }.into()),
    ]
}

#[test]
fn protocols_that_share_a_link_give_the_same_on_any_number_of_threads() {
    let scenario = scenario(shared(lossy(0.001), 2), mixed(), 2, 10);
    scenario.validate().unwrap();
    let jobs: Vec<_> =
        (0..4).map(|replication| (&scenario, Job { seed: 3, replication })).collect();
    let runs = |threads| -> Vec<Outcome> {
        let done = outcomes(&jobs, threads).into_iter();
        done.map(|run| Outcome { cpu_seconds: 0.0, ..run.unwrap() }).collect()
    };
    let alone = runs(1);
    assert_eq!(alone, runs(2));
    let digests: Vec<_> = alone.iter().map(|run| &run.digest).collect();
    assert!(digests[1..].iter().all(|digest| *digest != digests[0]));
    let all_deliver =
        |run: &Outcome| run.flows.values().all(|flow: &FlowOutcome| flow.goodput > 1e5);
    assert!(alone.iter().all(all_deliver));
}
