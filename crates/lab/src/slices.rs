//! A run is divided into slices of real time. Between two slices the caller gets the progress and may cancel the run.

use std::time::{Duration, Instant};

use manypath_core::{Span, Time};

/// Divides simulated time into short slices. The division does not affect the results.
pub(crate) struct Slices<'a> {
    is_stopped: &'a dyn Fn(Time) -> bool,
    /// Simulated time of a slice.
    span: Span,
    asked: Instant,
}

/// The caller cancelled the run.
#[derive(Debug)]
pub(crate) struct Stopped;

impl<'a> Slices<'a> {
    /// Starts the slices of a run. `is_stopped` is called several times per second of real time, with the current
    /// simulated time.
    pub(crate) fn new(is_stopped: &'a dyn Fn(Time) -> bool) -> Self {
        Self { is_stopped, span: FIRST_SPAN, asked: Instant::now() }
    }

    /// Lets `advance` run a world from `now` to `until`.
    pub(crate) fn run(
        &mut self,
        mut now: Time,
        until: Time,
        mut advance: impl FnMut(Time),
    ) -> Result<(), Stopped> {
        loop {
            now = until.min(now + self.span);
            let began = Instant::now();
            advance(now);
            let ended = Instant::now();
            self.adapt(ended - began);
            if ended - self.asked >= ASK_EVERY {
                self.asked = ended;
                if (self.is_stopped)(now) {
                    return Err(Stopped);
                }
            }
            if now == until {
                return Ok(());
            }
        }
    }

    fn adapt(&mut self, took: Duration) {
        if took > LONG {
            self.span = (self.span / 2).max(SHORTEST_SPAN);
        } else if took < LONG / 4 {
            self.span = self.span.saturating_mul(2);
        }
    }
}

const FIRST_SPAN: Span = Span::from_millis(1);
const SHORTEST_SPAN: Span = Span::from_nanos(1);
/// A slice that takes longer is halved.
const LONG: Duration = Duration::from_millis(50);
/// How often `is_stopped` is called: a user does not notice such a short delay.
const ASK_EVERY: Duration = Duration::from_millis(100);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_grow_while_they_are_quick_and_end_where_they_should() {
        let mut ends = Vec::new();
        let mut slices = Slices::new(&|_| false);
        let until = Time::ZERO + Span::from_secs(3600);
        slices.run(Time::ZERO, until, |end| ends.push(end)).unwrap();
        assert!(ends.is_sorted() && ends.len() < 40, "{} slices", ends.len());
        assert_eq!(ends.last(), Some(&until));
    }

    #[test]
    fn a_run_stops_soon_after_a_request() {
        let mut slices = Slices::new(&|_| true);
        let began = Instant::now();
        let slow = |_| std::thread::sleep(Duration::from_millis(10));
        assert!(slices.run(Time::ZERO, Time::NEVER, slow).is_err());
        assert!(began.elapsed() >= ASK_EVERY);
    }
}
