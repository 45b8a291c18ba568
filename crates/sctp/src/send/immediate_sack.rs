//! The application's request for an immediate SACK. RFC 7053 §5.1

use super::Sender;
use crate::packet::{Data, DataFlags};

impl Sender {
    /// Records a request for an immediate SACK of all messages sent so far.
    pub(crate) fn request_sack(&mut self) {
        self.sack_requested = true;
    }

    /// Whether the application waits for an immediate SACK.
    #[inline]
    pub(crate) fn is_sack_requested(&self) -> bool {
        self.sack_requested
    }

    /// Sets the I bit of the last chunk of a packet in two cases: the packet is the last one before a SACK (`asks`), or
    /// it ends the data for which the application requested an immediate SACK. Retransmissions of the chunk also have
    /// the bit.
    pub(crate) fn mark_for_sack(&mut self, last: &mut Data, asks: bool) {
        let is_requested = self.sack_requested && self.has_sent_all();
        if asks || is_requested {
            last.flags = last.flags.with(DataFlags::IMMEDIATE);
        }
        if is_requested {
            self.sack_requested = false;
            if let Some(chunk) = self.outstanding.get_mut(last.tsn) {
                chunk.flags = chunk.flags.with(DataFlags::IMMEDIATE);
            }
        }
    }
}
