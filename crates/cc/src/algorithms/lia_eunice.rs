//! Linked increases with an approximated maximum, as \[G12] §3 implemented them in a TCP stack.
//!
//! RFC 6356 adds M/S² packets per acknowledged packet, M = max(w/r²) and S = Σ w/r, at most 1/w. To avoid the loop over
//! all subflows, \[G12] keeps M and S between acknowledgements and corrects them by the contribution of the
//! acknowledged subflow. S changes by the difference to the subflow's last contribution. M changes if the contribution
//! is larger, or if this subflow set M the last time, which is assumed if its last contribution equals M.
//!
//! So M is wrong in three cases: its owner's contribution shrinks while another subflow has a larger one, until that
//! subflow is acknowledged; its owner receives no acknowledgements; and two subflows contribute equally. In addition to
//! \[G12], a timeout corrects both sums with the resulting window of one packet (unless `timeouts=ignored`), and a
//! closed path removes its contributions.

use manypath_core::{PathId, Time};

use crate::settings::Settings;
use crate::{Adjustment, Algorithm, AlgorithmError, Loss, Parameter, PathAck, Paths};

/// The formulas of RFC 6356 in packets, with sums that each acknowledgement corrects.
#[derive(Clone, Debug)]
pub struct LiaEunice {
    /// Whether a timeout also corrects the sums. In \[G12] only acknowledgements do.
    corrects_on_timeout: bool,
    /// The last contribution of each path.
    contributions: Vec<Contribution>,
    /// S: Σ w/r, packets per unit of time.
    total_rate: f64,
    /// M: the largest known w/r².
    best: f64,
}

/// The contribution of a path to the sums.
#[derive(Clone, Copy, Debug, Default)]
struct Contribution {
    /// w/r.
    rate: f64,
    /// w/r².
    quality: f64,
}

impl Default for LiaEunice {
    /// A timeout corrects the sums.
    fn default() -> Self {
        Self { corrects_on_timeout: true, contributions: Vec::new(), total_rate: 0.0, best: 0.0 }
    }
}

impl LiaEunice {
    pub(crate) const PARAMETERS: &[Parameter] = &[Parameter {
        key: "timeouts",
        default: "corrected",
        summary: "a path that timed out counts with its new window (corrected) or the old one (ignored)",
    }];

    pub(crate) fn from_settings(settings: &Settings<'_>) -> Result<Self, AlgorithmError> {
        let corrects_on_timeout = match settings.text("timeouts") {
            "corrected" => true,
            "ignored" => false,
            other => return Err(settings.error("timeouts", other, "corrected or ignored")),
        };
        Ok(Self { corrects_on_timeout, ..Self::default() })
    }

    /// Corrects S and M by the contribution of `path` with a window of `packets` packets.
    fn update(&mut self, paths: &Paths, path: PathId, packets: f64) {
        let inverse = paths[path].inverse_rtt();
        if inverse == 0.0 {
            return;
        }
        let new = Contribution { rate: packets * inverse, quality: packets * inverse * inverse };
        let old = std::mem::replace(&mut self.contributions[path.index()], new);
        // This adds all contributions instead of a difference, so rounding errors do not accumulate.
        self.total_rate = self.contributions.iter().map(|it| it.rate).sum();
        if new.quality > self.best || old.quality == self.best {
            self.best = new.quality;
        }
    }
}

impl Algorithm for LiaEunice {
    fn uses_acks(&self) -> bool {
        true
    }

    fn growth(&self, paths: &Paths, path: PathId) -> f64 {
        let is_counted = self.contributions[path.index()].rate > 0.0;
        let unit = paths[path].unit() as f64;
        let units = if is_counted {
            let packets = paths[path].window() as f64 / unit;
            (packets * self.best / (self.total_rate * self.total_rate)).min(1.0)
        } else {
            paths.equal_share()
        };
        units * unit
    }

    fn floor(&self, _paths: &Paths, _path: PathId) -> f64 {
        1.0
    }

    fn on_path_opened(&mut self, _paths: &Paths, _path: PathId) {
        self.contributions.push(Contribution::default());
    }

    fn on_path_closed(&mut self, paths: &Paths, path: PathId) {
        self.update(paths, path, 0.0);
    }

    fn on_acked(&mut self, _now: Time, paths: &Paths, ack: &PathAck) -> Option<Adjustment> {
        let path = &paths[ack.path];
        self.update(paths, ack.path, path.window() as f64 / path.unit() as f64);
        None
    }

    fn on_loss(&mut self, _now: Time, paths: &Paths, path: PathId, loss: Loss) {
        if loss == Loss::Timeout && self.corrects_on_timeout {
            self.update(paths, path, 1.0);
        }
    }
}

