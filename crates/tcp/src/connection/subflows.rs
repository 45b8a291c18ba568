//! Subflows that open and close while the connection is established. RFC 8684 §3.1, §3.2, §3.4

use manypath_core::{PathId, Time};

use super::{Connection, Notice};
use crate::event::CloseReason;
use crate::mptcp::{Bundle, MultipathOption};
use crate::segment::Segment;
use crate::subflow::{Expired, Opening, State, Subflow};

impl Connection {
    /// Whether `token` identifies this connection, so that a SYN may join it. The last segment of the first handshake
    /// may still be in flight on a slower path.
    pub(crate) fn is_named(&self, token: u32) -> bool {
        self.is_multipath() && self.bundle.as_deref().is_some_and(|bundle| bundle.token() == token)
    }

    /// Whether this side may open further subflows.
    pub(crate) fn takes_subflows(&self) -> bool {
        self.is_multipath() && self.connected
    }

    /// Whether both sides use Multipath TCP and neither has begun to close.
    fn is_multipath(&self) -> bool {
        let speaks = self.bundle.as_deref().is_some_and(|bundle| bundle.peer_key.is_some());
        speaks && !self.closing && self.ended.is_none()
    }

    /// The port of the peer.
    pub(crate) fn peer_port(&self) -> u16 {
        self.subflows[0].peer_port
    }

    /// Opens another subflow.
    pub(crate) fn join(&mut self, join: Opening) {
        let subflow = Subflow::connect(join, self.next_path(), &self.config);
        self.adopt(subflow);
    }

    /// Accepts a subflow that the peer opens with `syn`.
    pub(crate) fn accept_join(&mut self, join: Opening, syn: &Segment) {
        let subflow = Subflow::accept(join, self.next_path(), &self.config, syn);
        self.adopt(subflow);
    }

    fn next_path(&self) -> PathId {
        PathId(self.subflows.len() as u8)
    }

    fn adopt(&mut self, mut subflow: Subflow) {
        subflow.share_window();
        self.subflows.push(subflow);
        if let Some(bundle) = self.bundle.as_deref_mut() {
            bundle.add();
        }
    }

    /// Closes a subflow in order: the data that it carries still arrives. The last subflow on which both sides send
    /// stays open.
    pub(crate) fn remove_subflow(&mut self, path: PathId) {
        let index = path.index();
        let carries_both_ways =
            |other: usize| self.stays(other) && !self.subflows[other].receiving.is_finished();
        let count = self.subflows.len();
        if index >= count || !(0..count).any(|other| other != index && carries_both_ways(other)) {
            return;
        }
        match self.subflows[index].state() {
            State::SynSent(_) => self.lose_subflow(index, CloseReason::ResetHere),
            // The peer may already use a subflow that is not yet established on this side
            State::SynReceived(_) | State::Established => {
                if let Some(bundle) = self.bundle.as_deref_mut() {
                    bundle.set_leaving(index, true);
                }
            }
            State::TimeWait | State::Closed => {}
        }
    }

    /// Whether this side sends on the subflow and continues to do so.
    fn stays(&self, index: usize) -> bool {
        let (subflow, bundle) = (&self.subflows[index], self.bundle.as_deref());
        let is_leaving = bundle.is_none_or(|bundle| bundle.branches[index].is_leaving);
        subflow.may_send() && !is_leaving
    }

    /// Handles a FIN without DATA_FIN, which closes a subflow: this side closes it too, unless it is the last one on
    /// which this side can send. If both sides close different subflows at the same time, each keeps one direction.
    /// RFC 8684 §3.3.3
    pub(super) fn follow_peer(&mut self, index: usize) {
        let has_others = (0..self.subflows.len()).any(|other| other != index && self.stays(other));
        let Some(bundle) = self.bundle.as_deref_mut() else { return };
        if has_others && bundle.peer_fin.is_none() && self.subflows[index].receiving.is_finished() {
            bundle.set_leaving(index, true);
        }
    }

    /// Handles the loss of the last subflow that was not being closed: one of the closing subflows is kept open
    /// instead.
    fn keep_one(&mut self) {
        let count = self.subflows.len();
        if (0..count).any(|index| self.stays(index)) {
            return;
        }
        let Some(bundle) = self.bundle.as_deref_mut() else { return };
        if let Some(index) = self.subflows.iter().position(Subflow::may_send) {
            bundle.set_leaving(index, false);
        }
    }

    /// Handles the Multipath TCP option in the peer's SYN or in its answer; returns false if a subflow cannot join.
    pub(super) fn take_introduction(&mut self, index: usize, syn: &Segment) -> bool {
        let Some(bundle) = self.bundle.as_deref_mut() else { return true };
        match syn.options.multipath {
            Some(MultipathOption::Capable { key }) if index == 0 => {
                bundle.peer_key = Some(key);
                bundle.open_window(u64::from(syn.window));
                true
            }
            Some(MultipathOption::Join { .. }) => index > 0,
            _ if index == 0 => {
                // RFC 8684 §3.7: the peer supports plain TCP only
                self.bundle = None;
                true
            }
            _ => false,
        }
    }

    /// The Multipath TCP option of a SYN on the subflow `index`.
    pub(super) fn introduction(&self, index: usize) -> Option<MultipathOption> {
        let bundle = self.bundle.as_deref()?;
        Some(if index == 0 {
            MultipathOption::Capable { key: bundle.key }
        } else {
            MultipathOption::Join { token: bundle.peer_token() }
        })
    }

