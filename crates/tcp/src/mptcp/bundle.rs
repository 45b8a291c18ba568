//! The subflows of one connection as a whole: the stream, its progress, and the data for each subflow.

use manypath_core::{Span, Time};

use super::branch::{Branch, DataRange};
use super::option::token;
use super::schedule::Schedule;
use crate::config::{Config, Multipath};
use crate::subflow::{Opening, Room, Subflow, announce};

/// The state that all subflows of a connection share.
#[derive(Debug)]
pub(crate) struct Bundle {
    pub(crate) rules: Multipath,
    schedule: &'static dyn Schedule,
    /// Whether the scheduler lets each subflow carry all data.
    carries_everything: bool,
    /// Whether every subflow would carry the same data next: data that was never sent.
    has_only_new_data: bool,
    /// The subflows in the order in which the scheduler tries them.
    pub(crate) order: Vec<usize>,
    /// By subflow.
    pub(crate) branches: Vec<Branch>,
    /// Subflows that join once the connection is established.
    pub(crate) waiting: Vec<Opening>,
    /// Key of this side.
    pub(crate) key: u64,
    /// Key of the peer, once the peer is known to support Multipath TCP.
    pub(crate) peer_key: Option<u64>,
    /// The peer has acknowledged everything below: DATA_ACK.
    data_una: u64,
    /// The peer has acknowledged DATA_FIN.
    pub(crate) fin_acked: bool,
    /// The first data sequence number beyond the peer's receive window.
    peer_edge: u64,
    /// The first data sequence number beyond the announced receive window of this side.
    own_edge: u64,
    /// The end of the peer's stream, once the peer has sent DATA_FIN.
    pub(crate) peer_fin: Option<u64>,
}

/// Data that a subflow may carry next.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) struct Supply {
    /// Data sequence number of the first byte.
    pub(crate) data: u64,
    /// Bytes.
    pub(crate) length: u64,
    /// Bytes that the peer has room for.
    pub(crate) room: u64,
    /// The failed subflow that carried these bytes, if any.
    pub(crate) reinjected_from: Option<usize>,
    /// Another subflow carries these bytes as well.
    pub(crate) is_copy: bool,
    /// No bytes follow on this subflow.
    pub(crate) is_last: bool,
}

impl Supply {
    /// Bytes that another subflow carries already. They are within the peer's window.
    pub(crate) fn copy_of(range: DataRange, reinjected_from: Option<usize>) -> Self {
        let DataRange { data, length } = range;
        Self { data, length, room: u64::MAX >> 1, reinjected_from, is_copy: true, is_last: false }
    }
}

impl Bundle {
    /// The shared state of a new connection with the key `key`.
    pub(crate) fn new(rules: Multipath, key: u64, waiting: Vec<Opening>, config: &Config) -> Self {
        let schedule = rules.scheduler.schedule();
        let carries_everything = schedule.carries_everything();
        Self {
            rules,
            schedule,
            carries_everything,
            has_only_new_data: !carries_everything,
            order: vec![0],
            branches: vec![Branch::default()],
            waiting,
            key,
            peer_key: None,
            data_una: 0,
            fin_acked: false,
            peer_edge: 0,
            own_edge: (config.receive_buffer as u64).min(u64::from(u16::MAX)),
            peer_fin: None,
        }
    }

    /// The token with which the peer joins this connection.
    pub(crate) fn token(&self) -> u32 {
        token(self.key)
    }

    /// The token with which this side joins the peer's connection.
    pub(crate) fn peer_token(&self) -> u32 {
        token(self.peer_key.unwrap_or_default())
    }

    /// Adds a subflow at the end of every list.
    pub(crate) fn add(&mut self) {
        self.order.push(self.branches.len());
        self.branches.push(Branch::default());
    }

    /// Removes a closed subflow from the order.
    pub(crate) fn drop_from_order(&mut self, index: usize) {
        self.order.retain(|known| *known != index);
    }

    /// The peer has acknowledged everything below this offset.
    #[inline]
    pub(crate) fn data_una(&self) -> u64 {
        self.data_una
    }

    /// Handles DATA_ACK and window of a segment. `end` is the current end of the own stream, and everything below
    /// `next` was sent. Returns false if data is acknowledged that was never sent. The edge never moves back.
    /// RFC 8684 §3.3.4
    #[inline]
    pub(crate) fn acknowledge(
        &mut self,
        data_ack: u64,
        window: u64,
        next: u64,
        fin_at: Option<u64>,
    ) -> bool {
        if data_ack > next && Some(data_ack - 1) != fin_at {
            return false;
        }
        self.fin_acked |= fin_at.is_some_and(|fin| data_ack > fin);
        self.data_una = self.data_una.max(data_ack.min(next));
        self.peer_edge = self.peer_edge.max(data_ack + window);
        true
    }

    /// Sets the window of a SYN, before any data.
    pub(crate) fn open_window(&mut self, window: u64) {
        self.peer_edge = self.peer_edge.max(window);
    }

    /// Bytes from `data` on that are within the peer's window.
    #[inline]
    pub(crate) fn peer_room(&self, data: u64) -> u64 {
        self.peer_edge.saturating_sub(data)
    }

    /// Whether everything up to `end` is within the announced window of this side.
    #[inline]
    pub(crate) fn has_room(&self, end: u64) -> bool {
        end <= self.own_edge
    }

    /// The window field of a segment that is sent now; everything below `next` has arrived. RFC 8684 §3.3.1
    #[inline]
    pub(crate) fn announce(&mut self, next: u64, room: Room, least: u64, shift: u8) -> u16 {
        announce(&mut self.own_edge, next, room, least, shift)
    }

