//! The proportion manager of BMC: new weights after one measurement. \[H09] §3.2, eq. 3.7 to 3.9

/// The weights do not change while the largest T_wr is at most this many times the smallest.
const TOLERANCE: f64 = 1.1;

/// The minimum share of a subflow in the sum of the weights. Without weight, the goodput of a subflow cannot be measured.
const LEAST: f64 = 0.02;

/// K: the gain of a change of weights.
const GAIN: f64 = 0.5;

/// One subflow in an interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Measured {
    /// D: the share of one standard TCP.
    pub(crate) weight: f64,
    /// T: acknowledged packets per second.
    pub(crate) goodput: f64,
    /// R: mean round-trip time, seconds.
    pub(crate) rtt: f64,
}

impl Measured {
    /// T_wr: the goodput normalised by weight and round-trip time. \[H09] eq. 3.7
    fn normalised(&self) -> f64 {
        self.rtt * self.goodput / self.weight
    }
}

/// The new weights, whose sum is one; `None` if they do not change, or if there is only one subflow.
///
/// The weight D of the subflow with the smallest T_wr decreases to D − (D − D²)·K. The subflow with the largest T_wr gets
/// the difference.
pub(crate) fn shift(subflows: &[Measured]) -> Option<Vec<f64>> {
    let order = |a: &(usize, f64), b: &(usize, f64)| a.1.total_cmp(&b.1);
    let normalised = || subflows.iter().map(Measured::normalised).enumerate();
    let (from, least) = normalised().min_by(order)?;
    // Of equals the first one is needed, but `max_by` returns the last one.
    let (to, most) = normalised().rev().max_by(order)?;
    if from == to || most <= TOLERANCE * least {
        return None;
    }
    let floor = LEAST.min(0.5 / subflows.len() as f64);
    let old = subflows[from].weight;
    let moved = (old - (old - (old - old * old) * GAIN).max(floor)).max(0.0);
    let mut weights: Vec<_> = subflows.iter().map(|it| it.weight).collect();
    weights[from] -= moved;
    weights[to] += moved;
    let sum: f64 = weights.iter().sum();
    (moved > 0.0).then(|| weights.iter().map(|weight| weight / sum).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shifted(rows: &[(f64, f64, f64)]) -> Option<Vec<f64>> {
        let measured = |&(weight, goodput, rtt)| Measured { weight, goodput, rtt };
        shift(&rows.iter().map(measured).collect::<Vec<_>>())
    }

    /// V-BMC-6: the weight of the third subflow decreases, the second one gets the difference.
    #[test]
    fn three_subflows_by_hand() {
        let third = 1.0 / 3.0;
        let weights = shifted(&[(third, 5.0, 1.0), (third, 5.0, 2.0), (third, 2.0, 1.0)]).unwrap();
        for (weight, expected) in weights.iter().zip([third, 4.0 / 9.0, 2.0 / 9.0]) {
            assert!((weight - expected).abs() < 1e-12, "{weights:?}");
        }
    }

    #[test]
    fn equal_normalised_goodput_changes_no_weight_and_a_subflow_without_goodput_keeps_a_fiftieth() {
        assert_eq!(shifted(&[(0.5, 1.0, 0.1), (0.5, 1.09, 0.1)]), None);
        assert_eq!(shifted(&[(1.0, 1.0, 0.1)]), None);
        let mut weight = 0.5;
        for _ in 0..50 {
            if let Some(weights) = shifted(&[(weight, 0.0, 0.1), (1.0 - weight, 1.0, 0.1)]) {
                weight = weights[0];
            }
        }
        assert!((weight - 0.02).abs() < 1e-9, "{weight}");
    }
}
