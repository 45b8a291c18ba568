//! The rules that are common to all algorithms, and the rows in which the profiles differ.

use manypath_cc::{
    Controller, IpVersion, PartialAfterStep, PartialBytes, PathAck, Profile, WindowState, algorithm,
};
use manypath_core::{PathId, Span, Time};

#[test]
fn a_sack_grows_only_a_full_window_that_may_grow() {
    for (was_full, may_grow, grown) in [(true, true, 1500), (false, true, 0), (true, false, 0)] {
        let mut controller = one_path("newreno", Profile::INET, slow_start(30_000));
        controller.on_sack(Time::ZERO, &[PathAck { was_full, may_grow, ..full(3000) }], &[]);
        assert_eq!(controller.window(P), 30_000 + grown);
    }
}

#[test]
fn fast_recovery_freezes_the_window() {
    let mut controller = one_path("newreno", Profile::INET, slow_start(30_000));
    controller.on_sack(Time::ZERO, &[], &[P]);
    let after_the_cut = controller.state(P);
    assert_eq!(after_the_cut, WindowState { window: 15_000, ssthresh: 15_000, partial: 0 });

    controller.on_sack(Time::ZERO, &[PathAck { in_recovery: true, ..full(3000) }], &[]);
    assert_eq!(controller.state(P), after_the_cut);

    controller.on_sack(Time::ZERO, &[full(3000)], &[]);
    assert_eq!(controller.window(P), 16_500);
}

#[test]
fn a_path_on_another_route_has_the_initial_values() {
    let mut controller = Controller::new(algorithm("newreno").unwrap(), Profile::INET);
    let path = controller.open_path(1500);
    controller.start(100_000);
    let first = controller.state(path);
    controller.on_sack(Time::ZERO, &[full(1500)], &[path]);
    assert_ne!(controller.state(path), first);
    controller.restart(path);
    assert_eq!(controller.state(path), first);
}

#[test]
fn another_mtu_changes_the_segment_and_keeps_a_window_of_at_least_one() {
    let mut controller = one_path("newreno", Profile::RFC9260, slow_start(6000));
    controller.set_mtu(P, IpVersion::V6, 1280);
    assert_eq!((controller.unit(P), controller.window(P)), (1280 - 40 - 12, 6000));
    controller.set_mtu(P, IpVersion::V4, 9000);
    assert_eq!((controller.unit(P), controller.window(P)), (9000 - 20 - 12, 9000 - 20 - 12));
}

#[test]
fn a_timeout_reduces_the_window_to_one_segment() {
    let mut controller = one_path("newreno", Profile::INET, avoidance(30_000, 700));
    controller.on_timeout(Time::ZERO, P);
    assert_eq!(controller.state(P), WindowState { window: 1500, ssthresh: 15_000, partial: 0 });
}

/// RFC 9260 §7.2.2: the partial bytes count in every SACK, and wait at one window while it is not used.
#[test]
fn partial_bytes_wait_until_the_window_is_used() {
    let unused = PathAck { was_full: false, ..full(2000) };
    let mut rfc9260 = one_path("newreno", Profile::RFC9260, avoidance(20_000, 19_000));
    let mut inet = one_path("newreno", Profile::INET, avoidance(20_000, 19_000));
    for controller in [&mut rfc9260, &mut inet] {
        controller.on_sack(Time::ZERO, &[unused], &[]);
        assert_eq!(controller.window(P), 20_000);
    }
    assert_eq!(rfc9260.state(P).partial, 20_000);
    assert_eq!(inet.state(P).partial, 21_000);

    rfc9260.on_sack(Time::ZERO, &[full(1000)], &[]);
    assert_eq!(rfc9260.state(P), WindowState { window: 21_468, ssthresh: 10_000, partial: 1000 });
}

#[test]
fn profiles_keep_different_partial_bytes_after_a_step() {
    let rest = |after_step| {
        let partial = PartialBytes { after_step, ..Profile::PAPER.partial };
        let mut controller =
            one_path("newreno", Profile { partial, ..Profile::PAPER }, avoidance(14_520, 14_000));
        controller.on_sack(Time::ZERO, &[full(2904)], &[]);
        assert_eq!(controller.window(P), 15_972);
        controller.state(P).partial
    };
    assert_eq!(rest(PartialAfterStep::LessOldWindow), 2384);
    assert_eq!(rest(PartialAfterStep::BeyondNewWindow), 932);
    assert_eq!(rest(PartialAfterStep::Zero), 0);
}

