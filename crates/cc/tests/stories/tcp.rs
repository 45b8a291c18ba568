//! The rules of TCP: given segment sizes, growth with every acknowledgement, opened and closed paths.

use manypath_cc::{Controller, PathAck, Profile, WindowState, algorithm};
use manypath_core::{PathId, Span, Time};

#[test]
fn every_acknowledgement_adds_its_share_without_loss_of_fractions() {
    let mut controller = one_path("newreno", avoidance(10_000));
    for window in [10_100, 10_199, 10_297] {
        controller.on_sack(Time::ZERO, &[full(1000)], &[]);
        assert_eq!(controller.window(P), window);
    }
    // The same million bytes in steps of one byte: w² grows linearly with the bytes.
    let grown = |bytes: u64| {
        let mut controller = one_path("newreno", avoidance(10_000));
        for _ in 0..1_000_000 / bytes {
            controller.on_sack(Time::ZERO, &[full(bytes)], &[]);
        }
        controller.window(P) as f64
    };
    // dw/dB = 1000/w, that is w² = w₀² + 2000 B.
    let exact = (1e8_f64 + 2e9).sqrt();
    assert!((grown(1) / exact - 1.0).abs() < 1e-4, "{} {exact}", grown(1));
    assert!((grown(1000) / exact - 1.0).abs() < 2e-3, "{} {exact}", grown(1000));
}

#[test]
fn an_acknowledgement_of_more_than_a_window_counts_as_one_window() {
    let mut controller = one_path("newreno", avoidance(10_000));
    controller.on_sack(Time::ZERO, &[full(50_000)], &[]);
    assert_eq!(controller.window(P), 11_000);
}

/// RFC 3465 §2.3: at most two segments per acknowledgement.
#[test]
fn slow_start_ends_below_the_threshold_and_counts_two_segments_per_acknowledgement() {
    let mut controller =
        one_path("newreno", WindowState { window: 9000, ssthresh: 10_000, partial: 0 });
    controller.on_sack(Time::ZERO, &[full(3000)], &[]);
    assert_eq!(controller.window(P), 11_000);
    let mut controller =
        one_path("newreno", WindowState { window: 10_000, ssthresh: 10_000, partial: 0 });
    controller.on_sack(Time::ZERO, &[full(1000)], &[]);
    assert_eq!(controller.window(P), 10_100, "at the threshold it is congestion avoidance");
}

#[test]
fn a_window_that_is_not_used_does_not_grow() {
    let mut controller = one_path("newreno", avoidance(10_000));
    for ack in
        [PathAck { was_full: false, ..full(1000) }, PathAck { may_grow: false, ..full(1000) }]
    {
        controller.on_sack(Time::ZERO, &[ack], &[]);
        assert_eq!(controller.window(P), 10_000);
    }
}

/// RFC 5681 §3.1, eq. 4: the minimum window is two segments after a loss, and one after a timeout.
#[test]
fn the_minimum_window_is_two_segments_after_a_loss_and_one_after_a_timeout() {
    let mut controller = one_path("newreno", avoidance(3000));
    controller.on_sack(Time::ZERO, &[], &[P]);
    assert_eq!(controller.state(P), WindowState { window: 2000, ssthresh: 2000, partial: 0 });
    controller.on_timeout(Time::ZERO, P);
    assert_eq!(controller.state(P), WindowState { window: 1000, ssthresh: 2000, partial: 0 });
    for name in ["olia", "balia", "coupled"] {
        let mut controller = one_path(name, avoidance(1500));
        controller.open_path_with_unit(1000);
        controller.on_sack(Time::ZERO, &[], &[P]);
        assert_eq!(controller.ssthresh(P), 1000, "{name}");
    }
}

/// Weight 1/n: with n = 2 a quarter of TCP's growth, which is half of its rate.
#[test]
fn each_of_n_equally_weighted_paths_grows_by_the_square_of_its_weight() {
    let mut controller = one_path("ewtcp", avoidance(10_000));
    for (paths, growth) in [(1.0, 1000.0), (2.0, 250.0), (3.0, 1000.0 / 9.0)] {
        let formulas = controller.formulas(Time::ZERO, P);
        assert!((formulas.growth - growth).abs() < 1e-9, "{paths}: {formulas:?}");
        assert!((formulas.cut - 5000.0).abs() < 1e-9, "{paths}: {formulas:?}");
        controller.open_path_with_unit(1000);
    }
}

