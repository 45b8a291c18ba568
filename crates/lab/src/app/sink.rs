//! A sink that reads all data immediately and checks it.

use manypath_core::{Integral, Time};

use super::handovers::Handovers;
use super::latency::Latencies;
use super::ledger::{Ledger, Violation};
use crate::endpoint::{ConnectionId, Ending, Event, Transport};

/// Reads every message and removes it from the ledger.
#[derive(Debug)]
pub(crate) struct Sink {
    ledger: Ledger,
    handovers: Handovers,
    latencies: Latencies,
    measure_from: Time,
    reordered: Reordered,
    connection: Option<ConnectionId>,
    closed: Option<(Time, Ending)>,
    violation: Option<Violation>,
}

/// Occupancy of the reorder buffer: bytes that arrived and cannot be read yet.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Reordered {
    /// Bytes after the latest packet.
    pub(crate) bytes: Integral,
    /// Maximum after any packet of the measured time.
    pub(crate) most: u64,
}

impl Sink {
    /// A sink for the messages in `ledger`, whose hand-over times are in `handovers`. Latencies count from
    /// `measure_from` on.
    pub(crate) fn new(ledger: Ledger, handovers: Handovers, measure_from: Time) -> Self {
        let latencies = Latencies::new(measure_from);
        Self {
            ledger,
            handovers,
            latencies,
            measure_from,
            reordered: Reordered::default(),
            connection: None,
            closed: None,
            violation: None,
        }
    }

    /// The messages that arrived.
    pub(crate) fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// The latencies of the messages that arrived.
    pub(crate) fn latencies(&self) -> &Latencies {
        &self.latencies
    }

    /// Keeps the latencies since the previous sample, for a series.
    pub(crate) fn keep_steps(&mut self) {
        self.latencies.keep_steps();
    }

    /// Bytes that arrived and could not be read yet.
    pub(crate) fn reordered(&self) -> &Reordered {
        &self.reordered
    }

    /// The association or connection that the source opened.
    pub(crate) fn connection(&self) -> Option<ConnectionId> {
        self.connection
    }

    /// When and why the association or connection ended, if it did.
    pub(crate) fn closed(&self) -> Option<(Time, Ending)> {
        self.closed
    }

    /// The first message that was not delivered as it was sent.
    pub(crate) fn violation(&self) -> Option<&Violation> {
        self.violation.as_ref()
    }

    #[inline]
    pub(crate) fn note_arrival(&mut self, now: Time, transport: &impl Transport) {
        if let Some(connection) = self.connection {
            let is_measured = now > self.measure_from;
            self.reordered.note(now, transport.reordered(now, connection), is_measured);
        }
    }

    #[inline]
    pub(crate) fn handle_event(&mut self, now: Time, transport: &mut impl Transport, event: Event) {
        match event {
            Event::Readable(connection) => self.read(now, transport, connection),
            Event::Connected(connection) => {
                self.connection = Some(connection);
                // The packet that established the connection may have data
                self.note_arrival(now, transport);
            }
            Event::PeerFinished(connection) => {
                self.read(now, transport, connection);
                transport.finish(now, connection);
            }
            Event::Closed(ending) => self.closed = Some((now, ending)),
            Event::Writable | Event::Other => {}
        }
    }

    #[inline]
    fn read(&mut self, now: Time, transport: &mut impl Transport, connection: ConnectionId) {
        let Self { ledger, handovers, latencies, violation, .. } = self;
        while let Some(incoming) = transport.take(now, connection) {
            let delivered = ledger.deliver(&incoming, |number, first_open| {
                if let Some(handed_over) = handovers.take(number, first_open) {
                    latencies.record(now, now - handed_over);
                }
            });
            if let Err(found) = delivered {
                violation.get_or_insert(found);
            }
        }
    }
}

impl Reordered {
    #[inline]
    fn note(&mut self, now: Time, bytes: u64, is_measured: bool) {
        self.bytes.set(now, bytes);
        if is_measured {
            self.most = self.most.max(bytes);
        }
    }
}
