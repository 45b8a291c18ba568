//! BMC over the lifetime of a connection: intervals, initial weights, opened and closed paths. [H09] §3

use manypath_cc::{Controller, PathAck, Profile, WindowState, algorithm};
use manypath_core::{PathId, Span, Time};
use proptest::prelude::*;

const A: PathId = PathId(0);
const B: PathId = PathId(1);
const RTT: Span = Span::from_millis(100);

/// A connection and its clock, packets of 1000 bytes.
struct Connection {
    controller: Controller,
    now: Time,
}

impl Connection {
    fn new(name: &str, paths: u8) -> Self {
        let controller = Controller::new(algorithm(name).unwrap(), Profile::TCP);
        let mut connection = Self { controller, now: Time::ZERO };
        connection.controller.start(1 << 20);
        for _ in 0..paths {
            connection.join(RTT);
        }
        connection
    }

    fn join(&mut self, rtt: Span) -> PathId {
        let path = self.controller.open_path_with_unit(1000);
        self.controller.restore(path, WindowState { window: 20_000, ssthresh: 1000, partial: 0 });
        self.controller.on_rtt(path, rtt, rtt);
        path
    }

    fn acked(&mut self, path: PathId, bytes: u64, was_full: bool) {
        let ack = PathAck { path, bytes, was_full, may_grow: true, in_recovery: false };
        self.controller.on_sack(self.now, &[ack], &[]);
    }

    /// Acknowledges bytes at these rates on each path, ten times per second, for `seconds`. All windows are used.
    fn deliver(&mut self, seconds: u64, bytes_per_second: &[u64]) {
        for _ in 0..10 * seconds {
            self.deliver_a_tenth(bytes_per_second);
        }
    }

    /// Acknowledges the bytes of a tenth of a second, which is a round trip.
    fn deliver_a_tenth(&mut self, bytes_per_second: &[u64]) {
        self.now += RTT;
        for (index, bytes) in bytes_per_second.iter().enumerate() {
            if *bytes > 0 {
                self.acked(PathId(index as u8), bytes / 10, true);
            }
        }
    }

    fn lose(&mut self, path: PathId) {
        self.controller.on_sack(self.now, &[], &[path]);
    }

    fn weights(&self) -> Vec<f64> {
        self.controller.paths().ids().map(|path| self.controller.weight(path).unwrap()).collect()
    }

    fn assert_weights(&self, expected: &[f64]) {
        let weights = self.weights();
        assert_eq!(weights.len(), expected.len());
        for (weight, expected) in weights.iter().zip(expected) {
            assert!((weight - expected).abs() < 1e-9, "{weights:?}, expected {expected:?}");
        }
    }
}

/// [H09] fig. 3.1 and 3.2: the path that is limited to 4 Mbit/s gives half of its weight to the other.
#[test]
fn weight_moves_from_the_limited_path_to_the_other() {
    let mut connection = Connection::new("bmc:gain=1", 2);
    connection.assert_weights(&[0.5, 0.5]);
    connection.deliver(1, &[500_000, 1_083_333]);
    connection.lose(A);
    connection.lose(B);
    connection.deliver(9, &[500_000, 1_083_333]);
    connection.assert_weights(&[0.5, 0.5]);
    connection.deliver(1, &[500_000, 1_083_333]);
    connection.assert_weights(&[0.25, 0.75]);
}

#[test]
fn the_growth_of_a_window_is_the_square_of_its_weight() {
    let mut connection = Connection::new("bmc:weights=3:1", 2);
    let growth =
        |connection: &mut Connection, path| connection.controller.formulas(Time::ZERO, path).growth;
    assert!((growth(&mut connection, A) - 562.5).abs() < 1e-9);
    assert!((growth(&mut connection, B) - 62.5).abs() < 1e-9);
}

