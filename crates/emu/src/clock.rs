//! The clock of the machine, as time since the start of the emulation.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use manypath_core::{Span, Time};

/// The time since its creation; it never decreases.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Clock {
    start: Instant,
    /// The wall-clock time of its creation, since 1970.
    since_1970: Span,
}

impl Clock {
    pub(crate) fn start() -> Self {
        let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self { start: Instant::now(), since_1970: span(since_1970) }
    }

    pub(crate) fn now(&self) -> Time {
        Time::ZERO + span(self.start.elapsed())
    }

    /// The Unix time at which the clock was started.
    pub(crate) fn since_1970(&self) -> Span {
        self.since_1970
    }
}

/// Limited to 584 years.
fn span(duration: Duration) -> Span {
    Span::from_nanos(u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX))
}
