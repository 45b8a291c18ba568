//! When a chunk may probe a closed window of the peer, if that shall take time. RFC 9260 §6.1 A

use manypath_core::{PathId, Time};

use super::Association;
use super::timers::Timer;
use crate::config::WindowProbe;

/// How a closed window is probed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ProbePace {
    /// A probe may leave now.
    is_due: bool,
    /// Probes since the window has closed.
    probes: u32,
}

impl Association {
    /// Whether a path may send one chunk into a full window.
    #[cold]
    pub(super) fn may_probe(&self, path: PathId) -> bool {
        (self.probe_pace.is_due || !self.config.window_probe_waits) && self.could_probe(path)
    }

    /// Whether nothing is in flight that would tell of the window.
    fn could_probe(&self, path: PathId) -> bool {
        match self.config.window_probe {
            WindowProbe::Association => self.sender.may_probe(),
            WindowProbe::Path => self.sender.may_probe_on(path),
        }
    }

    /// A path has found the window full: the time until the next probe begins, unless it has begun.
    #[cold]
    pub(super) fn wait_for_probe(&mut self, now: Time, path: PathId) {
        if self.config.window_probe_waits
            && !self.timers.is_set(Timer::WindowProbe)
            && self.could_probe(path)
        {
            let factor = 1_u64.checked_shl(self.probe_pace.probes).unwrap_or(u64::MAX);
            let pause = self.paths[path.index()].rto().saturating_mul(factor);
            self.timers.set(Timer::WindowProbe, now + pause.min(self.config.rto.max));
        }
    }

    /// The time is over.
    pub(super) fn probe_timeout(&mut self, now: Time) {
        self.probe_pace.is_due = true;
        self.open_opportunity(now, self.data_path());
    }

    /// New data has left; it is a probe if one was due.
    #[inline]
    pub(super) fn note_new_data(&mut self) {
        if self.probe_pace.is_due {
            self.probe_pace.is_due = false;
            self.probe_pace.probes = self.probe_pace.probes.saturating_add(1);
        }
    }

    /// The peer has spoken of its window. If it is open, the next probe is the first one again.
    #[inline]
    pub(super) fn note_peer_window(&mut self) {
        if self.config.window_probe_waits && self.admits_next(self.data_path()) {
            self.probe_pace = ProbePace::default();
            self.timers.cancel(Timer::WindowProbe);
        }
    }
}
