//! The timers of an association, in one table.

use manypath_core::{PathId, Time, TimerTable};

/// The largest number of paths of an association.
pub(crate) const MAX_PATHS: usize = 16;

/// A timer of the association.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Timer {
    /// INIT or COOKIE ECHO without an answer (T1).
    Setup,
    /// SHUTDOWN or SHUTDOWN ACK without an answer (T2).
    Shutdown,
    /// The whole shutdown takes too long (T5).
    ShutdownGuard,
    /// An acknowledgement is due.
    Sack,
    /// A path that paused may send new data again.
    Pause,
    /// A message may have waited too long.
    Lifetime,
    /// A chunk may probe the closed window of the peer.
    WindowProbe,
    /// A probe of the size of packets is due on a path, or has no answer.
    MtuSearch,
    /// A packet that waits for its departure time may leave.
    Pacing,
    /// DATA on this path without acknowledgement (T3).
    Retransmit(PathId),
    /// This path was idle for one heartbeat interval, or its HEARTBEAT has no answer.
    Heartbeat(PathId),
}

/// Deadlines of all timers.
#[derive(Debug, Default)]
pub(crate) struct Timers(TimerTable<SLOTS>);

impl Timers {
    pub(crate) fn set(&mut self, timer: Timer, at: Time) {
        note!(Set(timer.name()));
        self.0.set(slot(timer), at);
    }

    pub(crate) fn cancel(&mut self, timer: Timer) {
        #[cfg(feature = "soak")]
        self.note_cancelled(timer);
        self.0.cancel(slot(timer));
    }

    pub(crate) fn cancel_all(&mut self) {
        #[cfg(feature = "soak")]
        (0..SLOTS).for_each(|slot| self.note_cancelled(timer_in(slot)));
        *self = Self::default();
    }

    pub(crate) fn is_set(&self, timer: Timer) -> bool {
        self.0.is_set(slot(timer))
    }

    /// When a timer is due; [`Time::NEVER`] if it is not set.
    pub(crate) fn at(&self, timer: Timer) -> Time {
        self.0.at(slot(timer))
    }

    /// When the next timer is due.
    pub(crate) fn next(&self) -> Time {
        self.0.next()
    }

    /// Whether a timer may be due before `at`. A cheap check that may return true without need.
    #[inline]
    pub(crate) fn may_expire_before(&self, at: Time) -> bool {
        self.0.may_expire_before(at)
    }

    /// Takes the earliest timer that is due.
    pub(crate) fn expired(&mut self, now: Time) -> Option<Timer> {
        let slot = self.0.expired(now)?;
        self.0.cancel(slot);
        let timer = timer_in(slot);
        note!(Fired(timer.name()));
        Some(timer)
    }

    #[cfg(feature = "soak")]
    fn note_cancelled(&self, timer: Timer) {
        if self.is_set(timer) {
            note!(Cancelled(timer.name()));
        }
    }
}

#[cfg(feature = "soak")]
impl Timer {
    fn name(self) -> &'static str {
        match self {
            Self::Setup => "T1 setup",
            Self::Shutdown => "T2 shutdown",
            Self::ShutdownGuard => "T5 shutdown guard",
            Self::Sack => "SACK",
            Self::Pause => "pause",
            Self::Lifetime => "lifetime",
            Self::WindowProbe => "window probe",
            Self::MtuSearch => "MTU search",
            Self::Pacing => "pacing",
            Self::Retransmit(_) => "T3 retransmit",
            Self::Heartbeat(_) => "heartbeat",
        }
    }
}

fn timer_in(slot: usize) -> Timer {
    match slot {
        0 => Timer::Setup,
        1 => Timer::Shutdown,
        2 => Timer::ShutdownGuard,
        3 => Timer::Sack,
        4 => Timer::Pause,
        5 => Timer::Lifetime,
        6 => Timer::WindowProbe,
        7 => Timer::MtuSearch,
        8 => Timer::Pacing,
        _ => {
            let index = slot - FIRST_RETRANSMIT;
            let path = PathId((index / 2) as u8);
            if index.is_multiple_of(2) { Timer::Retransmit(path) } else { Timer::Heartbeat(path) }
        }
    }
}

fn slot(timer: Timer) -> usize {
    match timer {
        Timer::Setup => 0,
        Timer::Shutdown => 1,
        Timer::ShutdownGuard => 2,
        Timer::Sack => 3,
        Timer::Pause => 4,
        Timer::Lifetime => 5,
        Timer::WindowProbe => 6,
        Timer::MtuSearch => 7,
        Timer::Pacing => 8,
        Timer::Retransmit(path) => FIRST_RETRANSMIT + 2 * path.index(),
        Timer::Heartbeat(path) => FIRST_RETRANSMIT + 2 * path.index() + 1,
    }
}

const FIRST_RETRANSMIT: usize = 9;
const SLOTS: usize = FIRST_RETRANSMIT + 2 * MAX_PATHS;
