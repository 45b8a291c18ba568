//! Fills one segment if several subflows may carry it. RFC 8684 §3.3

use manypath_core::{PathId, Time};

use super::Connection;
use crate::mptcp::{DataRange, Dss, MultipathOption, Supply};
use crate::segment::Segment;
use crate::subflow::{NewData, Phase, Room, Step};

impl Connection {
    /// Fills the cleared segment if there is anything to send; returns the subflow that sends it.
    #[inline]
    pub(super) fn poll_bundle(&mut self, now: Time, segment: &mut Segment) -> Option<usize> {
        let mut acknowledges = None;
        for (index, subflow) in self.subflows.iter().enumerate() {
            if subflow.syn_due() {
                return self.send_syn(now, index, segment);
            }
            if subflow.receiving.ack_due() {
                // A data segment has no room for SACK blocks, so they are sent first
                if subflow.reports_gaps() {
                    return self.send_shared_ack(index, segment);
                }
                acknowledges = acknowledges.or(Some(index));
            }
        }
        if let Some(index) = self.schedule(now, segment) {
            return Some(index);
        }
        self.send_shared_ack(acknowledges?, segment)
    }

    #[cold]
    fn send_syn(&mut self, now: Time, index: usize, segment: &mut Segment) -> Option<usize> {
        self.subflows[index].write_syn(now, segment, &self.config);
        segment.options.multipath = self.introduction(index);
        self.count(index)
    }

    #[inline]
    fn send_shared_ack(&mut self, index: usize, segment: &mut Segment) -> Option<usize> {
        let room = self.shared_room(index);
        self.subflows[index].write_ack(segment, room, &self.config, &mut self.stats);
        segment.options.multipath = Some(self.signal(self.buffer.end(), 0));
        self.count(index)
    }

    /// Tries the subflows in the order of the scheduler; the first one that may send fills the segment.
    #[inline]
    fn schedule(&mut self, now: Time, segment: &mut Segment) -> Option<usize> {
        let bundle = self.bundle.as_deref_mut()?;
        bundle.arrange(&self.subflows);
        let (count, has_only_new_data) = (bundle.order.len(), bundle.has_only_new_data());
        for place in 0..count {
            let index = self.bundle.as_deref()?.order[place];
            if has_only_new_data && self.is_sated(&self.subflows[index]) {
                continue;
            }
            let supply = self.supply(place);
            if let Some(index) = self.send_by(now, place, &supply, segment) {
                return Some(index);
            }
        }
        if let Some(index) = self.unblock(now, segment) {
            return Some(index);
        }
        self.persist(now);
        None
    }

    /// The data that the subflow at `place` of the order may carry next.
    #[inline]
    fn supply(&mut self, place: usize) -> Supply {
        let Some(bundle) = self.bundle.as_deref_mut() else { return Supply::default() };
        let index = bundle.order[place];
        let subflow = &self.subflows[index];
        // After a timeout a path carries no new data until an acknowledgement shows that it works
        let is_doubtful = matches!(subflow.sending.phase(), Phase::AfterTimeout);
        if !subflow.is_established() || is_doubtful {
            return Supply::default();
        }
        bundle.supply(index, self.buffer.next(), self.buffer.end(), self.closing)
    }

    /// Sends a lost segment of the subflow at `place`, or data of the supply.
    #[inline]
    fn send_by(
        &mut self,
        now: Time,
        place: usize,
        supply: &Supply,
        segment: &mut Segment,
    ) -> Option<usize> {
        let index = self.bundle.as_deref()?.order[place];
        let subflow = &mut self.subflows[index];
        subflow.sending.share_room(supply.room);
        if !subflow.is_established() {
            return None;
        }
        let length = if supply.room > 0 { supply.length } else { 0 };
        let is_last = supply.is_last && length == supply.length;
        let waiting = NewData { length, is_last };
        let step = subflow.sending.next_step(now, waiting, &mut self.control, &self.config)?;
        let room = self.shared_room(index);
        let subflow = &mut self.subflows[index];
        let (data, length) =
            subflow.write_data(now, segment, step, supply.data, room, &mut self.stats);
        if let (Step::New(_), Some(bundle)) = (step, self.bundle.as_deref_mut()) {
            self.buffer.reach(data + length);
            bundle.note_sent(place, supply, length, subflow.sending.next());
        }
        self.buffer.copy(data, length, &mut segment.payload);
        segment.options.multipath = Some(self.signal(data, length));
        self.subflows[index].finish_data(segment, length, &self.config, &mut self.stats);
        self.count(index)
    }

