//! The clock of a host and its endpoints: the time of their state machines begins when the host is created, or its file of
//! events.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use manypath_core::{Span, Time};

/// Converts between instants of the system and the state machine's time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    start: Instant,
}

impl Clock {
    pub(crate) fn new() -> Self {
        Self { start: Instant::now() }
    }

    /// Time since the clock was created.
    pub(crate) fn now(&self) -> Time {
        Time::from_nanos(u64::try_from(self.start.elapsed().as_nanos()).unwrap_or(u64::MAX))
    }

    /// Offset between the state machine's time and Unix time, by the current system clock.
    pub(crate) fn since_1970(&self) -> Span {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let start = now.saturating_sub(self.start.elapsed());
        Span::from_nanos(u64::try_from(start.as_nanos()).unwrap_or(u64::MAX))
    }

    /// The instant of `time`; `None` for [`Time::NEVER`].
    pub(crate) fn instant(&self, time: Time) -> Option<Instant> {
        if time == Time::NEVER {
            return None;
        }
        self.start.checked_add(Duration::from_nanos(time.as_nanos()))
    }
}
