//! CUBIC: growth by the time since the last loss, independently on each path. RFC 9438
//!
//! In packets and seconds, with C = 0.4 and β = 0.7: after a loss at the window W, the window becomes β·W. It then
//! follows C·(t − K)³ + W, which reaches W after K = ∛((W − βW)/C). It is never below the window of Reno with the same
//! average. Slow start follows TCP (RFC 5681), without HyStart++.

use manypath_core::{PathId, Time};

use crate::{Adjustment, Algorithm, Cut, Loss, PathAck, Paths, Stepping};

/// C: the steepness of the curve, packets per cubic second. RFC 9438 §5
const STEEPNESS: f64 = 0.4;

/// β: the factor of the window after a loss. RFC 9438 §4.6
const KEPT: f64 = 0.7;

/// α: growth per window of a Reno with the factor β that has the average window of standard Reno. RFC 9438 §4.3
const RENO_GROWTH: f64 = 3.0 * (1.0 - KEPT) / (1.0 + KEPT);

/// One cubic curve per path.
#[derive(Clone, Debug, Default)]
pub struct Cubic {
    now: Time,
    curves: Vec<Curve>,
}

/// The state of a path.
#[derive(Clone, Copy, Debug, Default)]
struct Curve {
    /// W: the window at which the curve is flat, packets.
    plateau: f64,
    /// K, seconds.
    climb: f64,
    /// When congestion avoidance began, shifted by the time in which the window was not used.
    began: Option<Time>,
    /// The window of a Reno flow that began at the same time, packets.
    reno: f64,
    /// The window before the last loss, packets.
    prior: f64,
    /// When an acknowledgement last arrived on the path.
    acked_at: Time,
    /// Packets that this acknowledgement covered.
    acked: f64,
}

impl Curve {
    /// Begins congestion avoidance at `now` with `window` packets.
    fn begin(&mut self, now: Time, window: f64) {
        self.began = Some(now);
        self.reno = window;
        if self.plateau > window {
            self.climb = libm::cbrt((self.plateau - window) / STEEPNESS);
        } else {
            (self.plateau, self.climb) = (window, 0.0);
        }
    }

    /// The window of the curve `after` seconds from its beginning, packets.
    fn at(&self, after: f64) -> f64 {
        let beyond = after - self.climb;
        STEEPNESS * beyond * beyond * beyond + self.plateau
    }

    /// The target window of a path with a window of `window` packets and a round-trip time of `rtt` seconds, `after`
    /// seconds from the beginning of the curve.
    fn target(&self, window: f64, rtt: f64, after: f64) -> f64 {
        self.at(after + rtt).clamp(window, 1.5 * window)
    }

    /// Updates the Reno window after `acked` packets of a window of `window` packets were acknowledged.
    fn advance_reno(&mut self, acked: f64, window: f64) {
        let growth = if self.reno >= self.prior { 1.0 } else { RENO_GROWTH };
        self.reno += growth * acked / window;
    }

    /// Updates the state after a loss at `window` packets. RFC 9438 §4.6, §4.7
    fn lose(&mut self, window: f64, loss: Loss) {
        self.began = None;
        self.prior = window;
        self.plateau = match loss {
            // After a timeout the curve begins at its plateau, when slow start ends. RFC 9438 §4.8
            Loss::Timeout => 0.0,
            Loss::FastRetransmit if window < self.plateau => window * (1.0 + KEPT) / 2.0,
            Loss::FastRetransmit => window,
        };
    }
}

impl Algorithm for Cubic {
    fn is_coupled(&self) -> bool {
        false
    }

    fn uses_acks(&self) -> bool {
        true
    }

