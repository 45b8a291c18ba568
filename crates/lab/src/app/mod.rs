//! Applications: the source that sends the data of a flow, and the sink that reads it.

mod cbr;
mod handovers;
mod latency;
mod ledger;
mod messages;
mod on_off;
mod pace;
mod sink;
mod source;

use manypath_core::Time;

use crate::endpoint::{ConnectionId, Ending, Event, Transport};

pub(crate) use handovers::Handovers;
pub(crate) use latency::LatencySum;
pub(crate) use ledger::Ledger;
pub use ledger::Violation;
pub(crate) use messages::Messages;
pub(crate) use pace::Pace;
pub(crate) use sink::Sink;
pub(crate) use source::{Plan, Source};

/// The application of a host.
#[derive(Debug)]
pub(crate) enum Application {
    Source(Source),
    Sink(Sink),
}

impl Application {
    /// When the application's next timer is due.
    #[inline]
    pub(crate) fn poll_timeout(&self) -> Time {
        match self {
            Self::Source(source) => source.poll_timeout(),
            Self::Sink(_) => Time::NEVER,
        }
    }

    /// Acts if the application's timer is due.
    pub(crate) fn handle_timeout(&mut self, now: Time, transport: &mut impl Transport) {
        match self {
            Self::Source(source) => source.handle_timeout(now, transport),
            Self::Sink(_) => {}
        }
    }

    /// A packet has reached the endpoint.
    #[inline]
    pub(crate) fn note_arrival(&mut self, now: Time, transport: &impl Transport) {
        match self {
            Self::Source(_) => {}
            Self::Sink(sink) => sink.note_arrival(now, transport),
        }
    }

    /// The association or connection, once there is one.
    pub(crate) fn connection(&self) -> Option<ConnectionId> {
        match self {
            Self::Source(source) => source.connection(),
            Self::Sink(sink) => sink.connection(),
        }
    }

    /// Whether the association or connection has ever been established.
    pub(crate) fn is_connected(&self) -> bool {
        match self {
            Self::Source(source) => source.is_connected(),
            Self::Sink(sink) => sink.connection().is_some(),
        }
    }

    /// Why the association or connection ended, if it did.
    pub(crate) fn ending(&self) -> Option<Ending> {
        let closed = match self {
            Self::Source(source) => source.closed(),
            Self::Sink(sink) => sink.closed(),
        };
        closed.map(|(_, ending)| ending)
    }

    /// Handles an event of the endpoint.
    #[inline]
    pub(crate) fn handle_event(&mut self, now: Time, transport: &mut impl Transport, event: Event) {
        match self {
            Self::Source(source) => source.handle_event(now, transport, event),
            Self::Sink(sink) => sink.handle_event(now, transport, event),
        }
    }
}
