//! Detection of changes at one end.

use manypath_core::{BlockedTime, Span, Time};
use manypath_sctp as sctp;
use manypath_tcp as tcp;

use crate::blocked::Blocked;
use crate::event::{
    Closed, CongestionState, CongestionStateUpdated, Count, Event, Marked, Metrics, Nothing,
    PathUpdated, Standing, Trigger,
};

/// The last known state of one end of an association or connection. Every method passes the changes since then to
/// `emit`.
#[derive(Debug, Default)]
pub struct EndWatch {
    is_started: bool,
    is_connected: bool,
    is_closed: bool,
    marks: Marks,
    /// By path; `None` before the end knows the path.
    paths: Vec<Option<PathView>>,
    /// By path: the last time at which its blocked time was compared, and that time.
    blocked: Vec<(Time, BlockedTime)>,
}

/// Numbers of chunks or segments that were retransmitted or marked for it, by cause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    /// After a timeout.
    pub timeout: u64,
    /// By fast retransmission.
    pub fast_retransmission: u64,
    /// After packet drop reports.
    pub drop_report: u64,
    /// Because they blocked the buffer of another path (rescheduling).
    pub rescheduling: u64,
    /// Because the peer's full buffer has room for them again.
    pub window_probe: u64,
}

/// The state of a path at one end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathView {
    /// Its reachability.
    pub standing: Standing,
    /// Its congestion control state.
    pub congestion: CongestionState,
    /// Congestion window in bytes.
    pub window: u64,
    /// Slow-start threshold in bytes; 0 if it is undefined.
    pub ssthresh: u64,
    /// Smoothed RTT; zero before the first sample.
    pub srtt: Span,
    /// Retransmission timeout.
    pub rto: Span,
    /// Outstanding bytes in the accounting of the congestion control.
    pub outstanding: u64,
    /// Expiries of the retransmission timer so far.
    pub timeouts: u64,
    /// Window cuts by fast retransmission so far.
    pub window_cuts: u64,
}

