//! The proportion manager: new weights after one measurement. \[H09] §3.2, eq. 3.7 to 3.9
//!
//! [`Bmc`](super::Bmc) and the loader of the kernel's `bmc` (`crates/bpf`) use it.

use manypath_core::Span;

/// Congestion epochs do not extend an interval beyond this length.
pub const LONGEST_INTERVAL: Span = Span::from_secs(60);

/// An interval is discarded if a larger part of its bytes was acknowledged while the window was not used.
pub const MOST_LIMITED: f64 = 0.1;

/// Number of round trips after a change in which nothing is measured.
pub const SETTLING_ROUNDS: f64 = 5.0;

/// The weights do not change while the largest T_wr is at most this many times the smallest.
const TOLERANCE: f64 = 1.1;

/// The minimum share of a path in the sum of the weights. Without weight, the goodput of a path cannot be measured.
const LEAST_SHARE: f64 = 0.02;

/// The measurement of one path.
#[derive(Clone, Copy, Debug)]
pub struct Measured {
    /// T: what was acknowledged per second, in any unit that all paths share.
    pub goodput: f64,
    /// R: mean round-trip time, seconds.
    pub rtt: f64,
}

impl Measured {
    /// T_wr: the goodput normalised by weight and round-trip time. It is equal on paths that share a bottleneck.
    /// \[H09] eq. 3.7
    fn normalised(self, weight: f64) -> f64 {
        self.rtt * self.goodput / weight
    }
}

/// The reduced weight D of a path. Argument and result are shares of the sum of the weights. \[H09] eq. 3.8
fn reduced(share: f64, gain: f64) -> f64 {
    share - (share - share * share) * gain
}

/// Moves weight from the path with the smallest T_wr to the path with the largest. Paths without a measurement (`None`)
/// take no part. Returns whether the weights changed. \[H09] eq. 3.9
///
/// The weights sum up to `total` before and after. No `gain` reduces a weight below the minimum share.
pub fn shift(weights: &mut [f64], measured: &[Option<Measured>], gain: f64, total: f64) -> bool {
    let mut smallest: Option<(usize, f64)> = None;
    let mut largest: Option<(usize, f64)> = None;
    for (index, measured) in measured.iter().enumerate() {
        let Some(measured) = measured else { continue };
        let normalised = measured.normalised(weights[index]);
        if smallest.is_none_or(|(_, least)| normalised < least) {
            smallest = Some((index, normalised));
        }
        if largest.is_none_or(|(_, most)| normalised > most) {
            largest = Some((index, normalised));
        }
    }
    let (Some((from, least)), Some((to, most))) = (smallest, largest) else { return false };
    if from == to || most <= TOLERANCE * least {
        return false;
    }
    let floor = least_share(weights) * total;
    let wanted = reduced(weights[from] / total, gain) * total;
    // New paths can leave a path with less than its minimum share. This step must not raise its weight to the minimum.
    let moved = (weights[from] - wanted.max(floor)).max(0.0);
    weights[from] -= moved;
    weights[to] += moved;
    normalise(weights, total);
    moved > 0.0
}

/// Scales the weights so that they sum up to `total` again after rounding errors.
pub(super) fn normalise(weights: &mut [f64], total: f64) {
    let sum: f64 = weights.iter().sum();
    if sum > 0.0 {
        for weight in weights {
            *weight *= total / sum;
        }
    }
}