#[test]
fn an_interval_is_extended_up_to_twice_its_length_while_a_path_has_no_loss() {
    let mut connection = Connection::new("bmc:gain=1,interval=10 s", 2);
    connection.deliver(1, &[500_000, 1_083_333]);
    connection.lose(A);
    connection.deliver(18, &[500_000, 1_083_333]);
    connection.assert_weights(&[0.5, 0.5]);
    connection.deliver(2, &[500_000, 1_083_333]);
    connection.assert_weights(&[0.25, 0.75]);
}

/// 400 packets at weight 1/2 and 100 ms: an epoch has 801 round trips, which exceed the limit of one minute.
#[test]
fn an_interval_covers_a_congestion_epoch_up_to_one_minute() {
    let mut connection = Connection::new("bmc:gain=1,interval=5 s", 2);
    let state = WindowState { window: 400_000, ssthresh: 1000, partial: 0 };
    connection.controller.restore(A, state);
    connection.deliver(1, &[500_000, 1_083_333]);
    connection.lose(A);
    connection.lose(B);
    connection.deliver(58, &[500_000, 1_083_333]);
    connection.assert_weights(&[0.5, 0.5]);
    connection.deliver(2, &[500_000, 1_083_333]);
    connection.assert_weights(&[0.25, 0.75]);
}

#[test]
fn an_interval_with_unused_windows_changes_no_weight() {
    for (limited, moves) in [(5, true), (20, false)] {
        let mut connection = Connection::new("bmc:gain=1", 2);
        for step in 0..250 {
            connection.now += Span::from_millis(100);
            connection.acked(A, 50_000, true);
            connection.acked(B, 110_000, step % 100 >= limited);
        }
        assert_eq!(connection.weights() != [0.5, 0.5], moves, "{limited} %");
    }
}

#[test]
fn a_path_with_timeouts_only_loses_weight_and_an_unused_path_keeps_it() {
    let mut connection = Connection::new("bmc:gain=1", 2);
    connection.deliver(25, &[500_000]);
    connection.assert_weights(&[0.5, 0.5]);
    let mut connection = Connection::new("bmc:gain=1", 2);
    connection.deliver(1, &[500_000]);
    connection.controller.on_timeout(connection.now, B);
    connection.deliver(24, &[500_000]);
    connection.assert_weights(&[0.75, 0.25]);
}

/// Acknowledgements in the five round trips after a change do not count. Here they would move the weight back.
#[test]
fn the_first_round_trips_after_a_change_are_not_measured() {
    let mut connection = Connection::new("bmc:gain=1,interval=1 s", 2);
    while connection.weights() == [0.5, 0.5] {
        connection.deliver_a_tenth(&[500_000, 1_083_333]);
    }
    connection.assert_weights(&[0.25, 0.75]);
    for _ in 0..4 {
        connection.deliver_a_tenth(&[1_000_000_000, 0]);
    }
    connection.deliver(3, &[250_000, 750_000]);
    connection.assert_weights(&[0.25, 0.75]);
}

#[test]
fn the_comparison_of_paths_is_independent_of_round_trip_times() {
    let mut connection = Connection::new("bmc:gain=1", 1);
    connection.join(RTT * 2);
    connection.deliver(25, &[1_000_000, 500_000]);
    connection.assert_weights(&[0.5, 0.5]);
}

#[test]
fn a_new_path_gets_an_equal_share_and_a_closed_one_leaves_its_share_to_the_others() {
    let mut connection = Connection::new("bmc:gain=1", 2);
    connection.deliver(25, &[500_000, 1_083_333]);
    connection.assert_weights(&[0.25, 0.75]);
    let late = connection.join(RTT);
    connection.assert_weights(&[1.0 / 6.0, 0.5, 1.0 / 3.0]);
    connection.controller.close_path(B);
    connection.assert_weights(&[1.0 / 3.0, 0.0, 2.0 / 3.0]);
    connection.controller.close_path(late);
    connection.assert_weights(&[1.0, 0.0, 0.0]);
}

