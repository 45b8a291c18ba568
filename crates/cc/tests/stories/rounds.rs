//! Curves without a network: every algorithm on two unequal paths that lose packets at fixed rounds, as tables.

use std::fmt::Write;

use manypath_cc::{Controller, Entry, PathAck, Profile, WindowState, algorithms};
use manypath_core::{PathId, Span, Time};

/// A round takes 20 ms: one round trip on path north, half of one on path south.
const NORTH: Track = Track { rtt: 1, loses_every: 12, times_out: None };
const SOUTH: Track = Track { rtt: 2, loses_every: 20, times_out: Some(30) };

#[test]
fn two_unequal_paths() {
    for entry in algorithms() {
        let name = entry.name.replace(':', "-");
        assert_snapshot(&name, entry, &table(entry, Profile::PAPER));
    }
}

/// The same for all algorithms of TCP, whose windows grow with every acknowledgement.
#[test]
fn two_unequal_paths_of_multipath_tcp() {
    let of_sctp = |name: &str| name.starts_with("cmt-") || name.starts_with("mptcp-like");
    for entry in algorithms().iter().filter(|entry| !of_sctp(entry.name)) {
        assert_snapshot(&format!("tcp-{}", entry.name), entry, &table(entry, Profile::TCP));
    }
}

fn assert_snapshot(name: &str, entry: &Entry, table: &str) {
    insta::with_settings!({ description => entry.summary, omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!(name, table);
    });
}

/// The events of a path, counted in rounds.
struct Track {
    rtt: usize,
    loses_every: usize,
    times_out: Option<usize>,
}

impl Track {
    /// Runs one round on `path`; returns its event.
    fn round(&self, controller: &mut Controller, path: PathId, round: usize) -> &'static str {
        let now = Time::ZERO + ROUND * round as u64;
        if self.times_out == Some(round) {
            controller.on_timeout(now, path);
            return "timeout";
        }
        if round.is_multiple_of(self.loses_every) {
            controller.on_sack(now, &[], &[path]);
            return "loss";
        }
        let at_threshold = u64::from(controller.profile().slow_start_at_threshold);
        let phase = if controller.window(path) < controller.ssthresh(path) + at_threshold {
            "slow start"
        } else {
            "avoidance"
        };
        if !round.is_multiple_of(self.rtt) {
            return phase;
        }
        // The packets of one window, acknowledged two by two.
        let packets = controller.window(path).div_ceil(PAYLOAD);
        for first in (0..packets).step_by(2) {
            let bytes = PAYLOAD * (packets - first).min(2);
            let ack = PathAck { path, bytes, was_full: true, may_grow: true, in_recovery: false };
            controller.on_sack(now, &[ack], &[]);
        }
        phase
    }
}

/// Windows in packets after each round.
fn table(entry: &Entry, profile: Profile) -> String {
    let mut controller = Controller::new(entry.make(), profile);
    let paths = [NORTH, SOUTH].map(|track| (controller.open_path_with_unit(PAYLOAD), track));
    controller.start(PEER_WINDOW);
    for (path, track) in &paths {
        let rtt = ROUND * track.rtt as u64;
        controller.on_rtt(*path, rtt, rtt);
        let begin = controller.state(*path);
        controller.restore(*path, WindowState { ssthresh: PEER_WINDOW, ..begin });
    }

    let mut table = String::from("round | north             | south             | together\n");
    for round in 1..=60 {
        write!(table, "{round:5} |").unwrap();
        let mut together = 0.0;
        for (path, track) in &paths {
            let phase = track.round(&mut controller, *path, round);
            let packets = controller.window(*path) as f64 / PAYLOAD as f64;
            together += packets;
            write!(table, " {packets:6.2} {phase:10} |").unwrap();
        }
        writeln!(table, " {together:6.2}").unwrap();
    }
    table
}

const ROUND: Span = Span::from_millis(20);

/// User data of one packet, bytes: one unit.
const PAYLOAD: u64 = 1452;

/// The initial slow-start threshold.
const PEER_WINDOW: u64 = 40 * PAYLOAD;
