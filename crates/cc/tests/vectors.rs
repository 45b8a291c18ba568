//! Replays `spec/vectors`: numbers worked out by hand from the published formulas.

use std::fs;
use std::path::{Path, PathBuf};

use manypath_cc::{Controller, Formulas, IpVersion, PathAck, PathState, Profile, algorithm};
use manypath_core::{PathId, Span, Time};
use serde::Deserialize;

#[test]
fn newreno() {
    replay("newreno.json", &numbered("V-CMT-", 1..=11));
}

#[test]
fn cmt_rp_v1() {
    let ids = [numbered("V-RP1-", 0..=7), texts(&["V-RP1-8a", "V-RP1-8b"])];
    replay("cmt-rpv1.json", &ids.concat());
}

#[test]
fn cmt_rp_v2() {
    let ids = [numbered("V-RP2-", 0..=5), texts(&["V-RP2-6a"]), numbered("V-RP2-", 6..=8)];
    replay("cmt-rpv2.json", &ids.concat());
}

#[test]
fn mptcp_like() {
    let ids = [
        texts(&["V-ML-0a", "V-ML-0b", "V-ML-0c"]),
        numbered("V-ML-", 1..=11),
        texts(&["V-ML-12a", "V-ML-12b"]),
    ];
    replay("mptcp-like.json", &ids.concat());
}

#[test]
fn inet() {
    let ids = [
        numbered("V-IN-", 1..=5),
        texts(&["V-IN-6a", "V-IN-6", "V-IN-7", "V-IN-8a", "V-IN-8b", "V-IN-9"]),
    ];
    replay("inet.json", &ids.concat());
}

#[test]
fn lia() {
    replay("lia.json", &numbered("V-LIA-", 1..=4));
}

#[test]
fn lia_eunice() {
    replay("lia-eunice.json", &["a", "b", "c", "d", "e", "f"].map(|step| format!("V-EU-1{step}")));
}

#[test]
fn weighted_aimd() {
    replay("weighted-aimd.json", &texts(&["V-AIMD-1", "V-AIMD-3", "V-AIMD-4", "V-AIMD-5"]));
}

#[test]
fn olia() {
    replay("olia.json", &numbered("V-OLIA-", 1..=5));
}

#[test]
fn balia() {
    replay("balia.json", &numbered("V-BALIA-", 1..=4));
}

#[test]
fn every_file_has_a_test() {
    let mut files: Vec<_> = fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".json"))
        .collect();
    files.sort();
    assert_eq!(
        files,
        [
            "balia.json",
            "cmt-rpv1.json",
            "cmt-rpv2.json",
            "inet.json",
            "lia-eunice.json",
            "lia.json",
            "mptcp-like.json",
            "newreno.json",
            "olia.json",
            "weighted-aimd.json",
        ]
    );
}

