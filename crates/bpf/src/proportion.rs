//! The proportion manager of BMC: new weights after one measurement. \[H09] §3.2, eq. 3.7 to 3.9

/// The weights do not change while the largest worth is at most this many times the smallest.
const TOLERANCE: f64 = 1.1;

/// The smallest share of all weights for one subflow. The goodput of a subflow without weight could not be measured.
const LEAST: f64 = 0.02;

/// K: the part of a weight that moves at once.
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
    /// The throughput, corrected for weight and round-trip time.
    fn worth(&self) -> f64 {
        self.rtt * self.goodput / self.weight
    }
}

/// The new weights, whose sum is one; `None` if the proportion is right, or there is only one subflow.
///
/// The weight D of the subflow with the smallest worth decreases to D − (D − D²)·K. The subflow with the largest worth
/// gets the difference.
pub(crate) fn shift(subflows: &[Measured]) -> Option<Vec<f64>> {
    let order = |a: &(usize, f64), b: &(usize, f64)| a.1.total_cmp(&b.1);
    let worths = || subflows.iter().map(Measured::worth).enumerate();
    let (poor, least) = worths().min_by(order)?;
    // Of equals the first one is needed, but `max_by` returns the last one.
    let (rich, most) = worths().rev().max_by(order)?;
    if poor == rich || most <= TOLERANCE * least {
        return None;
    }
    let floor = LEAST.min(0.5 / subflows.len() as f64);
    let old = subflows[poor].weight;
    let moved = (old - (old - (old - old * old) * GAIN).max(floor)).max(0.0);
    let mut weights: Vec<_> = subflows.iter().map(|it| it.weight).collect();
    weights[poor] -= moved;
    weights[rich] += moved;
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
    fn equal_worth_moves_nothing_and_a_silent_subflow_keeps_a_fiftieth() {
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