#[test]
fn slow_start_clears_the_partial_bytes_in_inet_only() {
    for (profile, partial) in [(Profile::INET, 0), (Profile::RFC9260, 500)] {
        let mut controller =
            one_path("newreno", profile, WindowState { partial: 500, ..slow_start(30_000) });
        controller.on_sack(Time::ZERO, &[full(1000)], &[]);
        assert_eq!(controller.state(P), WindowState { window: 31_000, ssthresh: 30_000, partial });
    }
}

#[test]
fn the_papers_compare_differently_at_equality() {
    // c = s: slow start in all profiles, but congestion avoidance in the equations of [D11].
    let strict = Profile { slow_start_at_threshold: false, ..Profile::PAPER };
    for (profile, state) in [(Profile::PAPER, (15_520, 0)), (strict, (14_520, 1000))] {
        let mut controller = one_path("newreno", profile, slow_start(14_520));
        controller.on_sack(Time::ZERO, &[full(1000)], &[]);
        assert_eq!((controller.window(P), controller.state(P).partial), state);
    }
    // p = c: a step in all profiles, but no step in the equations of [D12].
    let strict = Profile { step_at_window: false, ..Profile::PAPER };
    for (profile, window) in [(Profile::PAPER, 15_972), (strict, 14_520)] {
        let mut controller = one_path("newreno", profile, avoidance(14_520, 13_520));
        controller.on_sack(Time::ZERO, &[full(1000)], &[]);
        assert_eq!(controller.window(P), window);
    }
}

#[test]
fn half_of_an_odd_window_is_rounded_to_the_even_neighbour_in_inet() {
    let after_loss = |profile, window| {
        let mut controller = one_path("newreno", profile, avoidance(window, 0));
        controller.on_sack(Time::ZERO, &[], &[P]);
        controller.window(P)
    };
    // Half of 20001 is 10000.5, of 20003 it is 10001.5.
    assert_eq!([20_001, 20_003].map(|window| after_loss(Profile::INET, window)), [10_001, 10_001]);
    assert_eq!([20_001, 20_003].map(|window| after_loss(Profile::PAPER, window)), [10_001, 10_002]);
}

/// [D11] has a floor of four units times the path's part for RPv1; INET as the authors ran it has one unit.
#[test]
fn floors_differ_between_the_paper_and_its_simulator() {
    let after_loss = |name, profile| {
        let mut controller =
            one_path(name, profile, WindowState { window: 5000, ssthresh: 22_500, partial: 0 });
        let other = controller.open_path(1500);
        controller.restore(other, WindowState { window: 45_000, ssthresh: 30_000, partial: 0 });
        controller.on_rtt(other, RTT, RTT);
        controller.on_sack(Time::ZERO, &[], &[P]);
        (controller.window(P), controller.paths()[P].asked())
    };
    // 4 units are 5808 bytes in `paper`, and 3/7 of them 2489.14.
    assert_eq!(after_loss("newreno", Profile::PAPER), (5808, 2500));
    assert_eq!(after_loss("newreno", Profile::INET), (6000, 2500));
    assert_eq!(after_loss("cmt-rpv1", Profile::PAPER), (2490, -20_000));
    assert_eq!(after_loss("cmt-rpv1", Profile::INET), (1500, -20_000));
    assert_eq!(after_loss("cmt-rpv2", Profile::PAPER), (1452, -20_000));
    assert_eq!(after_loss("cmt-rpv2", Profile::INET), (1500, -20_000));
    assert_eq!(after_loss("mptcp-like", Profile::PAPER), (5808, 2500));
    assert_eq!(after_loss("mptcp-like", Profile::INET), (2500, 2500));
}

#[test]
fn idle_time_reduces_the_window_step_by_step() {
    let idle_twice = |profile| {
        let mut controller = one_path(
            "newreno",
            profile,
            WindowState { window: 40_000, ssthresh: 9000, partial: 0 },
        );
        let states = [(); 2].map(|()| {
            controller.on_idle(P);
            (controller.window(P), controller.ssthresh(P))
        });
        assert!(controller.window(P) >= 4380);
        states
    };
    assert_eq!(idle_twice(Profile::RFC9260), [(20_000, 40_000), (10_000, 40_000)]);
    assert_eq!(idle_twice(Profile::PAPER), [(20_000, 9000), (10_000, 9000)]);
    assert_eq!(idle_twice(Profile::INET), [(4380, 9000), (4380, 9000)]);
}