    /// Bytes beyond `next` that are within the window known to the peer.
    #[inline]
    pub(crate) fn known_room(&self, next: u64) -> u64 {
        self.own_edge.saturating_sub(next)
    }

    /// Puts the subflows into the scheduler's order.
    #[inline]
    pub(crate) fn arrange(&mut self, subflows: &[Subflow]) {
        self.schedule.arrange(&mut self.order, subflows);
    }

    /// Whether every subflow would carry the same data next: data that was never sent.
    #[inline]
    pub(crate) fn has_only_new_data(&self) -> bool {
        self.has_only_new_data
    }

    /// Sets whether a subflow takes no new data.
    pub(crate) fn set_leaving(&mut self, index: usize, is_leaving: bool) {
        self.branches[index].is_leaving = is_leaving;
        self.look_for_duties();
    }

    /// Updates `has_only_new_data` after a change.
    fn look_for_duties(&mut self) {
        let is_simple = |branch: &Branch| branch.reinjections.is_empty() && !branch.is_leaving;
        self.has_only_new_data = !self.carries_everything && self.branches.iter().all(is_simple);
    }

    /// Whether an idle subflow may resend data that a slow subflow blocks.
    #[inline]
    pub(crate) fn may_unblock(&self) -> bool {
        self.rules.opportunistic_retransmission || self.rules.penalisation
    }

    /// The data that the subflow `index` may carry next, and whether the subflow ends after it. The stream was sent up
    /// to `next` and written up to `end`. RFC 8684 §3.3.3: FIN is sent once all data have arrived
    #[inline]
    pub(crate) fn supply(&mut self, index: usize, next: u64, end: u64, closing: bool) -> Supply {
        if !self.has_only_new_data {
            if self.branches[index].is_leaving {
                return Supply { data: next, is_last: true, ..Supply::default() };
            }
            if let Some(supply) = self.reinjection_for(index) {
                return supply;
            }
        }
        let data = self.first_for(index, next);
        Supply {
            data,
            length: end - data,
            room: self.peer_room(data),
            is_last: closing && self.data_una == end,
            ..Supply::default()
        }
    }

    /// The first byte that was never sent by the subflow `index`, or by any; the stream was sent up to `next`.
    #[inline]
    pub(crate) fn first_for(&self, index: usize, next: u64) -> u64 {
        if self.carries_everything { self.branches[index].cursor.max(self.data_una) } else { next }
    }

    /// The lowest bytes of a failed subflow that must be reinjected.
    fn reinjection_for(&mut self, index: usize) -> Option<Supply> {
        let mut lowest: Option<(usize, DataRange)> = None;
        for (other, branch) in self.branches.iter_mut().enumerate() {
            if other == index || branch.reinjections.is_empty() {
                continue;
            }
            if let Some(range) = branch.next_reinjection(self.data_una)
                && lowest.is_none_or(|(_, known)| range.data < known.data)
            {
                lowest = Some((other, range));
            }
        }
        self.look_for_duties();
        lowest.map(|(other, range)| Supply::copy_of(range, Some(other)))
    }

    /// Records that the subflow at `place` of the order took `length` bytes of a supply, up to `end` of its own
    /// sequence space.
    #[inline]
    pub(crate) fn note_sent(&mut self, place: usize, supply: &Supply, length: u64, end: u64) {
        let index = self.order[place];
        if let Some(other) = supply.reinjected_from {
            self.branches[other].take_reinjection(length);
            self.look_for_duties();
        }
        if supply.is_copy {
            self.branches[index].note_again(end, supply.data);
        } else {
            self.branches[index].cursor = supply.data + length;
            self.schedule.note_sent(&mut self.order, place);
        }
    }

    /// Records bytes that the subflow `index` carried when it failed and that another subflow must reinject.
    pub(crate) fn reinject(&mut self, index: usize, range: DataRange) {
        let branch = &mut self.branches[index];
        branch.next_reinjection(self.data_una);
        if range.end() > self.data_una && !self.carries_everything {
            branch.reinjections.push_back(range);
        }
        self.look_for_duties();
    }

    /// The lowest byte that a subflow may have to retransmit.
    #[inline]
    pub(crate) fn lowest_of(&mut self, index: usize, subflow: &Subflow) -> Option<u64> {
        let head = if subflow.is_closed() { None } else { subflow.sending.head_data() };
        self.branches[index].lowest(subflow.sending.acknowledged(), head)
    }

    /// Whether a subflow may be penalised at `now` for the benefit of `index`. If so, the next penalty may follow after
    /// `pause`.
    pub(crate) fn may_penalise(&mut self, index: usize, now: Time, pause: Span) -> bool {
        let from = &mut self.branches[index].penalises_from;
        let may = *from <= now;
        if may {
            *from = now + pause;
        }
        may
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scheduler;

    /// Acknowledgements of a slow subflow arrive after later ones of a fast subflow. RFC 8684 §3.3.4
    #[test]
    fn a_late_acknowledgement_does_not_move_the_edge_of_the_window_back() {
        let rules = Multipath {
            scheduler: Scheduler::RoundRobin,
            opportunistic_retransmission: false,
            penalisation: false,
        };
        let mut bundle = Bundle::new(rules, 1, Vec::new(), &Config::default());
        assert!(bundle.acknowledge(3_000, 10_000, 5_000, None));
        assert!(bundle.acknowledge(1_000, 10_000, 5_000, None));
        assert_eq!((bundle.data_una(), bundle.peer_room(5_000)), (3_000, 8_000));
    }
}
