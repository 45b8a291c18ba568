//! The sender's measurements of the network in the terms of iperf3: one window and one round-trip time per stream. All
//! streams share the association, so each has the association's values.

use serde_json::{Value, json};

use super::Interval;

/// The association of a sender in one interval.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    retransmits: u64,
    /// Bytes; the sum over all paths.
    window: u64,
    /// Microseconds; the mean over the paths, by the bytes that they had acknowledged. 0 before the first measurement.
    rtt: u64,
}

impl Sample {
    pub(super) fn new(interval: &Interval) -> Self {
        let measured = interval.paths.iter().filter(|path| path.rtt > 0.0);
        let acked = measured.clone().map(|path| path.carried.counters.bytes_acked).sum::<u64>();
        // Without acknowledged data all paths count the same
        let weight = |bytes: u64| if acked > 0 { bytes as f64 } else { 1.0 };
        let (sum, weights) = measured.fold((0.0, 0.0), |(sum, weights), path| {
            let weight = weight(path.carried.counters.bytes_acked);
            (sum + weight * path.rtt, weights + weight)
        });
        let rtt = if weights > 0.0 { (sum / weights * 1e6).round() as u64 } else { 0 };
        let window = interval.paths.iter().map(|path| path.window).sum();
        Self { retransmits: interval.retransmits, window, rtt }
    }

    /// Adds the values to those of a stream in an interval.
    pub(super) fn describe(&self, stream: &mut Value) {
        stream["retransmits"] = json!(self.retransmits);
        stream["snd_cwnd"] = json!(self.window);
        stream["rtt"] = json!(self.rtt);
    }
}

/// All samples of a test.
#[derive(Clone, Debug, Default)]
pub(super) struct Samples {
    largest_window: u64,
    /// Every round-trip time in microseconds.
    rtts: Vec<u64>,
}

impl Samples {
    pub(super) fn add(&mut self, sample: Sample) {
        self.largest_window = self.largest_window.max(sample.window);
        if sample.rtt > 0 {
            self.rtts.push(sample.rtt);
        }
    }

    /// Adds the extremes and the mean to the totals of a stream; all are 0 without a sample, as in iperf3.
    pub(super) fn describe(&self, stream: &mut Value) {
        let count = (self.rtts.len() as u64).max(1);
        stream["max_snd_cwnd"] = json!(self.largest_window);
        stream["min_rtt"] = json!(self.rtts.iter().min().unwrap_or(&0));
        stream["mean_rtt"] = json!(self.rtts.iter().sum::<u64>() / count);
        stream["max_rtt"] = json!(self.rtts.iter().max().unwrap_or(&0));
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;
    use crate::perf::{PathCounters, PathInterval, PathTotal};
    use manypath_net::PathState;

    fn path(bytes_acked: u64, window: u64, rtt: f64) -> PathInterval {
        let carried = PathTotal {
            local: Ipv4Addr::LOCALHOST.into(),
            remote: Ipv4Addr::LOCALHOST.into(),
            counters: PathCounters { bytes_acked, ..PathCounters::default() },
            blocked: Vec::new(),
        };
        PathInterval { carried, share: 0.5, window, rtt, state: PathState::Active }
    }

    fn sample(paths: Vec<PathInterval>) -> Sample {
        let (start, end) = (0.0, 1.0);
        Sample::new(&Interval { start, end, sent: None, received: None, retransmits: 7, paths })
    }

    #[test]
    fn windows_are_added_and_round_trips_are_weighted_by_acknowledged_bytes() {
        let mut stream = json!({});
        sample(vec![path(3000, 10, 0.010), path(1000, 20, 0.050), path(0, 5, 0.0)])
            .describe(&mut stream);
        assert_eq!(stream, json!({ "retransmits": 7, "snd_cwnd": 35, "rtt": 20_000 }));
        assert_eq!(sample(vec![path(0, 1, 0.010), path(0, 1, 0.050)]).rtt, 30_000);
        assert_eq!(sample(vec![path(0, 1, 0.0)]).rtt, 0);
    }

    #[test]
    fn the_end_has_extremes_and_the_mean_of_measured_intervals() {
        let mut samples = Samples::default();
        for (window, rtt) in [(10, 0.010), (40, 0.030), (20, 0.0)] {
            samples.add(sample(vec![path(1, window, rtt)]));
        }
        let mut stream = json!({});
        samples.describe(&mut stream);
        let expected =
            json!({ "max_snd_cwnd": 40, "min_rtt": 10_000, "mean_rtt": 20_000, "max_rtt": 30_000 });
        assert_eq!(stream, expected);
    }
}
