//! BMC: bidimensional probing. Weighted AIMD whose weights sum up to one TCP and move between the paths. \[H09] §3
//!
//! The aggressiveness manager makes path n a weighted AIMD of weight D, that is AIMD(D², 1/2), with Σ D = P. The
//! proportion manager measures the goodput T of each path for an interval J. It selects the path with the least R·T/D,
//! which must have another bottleneck than the shared one, and reduces its weight from D to D − (D − D²)·K. The path
//! with the largest R·T/D gets the difference.
//!
//! This implementation decides what \[H09] leaves open:
//!
//! - An interval contains at least one congestion epoch of every path, but it is not extended beyond a minute. It is
//!   extended up to twice this length while a path has no loss. A longer J takes precedence over the minute.
//! - Each path keeps at least 1/50 of all weights. Differences of up to 1/10 do not count. Among equal paths the first
//!   one is selected.
//! - An interval is discarded if more than 1/10 of the acknowledged bytes were acknowledged while the window was not
//!   used.
//! - A path on which nothing was acknowledged has the goodput zero if it timed out. Otherwise it was not in use and
//!   keeps its weight.
//! - After a change of the weights, nothing is measured for five round trips.
//! - A new path gets the share that the initial weights give it. The weight of a closed path is distributed among the
//!   others.

pub mod proportion;

use manypath_core::{PathId, Span, Time};

use self::proportion::{
    LONGEST_INTERVAL, MOST_LIMITED, Measured, SETTLING_ROUNDS, normalise, shift,
};
use crate::settings::{Settings, number};
use crate::{Adjustment, Algorithm, AlgorithmError, Loss, Parameter, PathAck, Paths};

/// Weighted AIMD whose weights follow the measured goodput of the paths.
#[derive(Clone, Debug)]
pub struct Bmc {
    rules: Rules,
    subflows: Vec<Subflow>,
    /// D: the weight of each path in standard TCPs; zero on closed paths.
    weights: Vec<f64>,
    /// When the interval begins; `None` before the first acknowledgement.
    begins: Option<Time>,
    /// Whether acknowledgements are counted: the interval has begun.
    is_measuring: bool,
    /// Whether a measurement has changed the weights.
    has_moved: bool,
    /// Whether the initial weights still wait for round-trip times.
    awaits_rtts: bool,
}

/// The parameters.
#[derive(Clone, Debug)]
struct Rules {
    /// P: the sum of all weights.
    shares: f64,
    /// J.
    interval: Span,
    /// K.
    gain: f64,
    initial: Initial,
}

/// The weights before the first measurement.
#[derive(Clone, Debug, PartialEq)]
enum Initial {
    /// Weights in this ratio. Paths beyond the end of the list use its last value.
    Ratio(Vec<f64>),
    /// Weights in the ratio of the inverse round-trip times, as soon as all are known; equal before.
    ByRtt,
}

/// The counters of one path in an interval.
#[derive(Clone, Copy, Debug, Default)]
struct Subflow {
    /// Acknowledged bytes.
    acked: u64,
    /// The bytes among `acked` that were acknowledged while the window was not used.
    limited: u64,
    /// Sum of the round-trip times, seconds.
    rtt_sum: f64,
    rtt_samples: u32,
    had_loss: bool,
    had_timeout: bool,
    /// Length of the last congestion epoch; kept beyond the interval.
    epoch: Span,
}

impl Bmc {
    pub(crate) const PARAMETERS: &[Parameter] = &[
        Parameter {
            key: "shares",
            default: "1",
            summary: "aggressiveness of all paths together, in TCPs, P",
        },
        Parameter {
            key: "interval",
            default: "10 s",
            summary: "interval in which goodput is measured before weights change, J",
        },
        Parameter {
            key: "gain",
            default: "0.5",
            summary: "gain of a change of weights, K; 0 keeps the initial weights",
        },
        Parameter {
            key: "weights",
            default: "equal",
            summary: "initial weights: equal, by-rtt, or a ratio in the order of the paths, such as 2:1",
        },
    ];

