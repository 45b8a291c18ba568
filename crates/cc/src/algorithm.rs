//! The interface of a congestion control: the formulas in which published algorithms differ.

use std::fmt::Debug;

use manypath_core::{PathId, Span, Time};

use crate::{Cut, Paths};

/// A congestion control: formulas over the windows of all paths of a connection.
///
/// An algorithm reads [`Paths`] and returns numbers. Only the [`Controller`](crate::Controller) writes windows, after
/// it has rounded and bounded the numbers as its [`Profile`](crate::Profile) specifies. Formulas do not change state.
/// Stateful algorithms update themselves in event hooks, which do nothing by default.
pub trait Algorithm: Debug + Send + Sync {
    /// Whether the windows of the paths depend on each other.
    fn is_coupled(&self) -> bool {
        true
    }

    /// Whether [`on_acked`](Self::on_acked) must be called. It is read once, so that algorithms without this hook have
    /// no cost.
    fn uses_acks(&self) -> bool {
        false
    }

    /// Computes the sums over the group that the formulas need, before the first change by a SACK or a timeout.
    ///
    /// The sums stay the same until the event is over, even if the event changes windows. The formulas read the path's
    /// own current window. Only events that may change a window call this, and only for coupled algorithms.
    fn observe(&mut self, _now: Time, _paths: &Paths) {}

    /// Slow start: bytes to add for `acked` newly acknowledged bytes, which are at most one unit times the limit of the
    /// profile.
    fn slow_start(&self, _paths: &Paths, _path: PathId, acked: u64) -> f64 {
        acked as f64
    }

    /// Congestion avoidance: bytes to add per acknowledged window, that is about once per round trip.
    fn growth(&self, paths: &Paths, path: PathId) -> f64;

    /// The reduction of the window after a loss; by default half of the window. It may be larger than the window.
    fn back_off(&self, paths: &Paths, path: PathId, _loss: Loss) -> Cut {
        Cut::HalfOf(paths[path].window())
    }

    /// The smallest window after a cut, in units; by default that of a single path. The controller keeps at least one
    /// unit.
    fn floor(&self, paths: &Paths, _path: PathId) -> f64 {
        paths.profile().floors.plain
    }

    /// `path` was opened. Its number is one more than that of the path opened before it.
    fn on_path_opened(&mut self, _paths: &Paths, _path: PathId) {}

    /// `path` was closed. It is excluded from all sums, and the algorithm must remove its state of the path.
    fn on_path_closed(&mut self, _paths: &Paths, _path: PathId) {}

    /// A round-trip time was measured on `path`: the sample itself, not the smoothed value.
    fn on_rtt_sample(&mut self, _path: PathId, _sample: Span) {}

    /// New bytes were acknowledged, even if the window may not grow. The windows have not been changed yet. If the
    /// algorithm returns an adjustment, the controller sets the path's window to it before the window grows.
    fn on_acked(&mut self, _now: Time, _paths: &Paths, _ack: &PathAck) -> Option<Adjustment> {
        None
    }

    /// A loss is about to reduce the window of a path. The window has not been changed yet.
    fn on_loss(&mut self, _now: Time, _paths: &Paths, _path: PathId, _loss: Loss) {}

    /// Aggressiveness of `path` relative to one standard TCP, which has 1; `None` if the algorithm has no weights.
    fn weight(&self, _path: PathId) -> Option<f64> {
        None
    }
}

/// The new window and threshold of a path at the end of a round or an interval. The controller keeps at least one unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Adjustment {
    /// Congestion window c, bytes.
    pub window: u64,
    /// Slow-start threshold s, bytes.
    pub ssthresh: u64,
}

/// How the sender detected a loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// By a fast retransmission: later packets arrived, so the path still delivers.
    FastRetransmit,
    /// By an expiry of the retransmission timer T3: no packet is known to have arrived.
    Timeout,
}

/// The bytes that one SACK acknowledges on one path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathAck {
    /// The path on which the bytes were sent last.
    pub path: PathId,
    /// Newly acknowledged bytes as the profile counts them: see [`Profile::count`](crate::Profile::count).
    pub bytes: u64,
    /// Whether the outstanding bytes of the path, before this SACK, reached its window. TCP does not exceed its window,
    /// so for TCP this is true if one more full segment would not have fitted.
    pub was_full: bool,
    /// Whether the protocol lets the window grow: the path's (pseudo-)cumulative acknowledgement advanced.
    pub may_grow: bool,
    /// Whether the path is in fast recovery, in which its window does not grow. The protocol decides that.
    pub in_recovery: bool,
}
