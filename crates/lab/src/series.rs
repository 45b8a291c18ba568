//! Columns over time, for who asks: windows, thresholds, round-trip times and goodput per path, queues per link.

use manypath_core::{Span, Time};

use crate::build::Laboratory;
use crate::scenario::Scenario;

/// Samples over time as columns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// One row per sample, flow and path.
    pub paths: PathColumns,
    /// One row per sample and core link.
    pub links: LinkColumns,
}

/// Samples of paths.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PathColumns {
    /// Seconds since the run began.
    pub time: Vec<f64>,
    /// Index of the flow in the scenario.
    pub flow: Vec<usize>,
    /// Index of the path in the flow.
    pub path: Vec<usize>,
    /// Congestion window in bytes.
    pub cwnd: Vec<f64>,
    /// Slow-start threshold in bytes.
    pub ssthresh: Vec<f64>,
    /// Smoothed RTT in seconds; 0 before the first measurement.
    pub srtt: Vec<f64>,
    /// Outstanding bytes as the congestion control counts them.
    pub outstanding: Vec<f64>,
    /// Payload that arrived over the path since the sample before, in bit/s.
    pub goodput: Vec<f64>,
}

/// Samples of core links.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LinkColumns {
    /// Seconds since the run began.
    pub time: Vec<f64>,
    /// Index of the link in the scenario.
    pub link: Vec<usize>,
    /// Packets that wait.
    pub queue: Vec<f64>,
}

/// Collects a series while the world runs.
#[derive(Debug)]
pub(crate) struct Recorder {
    next: Time,
    every: Span,
    /// Flow, path, and bytes that had arrived over it at the sample before.
    paths: Vec<(usize, usize, u64)>,
    series: Series,
}

impl Recorder {
    /// Records from the beginning of the run, once every `every`.
    pub(crate) fn new(scenario: &Scenario, every: Span) -> Self {
        let flows = scenario.flows.values().enumerate();
        let paths = flows
            .flat_map(|(flow, config)| (0..config.paths.len()).map(move |path| (flow, path, 0)));
        Self { next: Time::ZERO, every, paths: paths.collect(), series: Series::default() }
    }

    /// What was recorded.
    pub(crate) fn finish(self) -> Series {
        self.series
    }

    /// When it looks next.
    pub(crate) fn next(&self) -> Time {
        self.next
    }

    /// Adds a row for everything.
    pub(crate) fn look(&mut self, laboratory: &mut Laboratory) {
        let time = self.next.as_secs_f64();
        let columns = &mut self.series.paths;
        for (flow, path, received) in &mut self.paths {
            let reading = laboratory.read_path(laboratory.flows[*flow], *path);
            let new_bytes = reading.sink.bytes_received - *received;
            *received = reading.sink.bytes_received;
            columns.time.push(time);
            columns.flow.push(*flow);
            columns.path.push(*path);
            columns.cwnd.push(reading.source.window as f64);
            columns.ssthresh.push(reading.source.ssthresh as f64);
            columns.srtt.push(reading.source.srtt.as_secs_f64());
            columns.outstanding.push(reading.source.outstanding as f64);
            columns.goodput.push(8.0 * new_bytes as f64 / self.every.as_secs_f64());
        }
        for index in 0..laboratory.links.len() {
            self.series.links.time.push(time);
            self.series.links.link.push(index);
            self.series
                .links
                .queue
                .push(laboratory.world.queue_len(laboratory.links[index]) as f64);
        }
        self.next += self.every;
    }
}