    /// Handles the establishment of the first subflow: from now on the window is shared, and the other subflows join.
    pub(super) fn open_bundle(&mut self) {
        let Some(bundle) = self.bundle.as_deref_mut() else { return };
        self.subflows[0].share_window();
        for join in std::mem::take(&mut bundle.waiting) {
            self.join(join);
        }
    }

    /// Handles the establishment of the subflow `index`. All earlier subflows also get their paths in the congestion
    /// control, so that paths and subflows have the same numbers. The paths count once their subflows are established.
    pub(super) fn number_paths(&mut self, index: usize) {
        let unit = self.subflows[index].sending.mss();
        for earlier in self.control.paths().len()..index {
            let path = self.control.open_path_with_unit(unit);
            self.control.set_active(path, false);
            if self.subflows[earlier].is_closed() {
                self.control.close_path(path);
            }
        }
    }

    /// Handles the failure of a subflow: other subflows carry its data. Without other subflows the connection ends.
    pub(super) fn lose_subflow(&mut self, index: usize, reason: CloseReason) {
        let Some(bundle) = self.bundle.as_deref_mut() else {
            if self.ended.is_none() {
                self.end(reason);
            }
            // If `ended` is set, all data has arrived, and only the end was not acknowledged
            return self.subflows.iter_mut().for_each(Subflow::end);
        };
        self.subflows[index].sending.hand_over(true, |range| bundle.reinject(index, range));
        self.forsake(index);
        self.subflows[index].end();
        self.keep_one();
        self.end_without_subflows(reason);
    }

    /// Like [`lose_subflow`](Self::lose_subflow), and sends RST to the peer.
    pub(super) fn reset_subflow(&mut self, index: usize) {
        self.resets.push((index, None));
        self.lose_subflow(index, CloseReason::ProtocolViolation);
    }

    /// Handles a retransmission timeout of a subflow: other subflows may carry its data.
    pub(super) fn note_timeout(&mut self, index: usize) {
        self.stats.timeouts += 1;
        let Some(bundle) = self.bundle.as_deref_mut() else { return };
        self.subflows[index].sending.hand_over(false, |range| bundle.reinject(index, range));
    }

    /// Continues the close of a subflow after FIN has arrived or was acknowledged.
    pub(super) fn continue_leave(&mut self, now: Time, index: usize) {
        self.follow_peer(index);
        let Some(bundle) = self.bundle.as_deref_mut() else { return };
        let (subflow, branch) = (&mut self.subflows[index], &mut bundle.branches[index]);
        let peer_finished = subflow.receiving.is_finished();
        if peer_finished {
            branch.closed_second |= !subflow.sending.fin_sent();
        }
        if !subflow.sending.fin_acked() || !subflow.is_established() {
            return;
        }
        if !peer_finished {
            if self.ended.is_some() {
                subflow.receiving.wait_for_fin(now, &self.config);
            }
            return;
        }
        if branch.closed_second {
            subflow.end();
        } else {
            subflow.enter_time_wait(now, &self.config);
        }
        self.forsake(index);
        self.end_without_subflows(CloseReason::Unreachable);
    }

    /// Checks whether the streams have ended. RFC 8684 §3.3.3
    pub(super) fn continue_streams(&mut self) {
        let Some(bundle) = self.bundle.as_deref() else { return };
        let (peer_fin, fin_acked) = (bundle.peer_fin, bundle.fin_acked);
        if !self.peer_finished && peer_fin.is_some_and(|fin| self.assembly.next() >= fin) {
            self.peer_finished = true;
            self.tell(Notice::PeerFinished);
        }
        if self.peer_finished && fin_acked && self.ended.is_none() {
            self.finish(CloseReason::Finished);
            let opening = self.subflows.iter_mut().filter(|subflow| subflow.is_opening());
            opening.for_each(Subflow::end);
        }
    }

    /// Handles the result of an expired timer of a subflow.
    pub(super) fn act_on(&mut self, index: usize, expired: Expired) {
        match expired {
            Expired::Handled => {}
            Expired::TimedOut => self.note_timeout(index),
            Expired::GaveUp => self.lose_subflow(index, CloseReason::Unreachable),
            Expired::Over => self.subflows[index].end(),
        }
    }

    /// Removes a subflow that no longer carries data.
    fn forsake(&mut self, index: usize) {
        let subflow = &self.subflows[index];
        let path = PathId(index as u8);
        if index < self.control.paths().len() {
            self.control.close_path(path);
        }
        if !subflow.is_opening() && self.ended.is_none() {
            self.tell(Notice::PathDown(path));
        }
        if let Some(bundle) = self.bundle.as_deref_mut() {
            bundle.drop_from_order(index);
        }
    }

    /// Ends the connection if it has no subflows, or if it has data and no subflow to send them on. If all data of both
    /// directions has arrived, the end counts as orderly.
    fn end_without_subflows(&mut self, reason: CloseReason) {
        let arrived = self.bundle.as_deref().map_or(0, Bundle::data_una);
        let has_arrived = self.closing && arrived == self.buffer.end();
        let lives = |subflow: &Subflow| match subflow.state() {
            State::SynSent(_) | State::SynReceived(_) => true,
            State::Established => has_arrived || !subflow.sending.fin_sent(),
            State::TimeWait | State::Closed => false,
        };
        if self.ended.is_some() || self.subflows.iter().any(lives) {
            return;
        }
        let is_open = |index: &usize| self.subflows[*index].is_established();
        let open = (0..self.subflows.len()).filter(is_open);
        self.resets.extend(open.map(|index| (index, None)));
        self.end(if has_arrived && self.peer_finished { CloseReason::Finished } else { reason });
    }
}
