//! The formulas in which the published algorithms differ.

use std::fmt::Debug;

use manypath_core::{PathId, Span, Time};

use crate::{PathAck, Paths};

/// A congestion control: formulas over the windows of all paths of a connection.
///
/// An algorithm reads [`Paths`] and returns numbers; only the [`Controller`](crate::Controller) writes windows, after
/// it rounded and bounded the numbers as its [`Profile`](crate::Profile) says. Formulas change nothing; what an
/// algorithm remembers, it learns in the hooks: their defaults do nothing.
pub trait Algorithm: Debug + Send + Sync {
    /// Whether the windows of the paths depend on each other.
    fn is_coupled(&self) -> bool {
        true
    }

    /// Whether [`on_acked`](Self::on_acked) is to be called; asked once, so that the others do not pay for it.
    fn hears_acks(&self) -> bool {
        false
    }

    /// Takes the sums over the group that the formulas need, before the first change that a SACK or a timeout makes.
    ///
    /// The sums stay as they are until the event is over, whatever it changes; the formulas see the path's own window
    /// as it is. Called for coupled algorithms only, and only by events that may change a window.
    fn observe(&mut self, _now: Time, _paths: &Paths) {}

    /// Slow start: bytes to add for `acked` new bytes, which are at most one unit times the limit of the profile.
    fn slow_start(&self, _paths: &Paths, _path: PathId, acked: u64) -> f64 {
        acked as f64
    }

    /// Congestion avoidance: bytes to add once per acknowledged window, which is about once per round trip.
    fn growth(&self, paths: &Paths, path: PathId) -> f64;

    /// How much a loss takes away, half of the window unless the algorithm says otherwise. It may be more than the
    /// window.
    fn back_off(&self, paths: &Paths, path: PathId, _loss: Loss) -> Cut {
        Cut::HalfOf(paths[path].window())
    }

    /// The smallest window that a cut leaves, in units, that of a single path unless the algorithm says otherwise; the
    /// controller never goes below one unit.
    fn floor(&self, paths: &Paths, _path: PathId) -> f64 {
        paths.profile().floors.plain
    }

    /// `path` was opened: its number is one more than that of the last.
    fn on_path_opened(&mut self, _paths: &Paths, _path: PathId) {}

    /// `path` was closed: it is in no sum any more, and what the algorithm kept of it has to go.
    fn on_path_closed(&mut self, _paths: &Paths, _path: PathId) {}

    /// A round-trip time was measured on `path`: the sample as it is, not smoothed.
    fn on_rtt_sample(&mut self, _path: PathId, _sample: Span) {}

    /// New bytes were acknowledged, whether the window may grow or not; windows are still as they were before. Where
    /// the algorithm wants the path to have another window before it grows, it says which.
    fn on_acked(&mut self, _now: Time, _paths: &Paths, _ack: &PathAck) -> Option<Adjustment> {
        None
    }

    /// A loss is about to cut the window of a path, which is still as it was before.
    fn on_loss(&mut self, _now: Time, _paths: &Paths, _path: PathId, _loss: Loss) {}

    /// How aggressive `path` is beside one standard TCP, which has 1; `None` where the algorithm knows no weights.
    fn weight(&self, _path: PathId) -> Option<f64> {
        None
    }
}

/// What the end of a round or of an interval makes of a path; the controller keeps one unit at least.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Adjustment {
    /// Congestion window c, bytes.
    pub window: u64,
    /// Slow-start threshold s, bytes.
    pub ssthresh: u64,
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