#[test]
fn what_nobody_understands_is_refused() {
    let texts = [
        r#"{"kind": "formulas", "path": 0}"#,
        r#"{"kind": "handover"}"#,
        r#"{"kind": "idle", "path": 0, "to": 1}"#,
    ];
    for text in texts {
        assert!(serde_json::from_str::<Event>(text).is_err(), "{text}");
    }
    assert!(serde_json::from_str::<After>(r#"{"windw": 1}"#).is_err());
    assert!(serde_json::from_str::<Before>(r#"{"window": 1, "ssthresh": 1, "rtt": 1}"#).is_err());
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(rename = "about")]
    _about: String,
    vectors: Vec<Vector>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Vector {
    id: String,
    description: String,
    algorithm: String,
    profile: String,
    /// One of `mtu` and `unit`.
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
struct Before {
    window: u64,
    ssthresh: u64,
    #[serde(default)]
    partial: u64,
    srtt_us: Option<u64>,
}

#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
enum Event {
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
struct After {
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
    fn controller(&self) -> Controller {
        let profile = match self.profile.as_str() {
            "tcp" => Profile::TCP,
            name => Profile::by_name(name).unwrap_or_else(|error| panic!("{}: {error}", self.id)),
        };
        let algorithm =
            algorithm(&self.algorithm).unwrap_or_else(|error| panic!("{}: {error}", self.id));
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
            controller.restore(path, PathState { window, ssthresh, partial });
            if let Some(srtt) = before.srtt_us.map(Span::from_micros) {
                controller.on_rtt(path, srtt, srtt);
            }
        }
        controller
    }

    fn check(&self) {
        assert_eq!(self.paths.len(), self.expect.len(), "{}: one expectation per path", self.id);
        let mut controller = self.controller();
        for event in &self.before {
            event.happen(&mut controller);
        }
        self.event.happen(&mut controller);
        for (index, after) in self.expect.iter().enumerate() {
            let path = PathId(index as u8);
            let place = format!("{} ({}), {path}", self.id, self.description);
            after.check(&mut controller, path, &place);
        }
    }
}

impl Event {
    fn happen(&self, controller: &mut Controller) {
        match *self {
            Self::Ack { path, bytes } => {
                let ack = PathAck { path: PathId(path), bytes, was_full: true, may_grow: true };
                controller.on_sack(Time::ZERO, &[ack], &[]);
            }
            Self::Delivered { path, bytes } => {
                let ack = PathAck { path: PathId(path), bytes, was_full: false, may_grow: true };
                controller.on_sack(Time::ZERO, &[ack], &[]);
            }
            Self::Window { path, bytes } => {
                let state = controller.state(PathId(path));
                controller.restore(PathId(path), PathState { window: bytes, ..state });
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
    fn check(&self, controller: &mut Controller, path: PathId, place: &str) {
        let state = controller.state(path);
        let (unit, asked) = (controller.unit(path), controller.paths()[path].asked());
        exactly(self.window, state.window, place, "window");
        exactly(self.ssthresh, state.ssthresh, place, "ssthresh");
        exactly(self.partial, state.partial, place, "partial");
        exactly(self.unit, unit, place, "unit");
        exactly(self.asked, asked, place, "asked");

        let Formulas { slow_start, growth, cut } = controller.formulas(Time::ZERO, path);
        let (unit, window) = (unit as f64, state.window as f64);
        nearly(self.slow_start_bytes, slow_start, place, "slow_start_bytes");
        nearly(self.slow_start_per_unit, slow_start / unit, place, "slow_start_per_unit");
        nearly(self.growth_bytes, growth, place, "growth_bytes");
        nearly(self.growth_per_unit, growth / unit, place, "growth_per_unit");
        nearly(self.growth_per_ack, growth / window, place, "growth_per_ack");
        nearly(self.cut_bytes, cut, place, "cut_bytes");
        nearly(self.cut_per_window, cut / window, place, "cut_per_window");
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

fn nearly(expected: Option<f64>, actual: f64, place: &str, what: &str) {
    if let Some(expected) = expected {
        let error = (actual - expected).abs() / expected.abs();
        assert!(error <= 1e-9, "{place}: {what} is {actual}, expected {expected}");
    }
}

/// Checks that `file` holds the vectors `ids`, in this order, and replays them.
fn replay(file: &str, ids: &[String]) {
    let text = fs::read_to_string(folder().join(file)).unwrap();
    let File { vectors, .. } =
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{file}: {error}"));
    let found: Vec<_> = vectors.iter().map(|vector| vector.id.clone()).collect();
    assert_eq!(found, ids, "{file}: the vectors are complete");
    for vector in &vectors {
        vector.check();
    }
}

fn numbered(prefix: &str, numbers: impl Iterator<Item = u8>) -> Vec<String> {
    numbers.map(|number| format!("{prefix}{number}")).collect()
}

fn texts(ids: &[&str]) -> Vec<String> {
    ids.iter().map(ToString::to_string).collect()
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec/vectors")
}
