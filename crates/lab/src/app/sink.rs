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
    association: Option<AssociationId>,
    violation: Option<Violation>,
}

impl Sink {
    /// A sink for the messages in `ledger`, which the source notes in `handovers`; latencies count from
    /// `measure_from` on.
    pub(crate) fn new(ledger: Ledger, handovers: Handovers, measure_from: Time) -> Self {
        let latencies = Latencies::new(measure_from);
        Self { ledger, handovers, latencies, association: None, violation: None }
    }

    /// What arrived.
    pub(crate) fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// How long what arrived was on its way.
    pub(crate) fn latencies(&self) -> &Latencies {
        &self.latencies
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
    pub(crate) fn handle_event(&mut self, now: Time, endpoint: &mut Endpoint, event: &Event) {
        match *event {
            Event::Readable(association) => self.read(now, endpoint, association),
            Event::Connected(association) => self.association = Some(association),
            Event::Writable(_)
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
