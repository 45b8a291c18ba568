//! The end of a connection: both directions in order, or all at once. RFC 9293 §3.6

use manypath_core::Time;

use super::{Connection, Notice};
use crate::event::CloseReason;
use crate::subflow::{State, Subflow};

impl Connection {
    /// Closes the sending direction. All data that the application wrote is still delivered.
    pub(crate) fn close(&mut self) {
        if self.ended.is_some() {
            return;
        }
        if self.subflows.iter().all(|subflow| matches!(subflow.state(), State::SynSent(_))) {
            // RFC 9293 §3.10.4: the peer does not yet know the connection
            return self.end(CloseReason::Finished);
        }
        self.closing = true;
    }

    /// Aborts the connection for the application. RFC 9293 §3.10.5
    pub(crate) fn abort(&mut self) {
        if self.ended.is_some() {
            return;
        }
        let is_known =
            |subflow: &Subflow| !matches!(subflow.state(), State::SynSent(_) | State::Closed);
        let known = (0..self.subflows.len()).filter(|index| is_known(&self.subflows[*index]));
        self.resets = known.map(|index| (index, None)).collect();
        self.end(CloseReason::ResetHere);
    }

    /// Ends the connection. After this only RST may be sent.
    pub(super) fn end(&mut self, reason: CloseReason) {
        self.finish(reason);
        for subflow in &mut self.subflows {
            subflow.end();
        }
    }

    /// Continues the close after a direction may have ended. RFC 9293 §3.6, §3.10.7.4
    pub(super) fn continue_close(&mut self, now: Time, index: usize) {
        if self.bundle.is_some() {
            self.continue_streams();
            return self.continue_leave(now, index);
        }
        let subflow = &self.subflows[index];
        let (peer_finished, is_open) = (subflow.receiving.is_finished(), subflow.is_established());
        let finished = peer_finished && subflow.sending.fin_acked() && is_open;
        if peer_finished && !self.peer_finished {
            self.peer_finished = true;
            self.closed_second = !subflow.sending.fin_sent();
            self.tell(Notice::PeerFinished);
        }
        if !finished {
            return;
        }
        if self.closed_second {
            self.end(CloseReason::Finished);
        } else {
            self.subflows[index].enter_time_wait(now, &self.config);
            self.finish(CloseReason::Finished);
        }
    }

    /// Reports the end of the connection and its reason to the application.
    pub(super) fn finish(&mut self, reason: CloseReason) {
        if self.ended.is_none() {
            self.ended = Some(reason);
            self.tell(Notice::Closed(reason));
        }
    }
}