/// The minimum share of a path. It is smaller with many paths, so that all minimum shares fit into the total.
fn least_share(weights: &[f64]) -> f64 {
    let count = weights.iter().filter(|&&weight| weight > 0.0).count();
    LEAST_SHARE.min(0.5 / count.max(1) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_near(values: &[f64], expected: &[f64]) {
        assert_eq!(values.len(), expected.len());
        for (value, expected) in values.iter().zip(expected) {
            assert!((value / expected - 1.0).abs() < 1e-9, "{values:?}, expected {expected}");
        }
    }

    /// V-BMC-1 to 6: weights, goodput, round-trip times, K; T_wr and new weights.
    #[test]
    fn weights_equal_those_of_worked_examples() {
        type Row<'a> = (&'a [f64], &'a [f64], &'a [f64], f64, &'a [f64], &'a [f64]);
        let rows: [Row<'_>; 6] = [
            (&[0.5, 0.5], &[4.0, 26.0 / 3.0], &[1.0, 1.0], 1.0, &[8.0, 52.0 / 3.0], &[0.25, 0.75]),
            (
                &[0.5, 0.5],
                &[8.0 / 3.0, 10.0 / 3.0],
                &[1.0, 1.0],
                1.0,
                &[16.0 / 3.0, 20.0 / 3.0],
                &[0.25, 0.75],
            ),
            (
                &[0.25, 0.75],
                &[8.0 / 5.0, 30.0 / 7.0],
                &[1.0, 1.0],
                1.0,
                &[32.0 / 5.0, 40.0 / 7.0],
                &[7.0 / 16.0, 9.0 / 16.0],
            ),
            (&[0.8, 0.2], &[2.0, 3.0], &[1.0, 1.0], 1.0, &[2.5, 15.0], &[0.64, 0.36]),
            (&[0.5, 0.5], &[1.0, 2.0], &[1.0, 1.0], 3.0, &[2.0, 4.0], &[0.02, 0.98]),
            (
                &[1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0],
                &[5.0, 5.0, 2.0],
                &[1.0, 2.0, 1.0],
                0.5,
                &[15.0, 30.0, 6.0],
                &[1.0 / 3.0, 4.0 / 9.0, 2.0 / 9.0],
            ),
        ];
        for (weights, goodput, rtt, gain, twr, expected) in rows {
            let measured: Vec<_> = goodput
                .iter()
                .zip(rtt)
                .map(|(&goodput, &rtt)| Some(Measured { goodput, rtt }))
                .collect();
            let normalised: Vec<_> = measured
                .iter()
                .zip(weights)
                .map(|(measured, &weight)| measured.unwrap().normalised(weight))
                .collect();
            assert_near(&normalised, twr);
            let mut weights = weights.to_vec();
            assert!(shift(&mut weights, &measured, gain, 1.0));
            assert_near(&weights, expected);
        }
        assert_near(&[reduced(0.5, 3.0)], &[-0.25]);
    }

    #[test]
    fn weights_with_a_sum_of_two_move_like_those_with_a_sum_of_one() {
        let measured =
            [(4.0, 1.0), (26.0 / 3.0, 1.0)].map(|(goodput, rtt)| Some(Measured { goodput, rtt }));
        let mut weights = [1.0, 1.0];
        assert!(shift(&mut weights, &measured, 1.0, 2.0));
        assert_near(&weights, &[0.5, 1.5]);
    }

    #[test]
    fn nearly_equal_normalised_goodput_changes_no_weight() {
        let mut weights = [0.5, 0.5];
        for (goodput, changes) in [(1.0, false), (1.09, false), (1.11, true)] {
            let measured = [1.0, goodput].map(|goodput| Some(Measured { goodput, rtt: 0.1 }));
            assert_eq!(shift(&mut weights, &measured, 0.5, 1.0), changes, "{goodput}");
        }
    }

    #[test]
    fn weights_do_not_change_without_two_measured_paths() {
        let one = Some(Measured { goodput: 1.0, rtt: 0.1 });
        for measured in [[one, None], [None, None]] {
            let mut weights = [0.5, 0.5];
            assert!(!shift(&mut weights, &measured, 0.5, 1.0));
            assert_near(&weights, &[0.5, 0.5]);
        }
    }

    #[test]
    fn the_first_of_equal_paths_is_selected() {
        let measured = [1.0, 1.0, 3.0, 3.0].map(|goodput| Some(Measured { goodput, rtt: 0.1 }));
        let mut weights = [0.25; 4];
        assert!(shift(&mut weights, &measured, 1.0, 1.0));
        assert_near(&weights, &[0.0625, 0.25, 0.4375, 0.25]);
    }
}