    fn growth(&self, paths: &Paths, path: PathId) -> f64 {
        let (state, curve) = (&paths[path], &self.curves[path.index()]);
        let unit = state.unit() as f64;
        let window = state.window() as f64 / unit;
        let Some(began) = curve.began else { return 0.0 };
        let after = self.now.saturating_since(began).as_secs_f64();
        if curve.at(after) < curve.reno {
            // The caller multiplies the growth by `part`. This division cancels it, so that the window becomes that of
            // Reno.
            let part = match paths.profile().stepping {
                Stepping::PerAck if curve.acked > 0.0 => (curve.acked / window).min(1.0),
                _ => 1.0,
            };
            return (curve.reno - window).max(0.0) / part * unit;
        }
        let rtt = paths.rtt_seconds(path).unwrap_or(0.0);
        (curve.target(window, rtt, after) - window) * unit
    }

    fn back_off(&self, paths: &Paths, path: PathId, _loss: Loss) -> Cut {
        Cut::Bytes((1.0 - KEPT) * paths[path].window() as f64)
    }

    fn on_path_opened(&mut self, _paths: &Paths, _path: PathId) {
        self.curves.push(Curve::default());
    }

    fn on_acked(&mut self, now: Time, paths: &Paths, ack: &PathAck) -> Option<Adjustment> {
        self.now = now;
        let path = &paths[ack.path];
        let curve = &mut self.curves[ack.path.index()];
        let silent = now.saturating_since(curve.acked_at);
        curve.acked_at = now;
        curve.acked = ack.bytes as f64 / path.unit() as f64;
        if ack.in_recovery || paths.is_slow_start(ack.path) {
            curve.began = None;
            return None;
        }
        match &mut curve.began {
            // Time in which the application or the receive window limited the path does not count. RFC 9438 §5.8
            Some(began) if !ack.was_full => *began += silent,
            Some(_) => {}
            None => curve.begin(now, path.window() as f64 / path.unit() as f64),
        }
        if ack.was_full && ack.may_grow {
            let window = path.window() as f64 / path.unit() as f64;
            curve.advance_reno(curve.acked, window);
        }
        None
    }

    fn on_loss(&mut self, _now: Time, paths: &Paths, path: PathId, loss: Loss) {
        let window = paths[path].window() as f64 / paths[path].unit() as f64;
        self.curves[path.index()].lose(window, loss);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Controller, Profile, WindowState};
    use manypath_core::Span;

    /// After a loss at 100 packets: the state of V-CUB-1 to 3.
    fn curve() -> Curve {
        let mut curve = Curve::default();
        curve.lose(100.0, Loss::FastRetransmit);
        curve.begin(Time::ZERO, 70.0);
        curve
    }

    fn assert_near(value: f64, expected: f64) {
        assert!((value / expected - 1.0).abs() < 1e-9, "{value}, expected {expected}");
    }

    /// V-CUB-1 to 3.
    #[test]
    fn the_curve_equals_calculated_values() {
        let curve = curve();
        assert_near(RENO_GROWTH, 0.529_411_764_705_882_5);
        assert_near(curve.climb, 4.217_163_326_508_746);
        let rows = [
            (70.0, 0.5, 81.069_401_339_112_46, 0.158_134_304_844_463_72),
            (99.9, curve.climb, 100.0004, 0.001_005_005_005_004_938_7),
            (120.0, 9.0, 146.566_820_343_330_3, 0.221_390_169_527_752_56),
        ];
        for (window, after, target, per_ack) in rows {
            assert_near(curve.target(window, 0.1, after), target);
            assert_near((curve.target(window, 0.1, after) - window) / window, per_ack);
            assert!(curve.at(after) >= curve.reno);
        }
    }

    /// V-CUB-4 and 5.
    #[test]
    fn losses_have_calculated_results() {
        let after_loss = |plateau: f64, window: f64| {
            let mut curve = Curve { plateau, ..Curve::default() };
            curve.lose(window, Loss::FastRetransmit);
            curve
        };
        assert_near(after_loss(90.0, 100.0).plateau, 100.0);
        let mut shrunk = after_loss(100.0, 80.0);
        assert_near(shrunk.plateau, 68.0);
        shrunk.begin(Time::ZERO, 56.0);
        assert_near(shrunk.climb, 3.107_232_505_953_858_6);
    }