    pub(crate) fn from_settings(settings: &Settings<'_>) -> Result<Self, AlgorithmError> {
        let rules = Rules {
            shares: settings.number("shares", 0.01..=100.0)?,
            interval: settings.span("interval", Span::from_millis(1)..=Span::from_secs(3600))?,
            gain: settings.number("gain", 0.0..=4.0)?,
            initial: Initial::from_settings(settings)?,
        };
        Ok(Self {
            rules,
            subflows: Vec::new(),
            weights: Vec::new(),
            begins: None,
            is_measuring: false,
            has_moved: false,
            awaits_rtts: false,
        })
    }

    /// Begins a new interval at `begins`; if that is `None`, at the next acknowledgement.
    fn begin(&mut self, begins: Option<Time>) {
        self.begins = begins;
        self.is_measuring = false;
    }

    /// The minimum length of the interval: J or the longest congestion epoch.
    fn interval(&self) -> Span {
        let epochs = self.subflows.iter().map(|subflow| subflow.epoch);
        let longest = epochs.max().unwrap_or_default().min(LONGEST_INTERVAL);
        self.rules.interval.max(longest)
    }

    /// Adapts the weights at the end of an interval of length `elapsed`.
    fn decide(&mut self, now: Time, paths: &Paths, elapsed: Span) {
        let acked: u64 = self.subflows.iter().map(|subflow| subflow.acked).sum();
        let limited: u64 = self.subflows.iter().map(|subflow| subflow.limited).sum();
        let is_telling = limited as f64 <= MOST_LIMITED * acked as f64;
        let measured: Vec<_> =
            paths.ids().map(|path| self.measured(paths, path, elapsed)).collect();
        let Rules { gain, shares, .. } = self.rules;
        if !is_telling || !shift(&mut self.weights, &measured, gain, shares) {
            self.begin(Some(now));
            return;
        }
        self.has_moved = true;
        let rtts = measured.iter().flatten().map(|measured| measured.rtt);
        let settling = SETTLING_ROUNDS * rtts.fold(0.0, f64::max);
        self.begin(Some(now + Span::from_secs_f64(settling)));
    }

    /// The measurement of `path`, if the path was in use.
    fn measured(&self, paths: &Paths, path: PathId, elapsed: Span) -> Option<Measured> {
        let subflow = &self.subflows[path.index()];
        if !paths[path].is_open() || (subflow.acked == 0 && !subflow.had_timeout) {
            return None;
        }
        let rtt = if subflow.rtt_samples > 0 {
            subflow.rtt_sum / f64::from(subflow.rtt_samples)
        } else {
            paths.rtt_seconds(path)?
        };
        Some(Measured { goodput: subflow.acked as f64 / elapsed.as_secs_f64(), rtt })
    }

    /// Sets the initial weights by round-trip time, as soon as all round-trip times are known.
    fn weigh_by_rtt(&mut self, paths: &Paths) {
        let open = || paths.ids().filter(|&path| paths[path].is_open());
        if open().any(|path| paths[path].rtt().is_none()) {
            return;
        }
        for path in open() {
            self.weights[path.index()] = 1.0 / paths.rtt_seconds(path).unwrap_or(1.0);
        }
        normalise(&mut self.weights, self.rules.shares);
        self.awaits_rtts = false;
    }
}

impl Initial {
    fn from_settings(settings: &Settings<'_>) -> Result<Self, AlgorithmError> {
        let text = settings.text("weights");
        match text {
            "equal" => Ok(Self::Ratio(vec![1.0])),
            "by-rtt" => Ok(Self::ByRtt),
            ratio => {
                let parts: Option<Vec<_>> = ratio.split(':').map(number).collect();
                parts
                    .filter(|parts| parts.iter().all(|part| (0.01..=100.0).contains(part)))
                    .map(Self::Ratio)
                    .ok_or_else(|| {
                        let expected =
                            "equal, by-rtt, or a ratio of numbers from 0.01 to 100, such as 2:1";
                        settings.error("weights", text, expected)
                    })
            }
        }
    }

    /// The initial weight of `path` relative to the others.
    fn part(&self, path: PathId) -> f64 {
        match self {
            Self::Ratio(parts) => *parts.get(path.index()).or(parts.last()).unwrap_or(&1.0),
            Self::ByRtt => 1.0,
        }
    }
}