/// 30 and 10 packets: growth by 3/4 and 1/4 packet per window; a loss on either path removes 20 packets.
#[test]
fn fully_coupled_paths_grow_and_back_off_as_one() {
    let mut controller = one_path("coupled", avoidance(30_000));
    let narrow = controller.open_path_with_unit(1000);
    controller.restore(narrow, avoidance(10_000));
    for (path, growth) in [(P, 750.0), (narrow, 250.0)] {
        let formulas = controller.formulas(Time::ZERO, path);
        assert!((formulas.growth - growth).abs() < 1e-9, "{path}: {formulas:?}");
    }
    controller.on_sack(Time::ZERO, &[], &[narrow]);
    assert_eq!((controller.window(narrow), controller.paths()[narrow].asked()), (1000, -10_000));
    controller.restore(narrow, avoidance(10_000));
    controller.on_sack(Time::ZERO, &[], &[P]);
    assert_eq!((controller.window(P), controller.window(narrow)), (10_000, 10_000));
}

#[test]
fn the_initial_window_is_ten_segments_by_default() {
    let windows = |controller: Controller| {
        let mut controller = controller;
        let paths = [1460, 536, 9000].map(|unit| controller.open_path_with_unit(unit));
        controller.start(1 << 20);
        paths.map(|path| controller.window(path))
    };
    let lia = || Controller::new(algorithm("lia").unwrap(), Profile::TCP);
    assert_eq!(windows(lia()), [14_600, 5360, 18_000]);
    assert_eq!(windows(lia().with_initial_window(3)), [4380, 1608, 27_000]);
}

/// RFC 5681 §4.1.
#[test]
fn idle_time_reduces_the_window_to_the_initial_one() {
    let after_idle = |window| {
        let mut controller = one_path("newreno", avoidance(window)).with_initial_window(3);
        controller.on_idle(P);
        controller.window(P)
    };
    assert_eq!([2000, 3000, 50_000].map(after_idle), [2000, 3000, 3000]);
}

#[test]
fn a_closed_path_is_excluded_from_the_sums_permanently() {
    for name in ["lia", "olia", "balia", "coupled", "ewtcp"] {
        let mut controller = one_path(name, avoidance(10_000));
        let other = controller.open_path_with_unit(1000);
        controller.restore(other, avoidance(10_000));
        controller.on_rtt(other, RTT, RTT);
        let together = controller.formulas(Time::ZERO, P).growth;
        controller.close_path(other);
        controller.close_path(other);
        controller.set_active(other, true);
        let alone = controller.formulas(Time::ZERO, P).growth;
        assert!((alone - 1000.0).abs() < 1e-9, "{name}: {alone}");
        assert!(together < 501.0, "{name}: {together}");
    }
}

#[test]
fn a_path_that_opens_later_gets_the_next_number_and_an_equal_share_until_it_is_measured() {
    for name in ["lia", "olia", "balia"] {
        let mut controller = one_path(name, avoidance(10_000));
        controller.start(1 << 20);
        let closed = controller.open_path_with_unit(1000);
        controller.close_path(closed);
        let late = controller.open_path_with_unit(1000);
        assert_eq!((late, controller.window(late)), (PathId(2), 10_000));
        let growth = controller.formulas(Time::ZERO, late).growth;
        assert!((growth - 500.0).abs() < 1e-9, "{name}: {growth}");
    }
}

fn one_path(name: &str, state: WindowState) -> Controller {
    let mut controller = Controller::new(algorithm(name).unwrap(), Profile::TCP);
    let path = controller.open_path_with_unit(1000);
    controller.restore(path, state);
    controller.on_rtt(path, RTT, RTT);
    controller
}

fn avoidance(window: u64) -> WindowState {
    WindowState { window, ssthresh: 1000, partial: 0 }
}

fn full(bytes: u64) -> PathAck {
    PathAck { path: P, bytes, was_full: true, may_grow: true, in_recovery: false }
}

const P: PathId = PathId(0);

const RTT: Span = Span::from_millis(20);
