//! Settings of one association that its application changes. Unknown associations are ignored.

use manypath_core::{PathId, RtoLimits, Span, Time};

use super::Endpoint;
use crate::event::AssociationId;

impl Endpoint {
    /// Bounds the retransmission timeouts of all paths of an association.
    pub fn set_rto(&mut self, id: AssociationId, rto: RtoLimits) {
        if let Some(association) = self.association_mut(id) {
            association.set_rto(rto);
        }
    }

    /// Sets the interval of the heartbeats of idle paths, from `now` on: see
    /// [`Config::heartbeat_interval`](crate::Config::heartbeat_interval).
    pub fn set_heartbeat_interval(&mut self, now: Time, id: AssociationId, interval: Span) {
        if let Some(association) = self.association_mut(id) {
            association.set_heartbeat_interval(now, interval);
        }
    }

    /// Sets the number of DATA packets per SACK and the maximum delay `delay` of a SACK, from the next DATA on.
    pub fn set_sack(&mut self, id: AssociationId, every: u32, delay: Span) {
        if let Some(association) = self.association_mut(id) {
            association.set_sack(every, delay);
        }
    }

    /// Sets whether a small message waits while data is outstanding: see [`Config::nagle`](crate::Config::nagle).
    pub fn set_nagle(&mut self, id: AssociationId, nagle: bool) {
        if let Some(association) = self.association_mut(id) {
            association.set_nagle(nagle);
        }
    }

    /// Lets so many chunks be outstanding at most; 32,768 is the largest number that counts.
    pub fn set_max_outstanding(&mut self, id: AssociationId, chunks: usize) {
        if let Some(association) = self.association_mut(id) {
            association.set_max_outstanding(chunks);
        }
    }

    /// Makes data take this path while it works; false if there is no such association or path. RFC 9260 §6.4
    pub fn set_primary(&mut self, now: Time, id: AssociationId, path: PathId) -> bool {
        self.association_mut(id).is_some_and(|association| association.set_primary(now, path))
    }
}
