//! MPTCP-like: the linked increases of RFC 6356 in SCTP's windows, in three forms. \[D11] §III-C, \[D12] §II-B.3

use manypath_core::{PathId, Time};

use crate::{Algorithm, Path, Paths};

/// Growth coupled by the aggressiveness factor â. Each path halves its own window.
///
/// The printed equations do not agree. The equation of \[D12] is too large by a factor of one segment size in bytes, so
/// that the bound of one segment always applies and nothing is coupled. The equation of \[D11] grows linearly in slow
/// start. The canonical form counts everything in bytes, so that the segment sizes cancel.
#[derive(Clone, Copy, Debug)]
pub struct MptcpLike {
    form: Form,
    /// Σ cᵢ, bytes.
    total_window: f64,
    /// Σ wᵢ/RTTᵢ, with w in the unit of the form.
    total_rate: f64,
    /// max wᵢ/RTTᵢ².
    best: f64,
}

/// The form of the equation of â.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// In bytes throughout.
    Bytes,
    /// As printed in \[D11]: in segments, and with the growth of congestion avoidance in slow start too.
    Of2011,
    /// As printed in \[D12]: the sum of windows in bytes, the rest in segments.
    Of2012,
}

impl MptcpLike {
    /// The canonical form.
    pub const BYTES: Self = Self::new(Form::Bytes);
    /// As printed in \[D11].
    pub const OF_2011: Self = Self::new(Form::Of2011);
    /// As printed in \[D12].
    pub const OF_2012: Self = Self::new(Form::Of2012);

    const fn new(form: Form) -> Self {
        Self { form, total_window: 0.0, total_rate: 0.0, best: 0.0 }
    }

    /// â: the aggressiveness factor.
    fn aggressiveness(&self) -> f64 {
        let best_of_all = self.best / (self.total_rate * self.total_rate);
        match self.form {
            Form::Of2011 => best_of_all,
            Form::Bytes | Form::Of2012 => self.total_window * best_of_all,
        }
    }

    /// Bytes to add for each byte of a step in congestion avoidance, before the bound is applied.
    fn increase_factor(&self, path: &Path) -> f64 {
        let window = path.window() as f64;
        match self.form {
            Form::Of2011 => self.aggressiveness() * window / path.unit() as f64,
            Form::Bytes | Form::Of2012 => window * self.aggressiveness() / self.total_window,
        }
    }

    /// `factor` times `bytes`, at most `bytes`; an equal share while the path or the group has no round-trip time.
    fn bounded(&self, paths: &Paths, path: PathId, factor: f64, bytes: u64) -> f64 {
        let is_measured = paths[path].rtt().is_some() && self.total_rate > 0.0;
        let factor = if is_measured { factor.min(1.0) } else { paths.equal_share() };
        factor * bytes as f64
    }
}

impl Algorithm for MptcpLike {
    fn observe(&mut self, _now: Time, paths: &Paths) {
        (self.total_window, self.total_rate, self.best) = (0.0, 0.0, 0.0);
        for path in paths.coupled() {
            let Some(rtt) = path.rtt() else { continue };
            let window = path.window() as f64;
            let rate =
                if self.form == Form::Bytes { window } else { window / path.unit() as f64 } / rtt;
            self.total_window += window;
            self.total_rate += rate;
            self.best = self.best.max(rate / rtt);
        }
    }

    fn slow_start(&self, paths: &Paths, path: PathId, acked: u64) -> f64 {
        let factor = match self.form {
            Form::Of2011 => self.aggressiveness(),
            Form::Bytes | Form::Of2012 => self.increase_factor(&paths[path]),
        };
        self.bounded(paths, path, factor, acked)
    }

    fn growth(&self, paths: &Paths, path: PathId) -> f64 {
        let factor = self.increase_factor(&paths[path]);
        self.bounded(paths, path, factor, paths[path].unit())
    }

    fn floor(&self, paths: &Paths, _path: PathId) -> f64 {
        paths.profile().floors.linked
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{IpVersion, Profile};
    use manypath_core::Span;

    /// 30 packets at 25 ms and 10 packets at 50 ms: the two printed factors differ by the segment size, which shows
    /// that the second one mixes bytes and segments.
    #[test]
    fn the_three_aggressiveness_factors_equal_calculated_values() {
        let mut paths = Paths::new(Profile::PAPER);
        for (window, rtt_ms) in [(43_560, 25), (14_520, 50)] {
            let path = paths.open(Profile::PAPER.segment(1500, IpVersion::V4));
            paths[path].window = window;
            paths[path].measure(&Profile::PAPER, Span::from_millis(rtt_ms));
        }
        let by_hand = [
            (MptcpLike::OF_2011, 6.0 / 245.0),
            (MptcpLike::BYTES, 48.0 / 49.0),
            (MptcpLike::OF_2012, 69_696.0 / 49.0),
        ];
        for (mut form, factor) in by_hand {
            form.observe(Time::ZERO, &paths);
            let error = form.aggressiveness() / factor - 1.0;
            assert!(error.abs() < 1e-12, "{form:?}: {factor}");
        }
    }
}