#[test]
fn initial_weights_follow_the_parameter() {
    Connection::new("bmc", 4).assert_weights(&[0.25; 4]);
    Connection::new("bmc:shares=2", 2).assert_weights(&[1.0, 1.0]);
    Connection::new("bmc:weights=2:1,shares=3", 2).assert_weights(&[2.0, 1.0]);
    Connection::new("bmc:weights=2:1", 3).assert_weights(&[0.5, 0.25, 0.25]);
    let mut by_rtt = Connection::new("bmc:weights=by-rtt", 1);
    by_rtt.deliver(1, &[1000]);
    by_rtt.assert_weights(&[1.0]);
    by_rtt.join(RTT * 3);
    by_rtt.assert_weights(&[0.5, 0.5]);
    by_rtt.deliver(1, &[1000]);
    by_rtt.assert_weights(&[0.75, 0.25]);
}

#[test]
fn bad_parameters_are_refused() {
    for (name, said) in [
        ("bmc:weights=heavy", "equal, by-rtt, or a ratio"),
        ("bmc:weights=1:0", "equal, by-rtt, or a ratio"),
        ("bmc:interval=10", "with its unit, such as 10 s"),
        ("bmc:gain=5", "a number from 0 to 4"),
        ("bmc:shares=none", "a number from 0.01 to 100"),
    ] {
        let error = algorithm(name).unwrap_err().to_string();
        assert!(error.starts_with("bmc:") && error.contains(said), "{error}");
    }
}

/// An event of a connection.
#[derive(Clone, Debug)]
enum Event {
    Acked { bytes: u64, was_full: bool },
    Rtt(Span),
    Lost,
    TimedOut,
    Join,
    Leave,
}

fn event() -> impl Strategy<Value = (u64, u8, Event)> {
    let event = prop_oneof![
        10 => (1..10_000_000_u64, prop::bool::weighted(0.95))
            .prop_map(|(bytes, was_full)| Event::Acked { bytes, was_full }),
        2 => (1..500_u64).prop_map(|rtt| Event::Rtt(Span::from_millis(rtt))),
        2 => Just(Event::Lost),
        1 => Just(Event::TimedOut),
        1 => Just(Event::Join),
        1 => Just(Event::Leave),
    ];
    (0..3000_u64, any::<u8>(), event)
}

proptest! {
    #[test]
    fn weights_are_positive_and_have_a_constant_sum_for_any_gain(
        gain in 0.0..=4.0_f64,
        shares in 0.01..=100.0_f64,
        paths in 1..5_u8,
        events in prop::collection::vec(event(), 1..200),
    ) {
        let mut connection = Connection::new(&format!("bmc:gain={gain},shares={shares},interval=1 s"), paths);
        for (millis, path, event) in events {
            connection.now += Span::from_millis(millis);
            let open: Vec<_> = connection
                .controller
                .paths()
                .ids()
                .filter(|&path| connection.controller.paths()[path].is_open())
                .collect();
            let path = open[usize::from(path) % open.len()];
            match event {
                Event::Acked { bytes, was_full } => connection.acked(path, bytes, was_full),
                Event::Rtt(rtt) => connection.controller.on_rtt(path, rtt, rtt),
                Event::Lost => connection.lose(path),
                Event::TimedOut => connection.controller.on_timeout(connection.now, path),
                Event::Join if open.len() < 8 => drop(connection.join(RTT)),
                Event::Leave if open.len() > 1 => connection.controller.close_path(path),
                Event::Join | Event::Leave => {}
            }
            let weights = connection.weights();
            let sum: f64 = weights.iter().sum();
            prop_assert!((sum / shares - 1.0).abs() < 1e-9, "{weights:?}");
            for (path, weight) in connection.controller.paths().iter().zip(&weights) {
                let part = weight / shares;
                prop_assert!(part <= 1.0 + 1e-9 && (part > 0.0) == path.is_open(), "{weights:?}");
            }
        }
    }
}
