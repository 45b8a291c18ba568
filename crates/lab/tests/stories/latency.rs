//! Latency and waiting times of messages, compared with closed forms.

use crate::networks::{disjoint, flow, link, outcome, scenario};
use manypath_core::{Rate, Span};
use manypath_lab::scenario::{Application, MessageSize, SctpFlow, Start};
use manypath_lab::{HeadOfLine, Job, Outcome, Watch, run};
use manypath_link::loss::BernoulliConfig;
use manypath_link::{LinkConfig, LossConfig};

/// Little's law: the content of the send buffer was handed over within one latency and one acknowledgement's delay.
#[test]
fn a_full_send_buffer_takes_its_size_over_the_goodput() {
    let network = disjoint([("south", link(10.0, Span::from_millis(5), 100))]);
    let scenario = scenario(network, [("single", flow(&["south"], "newreno"))], 10, 60);
    let single = &outcome(&scenario, 0).flows["single"];
    let expected = 8.0 * 1_000_000.0 / single.goodput - 0.005;
    let latency = single.latency;
    let mean = latency.mean.unwrap();
    assert!((mean / expected - 1.0).abs() < 0.01, "{mean} s is not {expected} s");
    let ascending = [latency.p50, latency.p95, latency.p99, latency.max].map(Option::unwrap);
    assert!(ascending.is_sorted() && ascending[0] < 1.05 * mean, "{latency:?}");
}

#[test]
fn latencies_of_intervals_average_to_the_latency_of_the_run() {
    let network = disjoint([("south", link(10.0, Span::from_millis(5), 30))]);
    let scenario = scenario(network, [("single", flow(&["south"], "newreno"))], 2, 10);
    let job = Job { seed: 1, replication: 0 };
    let watch = Watch { series: Some(Span::from_millis(100)), ..Watch::default() };
    let (outcome, record) = run(&scenario, job, &watch).unwrap();
    let flows = record.series.unwrap().flows;
    let measured: Vec<_> =
        flows.time.iter().zip(&flows.latency).filter(|(time, _)| **time > 2.0).collect();
    let mean = measured.iter().map(|(_, latency)| **latency).sum::<f64>() / measured.len() as f64;
    let latency = outcome.flows["single"].latency.mean.unwrap();
    assert!((mean / latency - 1.0).abs() < 0.02, "{mean} s is not {latency} s");
}

#[test]
fn a_flow_that_delivers_nothing_has_no_latency() {
    let network = disjoint([("south", link(10.0, Span::from_millis(5), 30))]);
    let mut flow = flow(&["south"], "newreno");
    (flow.start.earliest, flow.start.latest) = (Span::from_millis(1_995), Span::from_millis(1_995));
    let outcome = outcome(&scenario(network, [("late", flow)], 1, 1), 0);
    assert_eq!(outcome.flows["late"].latency, manypath_lab::Latency::default());
}

/// A flow that begins at once and sends messages of 1452 bytes at this rate in Mbit/s.
fn cbr(megabits: f64, ordered: bool) -> SctpFlow {
    SctpFlow {
        app: Application::Cbr {
            rate: Rate::from_bits_per_second((megabits * 1e6) as u64),
            message: MessageSize { min: 1452, max: 1452 },
            ordered,
        },
        start: Start { earliest: Span::ZERO, latest: Span::ZERO },
        ..flow(&["south"], "newreno")
    }
}

/// Packets of 1507 framed bytes take 12.056 us on each access link, 1205.6 us on the core link, and 5 ms of delay.
#[test]
fn a_message_in_an_empty_network_takes_its_transmission_time_and_delay() {
    let network = disjoint([("south", link(10.0, Span::from_millis(5), 100))]);
    let outcome = outcome(&scenario(network, [("calm", cbr(2.0, false))], 5, 20), 0);
    let calm = &outcome.flows["calm"];
    let expected = 0.005 + (2.0 * 12.056 + 1205.6) * 1e-6;
    assert!((calm.latency.mean.unwrap() - expected).abs() < 1e-8, "{:?}", calm.latency);
    assert!((calm.latency.max.unwrap() - expected).abs() < 1e-8, "{:?}", calm.latency);
    assert!((calm.goodput / 2e6 - 1.0).abs() < 1e-3, "{} Mbit/s", calm.goodput / 1e6);
}

