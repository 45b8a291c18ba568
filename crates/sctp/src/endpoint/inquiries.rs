//! Queries of the application about an association.

use manypath_core::{BlockedTime, PathId, PathWindow, Time, Via};

use super::Endpoint;
use crate::association::{Association, Status};
use crate::event::AssociationId;
use crate::packet::{Cause, Packet};
use crate::path::PathStats;
use crate::stats::{ReorderStats, Stats, StreamStats};

impl Endpoint {
    /// The counters of an association.
    ///
    /// # Panics
    /// If there is no such association.
    pub fn stats(&self, id: AssociationId) -> &Stats {
        self.known(id).stats()
    }

    /// The status of an association; none if there is no such association. RFC 9260 §11.1.8
    pub fn status(&self, id: AssociationId) -> Option<Status> {
        Some(self.association(id)?.status())
    }

    /// The counters of a path of an association, and its current state.
    ///
    /// # Panics
    /// If there is no such association or path.
    pub fn path_stats(&self, id: AssociationId, path: PathId) -> PathStats {
        self.known(id).path_stats(path)
    }

    /// How much a path of an association may carry, and how much it carries.
    ///
    /// # Panics
    /// If there is no such association or path.
    #[inline]
    pub fn path_window(&self, id: AssociationId, path: PathId) -> PathWindow {
        self.known(id).path_window(path)
    }

    /// Weight of a path in standard TCPs; `None` if the congestion control has no weights.
    ///
    /// # Panics
    /// If there is no such association.
    pub fn weight(&self, id: AssociationId, path: PathId) -> Option<f64> {
        self.known(id).weight(path)
    }

    /// The time for which a path of an association could not send new data, by limit, from the establishment to `now`.
    ///
    /// # Panics
    /// If there is no such association or path.
    pub fn blocked(&self, now: Time, id: AssociationId, path: PathId) -> BlockedTime {
        self.known(id).blocked(now, path)
    }

    /// The number of streams that the peer of an association has used, including unused ones with lower numbers.
    ///
    /// # Panics
    /// If there is no such association.
    pub fn inbound_streams(&self, id: AssociationId) -> usize {
        self.known(id).inbound_streams()
    }

    /// Head-of-line blocking on an inbound stream, from the establishment of the association to `now`; zero for a
    /// stream that was not used.
    ///
    /// # Panics
    /// If there is no such association.
    pub fn stream_stats(&self, now: Time, id: AssociationId, stream: u16) -> StreamStats {
        self.known(id).stream_stats(now, stream)
    }

    /// The part of an association's receive buffer with bytes that could not be read yet, from the establishment to
    /// `now`.
    ///
    /// # Panics
    /// If there is no such association.
    pub fn reorder_stats(&self, now: Time, id: AssociationId) -> ReorderStats {
        self.known(id).reorder_stats(now)
    }

    /// How many paths an association has.
    ///
    /// # Panics
    /// If there is no such association.
    pub fn path_count(&self, id: AssociationId) -> usize {
        self.known(id).paths().len()
    }

    /// The addresses of a path of an association; none if there is no such association or path.
    pub fn path_via(&self, id: AssociationId, path: PathId) -> Option<Via> {
        self.association(id)?.paths().via(path)
    }

    /// SCTP port of an association's peer; none if there is no such association.
    pub fn peer_port(&self, id: AssociationId) -> Option<u16> {
        Some(self.association(id)?.peer().port)
    }

    /// Capacity of the send buffer in bytes of user data, waiting and outstanding; 0 if there is no such association.
    pub fn send_buffer(&self, id: AssociationId) -> usize {
        self.association(id).map_or(0, Association::send_buffer)
    }

    /// The path that data takes while it works; none if there is no such association. RFC 9260 §6.4
    pub fn primary_path(&self, id: AssociationId) -> Option<PathId> {
        Some(self.association(id)?.paths().primary)
    }

    /// The open association whose verification tag and peer port a packet carries. RFC 9260 §8.5
    pub fn association_of(&self, packet: &Packet) -> Option<AssociationId> {
        self.owner(packet.tag, packet.source_port).map(|index| self.slots.id(index))
    }

    /// Associations that may have something to send, including all whose timers have just expired.
    pub fn ready(&self) -> impl Iterator<Item = AssociationId> {
        // A single association is not in a queue
        let only = (self.slots.len() == 1).then_some(0);
        let first = move |start| self.queues.ready.first_from(start).filter(|_| only.is_none());
        let queued = std::iter::successors(first(0), move |index| first(index + 1));
        only.into_iter().chain(queued).map(|index| self.slots.id(index))
    }

    /// How many streams an association sends and receives on; none before both sides agree on it.
    ///
    /// # Panics
    /// If there is no such association.
    pub fn streams(&self, id: AssociationId) -> Option<(u16, u16)> {
        Some(self.known(id).peer().streams).filter(|streams| *streams != (0, 0))
    }

    /// The error causes in the peer's ABORT; empty if there was none.
    ///
    /// # Panics
    /// If there is no such association.
    pub fn abort_causes(&self, id: AssociationId) -> &[Cause] {
        self.known(id).abort_causes()
    }

    fn known(&self, id: AssociationId) -> &Association {
        self.association(id).unwrap_or_else(|| panic!("there is no association {}", id.0))
    }
}
