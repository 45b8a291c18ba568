//! From two readings to the outcome.

use indexmap::IndexMap;
use manypath_core::Span;
use manypath_sctp::StreamStats;

use crate::app::Sink;
use crate::outcome::{
    FlowOutcome, HeadOfLine, Latency, LinkOutcome, Outcome, PathOutcome, ReorderBuffer,
};
use crate::reading::{FlowReading, LinkReading, PathReading, Reading, ReorderReading};
use crate::scenario::Scenario;

/// The outcome between the readings `before` and `after`, which are the measured time apart.
pub(crate) fn measure(scenario: &Scenario, before: &Reading, after: &Reading) -> Outcome {
    let flows = flows(scenario, before, after);
    let readings = before.links.iter().zip(&after.links);
    let links = scenario.network.links.keys().zip(readings);
    let links = links.map(|(name, readings)| (name.clone(), of_link(readings, scenario.measure)));
    Outcome {
        flows,
        links: links.collect(),
        data_packets: after.flows.iter().map(|flow| flow.source.data_packets()).sum(),
        ..Outcome::default()
    }
}

/// Adds what the sink of a flow measures itself.
pub(crate) fn complete(flow: &mut FlowOutcome, sink: &Sink) {
    let latencies = sink.latencies();
    flow.latency = Latency {
        mean: latencies.mean(),
        p50: latencies.percentile(50.0),
        p95: latencies.percentile(95.0),
        p99: latencies.percentile(99.0),
        max: latencies.max(),
    };
    flow.reorder_buffer.max = flow.reorder_buffer.max.max(sink.reordered().most);
}

fn flows(scenario: &Scenario, before: &Reading, after: &Reading) -> IndexMap<String, FlowOutcome> {
    let seconds = scenario.measure.as_secs_f64();
    let mut path = 0;
    let flows = scenario.flows.iter().enumerate();
    let outcomes = flows.map(|(index, (name, flow))| {
        let first = path;
        let paths = flow.paths().iter().map(|path_name| {
            let readings = (&before.paths[path], &after.paths[path]);
            let outcome = of_path(readings, scenario.measure);
            path += 1;
            (path_name.clone(), outcome)
        });
        let paths = paths.collect();
        let cuts = |reading: &Reading| -> u64 {
            reading.paths[first..path].iter().map(|path| path.source.stats.window_cuts()).sum()
        };
        let (flow, cuts) =
            ((&before.flows[index], &after.flows[index]), cuts(after) - cuts(before));
        (name.clone(), of_flow(flow, paths, cuts, seconds))
    });
    outcomes.collect()
}

fn of_flow(
    (before, after): (&FlowReading, &FlowReading),
    paths: IndexMap<String, PathOutcome>,
    window_cuts: u64,
    seconds: f64,
) -> FlowOutcome {
    let delivered_bytes = after.delivered_bytes - before.delivered_bytes;
    let (source, sink) = (after.source.since(&before.source), after.sink.since(&before.sink));
    let streams = of_streams(&before.streams, &after.streams);
    let lost = paths.values().map(|path| path.lost_packets).sum();
    FlowOutcome {
        goodput: 8.0 * delivered_bytes as f64 / seconds,
        throughput: paths.values().map(|path| path.throughput).sum(),
        delivered_bytes,
        delivered_messages: after.delivered_messages - before.delivered_messages,
        data_packets: source.data_packets(),
        loss_rate: rate(lost, source.data_packets()),
        window_cuts,
        counters: source.of_flow(&sink),
        latency: Latency::default(),
        reorder_buffer: of_reorder(&before.reorder, &after.reorder, seconds),
        head_of_line: streams.iter().copied().fold(HeadOfLine::default(), HeadOfLine::add),
        streams,
        closed: None,
        closed_at: None,
        paths,
    }
}

fn of_path((before, after): (&PathReading, &PathReading), measured: Span) -> PathOutcome {
    let seconds = measured.as_secs_f64();
    let mean = after.course.since(&before.course, measured.as_nanos());
    let source = after.source.stats.since(&before.source.stats);
    let sink = after.sink.stats.since(&before.sink.stats);
    let lost_packets = after.lost - before.lost;
    PathOutcome {
        goodput: 8.0 * sink.bytes_received() as f64 / seconds,
        throughput: 8.0 * source.wire_bytes_sent() as f64 / seconds,
        cwnd: mean.cwnd,
        ssthresh: mean.ssthresh,
        srtt: mean.srtt,
        outstanding: mean.outstanding,
        data_packets: source.data_packets(),
        lost_packets,
        loss_rate: rate(lost_packets, source.data_packets()),
        counters: source.of_path(&sink),
        blocked: (after.blocked - before.blocked).map(Span::as_secs_f64),
        path_state: after.source.stats.view().standing,
    }
}

/// `some` as part of `all`; `None` if `all` is 0.
fn rate(some: u64, all: u64) -> Option<f64> {
    (all > 0).then(|| some as f64 / all as f64)
}

fn of_reorder(before: &ReorderReading, after: &ReorderReading, seconds: f64) -> ReorderBuffer {
    let area = (after.byte_nanos - before.byte_nanos) as f64 / 1e9;
    ReorderBuffer { mean: area / seconds, max: before.bytes }
}

/// The difference of the readings. A stream that was not used before starts at zero.
pub(crate) fn of_streams(before: &[StreamStats], after: &[StreamStats]) -> Vec<HeadOfLine> {
    let before = before.iter().copied().chain(std::iter::repeat(StreamStats::default()));
    let streams = after.iter().zip(before).map(|(after, before)| HeadOfLine {
        messages: after.messages - before.messages,
        waited: after.waited - before.waited,
        waiting: (after.waiting - before.waiting).as_secs_f64(),
        blocked: (after.blocked - before.blocked).as_secs_f64(),
    });
    streams.collect()
}

fn of_link((before, after): (&LinkReading, &LinkReading), measured: Span) -> LinkOutcome {
    let nanos = measured.as_nanos() as f64;
    let queue = (after.queue - before.queue) as f64 / nanos;
    let busy = (after.busy - before.busy).as_nanos() as f64 / nanos;
    let (before, after) = (&before.counters, &after.counters);
    LinkOutcome {
        arrived: after.arrived - before.arrived,
        delivered: after.delivered - before.delivered,
        damaged: after.damaged - before.damaged,
        dropped: after.dropped() - before.dropped(),
        lost: after.lost_in_all() - before.lost_in_all(),
        bytes: after.bytes_delivered - before.bytes_delivered,
        utilisation: busy,
        mean_queue: queue,
    }
}

impl HeadOfLine {
    fn add(self, other: Self) -> Self {
        Self {
            messages: self.messages + other.messages,
            waited: self.waited + other.waited,
            waiting: self.waiting + other.waiting,
            blocked: self.blocked + other.blocked,
        }
    }
}