    /// Handles the case that the bytes of a slow subflow block the receive window or the send buffer. A subflow that
    /// has nothing else to send resends the first of these bytes (opportunistic retransmission), and the slow subflow
    /// is penalised.
    fn unblock(&mut self, now: Time, segment: &mut Segment) -> Option<usize> {
        let bundle = self.bundle.as_deref_mut()?;
        let (rules, first) = (bundle.rules, bundle.data_una());
        if !bundle.may_unblock() || first == self.buffer.next() {
            return None;
        }
        let can_send = |index: usize| {
            let subflow = &self.subflows[index];
            !bundle.branches[index].is_leaving
                && subflow.is_established()
                && subflow.sending.has_window(&self.control)
        };
        let place = (0..bundle.order.len()).find(|place| can_send(bundle.order[*place]))?;
        let idle = bundle.order[place];
        let unsent = self.buffer.unsent();
        let least = self.subflows[idle].sending.mss();
        let is_blocked = if unsent > 0 {
            bundle.peer_room(self.buffer.next()) < unsent.min(least)
        } else {
            self.buffer.space() < least
        };
        let is_helped = first < bundle.branches[idle].helped;
        if !is_blocked || is_helped || self.subflows[idle].sending.carries(first).is_some() {
            return None;
        }
        let others = bundle.order.iter().filter(|other| **other != idle);
        let mut carriers = others
            .filter_map(|other| Some((*other, self.subflows[*other].sending.carries(first)?)));
        let (slow, length) = carriers.next()?;
        let (pause, slower) = (self.subflows[idle].sending.srtt(), &self.subflows[slow].sending);
        let slow_path = PathId(slow as u8);
        if rules.penalisation
            && pause < slower.srtt()
            && !slower.repairs()
            && bundle.may_penalise(idle, now, pause)
        {
            self.control.penalise(slow_path);
        }
        let is_hopeless = self.control.window(slow_path) <= HARDLY_A_WINDOW * slower.mss()
            || slower.srtt() > pause * MUCH_SLOWER;
        if !rules.opportunistic_retransmission || !is_hopeless {
            return None;
        }
        let range = DataRange { data: first, length: length.min(least) };
        let index = self.send_by(now, place, &Supply::copy_of(range, None), segment)?;
        self.bundle.as_deref_mut()?.branches[idle].helped = range.end();
        Some(index)
    }

    /// Starts the persist timer if the window is closed and nothing is outstanding that could open it: a subflow probes
    /// the window. RFC 9293 §3.8.6.1
    fn persist(&mut self, now: Time) {
        let Some(bundle) = self.bundle.as_deref() else { return };
        let next = self.buffer.next();
        if self.buffer.unsent() == 0 || bundle.data_una() < next || bundle.peer_room(next) > 0 {
            return;
        }
        let is_idle = |index: &&usize| {
            let subflow = &self.subflows[**index];
            subflow.may_send() && subflow.sending.head_data().is_none()
        };
        if let Some(&index) = bundle.order.iter().find(is_idle) {
            self.subflows[index].sending.persist(now, &self.config);
        }
    }

    /// The receive window of the connection, as the subflow `index` announces it.
    #[inline]
    fn shared_room(&mut self, index: usize) -> Room {
        let room = self.room();
        let Some(bundle) = self.bundle.as_deref_mut() else { return room };
        let subflow = &self.subflows[index];
        let (least, shift) = (room.step(subflow.sending.mss()), subflow.receiving.shift());
        let field = bundle.announce(self.assembly.next(), room, least, shift);
        Room { shared: Some(field), ..room }
    }

    /// The data sequence signal of a segment whose payload is at `data` in the stream.
    #[inline]
    fn signal(&self, data: u64, length: u64) -> MultipathOption {
        MultipathOption::Dss(Dss {
            data_ack: self.assembly.next() + u64::from(self.peer_finished),
            data,
            is_last: self.closing && data + length == self.buffer.end(),
        })
    }
}

/// With a window of this many segments or fewer, a path does not recover soon; Linux has the same limit.
const HARDLY_A_WINDOW: u64 = 4;

/// It is not worth waiting for a path whose round-trip time is more than this many times that of another path; Linux
/// has the same limit.
const MUCH_SLOWER: u64 = 4;
