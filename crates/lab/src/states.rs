//! States of paths at the source of their flow, as columns: sampled or by change.

use manypath_core::Time;

use crate::course::threshold;
use crate::reading::PathEndReading;

/// States of paths, in samples and in changes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StateColumns {
    /// Seconds since the run began.
    pub time: Vec<f64>,
    /// Index of the flow in the scenario.
    pub flow: Vec<usize>,
    /// Index of the path in the flow.
    pub path: Vec<usize>,
    /// Congestion window in bytes.
    pub cwnd: Vec<f64>,
    /// Slow-start threshold in bytes; NaN before the path has one.
    pub ssthresh: Vec<f64>,
    /// Smoothed RTT in seconds; NaN before the first sample.
    pub srtt: Vec<f64>,
    /// Outstanding bytes as the congestion control counts them.
    pub outstanding: Vec<f64>,
    /// How many standard TCP flows the path corresponds to; NaN if the congestion control has no such weights.
    pub weight: Vec<f64>,
}

/// The state of a path in one row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct State {
    window: u64,
    ssthresh: Option<u64>,
    srtt: f64,
    outstanding: u64,
    weight: Option<f64>,
}

impl StateColumns {
    /// Adds a row.
    pub(crate) fn push(&mut self, now: Time, (flow, path): (usize, usize), state: &State) {
        self.time.push(now.as_secs_f64());
        self.flow.push(flow);
        self.path.push(path);
        for (column, value) in self.values(state) {
            column.push(value);
        }
    }

    /// Replaces the state in a row.
    pub(crate) fn set(&mut self, row: usize, state: &State) {
        for (column, value) in self.values(state) {
            column[row] = value;
        }
    }

    /// Number of rows.
    pub(crate) fn rows(&self) -> usize {
        self.time.len()
    }

    /// Each column with its value in `state`.
    fn values(&mut self, state: &State) -> [(&mut Vec<f64>, f64); 5] {
        [
            (&mut self.cwnd, state.window as f64),
            (&mut self.ssthresh, state.ssthresh.map_or(f64::NAN, |bytes| bytes as f64)),
            (&mut self.srtt, if state.srtt > 0.0 { state.srtt } else { f64::NAN }),
            (&mut self.outstanding, state.outstanding as f64),
            (&mut self.weight, state.weight.unwrap_or(f64::NAN)),
        ]
    }
}

impl From<&PathEndReading> for State {
    fn from(reading: &PathEndReading) -> Self {
        let view = reading.stats.view();
        Self {
            window: view.window,
            ssthresh: threshold(view.ssthresh),
            srtt: view.srtt.as_secs_f64(),
            outstanding: view.outstanding,
            weight: reading.weight,
        }
    }
}
