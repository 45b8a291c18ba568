//! The timing of probes of the peer's closed window, if probes are delayed. RFC 9260 §6.1 A

use manypath_core::{PathId, Span, Time};

use super::Association;
use super::timers::Timer;
use crate::config::{Config, WindowProbe};

/// The state of the probes of a closed window.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ProbePace {
    /// A probe may be sent.
    is_due: bool,
    /// Probes since the window has closed.
    probes: u32,
}

impl ProbePace {
    /// Records that new data was sent; it is a probe if one was due.
    #[inline]
    pub(super) fn note_new_data(&mut self) {
        if self.is_due {
            *self = Self { is_due: false, probes: self.probes.saturating_add(1) };
        }
    }

    /// The time until the next probe on a path with this retransmission timeout.
    fn pause(self, rto: Span, config: &Config) -> Span {
        let factor = 1_u64.checked_shl(self.probes).unwrap_or(u64::MAX);
        rto.saturating_mul(factor).min(config.rto.max)
    }
}

impl Association {
    /// Whether a path may send one chunk into a full window.
    #[cold]
    pub(super) fn may_probe(&self, path: PathId) -> bool {
        (self.probe_pace.is_due || !self.config.window_probe_waits) && self.could_probe(path)
    }

    /// Whether no acknowledgement that would report the window is expected, because nothing is in flight.
    fn could_probe(&self, path: PathId) -> bool {
        match self.config.window_probe {
            WindowProbe::Association => self.sender.may_probe(),
            WindowProbe::Path => self.sender.may_probe_on(path),
        }
    }

    /// Handles a full window on a path: starts the timer of the next probe unless it is running.
    #[cold]
    pub(super) fn wait_for_probe(&mut self, now: Time, path: PathId) {
        if self.config.window_probe_waits
            && !self.timers.is_set(Timer::WindowProbe)
            && self.could_probe(path)
        {
            let pause = self.probe_pace.pause(self.paths[path].rto(), &self.config);
            self.timers.set(Timer::WindowProbe, now + pause);
        }
    }

    /// Handles the timer: a probe is due.
    pub(super) fn probe_timeout(&mut self, now: Time) {
        self.probe_pace.is_due = true;
        self.open_opportunity(now, self.paths.for_data(&self.config));
    }

    /// Records a reported window of the peer. If it is open, the count of probes restarts.
    #[inline]
    pub(super) fn note_peer_window(&mut self) {
        if self.config.window_probe_waits && self.admits_next(self.paths.for_data(&self.config)) {
            self.probe_pace = ProbePace::default();
            self.timers.cancel(Timer::WindowProbe);
        }
    }
}
