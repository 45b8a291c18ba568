//! From two readings and the means between them to the outcome.

use indexmap::IndexMap;
use manypath_core::Span;
use manypath_link::{Counters, LinkConfig};
use manypath_sctp::{ReorderStats, Stats, StreamStats};

use crate::app::Sink;
use crate::observe::Means;
use crate::outcome::{
    Blocked, FlowOutcome, HeadOfLine, Latency, LinkOutcome, Outcome, PathOutcome, ReorderBuffer,
};
use crate::reading::{FlowReading, PathReading, Reading};
use crate::scenario::Scenario;

/// What happened between `before` and `after`, which are the measured time apart.
pub(crate) fn measure(
    scenario: &Scenario,
    before: &Reading,
    after: &Reading,
    means: &Means,
) -> Outcome {
    let seconds = scenario.measure.as_secs_f64();
    let flows = flows(scenario, before, after, means, seconds);
    let links = scenario.network.links.iter().enumerate();
    let links = links.map(|(index, (name, link))| {
        let counters = (&before.links[index], &after.links[index]);
        let outcome =
            LinkOutcome { mean_queue: means.queue(index), ..of_link(link, counters, seconds) };
        (name.clone(), outcome)
    });
    Outcome {
        flows,
        links: links.collect(),
        data_packets: after.flows.iter().map(|flow| flow.source.data_packets_sent).sum(),
        ..Outcome::default()
    }
}

/// Adds what the sink of a flow measures by itself.
pub(crate) fn complete(flow: &mut FlowOutcome, sink: &Sink) {
    let latencies = sink.latencies();
    flow.latency = Latency {
        mean: latencies.mean(),
        p50: latencies.percentile(50.0),
        p95: latencies.percentile(95.0),
        p99: latencies.percentile(99.0),
        max: latencies.max(),
    };
    flow.reorder_buffer.max = flow.reorder_buffer.max.max(sink.most_reordered());
}

fn flows(
    scenario: &Scenario,
    before: &Reading,
    after: &Reading,
    means: &Means,
    seconds: f64,
) -> IndexMap<String, FlowOutcome> {
    let mut path = 0;
    let flows = scenario.flows.iter().enumerate();
    let outcomes = flows.map(|(index, (name, flow))| {
        let paths = flow.paths().iter().map(|path_name| {
            let outcome = of_path((&before.paths[path], &after.paths[path]), means, path, seconds);
            path += 1;
            (path_name.clone(), outcome)
        });
        let paths = paths.collect();
        let outcome = of_flow((&before.flows[index], &after.flows[index]), paths, seconds);
        (name.clone(), outcome)
    });
    outcomes.collect()
}

fn of_flow(
    (before, after): (&FlowReading, &FlowReading),
    paths: IndexMap<String, PathOutcome>,
    seconds: f64,
) -> FlowOutcome {
    let delivered_bytes = after.delivered_bytes - before.delivered_bytes;
    let at_source = |count: fn(&Stats) -> u64| count(&after.source) - count(&before.source);
    let at_sink = |count: fn(&Stats) -> u64| count(&after.sink) - count(&before.sink);
    let streams = of_streams(&before.streams, &after.streams);
    FlowOutcome {
        goodput: 8.0 * delivered_bytes as f64 / seconds,
        throughput: paths.values().map(|path| path.throughput).sum(),
        delivered_bytes,
        delivered_messages: after.delivered_messages - before.delivered_messages,
        data_packets: at_source(|stats| stats.data_packets_sent),
        fast_retransmissions: paths.values().map(|path| path.fast_retransmissions).sum(),
        timeouts: at_source(|stats| stats.timeouts),
        retransmitted_chunks: at_source(|stats| {
            stats.fast_retransmissions
                + stats.timer_retransmissions
                + stats.drop_report_retransmissions
                + stats.rescheduled
        }),
        duplicate_chunks: at_sink(|stats| stats.duplicates_received),
        spurious_fast_retransmissions: at_source(|stats| stats.spurious_fast_retransmissions),
        spurious_bursts: at_source(|stats| stats.spurious_bursts),
        rescheduled_chunks: at_source(|stats| stats.rescheduled),
        damaged_packets: at_source(|stats| stats.damaged_received)
            + at_sink(|stats| stats.damaged_received),
        drop_reports: at_source(|stats| stats.drop_reports_received),
        reported_chunks: at_source(|stats| stats.drop_report_retransmissions),
        refused_chunks: at_sink(|stats| stats.dropped_no_buffer),
        latency: Latency::default(),
        reorder_buffer: of_reorder(&before.reorder, &after.reorder, seconds),
        head_of_line: streams.iter().copied().fold(HeadOfLine::default(), HeadOfLine::add),
        streams,
        closed: None,
        closed_at: None,
        paths,
    }
}

