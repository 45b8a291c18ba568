//! The integer formulas compared with the floating-point formulas of `manypath-cc`, over the range of the kernel's
//! values.

use std::sync::Arc;

use manypath_cc::{Controller, PathAck, Profile, WindowState, algorithm};
use manypath_core::{PathId, Span, Time};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::twin::question::{Action, Question, Vegas, number, value};
use crate::twin::{Ask, Host, Kind, Twin};

/// The largest relative error according to `bpf/formulas.h`.
const ERROR: f64 = 1.0 / (1 << 24) as f64;

/// One unit, so that windows are packets.
const UNIT: u64 = 1;

#[derive(Clone, Copy, Debug)]
struct Path {
    window: u64,
    threshold: u64,
    srtt_us: u64,
    delivered: u64,
    delivered_before: u64,
}

/// A window of 1 to 2^20 packets and a round-trip time of 10 us to 60 s, logarithmically distributed. Each path has had
/// an acknowledgement, which `lia-eunice` needs.
fn any_path() -> impl Strategy<Value = Path> {
    let exponents = (0.0..=20.0_f64, 0.0..=20.0_f64, 0.0..=22.5_f64);
    (exponents, 1..1_000_000_u64, 1..1_000_000_u64).prop_map(
        |((window, threshold, srtt), delivered, delivered_before)| Path {
            window: window.exp2() as u64,
            threshold: threshold.exp2() as u64,
            srtt_us: ((10.0 * srtt.exp2()) as u64).min(60_000_000),
            delivered,
            delivered_before,
        },
    )
}

/// A controller in the state of `paths`: all have acknowledgements, some have losses.
fn controller(mut controller: Controller, paths: &[Path]) -> Controller {
    for path in paths {
        let id = controller.open_path_with_unit(UNIT);
        let rtt = Span::from_micros(path.srtt_us);
        controller.on_rtt(id, rtt, rtt);
        for bytes in [path.delivered_before, path.delivered] {
            let state = WindowState { window: path.window, ssthresh: path.threshold, partial: 0 };
            controller.restore(id, state);
            if bytes > 0 {
                let ack = PathAck {
                    path: id,
                    bytes,
                    was_full: false,
                    may_grow: true,
                    in_recovery: false,
                };
                controller.on_ack(Time::ZERO, &ack);
            }
            if bytes == path.delivered_before {
                controller.on_sack(Time::ZERO, &[], &[id]);
                controller.restore(id, state);
            }
        }
    }
    controller
}

fn near(integer: f64, float: f64, size: f64) -> bool {
    (integer - float).abs() <= ERROR * size
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn growth_and_cuts_are_those_of_the_floating_formulas(paths in vec(any_path(), 1..=16)) {
        let host: Arc<dyn Ask> = Arc::new(Host);
        for (name, kind) in Kind::ALL {
            let new = |algorithm| controller(Controller::new(algorithm, Profile::TCP), &paths);
            let mut integer = new(Twin::named(name, &host).unwrap());
            let mut float = new(algorithm(name).unwrap());
            for index in 0..paths.len() {
                let path = PathId(index as u8);
                let (a, b) = (integer.formulas(Time::ZERO, path), float.formulas(Time::ZERO, path));
                // OLIA subtracts two terms, so the difference may be much smaller than both.
                let size = if kind == Kind::Olia { 1.0 } else { b.growth };
                prop_assert!(near(a.growth, b.growth, size), "{name} {path}: {a:?}, not {b:?}");
                prop_assert!(near(a.cut, b.cut, b.cut), "{name} {path}: {a:?}, not {b:?}");
                prop_assert!(near(a.slow_start, b.slow_start, b.slow_start), "{name} {path}: {a:?}, not {b:?}");
            }
        }
    }

    /// Compared with integers of 128 bits, which cannot overflow here.
    #[test]
    fn windows_grow_by_the_requested_amount_and_never_overflow(
        window in 1..=1_u32 << 20, acked in 1..=1_u32 << 20, more in -28.0..=13.0_f64, before in 0..1_i64 << 48,
    ) {
        let more = value(number(more.exp2()));
        let mut question = Question::windows(window, acked, before, more, 0.0, 1);
        Host.ask(&mut question);
        let told = u128::from(question.grown()) << 48 | question.fraction() as u128;
        let part = (more * (1_u128 << 48) as f64) as u128 * u128::from(acked.min(window)) / u128::from(window);
        let exact = (u128::from(window) << 48) + before as u128 + part;
        prop_assert!(told.abs_diff(exact) <= 1 + (part >> 28), "{told:x}, not {exact:x}");
    }

    #[test]
    fn cuts_leave_whole_packets_and_the_floor(window in 1..=1_u32 << 20, part in 0.0..=20.0_f64, floor in 1..=2_u32) {
        let cut = f64::from(window) * part;
        let mut question = Question::windows(window, 1, 0, 0.0, cut, floor);
        Host.ask(&mut question);
        let exact = f64::from(window) - cut;
        let whole = if exact < f64::from(floor) { floor } else { exact.floor() as u32 };
        // Within 1/256 of a packet the larger window is acceptable.
        let larger = ((exact + 1.0 / 200.0).floor() as u32).max(floor);
        prop_assert!((whole..=larger).contains(&question.reduced()), "{} of {exact}", question.reduced());
    }
}