#[test]
fn idle_time_does_not_enlarge_a_small_window() {
    let mut controller = one_path("newreno", Profile::RFC9260, slow_start(2000));
    controller.on_idle(P);
    assert_eq!(controller.window(P), 2000);
}

#[test]
fn a_limit_lowers_the_window_but_not_below_one_unit() {
    let mut controller = one_path("newreno", Profile::INET, slow_start(30_000));
    controller.limit_window(P, 40_000);
    assert_eq!(controller.window(P), 30_000);
    controller.limit_window(P, 9000);
    assert_eq!(controller.window(P), 9000);
    controller.limit_window(P, 0);
    assert_eq!(controller.window(P), 1500);
}

#[test]
fn a_failed_path_leaves_the_sums_except_in_inet() {
    let grown = |profile| {
        let mut controller = one_path("cmt-rpv2", profile, slow_start(30_000));
        let other = controller.open_path(1500);
        controller.restore(other, slow_start(30_000));
        controller.on_rtt(other, RTT, RTT);
        controller.set_active(other, false);
        controller.on_sack(Time::ZERO, &[full(1000)], &[]);
        controller.window(P) - 30_000
    };
    assert_eq!(grown(Profile::PAPER), 1000);
    assert_eq!(grown(Profile::INET), 500);
}

#[test]
fn a_path_without_a_round_trip_time_grows_by_an_equal_share() {
    let grown = |name, profile| {
        let mut controller = one_path(name, profile, slow_start(30_000));
        let unmeasured = controller.open_path(1500);
        controller.restore(unmeasured, slow_start(30_000));
        let ack = PathAck { path: unmeasured, ..full(1000) };
        controller.on_sack(Time::ZERO, &[full(1000), ack], &[]);
        [P, unmeasured].map(|path| controller.window(path) - 30_000)
    };
    assert_eq!(grown("cmt-rpv2", Profile::PAPER), [1000, 500]);
    assert_eq!(grown("mptcp-like", Profile::PAPER), [1000, 500]);
    // INET assumes 3 s, that is 24000 ticks instead of 160: the shares are 150/151 and 1/151.
    assert_eq!(grown("cmt-rpv2", Profile::INET), [994, 7]);
}

#[test]
fn a_path_that_opens_later_begins_like_the_others() {
    let mut controller = Controller::new(algorithm("cmt-rpv1").unwrap(), Profile::INET);
    controller.open_path(1500);
    controller.start(100_000);
    assert_eq!(controller.state(P), WindowState { window: 4380, ssthresh: 100_000, partial: 0 });
    let late = controller.open_path(1500);
    assert_eq!(controller.state(late), WindowState { window: 3000, ssthresh: 100_000, partial: 0 });
}

#[test]
fn the_bytes_of_a_chunk_depend_on_the_profile() {
    assert_eq!(Profile::RFC9260.count(1001), 1020);
    assert_eq!(Profile::RFC9260.count(1452), Profile::RFC9260.unit(1500));
    assert_eq!(Profile::PAPER.count(1001), 1001);
    assert_eq!(Profile::ALL.map(|profile| profile.unit(1500)), [1468, 1452, 1500]);
    assert_eq!([0, 1, 4, 5].map(Profile::padded), [0, 4, 4, 8]);
}

#[test]
fn an_unknown_profile_is_reported_with_the_most_similar_one() {
    assert_eq!(Profile::by_name("inet").map(|profile| profile.name), Ok("inet"));
    let error = Profile::by_name("RFC-9260").unwrap_err().to_string();
    assert_eq!(
        error,
        "there is no accounting profile \"RFC-9260\": did you mean \"rfc9260\"? (known: rfc9260, paper, inet)"
    );
}

fn one_path(name: &str, profile: Profile, state: WindowState) -> Controller {
    let mut controller = Controller::new(algorithm(name).unwrap(), profile);
    let path = controller.open_path(1500);
    controller.restore(path, state);
    controller.on_rtt(path, RTT, RTT);
    controller
}

fn slow_start(window: u64) -> WindowState {
    WindowState { window, ssthresh: window, partial: 0 }
}

fn avoidance(window: u64, partial: u64) -> WindowState {
    WindowState { window, ssthresh: window / 2, partial }
}

fn full(bytes: u64) -> PathAck {
    PathAck { path: P, bytes, was_full: true, may_grow: true, in_recovery: false }
}

const P: PathId = PathId(0);

const RTT: Span = Span::from_millis(20);