fn of_path(
    (before, after): (&PathReading, &PathReading),
    means: &Means,
    index: usize,
    seconds: f64,
) -> PathOutcome {
    let mean = means.path(index);
    PathOutcome {
        goodput: 8.0 * (after.sink.bytes_received - before.sink.bytes_received) as f64 / seconds,
        throughput: 8.0 * (after.source.wire_bytes_sent - before.source.wire_bytes_sent) as f64
            / seconds,
        cwnd: mean.cwnd,
        ssthresh: mean.ssthresh,
        srtt: mean.srtt,
        outstanding: mean.outstanding,
        data_packets: after.source.data_packets_sent - before.source.data_packets_sent,
        fast_retransmissions: after.source.window_cuts - before.source.window_cuts,
        timeouts: after.source.timeouts - before.source.timeouts,
        rescheduled_chunks: after.source.rescheduled - before.source.rescheduled,
        blocked: of_blocked(&before.blocked, &after.blocked),
    }
}

fn of_blocked(before: &manypath_sctp::Blocked, after: &manypath_sctp::Blocked) -> Blocked {
    let seconds = |before, after: Span| (after - before).as_secs_f64();
    Blocked {
        path: seconds(before.path, after.path),
        window: seconds(before.window, after.window),
        split_share: seconds(before.split_share, after.split_share),
        receive_window: seconds(before.receive_window, after.receive_window),
        send_buffer: seconds(before.send_buffer, after.send_buffer),
    }
}

fn of_reorder(before: &ReorderStats, after: &ReorderStats, seconds: f64) -> ReorderBuffer {
    let area = (after.byte_nanos - before.byte_nanos) as f64 / 1e9;
    ReorderBuffer { mean: area / seconds, max: before.bytes }
}

/// Streams that were not used before had done nothing.
fn of_streams(before: &[StreamStats], after: &[StreamStats]) -> Vec<HeadOfLine> {
    let before = before.iter().copied().chain(std::iter::repeat(StreamStats::default()));
    let streams = after.iter().zip(before).map(|(after, before)| HeadOfLine {
        messages: after.messages - before.messages,
        waited: after.waited - before.waited,
        waiting: (after.waiting - before.waiting).as_secs_f64(),
        blocked: (after.blocked - before.blocked).as_secs_f64(),
    });
    streams.collect()
}

fn of_link(
    link: &LinkConfig,
    (before, after): (&Counters, &Counters),
    seconds: f64,
) -> LinkOutcome {
    let delivered = after.delivered - before.delivered;
    let lost = after.lost_in_all() - before.lost_in_all();
    let bytes = after.bytes_delivered - before.bytes_delivered;
    let bytes_lost = after.bytes_lost - before.bytes_lost;
    let on_the_wire = bytes + bytes_lost + link.overhead * (delivered + after.lost - before.lost);
    LinkOutcome {
        arrived: after.arrived - before.arrived,
        delivered,
        damaged: after.damaged - before.damaged,
        dropped: after.dropped() - before.dropped(),
        lost,
        bytes,
        utilisation: 8.0 * on_the_wire as f64 / (link.rate.bits_per_second() as f64 * seconds),
        mean_queue: 0.0,
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