/// Cases in which M differs from the maximum in RFC 6356.
#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithms::Lia;
    use crate::{Controller, Profile, WindowState, algorithm};
    use manypath_core::Span;

    const A: PathId = PathId(0);
    const B: PathId = PathId(1);

    /// The approximation and the exact algorithm side by side, with packets of 1000 bytes.
    struct Pair {
        approximate: Controller,
        exact: Controller,
    }

    impl Pair {
        /// Paths with the given windows in packets and a round-trip time of 100 ms. Each has been acknowledged once.
        fn new(windows: [u64; 2]) -> Self {
            let mut pair = Self {
                approximate: Self::controller(Box::<LiaEunice>::default(), windows.len()),
                exact: Self::controller(Box::<Lia>::default(), windows.len()),
            };
            for (path, packets) in [A, B].into_iter().zip(windows) {
                pair.acked_with(path, packets);
            }
            pair
        }

        fn controller(algorithm: Box<dyn Algorithm>, paths: usize) -> Controller {
            let mut controller = Controller::new(algorithm, Profile::TCP);
            for _ in 0..paths {
                let path = controller.open_path_with_unit(1000);
                controller.on_rtt(path, Span::from_millis(100), Span::from_millis(100));
            }
            controller
        }

        fn both(&mut self, mut change: impl FnMut(&mut Controller)) {
            change(&mut self.approximate);
            change(&mut self.exact);
        }

        fn window(&mut self, path: PathId, packets: u64) {
            let state = WindowState { window: packets * 1000, ssthresh: 1000, partial: 0 };
            self.both(|controller| controller.restore(path, state));
        }

        /// Acknowledges data on `path` while its window is `packets` packets.
        fn acked_with(&mut self, path: PathId, packets: u64) {
            self.window(path, packets);
            let ack =
                PathAck { path, bytes: 1000, was_full: false, may_grow: true, in_recovery: false };
            self.both(|controller| controller.on_sack(Time::ZERO, &[ack], &[]));
        }

        /// The growth of the approximation divided by that of RFC 6356.
        fn error(&mut self, path: PathId) -> f64 {
            let growth = |controller: &mut Controller| controller.formulas(Time::ZERO, path).growth;
            growth(&mut self.approximate) / growth(&mut self.exact)
        }
    }

    fn assert_near(value: f64, expected: f64) {
        assert!((value / expected - 1.0).abs() < 1e-12, "{value}, expected {expected}");
    }

    #[test]
    fn the_approximation_is_exact_while_windows_grow() {
        let mut pair = Pair::new([20, 30]);
        for packets in 21..29 {
            pair.acked_with(A, packets);
            assert_near(pair.error(A), 1.0);
        }
    }

    #[test]
    fn the_maximum_is_too_small_after_its_owner_shrinks_until_a_larger_path_is_acknowledged() {
        let mut pair = Pair::new([20, 30]);
        pair.acked_with(B, 15);
        assert_near(pair.error(A), 15.0 / 20.0);
        pair.acked_with(A, 20);
        assert_near(pair.error(A), 1.0);
    }

    #[test]
    fn the_maximum_is_stale_while_its_owner_receives_no_acknowledgements() {
        let mut pair = Pair::new([20, 30]);
        pair.window(B, 10);
        for _ in 0..100 {
            pair.acked_with(A, 20);
        }
        // M is still that of 30 packets, S that of 50: RFC 6356 has 20 and 30.
        assert_near(pair.error(A), (30.0 / 2500.0) / (20.0 / 900.0));
    }

    #[test]
    fn a_timeout_of_the_owner_corrects_the_maximum() {
        let mut pair = Pair::new([20, 30]);
        pair.both(|controller| controller.on_timeout(Time::ZERO, B));
        pair.acked_with(A, 20);
        assert_near(pair.error(A), 1.0);
    }

    #[test]
    fn a_timeout_of_the_owner_keeps_the_maximum_if_timeouts_are_ignored() {
        let mut pair = Pair::new([20, 30]);
        pair.approximate = Pair::controller(algorithm("lia-eunice:timeouts=ignored").unwrap(), 2);
        for (path, packets) in [(A, 20), (B, 30)] {
            pair.acked_with(path, packets);
        }
        pair.both(|controller| controller.on_timeout(Time::ZERO, B));
        pair.acked_with(A, 20);
        // M is still that of 30 packets, S that of 50: RFC 6356 has 20 and 21.
        assert_near(pair.error(A), (30.0 / 2500.0) / (20.0 / 441.0));
    }

    #[test]
    fn a_closed_path_is_removed_from_the_sums() {
        let mut pair = Pair::new([20, 30]);
        pair.both(|controller| controller.close_path(B));
        pair.acked_with(A, 20);
        assert_near(pair.error(A), 1.0);
    }

    #[test]
    fn with_equal_paths_one_loss_lowers_the_maximum_for_both() {
        let mut pair = Pair::new([20, 20]);
        pair.acked_with(A, 10);
        assert_near(pair.error(B), 10.0 / 20.0);
        pair.acked_with(B, 20);
        assert_near(pair.error(B), 1.0);
    }

    /// The sums use the values of the last acknowledgements, the formula uses the current round-trip times.
    #[test]
    fn a_longer_round_trip_time_counts_after_an_acknowledgement_of_its_path() {
        let slower = Span::from_millis(200);
        let mut pair = Pair::new([20, 30]);
        pair.both(|controller| controller.on_rtt(B, slower, slower));
        pair.acked_with(A, 20);
        // RFC 6356: max(20, 30/4) over (20 + 30/2)².
        assert_near(pair.error(A), (30.0 / 2500.0) / (20.0 / 1225.0));
        pair.acked_with(B, 30);
        pair.acked_with(A, 20);
        assert_near(pair.error(A), 1.0);
    }

    #[test]
    fn the_first_acknowledged_path_sets_the_maximum() {
        let mut pair = Pair::new([1, 1]);
        pair.both(|controller| controller.close_path(B));
        pair.acked_with(A, 7);
        assert_near(pair.error(A), 1.0);
    }

    #[test]
    fn the_owner_keeps_its_last_contribution_between_acknowledgements() {
        let mut pair = Pair::new([20, 30]);
        pair.window(B, 33);
        pair.acked_with(A, 20);
        assert_near(pair.error(A), (30.0 / 2500.0) / (33.0 / 2809.0));
    }
}