#[test]
fn a_window_that_shrinks_little_by_little_keeps_one_packet() {
    let mut question = Question::windows(1, 1, 0, 0.0, 0.0, 1);
    question.words[4] = number(0.75);
    Host.ask(&mut question);
    assert_eq!((question.grown(), question.fraction()), (1, -3 << 46));
    Host.ask(&mut question);
    assert_eq!(
        (question.grown(), question.fraction()),
        (1, -1 << 47),
        "one and a half less, one of them whole"
    );
}

/// The largest growth that a weight can request saturates instead of wrapping around.
#[test]
fn nothing_overflows_at_the_ends() {
    let mut question = Question::windows(1, 1, (1 << 48) - 1, 1e30, 1e30, 2);
    Host.ask(&mut question);
    assert_eq!((question.grown(), question.reduced()), (1 + (1 << 14), 2));
    for x in [1.0, 4_294_967_295.0, 2.0_f64.powi(-200), 2.0_f64.powi(200)] {
        assert_eq!(value(number(x)), x);
    }
}

#[test]
fn rounds_of_weighted_vegas_are_those_of_the_floating_ones_to_the_packet() {
    let round = |action, [window, threshold, base, rtt, queued, queue_delay]: [u32; 6]| {
        let vegas = Vegas { window, threshold, base, rtt, queued, queue_delay };
        let mut question = Question::vegas(action, vegas, true);
        Host.ask(&mut question);
        let after = question.after_round();
        [after.window, after.threshold, after.queued, after.queue_delay]
    };
    // V-WV-1 to 4; in Linux a threshold is not below three quarters of the window.
    let avoid = |before| round(Action::VegasAvoid, before);
    assert_eq!(avoid([20, 10, 100_000, 110_000, 2, 0]), [21, 15, 2, 10_000]);
    assert_eq!(avoid([20, 10, 100_000, 102_000, 6, 0]), [21, 15, 6, 2_000]);
    assert_eq!(avoid([40, 20, 50_000, 90_000, 10, 15_000]), [10, 20, 10, 0]);
    let slow_start = |before| round(Action::VegasSlowStart, before);
    assert_eq!(slow_start([32, 64, 100_000, 110_000, 2, 0]), [30, 29, 2, 0]);
    assert_eq!(slow_start([10, 64, 100_000, 101_000, 2, 0]), [10, 64, 2, 0]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    /// Sequences of rounds of a path, each with three equal samples and acknowledgements of one window.
    #[test]
    fn lives_under_weighted_vegas_are_those_of_the_floating_one(
        rtts in vec(1_000..200_000_u64, 1..60), losses in vec(any::<bool>(), 60),
    ) {
        let mut float = Controller::new(algorithm("wvegas").unwrap(), Profile::TCP);
        let path = float.open_path_with_unit(1000);
        float.restore(path, WindowState { window: 10_000, ssthresh: 30_000, partial: 0 });
        let mut vegas = Vegas { window: 10, threshold: 30, base: u32::MAX, rtt: 0, queued: 2, queue_delay: 0 };
        let (mut is_begun, mut sum, mut rounds) = (false, 0, 0);
        for (&rtt, &has_loss) in rtts.iter().zip(&losses) {
            for _ in 0..3 {
                float.on_rtt(path, Span::from_micros(rtt), Span::from_micros(rtt));
            }
            vegas.base = vegas.base.min(rtt as u32);
            (sum, rounds) = (sum + rtt, rounds + 1);
            vegas.rtt = (sum / rounds) as u32;
            // Not full, so that slow start adds nothing.
            let ack = PathAck { path, bytes: float.window(path), was_full: false, may_grow: true, in_recovery: false };
            float.on_ack(Time::ZERO, &ack);
            if is_begun {
                let is_slow_start = vegas.window < vegas.threshold;
                let action = if is_slow_start { Action::VegasSlowStart } else { Action::VegasAvoid };
                let mut question = Question::vegas(action, vegas, false);
                Host.ask(&mut question);
                vegas = question.after_round();
                (sum, rounds) = (0, 0);
            }
            is_begun = true;
            if has_loss {
                float.on_sack(Time::ZERO, &[], &[path]);
                vegas.window = (vegas.window / 2).max(2);
                vegas.threshold = vegas.window;
                (is_begun, sum, rounds) = (false, 0, 0);
            }
            let state = float.state(path);
            prop_assert_eq!((state.window / 1000, state.ssthresh / 1000), (vegas.window.into(), vegas.threshold.into()));
        }
    }
}