impl Algorithm for Bmc {
    fn uses_acks(&self) -> bool {
        true
    }

    fn growth(&self, paths: &Paths, path: PathId) -> f64 {
        let weight = self.weights[path.index()];
        weight * weight * paths[path].unit() as f64
    }

    fn floor(&self, _paths: &Paths, _path: PathId) -> f64 {
        1.0
    }

    fn on_path_opened(&mut self, paths: &Paths, path: PathId) {
        let open = || paths.ids().filter(|&id| paths[id].is_open());
        self.weights.push(0.0);
        if self.has_moved {
            let all: f64 = open().map(|id| self.rules.initial.part(id)).sum();
            let share = self.rules.initial.part(path) / all;
            for weight in &mut self.weights {
                *weight *= 1.0 - share;
            }
            self.weights[path.index()] = share * self.rules.shares;
        } else {
            for id in open() {
                self.weights[id.index()] = self.rules.initial.part(id);
            }
        }
        self.subflows.push(Subflow::default());
        normalise(&mut self.weights, self.rules.shares);
        self.awaits_rtts = self.rules.initial == Initial::ByRtt && !self.has_moved;
        self.begin(None);
    }

    fn on_path_closed(&mut self, _paths: &Paths, path: PathId) {
        self.weights[path.index()] = 0.0;
        self.subflows[path.index()] = Subflow::default();
        normalise(&mut self.weights, self.rules.shares);
        self.begin(None);
    }

    fn on_rtt_sample(&mut self, path: PathId, sample: Span) {
        let subflow = &mut self.subflows[path.index()];
        subflow.rtt_sum += sample.as_secs_f64();
        subflow.rtt_samples += 1;
    }

    fn on_acked(&mut self, now: Time, paths: &Paths, ack: &PathAck) -> Option<Adjustment> {
        if self.awaits_rtts {
            self.weigh_by_rtt(paths);
        }
        let begins = *self.begins.get_or_insert(now);
        if now < begins {
            return None;
        }
        if !self.is_measuring {
            self.is_measuring = true;
            for subflow in &mut self.subflows {
                *subflow = Subflow { epoch: subflow.epoch, ..Subflow::default() };
            }
        }
        let subflow = &mut self.subflows[ack.path.index()];
        subflow.acked += ack.bytes;
        if !ack.was_full && !ack.in_recovery {
            subflow.limited += ack.bytes;
        }
        let elapsed = now - begins;
        if elapsed >= self.rules.interval {
            let interval = self.interval();
            let lost = |path: PathId| self.subflows[path.index()].had_loss;
            let all_lost = paths.ids().all(|path| lost(path) || !paths[path].is_open());
            if elapsed >= interval * 2 || (elapsed >= interval && all_lost) {
                self.decide(now, paths, elapsed);
            }
        }
        None
    }

    fn on_loss(&mut self, _now: Time, paths: &Paths, path: PathId, loss: Loss) {
        let weight = self.weights[path.index()];
        let packets = paths[path].window() as f64 / paths[path].unit() as f64;
        let subflow = &mut self.subflows[path.index()];
        subflow.had_loss = true;
        subflow.had_timeout |= loss == Loss::Timeout;
        if let Some(rtt) = paths.rtt_seconds(path).filter(|_| weight > 0.0) {
            subflow.epoch = Span::from_secs_f64(epoch_rounds(packets, weight) * rtt);
        }
    }

    fn weight(&self, path: PathId) -> Option<f64> {
        self.weights.get(path.index()).copied()
    }
}

/// Round trips from a loss to the next, which happens at `packets` packets. \[H09] §3.2
fn epoch_rounds(packets: f64, weight: f64) -> f64 {
    0.5 * packets / (weight * weight) + 1.0
}

#[cfg(test)]
mod tests {
    use super::epoch_rounds;

    /// V-AIMD-6.
    #[test]
    fn congestion_epochs_equal_calculated_ones() {
        let near = |value: f64, expected: f64| (value - expected).abs() < 1e-9;
        for (weight, rounds) in [(1.0, 21.0), (0.5, 81.0), (0.2, 501.0)] {
            assert!(near(epoch_rounds(40.0, weight), rounds), "{weight}");
        }
    }
}
