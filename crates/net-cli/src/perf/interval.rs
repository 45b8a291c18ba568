//! The counters of an interval of a test.

use std::time::Instant;

use manypath_net::{Association, Path, PathState};

use super::counts::Counts;
use super::results::PathTotal;

/// An interval of a test.
#[derive(Clone, Debug, PartialEq)]
pub struct Interval {
    /// Start of the interval, in seconds since the start of the test.
    pub start: f64,
    /// End of the interval, in seconds since the start of the test.
    pub end: f64,
    /// Data that this side sent, if it sends.
    pub sent: Option<Flow>,
    /// Data that this side received, if it receives.
    pub received: Option<Flow>,
    /// DATA chunks that this side retransmitted.
    pub retransmits: u64,
    /// All paths by their numbers.
    pub paths: Vec<PathInterval>,
}

/// One direction within an interval, counted by the application.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Flow {
    /// Payload bytes by stream, from stream 1.
    pub streams: Vec<u64>,
}

/// A path within an interval.
#[derive(Clone, Debug, PartialEq)]
pub struct PathInterval {
    /// Its traffic.
    pub carried: PathTotal,
    /// Its share of the traffic of all paths, from 0 to 1.
    pub share: f64,
    /// Congestion window in bytes at the end.
    pub window: u64,
    /// Smoothed round-trip time in seconds at the end.
    pub rtt: f64,
    /// Its state at the end.
    pub state: PathState,
}

impl Flow {
    /// Payload bytes of all streams.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.streams.iter().sum()
    }
}

impl Interval {
    /// Length in seconds.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        self.end - self.start
    }

    /// Whether data was sent, received or acknowledged, in a time that is long enough for a rate. A test whose length is
    /// a multiple of the interval ends some microseconds after its last interval; totals have the data of this time. The
    /// only interval of a short test is one of its results.
    pub(super) fn is_worth_a_report(&self) -> bool {
        let flows = [&self.sent, &self.received].into_iter().flatten();
        let is_empty = flows.map(Flow::bytes).sum::<u64>() == 0
            && self.paths.iter().all(|path| path.carried.carried() == 0);
        let is_only = self.start == 0.0;
        !is_empty && (is_only || self.seconds() >= SHORTEST)
    }
}

/// Length of the shortest last interval, in seconds: the resolution of reports.
const SHORTEST: f64 = 0.01;

/// The counters before a test. The peer's first data may arrive before this side knows that the test has begun. Blocked
/// times count from the start of the test.
#[derive(Clone, Debug)]
pub(super) struct Baseline {
    paths: Vec<Path>,
    retransmits: u64,
}

impl Baseline {
    pub(super) fn new(association: &Association) -> Self {
        Self { paths: association.paths(), retransmits: association.stats().retransmitted_chunks }
    }
}

/// Takes consecutive intervals.
#[derive(Debug)]
pub(super) struct Sampler<'a> {
    association: &'a Association,
    /// The counters of sent data, if this side sends.
    sent: Option<&'a Counts>,
    received: Option<&'a Counts>,
    start: Instant,
    /// Begin of the interval, in seconds since the start.
    begin: f64,
    first: Vec<Path>,
    paths: Vec<Path>,
    first_retransmits: u64,
    retransmits: u64,
    streams: [Vec<u64>; 2],
}

impl<'a> Sampler<'a> {
    /// Starts the test.
    pub(super) fn new(
        association: &'a Association,
        baseline: Baseline,
        sent: Option<&'a Counts>,
        received: Option<&'a Counts>,
    ) -> Self {
        let Baseline { paths: before, retransmits } = baseline;
        let (mut paths, start) = association.paths_and_time();
        for (index, path) in paths.iter_mut().enumerate() {
            path.stats = before.get(index).map(|before| before.stats).unwrap_or_default();
        }
        Self {
            association,
            sent,
            received,
            start,
            begin: 0.0,
            first: paths.clone(),
            paths,
            first_retransmits: retransmits,
            retransmits,
            streams: Default::default(),
        }
    }

    /// The start of the test.
    pub(super) fn start(&self) -> Instant {
        self.start
    }

    /// Ends the current interval and returns it.
    pub(super) fn take(&mut self) -> Interval {
        // Later time belongs to the next interval
        let (now, time) = self.association.paths_and_time();
        let retransmits = self.association.stats().retransmitted_chunks;
        let paths = changes(&self.paths, &now);
        let total: u64 = paths.iter().map(PathTotal::carried).sum();
        let paths = paths.into_iter().zip(&now).map(|(carried, path)| PathInterval {
            share: carried.carried() as f64 / total.max(1) as f64,
            carried,
            window: path.stats.window,
            rtt: path.stats.srtt.as_secs_f64(),
            state: path.stats.state,
        });
        let end = time.duration_since(self.start).as_secs_f64();
        let [sent, received] = &mut self.streams;
        let interval = Interval {
            start: self.begin,
            end,
            sent: self.sent.map(|counts| flow(counts, sent)),
            received: self.received.map(|counts| flow(counts, received)),
            retransmits: retransmits - self.retransmits,
            paths: paths.collect(),
        };
        (self.begin, self.paths, self.retransmits) = (end, now, retransmits);
        interval
    }

    /// The traffic of the paths from the start of the test to the last interval.
    pub(super) fn paths_of_test(&self) -> Vec<PathTotal> {
        changes(&self.first, &self.paths)
    }

    /// Retransmitted chunks from the start of the test to the last interval.
    pub(super) fn retransmits_of_test(&self) -> u64 {
        self.retransmits - self.first_retransmits
    }
}

/// The differences of the paths' counters.
fn changes(before: &[Path], now: &[Path]) -> Vec<PathTotal> {
    let before = |index| before.get(index);
    now.iter().enumerate().map(|(index, now)| PathTotal::between(before(index), now)).collect()
}

/// The bytes since `known`, which is updated.
fn flow(counts: &Counts, known: &mut Vec<u64>) -> Flow {
    let now = counts.streams();
    let old = |place: usize| known.get(place).copied().unwrap_or(0);
    let streams = now.iter().enumerate().map(|(place, bytes)| bytes - old(place)).collect();
    *known = now;
    Flow { streams }
}

#[cfg(test)]
mod tests {
    use super::{Flow, Interval};

    fn interval(start: f64, end: f64, bytes: u64) -> Interval {
        let sent = Some(Flow { streams: vec![bytes] });
        Interval { start, end, sent, received: None, retransmits: 0, paths: Vec::new() }
    }

    #[test]
    fn the_only_interval_of_a_short_test_is_reported() {
        assert!(interval(0.0, 0.004, 20_000).is_worth_a_report());
        assert!(!interval(0.0, 0.004, 0).is_worth_a_report(), "nothing was carried");
    }

    #[test]
    fn the_rest_after_the_last_interval_is_not_reported() {
        assert!(!interval(1.0, 1.000_02, 20_000).is_worth_a_report());
        assert!(interval(1.0, 1.4, 20_000).is_worth_a_report());
    }
}
