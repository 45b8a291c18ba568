//! What changed at a host since somebody looked last.

use manypath_core::Span;

use super::event::{
    Closed, CongestionState, CongestionStateUpdated, Count, Event, Marked, Metrics, Nothing,
    PathUpdated, Standing, Trigger,
};
use crate::build::{Side, via};
use crate::host::Host;
use crate::reading::{self, EndReading, PathEndReading};

/// A host as it was at the last look.
#[derive(Debug)]
pub(super) struct HostWatch {
    pub(super) flow: usize,
    pub(super) side: Side,
    is_started: bool,
    is_connected: bool,
    is_closed: bool,
    end: EndReading,
    /// By path; nothing before the host knows it.
    paths: Vec<Option<PathEndReading>>,
}

impl HostWatch {
    /// A host that has done nothing.
    pub(super) fn new(flow: usize, side: Side, paths: usize) -> Self {
        Self {
            flow,
            side,
            is_started: false,
            is_connected: false,
            is_closed: false,
            end: EndReading::default(),
            paths: vec![None; paths],
        }
    }

    /// Tells `emit` what changed, and of which path: causes before effects.
    pub(super) fn look(&mut self, host: &Host, mut emit: impl FnMut(Option<usize>, &Event<'_>)) {
        let application = host.application();
        let Some(id) = application.connection() else { return };
        if self.side == Side::Source && !self.is_started {
            self.is_started = true;
            emit(None, &Event::ConnectionStarted(Nothing {}));
        }
        if application.is_connected() && !self.is_connected {
            self.is_connected = true;
            emit(None, &Event::ConnectionEstablished(Nothing {}));
        }
        for path in 0..self.paths.len() {
            let via = match self.side {
                Side::Source => via(self.flow, path),
                Side::Sink => via(self.flow, path).reversed(),
            };
            let Some(now) = host.endpoint().read_path(id, path, via) else { continue };
            let before = self.paths[path].replace(now);
            if before != Some(now) {
                compare_paths(before, &now, |event| emit(Some(path), event));
            }
        }
        let now = host.endpoint().read(id, 0);
        compare_ends(&self.end, &now, |event| emit(None, event));
        self.end = now;
        if let Some(ending) = application.ending().filter(|_| !self.is_closed) {
            self.is_closed = true;
            emit(None, &Event::ConnectionClosed(Closed { reason: ending.name }));
        }
    }
}

fn compare_paths(
    before: Option<PathEndReading>,
    now: &PathEndReading,
    mut emit: impl FnMut(&Event<'_>),
) {
    let old = before.as_ref();
    let known = before.unwrap_or_default();
    if old.is_none_or(|old| old.standing != now.standing) {
        let old = old.map(|old| old.standing.into());
        emit(&Event::PathUpdated(PathUpdated { old, new: now.standing.into() }));
    }
    if now.timeouts > known.timeouts {
        emit(&Event::LossTimerExpired(Count { count: now.timeouts - known.timeouts }));
    }
    if now.window_cuts > known.window_cuts {
        emit(&Event::WindowCut(Count { count: now.window_cuts - known.window_cuts }));
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

/// What decides how the window grows; nothing before the path can be used, when the threshold means nothing yet.
fn congestion(reading: &PathEndReading) -> Option<CongestionState> {
    let is_known = reading.standing != reading::Standing::Connecting && reading.ssthresh > 0;
    is_known.then(|| reading.congestion.into())
}

fn changed<T: Copy + PartialEq>(old: Option<T>, new: T) -> Option<T> {
    if old == Some(new) { None } else { Some(new) }
}

fn compare_ends(before: &EndReading, now: &EndReading, mut emit: impl FnMut(&Event<'_>)) {
    for (trigger, before, now) in [
        (Trigger::Timeout, before.timer_retransmitted, now.timer_retransmitted),
        (Trigger::FastRetransmission, before.fast_retransmitted, now.fast_retransmitted),
        (Trigger::DropReport, before.reported, now.reported),
        (Trigger::Rescheduling, before.rescheduled, now.rescheduled),
        (Trigger::WindowProbe, before.probed, now.probed),
    ] {
        if now > before {
            emit(&Event::MarkedForRetransmit(Marked { trigger, count: now - before }));
        }
    }
}

impl From<reading::Standing> for Standing {
    fn from(standing: reading::Standing) -> Self {
        match standing {
            reading::Standing::Connecting => Self::Connecting,
            reading::Standing::Up => Self::Up,
            reading::Standing::PotentiallyFailed => Self::PotentiallyFailed,
            reading::Standing::Down => Self::Down,
        }
    }
}

impl From<reading::CongestionState> for CongestionState {
    fn from(state: reading::CongestionState) -> Self {
        match state {
            reading::CongestionState::SlowStart => Self::SlowStart,
            reading::CongestionState::CongestionAvoidance => Self::CongestionAvoidance,
            reading::CongestionState::Recovery => Self::Recovery,
        }
    }
}