    /// V-CUB-6.
    #[test]
    fn the_reno_window_equals_calculated_values() {
        let mut curve = curve();
        curve.advance_reno(70.0, 70.0);
        assert_near(curve.reno, 70.529_411_764_705_88);
        curve.reno = 100.0;
        curve.advance_reno(1.0, 100.0);
        assert_near(curve.reno, 100.01);
    }

    fn one_path(window: u64) -> Controller {
        let mut controller = Controller::new(Box::<Cubic>::default(), Profile::TCP);
        let path = controller.open_path_with_unit(1000);
        controller.restore(path, WindowState { window, ssthresh: 2000, partial: 0 });
        controller.on_rtt(path, Span::from_millis(100), Span::from_millis(100));
        controller
    }

    const P: PathId = PathId(0);

    fn ack(controller: &mut Controller, now: Time, was_full: bool) {
        let ack = PathAck { path: P, bytes: 1000, was_full, may_grow: true, in_recovery: false };
        controller.on_sack(now, &[ack], &[]);
    }

    /// V-CUB-4 and 7.
    #[test]
    fn a_loss_reduces_the_window_to_70_percent_and_a_timeout_to_one_packet() {
        let mut controller = one_path(100_000);
        controller.on_sack(Time::ZERO, &[], &[P]);
        assert_eq!((controller.window(P), controller.ssthresh(P)), (70_000, 70_000));
        let mut controller = one_path(100_000);
        controller.on_timeout(Time::ZERO, P);
        assert_eq!((controller.window(P), controller.ssthresh(P)), (1000, 70_000));
    }

    /// A window of acknowledgements per round trip, evenly spaced. After K seconds the window is on the plateau.
    #[test]
    fn the_window_follows_the_curve_and_returns_to_the_plateau_after_k_seconds() {
        let mut controller = one_path(1_000_000);
        controller.on_sack(Time::ZERO, &[], &[P]);
        let plateau_at = libm::cbrt(300.0 / STEEPNESS);
        let mut now = Time::ZERO;
        while now.saturating_since(Time::ZERO).as_secs_f64() < plateau_at {
            ack(&mut controller, now, true);
            let packets = controller.window(P) / 1000;
            now += Span::from_nanos(100_000_000 / packets);
        }
        let packets = controller.window(P) as f64 / 1000.0;
        assert!((packets - 1000.0).abs() < 1.0, "{packets}");
    }

    #[test]
    fn small_windows_follow_reno_with_the_same_average() {
        let mut controller = one_path(20_000);
        controller.on_sack(Time::ZERO, &[], &[P]);
        for step in 0..14 {
            ack(&mut controller, Time::ZERO + Span::from_millis(step), true);
        }
        let packets = controller.window(P) as f64 / 1000.0;
        assert!((packets - 14.0 - RENO_GROWTH).abs() < 0.02, "{packets}");
    }

    #[test]
    fn the_curve_does_not_advance_while_the_window_is_not_used() {
        let growth = |busy_until: u64| {
            let mut controller = one_path(1_000_000);
            controller.on_sack(Time::ZERO, &[], &[P]);
            for second in 0..=5 {
                ack(&mut controller, Time::ZERO + Span::from_secs(second), second <= busy_until);
            }
            controller.restore(P, WindowState { window: 700_000, ssthresh: 700_000, partial: 0 });
            controller.formulas(Time::ZERO, P).growth
        };
        // The growth in one round trip on a curve of 1 s and of 5 s, from 700 packets.
        let exact =
            |after: f64| 300_000.0 + 400.0 * libm::pow(after + 0.1 - libm::cbrt(750.0), 3.0);
        assert_near(growth(1), exact(1.0));
        assert_near(growth(5), exact(5.0));
    }

    #[test]
    fn the_first_curve_begins_at_its_plateau_at_the_end_of_slow_start() {
        let mut controller = one_path(50_000);
        ack(&mut controller, Time::ZERO, true);
        // The curve would add C·0.1³ packets in a whole round trip; Reno's 1/50 is more.
        assert_eq!(controller.window(P), 50_020);
    }
}
