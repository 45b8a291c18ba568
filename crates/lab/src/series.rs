//! Columns over time, on request: latency per flow, waiting time per stream, windows, goodput and limits per path,
//! queues per link.

use manypath_core::{BlockedTime, ByLimit, Span, Time};
use manypath_sctp::StreamStats;

use crate::app::LatencySum;
use crate::build::Laboratory;
use crate::measure::of_streams;
use crate::outcome::HeadOfLine;
use crate::reading::PathReading;
use crate::scenario::Scenario;
use crate::states::{State, StateColumns};

/// Samples over time as columns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// One row per sample and flow.
    pub flows: FlowColumns,
    /// One row per sample, flow and stream that has carried ordered messages.
    pub streams: StreamColumns,
    /// One row per sample, flow and path.
    pub paths: PathColumns,
    /// One row per sample and core link.
    pub links: LinkColumns,
}

/// Samples of flows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FlowColumns {
    /// Seconds since the run began.
    pub time: Vec<f64>,
    /// Index of the flow in the scenario.
    pub flow: Vec<usize>,
    /// Mean latency of the messages delivered since the previous sample, in seconds; NaN if there were none.
    pub latency: Vec<f64>,
    /// Median latency of these messages, in seconds; NaN if there were none.
    pub latency_p50: Vec<f64>,
    /// 95th percentile of their latency, in seconds.
    pub latency_p95: Vec<f64>,
    /// 99th percentile of their latency, in seconds.
    pub latency_p99: Vec<f64>,
    /// Bytes that had arrived and could not be read yet, mean over the time since the previous sample.
    pub reorder_buffer: Vec<f64>,
}

/// Samples of streams; see [`HeadOfLine`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StreamColumns {
    /// Seconds since the run began.
    pub time: Vec<f64>,
    /// Index of the flow in the scenario.
    pub flow: Vec<usize>,
    /// Number of the stream.
    pub stream: Vec<usize>,
    /// Ordered messages that were offered to the application since the previous sample.
    pub messages: Vec<f64>,
    /// Those of them that had to wait for an earlier message.
    pub waited: Vec<f64>,
    /// Sum of their waiting times, in seconds.
    pub waiting: Vec<f64>,
    /// Time since the previous sample in which at least one message waited, in seconds.
    pub blocked: Vec<f64>,
}

/// Samples of paths.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PathColumns {
    /// States of the paths.
    pub states: StateColumns,
    /// Payload that arrived over the path since the previous sample, in bit/s.
    pub goodput: Vec<f64>,
    /// Packets with data that were sent on the path since the previous sample, on the network layer, in bit/s.
    pub throughput: Vec<f64>,
    /// Share of the time since the previous sample in which the path could not send new data, by limit.
    ///
    /// The limit is evaluated when it changes, so time may be counted in a later sample.
    pub blocked: ByLimit<Vec<f64>>,
}

/// Samples of core links.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LinkColumns {
    /// Seconds since the run began.
    pub time: Vec<f64>,
    /// Index of the link in the scenario.
    pub link: Vec<usize>,
    /// Packets in the queue.
    pub queue: Vec<f64>,
}

/// Collects a series while the world runs.
#[derive(Debug)]
pub(crate) struct Recorder {
    next: Time,
    every: Span,
    /// For each flow at the previous sample: its latencies, and the integral of its reorder buffer in bytes times
    /// nanoseconds.
    flows: Vec<(LatencySum, u128)>,
    /// Counters of each inbound stream of each flow at the previous sample.
    streams: Vec<Vec<StreamStats>>,
    /// Flow, path, and its counters at the previous sample.
    paths: Vec<(usize, usize, PathReading)>,
    series: Series,
}

impl Recorder {
    /// Records `laboratory` from the start of the run, once every `every`.
    pub(crate) fn new(scenario: &Scenario, every: Span, laboratory: &mut Laboratory) -> Self {
        laboratory.keep_steps();
        let laboratory = &*laboratory;
        let flows = scenario.flows.values().enumerate();
        let paths = flows.flat_map(|(flow, config)| {
            let hosts = laboratory.flows[flow];
            (0..config.paths().len())
                .map(move |path| (flow, path, laboratory.read_path(hosts, path)))
        });
        Self {
            next: Time::ZERO,
            every,
            flows: vec![Default::default(); scenario.flows.len()],
            streams: vec![Vec::new(); scenario.flows.len()],
            paths: paths.collect(),
            series: Series::default(),
        }
    }

