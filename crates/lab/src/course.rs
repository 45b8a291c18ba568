//! The course of a source's paths over time, as integrals of their states. Means over time follow from two readings.

use manypath_cc::UNSET_THRESHOLD;
use manypath_core::{Span, Time, Via};

use crate::endpoint::{ConnectionId, Endpoint};

/// The integrals of all paths of a source.
///
/// The state of a path changes only while its host handles a packet or a timer. So the state that is found at the
/// beginning of such a call has held since the last one.
#[derive(Debug)]
pub(crate) struct Course {
    /// The paths of the source; none at a sink.
    paths: Vec<(Via, PathCourse)>,
    /// The time until which the integrals are complete.
    until: Time,
}

/// Integrals of the state of a path over time, in its units times nanoseconds.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PathCourse {
    pub(crate) cwnd: u128,
    pub(crate) ssthresh: u128,
    /// The time for which the path had a slow-start threshold, in nanoseconds.
    pub(crate) limited: u64,
    /// In squared nanoseconds.
    pub(crate) srtt: u128,
    /// The time for which the path had a smoothed RTT, in nanoseconds.
    pub(crate) timed: u64,
    pub(crate) outstanding: u128,
}

impl Course {
    /// The course of paths with these addresses, from the beginning of the run on.
    pub(crate) fn new(paths: Vec<Via>) -> Self {
        let paths = paths.into_iter().map(|via| (via, PathCourse::default())).collect();
        Self { paths, until: Time::ZERO }
    }

    /// Whether there is something to complete before a call of the host at `now`.
    #[inline]
    pub(crate) fn is_behind(&self, now: Time) -> bool {
        self.until < now && !self.paths.is_empty()
    }

    /// Completes the integrals until `now`. The endpoint has not changed since the last call.
    #[inline(never)]
    pub(crate) fn complete(&mut self, now: Time, endpoint: &Endpoint, id: Option<ConnectionId>) {
        for path in 0..self.paths.len() {
            self.paths[path].1 = self.path(path, now, endpoint, id);
        }
        self.until = now;
    }

    /// The integrals of a path until `now`.
    pub(crate) fn path(
        &self,
        path: usize,
        now: Time,
        endpoint: &Endpoint,
        id: Option<ConnectionId>,
    ) -> PathCourse {
        let (via, mut course) = self.paths[path];
        let Some(view) = id.and_then(|id| endpoint.path_window(id, path, via)) else {
            return course;
        };
        let nanos = (now - self.until).as_nanos();
        let span = u128::from(nanos);
        course.cwnd += u128::from(view.window) * span;
        if let Some(ssthresh) = threshold(view.ssthresh) {
            course.ssthresh += u128::from(ssthresh) * span;
            course.limited += nanos;
        }
        course.srtt += u128::from(view.srtt.as_nanos()) * span;
        course.timed += if view.srtt == Span::ZERO { 0 } else { nanos };
        course.outstanding += u128::from(view.outstanding) * span;
        course
    }
}

/// The slow-start threshold in bytes; `None` before the path has one.
#[inline]
pub(crate) fn threshold(ssthresh: u64) -> Option<u64> {
    (1..UNSET_THRESHOLD).contains(&ssthresh).then_some(ssthresh)
}

impl PathCourse {
    /// The means over time since `before`, which is `nanos` earlier.
    pub(crate) fn since(&self, before: &Self, nanos: u64) -> PathMeans {
        let over = |now: u128, before: u128, nanos: u64| (now - before) as f64 / nanos as f64;
        let mean = |now: u128, before: u128| over(now, before, nanos);
        let known =
            |now: u128, before: u128, nanos: u64| (nanos > 0).then(|| over(now, before, nanos));
        PathMeans {
            cwnd: mean(self.cwnd, before.cwnd),
            ssthresh: known(self.ssthresh, before.ssthresh, self.limited - before.limited),
            srtt: known(self.srtt, before.srtt, self.timed - before.timed).map(|nanos| nanos / 1e9),
            outstanding: mean(self.outstanding, before.outstanding),
        }
    }
}

/// Means over time of the state of a path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PathMeans {
    /// In bytes.
    pub(crate) cwnd: f64,
    /// In bytes, over the time for which the path had one; `None` if it never had one.
    pub(crate) ssthresh: Option<f64>,
    /// In seconds, over the time for which it was known; `None` if it was never known.
    pub(crate) srtt: Option<f64>,
    /// In bytes.
    pub(crate) outstanding: f64,
}
