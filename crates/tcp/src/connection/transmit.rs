//! Fills one segment: first the handshake, then urgent acknowledgements, then data.

use manypath_core::Time;

use super::{Connection, ONLY};
use crate::event::CloseReason;
use crate::mptcp::MultipathOption;
use crate::segment::{Flags, Segment};
use crate::subflow::{NewData, Room, Subflow};

impl Connection {
    /// Fills the cleared segment if there is anything to send; returns the subflow that sends it.
    #[inline]
    pub(crate) fn poll_transmit(&mut self, now: Time, segment: &mut Segment) -> Option<usize> {
        if !self.resets.is_empty() {
            return self.send_reset(segment);
        }
        if self.bundle.is_some() {
            return self.poll_bundle(now, segment);
        }
        let room = self.room();
        let subflow = &mut self.subflows[ONLY];
        if subflow.syn_due() {
            subflow.write_syn(now, segment, &self.config);
            return self.count(ONLY);
        }
        // A data segment has no room for SACK blocks, so they are sent first
        let ack_due = subflow.receiving.ack_due();
        if ack_due && subflow.reports_gaps() {
            return self.send_ack(room, segment);
        }
        if let Some(index) = self.send_data(now, room, segment) {
            return Some(index);
        }
        if ack_due { self.send_ack(room, segment) } else { None }
    }

    #[cold]
    fn send_reset(&mut self, segment: &mut Segment) -> Option<usize> {
        let (index, at) = self.resets.pop()?;
        self.subflows[index].write_reset(segment);
        if let Some(seq) = at {
            (segment.seq, segment.ack, segment.flags) = (seq, 0, Flags::RST);
        }
        if self.bundle.is_some() && self.ended == Some(CloseReason::ResetHere) {
            segment.options.multipath = Some(MultipathOption::FastClose);
        }
        self.count(index)
    }

    /// A cheap check whether nothing more can be sent after the last segment.
    #[inline]
    pub(crate) fn is_exhausted(&self) -> bool {
        let is_exhausted =
            |subflow: &Subflow| !subflow.receiving.ack_due() && self.is_sated(subflow);
        match self.bundle.as_deref() {
            Some(bundle) => {
                self.resets.is_empty()
                    && bundle.has_only_new_data()
                    && !bundle.may_unblock()
                    && self.subflows.iter().all(is_exhausted)
            }
            None => is_exhausted(&self.subflows[ONLY]),
        }
    }

    /// A cheap check whether a subflow cannot send any new data.
    #[inline]
    pub(super) fn is_sated(&self, subflow: &Subflow) -> bool {
        let (unsent, closing) = (self.buffer.unsent(), self.closing);
        subflow.is_established() && subflow.sending.is_exhausted(unsent, closing, &self.control)
    }

    #[inline]
    fn send_ack(&mut self, room: Room, segment: &mut Segment) -> Option<usize> {
        self.subflows[ONLY].write_ack(segment, room, &self.config, &mut self.stats);
        self.count(ONLY)
    }

    /// Sends lost or new data of plain TCP.
    #[inline(always)]
    fn send_data(&mut self, now: Time, room: Room, segment: &mut Segment) -> Option<usize> {
        let subflow = &mut self.subflows[ONLY];
        let unsent = self.buffer.unsent();
        let has_data = unsent > 0 || self.closing || subflow.sending.repairs();
        if !has_data || !subflow.is_established() {
            return None;
        }
        let waiting = NewData { length: unsent, is_last: self.closing };
        let step = subflow.sending.next_step(now, waiting, &mut self.control, &self.config)?;
        let next = self.buffer.next();
        let (data, length) = subflow.write_data(now, segment, step, next, room, &mut self.stats);
        self.buffer.reach(data + length);
        self.buffer.copy(data, length, &mut segment.payload);
        subflow.finish_data(segment, length, &self.config, &mut self.stats);
        self.count(ONLY)
    }

    /// Counts a segment that the subflow sends.
    #[inline]
    pub(super) fn count(&mut self, index: usize) -> Option<usize> {
        self.stats.packets_sent += 1;
        Some(index)
    }
}