    /// The recorded series.
    pub(crate) fn finish(self) -> Series {
        self.series
    }

    /// When the next sample is due.
    pub(crate) fn next(&self) -> Time {
        self.next
    }

    /// Adds a row to each table.
    pub(crate) fn look(&mut self, laboratory: &mut Laboratory) {
        self.look_at_flows(laboratory);
        self.look_at_streams(laboratory);
        self.look_at_paths(laboratory);
        self.look_at_links(laboratory);
        self.next += self.every;
    }

    fn look_at_flows(&mut self, laboratory: &Laboratory) {
        let columns = &mut self.series.flows;
        for (flow, (latency_sum, byte_nanos)) in self.flows.iter_mut().enumerate() {
            let hosts = laboratory.flows[flow];
            let latencies = laboratory.sink(hosts).latencies();
            let sum = latencies.sum();
            let area = laboratory.read_reorder(hosts).byte_nanos;
            let percentiles = latencies.take_step([50, 95, 99]);
            let [p50, p95, p99] = percentiles.map(|latency| latency.unwrap_or(f64::NAN));
            columns.time.push(self.next.as_secs_f64());
            columns.flow.push(flow);
            columns.latency.push(sum.since(*latency_sum).mean().unwrap_or(f64::NAN));
            columns.latency_p50.push(p50);
            columns.latency_p95.push(p95);
            columns.latency_p99.push(p99);
            columns.reorder_buffer.push((area - *byte_nanos) as f64 / self.every.as_nanos() as f64);
            (*latency_sum, *byte_nanos) = (sum, area);
        }
    }

    fn look_at_streams(&mut self, laboratory: &Laboratory) {
        for (flow, before) in self.streams.iter_mut().enumerate() {
            let now = laboratory.read_streams(laboratory.flows[flow]);
            for (stream, news) in of_streams(before, &now).iter().enumerate() {
                self.series.streams.push(self.next, (flow, stream), news);
            }
            *before = now;
        }
    }

    fn look_at_paths(&mut self, laboratory: &Laboratory) {
        let columns = &mut self.series.paths;
        let interval = self.every.as_secs_f64();
        for (flow, path, before) in &mut self.paths {
            let now = laboratory.read_path(laboratory.flows[*flow], *path);
            let new_bytes = now.sink.stats.since(&before.sink.stats).bytes_received();
            let wire_bytes = now.source.stats.since(&before.source.stats).wire_bytes_sent();
            columns.states.push(self.next, (*flow, *path), &State::from(&now.source));
            columns.goodput.push(8.0 * new_bytes as f64 / interval);
            columns.throughput.push(8.0 * wire_bytes as f64 / interval);
            push_blocked(&mut columns.blocked, now.blocked - before.blocked, interval);
            *before = now;
        }
    }

    fn look_at_links(&mut self, laboratory: &mut Laboratory) {
        let columns = &mut self.series.links;
        for (index, &link) in laboratory.links.iter().enumerate() {
            columns.time.push(self.next.as_secs_f64());
            columns.link.push(index);
            columns.queue.push(laboratory.world.queue_len(link) as f64);
        }
    }
}

impl StreamColumns {
    fn push(&mut self, now: Time, (flow, stream): (usize, usize), news: &HeadOfLine) {
        self.time.push(now.as_secs_f64());
        self.flow.push(flow);
        self.stream.push(stream);
        self.messages.push(news.messages as f64);
        self.waited.push(news.waited as f64);
        self.waiting.push(news.waiting);
        self.blocked.push(news.blocked);
    }
}

/// Adds the shares of an interval, in seconds, in which each limit stopped a path.
fn push_blocked(columns: &mut ByLimit<Vec<f64>>, spent: BlockedTime, interval: f64) {
    for (column, (_, time)) in columns.values_mut().zip(spent.iter()) {
        column.push(time.as_secs_f64() / interval);
    }
}