/// At t the message arrives that was due at t C/R, where C is what the link carries and R what the application sends.
#[test]
fn messages_above_capacity_wait_longer_and_longer_from_when_they_were_due() {
    let network = disjoint([("south", link(10.0, Span::from_millis(1), 100))]);
    let outcome = outcome(&scenario(network, [("greedy", cbr(12.0, false))], 20, 40), 0);
    let greedy = &outcome.flows["greedy"];
    let share = greedy.goodput / 12e6;
    let (mean, max) = (greedy.latency.mean.unwrap(), greedy.latency.max.unwrap());
    assert!((mean / (40.0 * (1.0 - share)) - 1.0).abs() < 0.01, "{mean} s");
    assert!((max / (60.0 * (1.0 - share)) - 1.0).abs() < 0.01, "{max} s");
}

#[test]
fn an_application_that_pauses_sends_its_share_of_the_time() {
    let app = Application::OnOff {
        rate: Rate::from_bits_per_second(4_000_000),
        on: Span::from_millis(100),
        off: Span::from_millis(300),
        message: MessageSize { min: 1452, max: 1452 },
        ordered: false,
    };
    let network = disjoint([("south", link(10.0, Span::from_millis(1), 100))]);
    let scenario = scenario(network, [("bursty", SctpFlow { app, ..cbr(1.0, false) })], 5, 1000);
    let goodput = outcome(&scenario, 0).flows["bursty"].goodput;
    assert!((goodput / 1e6 - 1.0).abs() < 0.05, "{} Mbit/s", goodput / 1e6);
}

/// A flow at 2 Mbit/s over a link that loses 1 % of its packets.
fn lossy(ordered: bool, streams: u16) -> Outcome {
    let lossy = LinkConfig {
        loss: LossConfig::Bernoulli(BernoulliConfig { p: 0.01 }),
        ..link(10.0, Span::from_millis(20), 100)
    };
    let flow = SctpFlow { streams, ..cbr(2.0, ordered) };
    outcome(&scenario(disjoint([("south", lossy)]), [("calm", flow)], 5, 60), 0)
}

/// Data and losses are the same, so no message arrives earlier, and the latencies differ by the waiting for an earlier
/// message. Reading the waiting messages at once opens the window at once, which is reported in one additional SACK.
#[test]
fn ordered_delivery_only_adds_waiting_time() {
    let (ordered, unordered) = (lossy(true, 1), lossy(false, 1));
    assert_eq!(ordered.links["south"], unordered.links["south"]);
    let latencies = |outcome: &Outcome| {
        let latency = outcome.flows["calm"].latency;
        [latency.mean, latency.p50, latency.p95, latency.p99, latency.max].map(Option::unwrap)
    };
    let pairs = latencies(&ordered).into_iter().zip(latencies(&unordered));
    assert!(pairs.clone().all(|(ordered, unordered)| ordered >= unordered), "{pairs:?}");
    let head_of_line = ordered.flows["calm"].head_of_line;
    let waiting = head_of_line.waiting / head_of_line.messages as f64;
    let difference = latencies(&ordered)[0] - latencies(&unordered)[0];
    assert!((waiting / difference - 1.0).abs() < 0.01, "{waiting} s and {difference} s");
}

/// Little's law: the mean number of waiting messages is their rate times their mean waiting time.
#[test]
fn the_reorder_buffer_holds_the_waiting_bytes() {
    for streams in [1, 4] {
        let calm = &lossy(true, streams).flows["calm"];
        let area = 1452.0 * calm.head_of_line.waiting / 60.0;
        let mean = calm.reorder_buffer.mean;
        assert!((mean / area - 1.0).abs() < 0.01, "{mean} and {area} bytes");
        assert!(calm.reorder_buffer.max as f64 > mean);
        assert_eq!(calm.streams.len(), usize::from(streams));
        for stream in &calm.streams {
            assert!(stream.waited < stream.messages && stream.blocked <= stream.waiting);
            assert!(0.0 < stream.blocked && stream.blocked < 60.0);
        }
    }
    let unordered = &lossy(false, 4).flows["calm"];
    assert_eq!((unordered.reorder_buffer.mean, unordered.reorder_buffer.max), (0.0, 0));
    assert_eq!(unordered.head_of_line, HeadOfLine::default());
}

/// A loss stops one stream only.
#[test]
fn more_streams_wait_less_for_each_other() {
    let waiting = |streams| lossy(true, streams).flows["calm"].head_of_line.waiting;
    let (one, four, sixteen) = (waiting(1), waiting(4), waiting(16));
    assert!(one > 1.5 * four && four > 1.5 * sixteen, "{one} s, {four} s, {sixteen} s");
}
