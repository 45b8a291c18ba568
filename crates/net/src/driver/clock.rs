//! The clock of an endpoint: the state machine counts from when it was made.

use std::time::{Duration, Instant};

use manypath_core::Time;

/// Turns instants of the system into the state machine's time and back.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    start: Instant,
}

impl Clock {
    pub(crate) fn new() -> Self {
        Self { start: Instant::now() }
    }

    /// Nanoseconds since the endpoint was made.
    pub(crate) fn now(&self) -> Time {
        Time::from_nanos(u64::try_from(self.start.elapsed().as_nanos()).unwrap_or(u64::MAX))
    }

    /// When it is `time`; none if that is never.
    pub(crate) fn instant(&self, time: Time) -> Option<Instant> {
        if time == Time::NEVER {
            return None;
        }
        self.start.checked_add(Duration::from_nanos(time.as_nanos()))
    }
}