impl EndWatch {
    /// Records that the application has opened it.
    pub fn start(&mut self, mut emit: impl FnMut(&Event<'_>)) {
        if !std::mem::replace(&mut self.is_started, true) {
            emit(&Event::ConnectionStarted(Nothing {}));
        }
    }

    /// Records that it is established.
    pub fn connect(&mut self, mut emit: impl FnMut(&Event<'_>)) {
        if !std::mem::replace(&mut self.is_connected, true) {
            emit(&Event::ConnectionEstablished(Nothing {}));
        }
    }

    /// Compares the path with this number with its last state: causes before effects.
    pub fn look_at_path(&mut self, path: usize, now: PathView, emit: impl FnMut(&Event<'_>)) {
        if path >= self.paths.len() {
            self.paths.resize(path + 1, None);
        }
        let before = self.paths[path].replace(now);
        if before != Some(now) {
            compare_paths(before, &now, emit);
        }
    }

    /// Compares the time for which a path of SCTP was blocked with that at the last comparison, at most once in
    /// `BLOCKED_INTERVAL`, because it changes all the time. `read` returns the time so far.
    pub fn look_at_blocked(
        &mut self,
        now: Time,
        path: usize,
        read: impl FnOnce() -> BlockedTime,
        mut emit: impl FnMut(&Event<'_>),
    ) {
        if path >= self.blocked.len() {
            self.blocked.resize_with(path + 1, || (now, BlockedTime::default()));
        }
        let (since, before) = self.blocked[path];
        if now < since + BLOCKED_INTERVAL {
            return;
        }
        let so_far = read();
        self.blocked[path] = (now, so_far);
        if so_far != before {
            emit(&Event::SendingBlocked(Blocked::new(since, so_far - before)));
        }
    }

    /// Compares the numbers of retransmissions with the last ones.
    pub fn look_at_marks(&mut self, now: Marks, mut emit: impl FnMut(&Event<'_>)) {
        let before = std::mem::replace(&mut self.marks, now);
        if before == now {
            return;
        }
        for (trigger, before, now) in [
            (Trigger::Timeout, before.timeout, now.timeout),
            (Trigger::FastRetransmission, before.fast_retransmission, now.fast_retransmission),
            (Trigger::DropReport, before.drop_report, now.drop_report),
            (Trigger::Rescheduling, before.rescheduling, now.rescheduling),
            (Trigger::WindowProbe, before.window_probe, now.window_probe),
        ] {
            if now > before {
                emit(&Event::MarkedForRetransmit(Marked { trigger, count: now - before }));
            }
        }
    }

    /// Records that it has ended.
    pub fn close(&mut self, closed: Closed, mut emit: impl FnMut(&Event<'_>)) {
        if !std::mem::replace(&mut self.is_closed, true) {
            emit(&Event::ConnectionClosed(closed));
        }
    }
}

fn compare_paths(before: Option<PathView>, now: &PathView, mut emit: impl FnMut(&Event<'_>)) {
    let old = before.as_ref();
    if old.is_none_or(|old| old.standing != now.standing) {
        let old = old.map(|old| old.standing);
        emit(&Event::PathUpdated(PathUpdated { old, new: now.standing }));
    }
    let since =
        |now: u64, known: Option<u64>| Count { count: now.saturating_sub(known.unwrap_or(0)) };
    let timeouts = since(now.timeouts, old.map(|old| old.timeouts));
    if timeouts.count > 0 {
        emit(&Event::LossTimerExpired(timeouts));
    }
    let window_cuts = since(now.window_cuts, old.map(|old| old.window_cuts));
    if window_cuts.count > 0 {
        emit(&Event::WindowCut(window_cuts));
    }
    let (old_state, new_state) = (old.and_then(congestion), congestion(now));
    if let Some(new) = new_state.filter(|_| new_state != old_state) {
        let old = old_state;
        emit(&Event::CongestionStateUpdated(CongestionStateUpdated { old, new }));
    }
    let metrics = Metrics {
        cwnd: changed(old.map(|old| old.window), now.window),
        ssthresh: changed(old.map(|old| old.ssthresh), now.ssthresh),
        srtt: changed(old.map(|old| old.srtt), now.srtt).map(Span::as_secs_f64),
        rto: changed(old.map(|old| old.rto), now.rto).map(Span::as_secs_f64),
        outstanding: changed(old.map(|old| old.outstanding), now.outstanding),
    };
    if metrics != Metrics::default() {
        emit(&Event::MetricsUpdated(metrics));
    }
}

/// The congestion control state; `None` before the path can be used, when the threshold is still undefined.
fn congestion(view: &PathView) -> Option<CongestionState> {
    let is_known = view.standing != Standing::Connecting && view.ssthresh > 0;
    is_known.then_some(view.congestion)
}

fn changed<T: Copy + PartialEq>(old: Option<T>, new: T) -> Option<T> {
    if old == Some(new) { None } else { Some(new) }
}

/// Defines the views of paths, whose counters and states have the same names in both protocols.
macro_rules! views {
    ($($stats:ty),+) => {
        $(impl From<&$stats> for PathView {
            fn from(stats: &$stats) -> Self {
                Self {
                    standing: stats.into(),
                    congestion: CongestionState::new(stats.in_slow_start, stats.in_recovery),
                    window: stats.window,
                    ssthresh: stats.ssthresh,
                    srtt: stats.srtt,
                    rto: stats.rto,
                    outstanding: stats.outstanding,
                    timeouts: stats.timeouts,
                    window_cuts: stats.window_cuts,
                }
            }
        })+
    };
}

views!(sctp::PathStats, tcp::PathStats);

impl From<&sctp::Stats> for Marks {
    fn from(stats: &sctp::Stats) -> Self {
        Self {
            timeout: stats.timer_retransmissions,
            fast_retransmission: stats.fast_retransmissions,
            drop_report: stats.reported_chunks,
            rescheduling: stats.rescheduled_chunks,
            window_probe: stats.probe_retransmissions,
        }
    }
}

impl From<&tcp::Stats> for Marks {
    fn from(stats: &tcp::Stats) -> Self {
        Self {
            timeout: stats.timer_retransmissions,
            fast_retransmission: stats.fast_retransmissions,
            ..Self::default()
        }
    }
}

/// The shortest time between two events about a blocked path.
const BLOCKED_INTERVAL: Span = Span::from_millis(100);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_blocked_path_is_reported_ten_times_a_second_and_without_a_limit_not_at_all() {
        let mut watch = EndWatch::default();
        let mut seen = Vec::new();
        let mut window = Span::ZERO;
        for milliseconds in (0..1000).step_by(10) {
            let now = Time::ZERO + Span::from_millis(milliseconds);
            // The window is full in the first half of the second
            window = window.max(Span::from_millis(milliseconds.min(500)));
            let read = || BlockedTime { window, ..BlockedTime::default() };
            watch.look_at_blocked(now, 0, read, |event| seen.push(format!("{event:?}")));
        }
        let expected = [0, 100, 200, 300, 400].map(|since| {
            let since = Time::ZERO + Span::from_millis(since);
            let window = Span::from_millis(100);
            let blocked = Blocked::new(since, BlockedTime { window, ..BlockedTime::default() });
            format!("{:?}", Event::SendingBlocked(blocked))
        });
        assert_eq!(seen, expected);
    }
}
