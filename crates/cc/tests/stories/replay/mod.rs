//! Vectors of `spec/vectors`: read, replayed through a controller, compared.

use std::fs;
use std::path::{Path, PathBuf};

use manypath_cc::{Algorithm, Controller, Formulas, IpVersion, PathAck, Profile, WindowState};
use manypath_core::{PathId, Span, Time};
use serde::Deserialize;

/// An implementation of algorithms, and its tolerance.
pub(crate) struct Player<'a> {
    /// Creates the algorithm of a name; `None` if there is none.
    pub(crate) make: &'a dyn Fn(&str) -> Option<Box<dyn Algorithm>>,
    /// The largest relative error of a fractional number.
    pub(crate) tolerance: f64,
}

/// The vectors of `file`, in their order.
pub(crate) fn read(file: &str) -> Vec<Vector> {
    let text = fs::read_to_string(folder().join(file)).unwrap();
    let File { vectors, .. } =
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{file}: {error}"));
    vectors
}

/// The folder of the vectors.
pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec/vectors")
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct File {
    #[serde(rename = "about")]
    _about: String,
    pub(crate) vectors: Vec<Vector>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Vector {
    pub(crate) id: String,
    description: String,
    algorithm: String,
    profile: String,
    /// Either this or `unit` is given.
    mtu: Option<u64>,
    unit: Option<u64>,
    #[serde(default)]
    ip: Ip,
    paths: Vec<Before>,
    #[serde(default)]
    before: Vec<Event>,
    event: Event,
    expect: Vec<After>,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Ip {
    #[default]
    V4,
    V6,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Before {
    window: u64,
    ssthresh: u64,
    #[serde(default)]
    partial: u64,
    srtt_us: Option<u64>,
}

#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Event {
    Ack { path: u8, bytes: u64 },
    Delivered { path: u8, bytes: u64 },
    Window { path: u8, bytes: u64 },
    FastRetransmit { path: u8 },
    Timeout { path: u8 },
    Idle { path: u8 },
    Start { peer_window: u64 },
    Formulas {},
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct After {
    window: Option<u64>,
    ssthresh: Option<u64>,
    partial: Option<u64>,
    unit: Option<u64>,
    asked: Option<i64>,
    slow_start_bytes: Option<f64>,
    slow_start_per_unit: Option<f64>,
    growth_bytes: Option<f64>,
    growth_per_unit: Option<f64>,
    growth_per_ack: Option<f64>,
    cut_bytes: Option<f64>,
    cut_per_window: Option<f64>,
}

impl Vector {
    /// The controller in the state before the event.
    fn controller(&self, algorithm: Box<dyn Algorithm>) -> Controller {
        let profile = match self.profile.as_str() {
            "tcp" => Profile::TCP,
            name => Profile::by_name(name).unwrap_or_else(|error| panic!("{}: {error}", self.id)),
        };
        let mut controller = Controller::new(algorithm, profile);
        for before in &self.paths {
            let ip = match self.ip {
                Ip::V4 => IpVersion::V4,
                Ip::V6 => IpVersion::V6,
            };
            let path = match (self.mtu, self.unit) {
                (Some(mtu), None) => controller.open_path_over(ip, mtu),
                (None, Some(unit)) => controller.open_path_with_unit(unit),
                _ => panic!("{}: either the MTU or the unit", self.id),
            };
            let &Before { window, ssthresh, partial, .. } = before;
            controller.restore(path, WindowState { window, ssthresh, partial });
            if let Some(srtt) = before.srtt_us.map(Span::from_micros) {
                controller.on_rtt(path, srtt, srtt);
            }
        }
        controller
    }

    /// Replays the vector; returns whether the player has its algorithm.
    pub(crate) fn check(&self, player: &Player<'_>) -> bool {
        assert_eq!(self.paths.len(), self.expect.len(), "{}: one expectation per path", self.id);
        let Some(algorithm) = (player.make)(&self.algorithm) else { return false };
        let mut controller = self.controller(algorithm);
        for event in &self.before {
            event.apply(&mut controller);
        }
        self.event.apply(&mut controller);
        for (index, after) in self.expect.iter().enumerate() {
            let path = PathId(index as u8);
            let place = format!("{} ({}), {path}", self.id, self.description);
            after.check(&mut controller, path, &place, player.tolerance);
        }
        true
    }
}

impl Event {
    fn apply(&self, controller: &mut Controller) {
        match *self {
            Self::Ack { path, bytes } => {
                let ack = PathAck {
                    path: PathId(path),
                    bytes,
                    was_full: true,
                    may_grow: true,
                    in_recovery: false,
                };
                controller.on_sack(Time::ZERO, &[ack], &[]);
            }
            Self::Delivered { path, bytes } => {
                let ack = PathAck {
                    path: PathId(path),
                    bytes,
                    was_full: false,
                    may_grow: true,
                    in_recovery: false,
                };
                controller.on_sack(Time::ZERO, &[ack], &[]);
            }
            Self::Window { path, bytes } => {
                let state = controller.state(PathId(path));
                controller.restore(PathId(path), WindowState { window: bytes, ..state });
            }
            Self::FastRetransmit { path } => controller.on_sack(Time::ZERO, &[], &[PathId(path)]),
            Self::Timeout { path } => controller.on_timeout(Time::ZERO, PathId(path)),
            Self::Idle { path } => controller.on_idle(PathId(path)),
            Self::Start { peer_window } => controller.start(peer_window),
            Self::Formulas {} => {}
        }
    }
}

impl After {
    fn check(&self, controller: &mut Controller, path: PathId, place: &str, tolerance: f64) {
        let state = controller.state(path);
        let (unit, asked) = (controller.unit(path), controller.paths()[path].asked());
        exactly(self.window, state.window, place, "window");
        exactly(self.ssthresh, state.ssthresh, place, "ssthresh");
        exactly(self.partial, state.partial, place, "partial");
        exactly(self.unit, unit, place, "unit");
        exactly(self.asked, asked, place, "asked");

        let Formulas { slow_start, growth, cut } = controller.formulas(Time::ZERO, path);
        let (unit, window) = (unit as f64, state.window as f64);
        nearly(self.slow_start_bytes, slow_start, place, "slow_start_bytes", tolerance);
        nearly(
            self.slow_start_per_unit,
            slow_start / unit,
            place,
            "slow_start_per_unit",
            tolerance,
        );
        nearly(self.growth_bytes, growth, place, "growth_bytes", tolerance);
        nearly(self.growth_per_unit, growth / unit, place, "growth_per_unit", tolerance);
        nearly(self.growth_per_ack, growth / window, place, "growth_per_ack", tolerance);
        nearly(self.cut_bytes, cut, place, "cut_bytes", tolerance);
        nearly(self.cut_per_window, cut / window, place, "cut_per_window", tolerance);
    }
}

fn exactly<T: Copy + PartialEq + std::fmt::Debug>(
    expected: Option<T>,
    actual: T,
    place: &str,
    what: &str,
) {
    if let Some(expected) = expected {
        assert_eq!(actual, expected, "{place}: {what}");
    }
}

fn nearly(expected: Option<f64>, actual: f64, place: &str, what: &str, tolerance: f64) {
    if let Some(expected) = expected {
        let error = (actual - expected).abs() / expected.abs();
        assert!(error <= tolerance, "{place}: {what} is {actual}, expected {expected}");
    }
}
