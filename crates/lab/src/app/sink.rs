//! A sink that reads whatever arrives at once, and checks it.

use manypath_core::Time;
use manypath_sctp::{AssociationId, Endpoint, Event};

use super::handovers::Handovers;
use super::latency::Latencies;
use super::ledger::{Ledger, Violation};

/// Reads every message and crosses it out in the ledger.
#[derive(Debug)]
pub(crate) struct Sink {
    ledger: Ledger,
    handovers: Handovers,
    latencies: Latencies,
    measure_from: Time,
    /// Bytes that arrived and could not be read yet, at most in the measured time.
    most_reordered: u64,
    association: Option<AssociationId>,
    violation: Option<Violation>,
}

impl Sink {
    /// A sink for the messages in `ledger`, which the source notes in `handovers`; latencies count from
    /// `measure_from` on.
    pub(crate) fn new(ledger: Ledger, handovers: Handovers, measure_from: Time) -> Self {
        let latencies = Latencies::new(measure_from);
        Self {
            ledger,
            handovers,
            latencies,
            measure_from,
            most_reordered: 0,
            association: None,
            violation: None,
        }
    }

    /// What arrived.
    pub(crate) fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// How long what arrived was on its way.
    pub(crate) fn latencies(&self) -> &Latencies {
        &self.latencies
    }

    /// Bytes that arrived and could not be read yet, at most after any packet of the measured time.
    pub(crate) fn most_reordered(&self) -> u64 {
        self.most_reordered
    }

    /// The association that the source opened.
    pub(crate) fn association(&self) -> Option<AssociationId> {
        self.association
    }

    /// The first message that was not delivered as it was sent.
    pub(crate) fn violation(&self) -> Option<&Violation> {
        self.violation.as_ref()
    }

    #[inline]
    pub(crate) fn note_arrival(&mut self, now: Time, endpoint: &Endpoint) {
        if now > self.measure_from
            && let Some(association) = self.association
        {
            let waiting = endpoint.reorder_stats(now, association).bytes;
            self.most_reordered = self.most_reordered.max(waiting);
        }
    }

    #[inline]
    pub(crate) fn handle_event(&mut self, now: Time, endpoint: &mut Endpoint, event: &Event) {
        match *event {
            Event::Readable(association) => self.read(now, endpoint, association),
            Event::Connected(association) => self.association = Some(association),
            Event::Writable(_)
            | Event::PathPotentiallyFailed { .. }
            | Event::PathDown { .. }
            | Event::PathUp { .. }
            | Event::Restarted(_)
            | Event::Closed { .. } => {}
        }
    }

    #[inline]
    fn read(&mut self, now: Time, endpoint: &mut Endpoint, association: AssociationId) {
        while let Some(message) = endpoint.receive(now, association) {
            match self.ledger.deliver(&message) {
                Ok(number) => self.time(now, number),
                Err(violation) => {
                    self.violation.get_or_insert(violation);
                }
            }
        }
    }
    #[inline]
    fn time(&mut self, now: Time, number: u64) {
        if let Some(handed_over) = self.handovers.take(number, self.ledger.first_open()) {
            self.latencies.record(now, now - handed_over);
        }
    }
}
