//! When the next message of a source is due: one file per kind of application.

use manypath_core::{Streams, Time};

use super::cbr::Cbr;
use super::on_off::OnOff;
use crate::scenario::Application;

/// The kinds of applications.
#[derive(Debug)]
pub(crate) enum Pace {
    /// Every message is due at once: the send buffer is always full.
    Saturated,
    Cbr(Cbr),
    OnOff(OnOff),
}

impl Pace {
    /// The pace of the flow called `flow`.
    pub(crate) fn new(app: &Application, streams: &Streams, flow: &str) -> Self {
        match app {
            Application::Saturated { .. } | Application::Transfer { .. } => Self::Saturated,
            Application::Cbr { rate, .. } => Self::Cbr(Cbr::new(*rate)),
            Application::OnOff { rate, on, off, .. } => {
                let random = streams.stream(&format!("flow/{flow}/on-off"));
                Self::OnOff(OnOff::new(*rate, *on, *off, random))
            }
        }
    }

    /// The association is established: the first message may be due.
    pub(crate) fn begin(&mut self, now: Time) {
        match self {
            Self::Saturated => {}
            Self::Cbr(cbr) => cbr.begin(now),
            Self::OnOff(on_off) => on_off.begin(now),
        }
    }

    /// When the next message is due.
    #[inline]
    pub(crate) fn due(&self) -> Time {
        match self {
            Self::Saturated => Time::ZERO,
            Self::Cbr(cbr) => cbr.due(),
            Self::OnOff(on_off) => on_off.due(),
        }
    }

    /// Records that the next message, of `length` bytes, was handed over. Returns the start time of its latency.
    #[inline]
    pub(crate) fn handed_over(&mut self, now: Time, length: u32) -> Time {
        let due = self.due();
        match self {
            Self::Saturated => return now,
            Self::Cbr(cbr) => cbr.advance(length),
            Self::OnOff(on_off) => on_off.advance(length),
        }
        due
    }
}
