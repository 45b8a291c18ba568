//! The formulas in which the published algorithms differ.

use std::fmt::Debug;

use manypath_core::{PathId, Span, Time};

use crate::Paths;

/// A congestion control: formulas over the windows of all paths of a connection.
///
/// An algorithm reads [`Paths`] and returns numbers; only the [`Controller`](crate::Controller) writes windows, after
/// it rounded and bounded the numbers as its [`Profile`](crate::Profile) says.
pub trait Algorithm: Debug + Send + Sync {
    /// Whether the windows of the paths depend on each other.
    fn is_coupled(&self) -> bool {
        true
    }

    /// Takes the sums over the group that the formulas need, before the first change that a SACK or a timeout makes.
    ///
    /// The sums stay as they are until the event is over, whatever it changes; the formulas see the path's own window
    /// as it is. Called for coupled algorithms only, and only by events that change a window.
    fn observe(&mut self, _now: Time, _paths: &Paths) {}

    /// Slow start: bytes to add for `acked` new bytes, which are at most one unit times the limit of the profile.
    fn slow_start(&mut self, _paths: &Paths, _path: PathId, acked: u64) -> f64 {
        acked as f64
    }

    /// Congestion avoidance: bytes to add once per acknowledged window, which is about once per round trip.
    fn growth(&mut self, paths: &Paths, path: PathId) -> f64;

    /// How much a loss takes away. It may be more than the window.
    fn back_off(&mut self, paths: &Paths, path: PathId, loss: Loss) -> Cut;

    /// The smallest window that a cut leaves, in units; the controller never goes below one unit.
    fn floor(&self, paths: &Paths, path: PathId) -> f64;

    /// A round-trip time was measured on `path`: the sample as it is, not smoothed.
    fn on_rtt_sample(&mut self, _path: PathId, _sample: Span) {}
}

/// How the protocol learned of a loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// Later packets arrived: the path still delivers.
    FastRetransmit,
    /// The retransmission timer T3 ran out: nothing is known to have arrived.
    Timeout,
}

/// What a loss takes away from a window; profiles round the two kinds differently.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cut {
    /// Half of this many bytes.
    HalfOf(u64),
    /// This many bytes.
    Bytes(f64),
}

impl Cut {
    /// The bytes to take away, not rounded.
    #[must_use]
    pub fn bytes(self) -> f64 {
        match self {
            Self::HalfOf(whole) => whole as f64 / 2.0,
            Self::Bytes(bytes) => bytes,
        }
    }
}
