//! The limits that stop subflows from sending new data, and the time spent in each.

use manypath_core::{BlockedTime, PathId, SendLimit, Time};

use super::Connection;
use crate::mptcp::Bundle;
use crate::subflow::{NewData, Phase, State};

impl Connection {
    /// Records the limit of each subflow once the connection has nothing more to send.
    #[inline]
    pub(crate) fn note_limits(&mut self, now: Time) {
        if !self.connected {
            return;
        }
        for index in 0..self.subflows.len() {
            let limit = self.limit(index);
            self.subflows[index].waiting.note(now, limit);
        }
    }

    /// The time for which a subflow could not send new data, by limit, up to `now`.
    pub(crate) fn blocked(&self, now: Time, path: PathId) -> BlockedTime {
        self.subflows[path.index()].waiting.until(now)
    }

    /// The limit that stops a subflow from sending new data; `None` if nothing does, if the subflow has ended, or if all
    /// data of the connection has arrived and only the ends of its subflows remain.
    #[inline]
    fn limit(&self, index: usize) -> Option<SendLimit> {
        let is_over = |bundle: &Bundle| self.closing && bundle.data_una() == self.buffer.end();
        if self.bundle.as_deref().is_some_and(is_over) {
            return None;
        }
        let subflow = &self.subflows[index];
        if !subflow.is_established() {
            let has_ended = matches!(subflow.state(), State::TimeWait | State::Closed);
            return (!has_ended).then_some(SendLimit::Path);
        }
        let mut waiting = NewData { length: self.buffer.unsent(), is_last: self.closing };
        let mut room = subflow.sending.room();
        if let Some(bundle) = self.bundle.as_deref() {
            // After a timeout a path carries no new data until an acknowledgement shows that it works
            let is_doubtful = matches!(subflow.sending.phase(), Phase::AfterTimeout);
            if is_doubtful || bundle.branches[index].is_leaving {
                return Some(SendLimit::Path);
            }
            let first = bundle.first_for(index, self.buffer.next());
            waiting.length = self.buffer.end() - first;
            waiting.is_last &= bundle.data_una() == self.buffer.end();
            room = bundle.peer_room(first);
        }
        let limit = subflow.sending.limit(waiting, room, &self.control, &self.config);
        let is_full = limit == Some(SendLimit::Application)
            && !self.closing
            && self.buffer.lacks_room(subflow.sending.mss());
        if is_full { Some(SendLimit::SendBuffer) } else { limit }
    }
}
