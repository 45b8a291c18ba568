//! A sink that reads whatever arrives at once, and checks it.

use manypath_core::Time;
use manypath_sctp::{AssociationId, Endpoint, Event};

use super::ledger::{Ledger, Violation};

/// Reads every message and crosses it out in the ledger.
#[derive(Debug)]
pub(crate) struct Sink {
    ledger: Ledger,
    association: Option<AssociationId>,
    violation: Option<Violation>,
}

impl Sink {
    /// A sink for the messages in `ledger`.
    pub(crate) fn new(ledger: Ledger) -> Self {
        Self { ledger, association: None, violation: None }
    }

    /// What arrived.
    pub(crate) fn ledger(&self) -> &Ledger {
        &self.ledger
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
            if let Err(violation) = self.ledger.deliver(&message) {
                self.violation.get_or_insert(violation);
            }
        }
    }
}
