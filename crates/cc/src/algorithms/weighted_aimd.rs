//! Weighted AIMD: each path is independent and as aggressive as D standard TCPs. \[H09] §3.1
//!
//! AIMD(a, b) adds a packets per window and removes the share b of the window per loss. Its rate is proportional to
//! √(a·(2 − b)/(2b)); TCP has a = 1 and b = 1/2. For D times the rate of a TCP with equal losses and round-trip times,
//! a is 3b·D²/(2 − b) (\[H09] eq. 3.6). \[H09] keeps b, so a = D². Slow start and timeouts follow TCP.

use manypath_core::PathId;

use crate::settings::Settings;
use crate::{Algorithm, AlgorithmError, Cut, Loss, Parameter, Paths};

/// Adds a units per window and removes the share b of the window per loss; by default D² and 1/2.
#[derive(Clone, Copy, Debug)]
pub struct WeightedAimd {
    weight: f64,
    decrease: f64,
}

impl WeightedAimd {
    pub(crate) const PARAMETERS: &[Parameter] = &[
        Parameter {
            key: "weight",
            default: "1",
            summary: "aggressiveness of each path, in TCPs, D: a number or a fraction such as 2/3",
        },
        Parameter {
            key: "decrease",
            default: "1/2",
            summary: "part of the window that a loss removes, b",
        },
    ];

    pub(crate) fn from_settings(settings: &Settings<'_>) -> Result<Self, AlgorithmError> {
        Ok(Self {
            weight: settings.number("weight", 0.01..=100.0)?,
            decrease: settings.number("decrease", 0.01..=0.99)?,
        })
    }
}

impl Algorithm for WeightedAimd {
    fn is_coupled(&self) -> bool {
        false
    }

    fn growth(&self, paths: &Paths, path: PathId) -> f64 {
        let increase = 3.0 * self.decrease / (2.0 - self.decrease) * self.weight * self.weight;
        increase * paths[path].unit() as f64
    }

    fn back_off(&self, paths: &Paths, path: PathId, _loss: Loss) -> Cut {
        let window = paths[path].window();
        if self.decrease == 0.5 {
            Cut::HalfOf(window)
        } else {
            Cut::Bytes(self.decrease * window as f64)
        }
    }

    fn floor(&self, _paths: &Paths, _path: PathId) -> f64 {
        1.0
    }

    fn weight(&self, _path: PathId) -> Option<f64> {
        Some(self.weight)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Controller, Profile, algorithm};
    use manypath_core::Time;

    /// Packets per second of AIMD(a, b) for a loss rate and a round-trip time in seconds. \[H09] eq. 3.2
    fn response(increase: f64, decrease: f64, rtt: f64, loss: f64) -> f64 {
        ((2.0 - decrease) * increase / (2.0 * decrease)).sqrt() / (rtt * loss.sqrt())
    }

    /// The parameters (a, b) of the algorithm `weighted-aimd:weight=…`.
    fn aimd(weight: &str) -> (f64, f64) {
        let algorithm = algorithm(&format!("weighted-aimd:weight={weight}")).unwrap();
        let mut controller = Controller::new(algorithm, Profile::TCP);
        let path = controller.open_path_with_unit(1000);
        controller.start(1 << 20);
        let formulas = controller.formulas(Time::ZERO, path);
        (formulas.growth / 1000.0, formulas.cut / controller.window(path) as f64)
    }

    /// V-AIMD-2.
    #[test]
    fn the_response_function_equals_calculated_values() {
        let rows = [
            (1.0, 0.5, 774.596_669_241_483_3),
            (4.0 / 9.0, 0.5, 516.397_779_494_322_2),
            (0.5, 0.8, 387.298_334_620_741_6),
        ];
        for (increase, decrease, rate) in rows {
            assert!(
                (response(increase, decrease, 0.05, 0.001) / rate - 1.0).abs() < 1e-9,
                "{rate}"
            );
        }
    }

    /// V-AIMD-1: the pairs that \[H09] gives for parts of a TCP, with other cuts than one half.
    #[test]
    fn other_decreases_with_equal_response_equal_calculated_values() {
        let tcp = response(1.0, 0.5, 0.05, 0.001);
        for (text, pair, part) in
            [("1/2,decrease=4/5", (0.5, 0.8), 0.5), ("3/4,decrease=8/13", (0.75, 8.0 / 13.0), 0.75)]
        {
            let (increase, decrease) = aimd(text);
            assert!(
                (increase / pair.0 - 1.0).abs() < 1e-9 && (decrease / pair.1 - 1.0).abs() < 1e-9
            );
            assert!((response(increase, decrease, 0.05, 0.001) / tcp / part - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn a_path_of_weight_d_has_d_times_the_rate_of_a_tcp() {
        let tcp = response(1.0, 0.5, 0.05, 0.001);
        for (text, weight) in [("1", 1.0), ("2/3", 2.0 / 3.0), ("0.2", 0.2), ("3", 3.0)] {
            let (increase, decrease) = aimd(text);
            let rate = response(increase, decrease, 0.05, 0.001);
            assert!((rate / tcp / weight - 1.0).abs() < 1e-9, "{text}: {increase} {decrease}");
        }
    }
}
