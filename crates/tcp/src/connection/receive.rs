//! Handling of a received segment: by state, acknowledgement and data. RFC 9293 §3.10.7

use manypath_core::{PathId, Time};

use super::{Connection, Notice};
use crate::event::CloseReason;
use crate::mptcp::MultipathOption;
use crate::segment::{Flags, Segment};
use crate::subflow::{AckNews, Place, State};

impl Connection {
    /// Handles a segment that belongs to the subflow `index`.
    #[inline]
    pub(crate) fn handle_segment(&mut self, now: Time, index: usize, segment: &mut Segment) {
        self.stats.packets_received += 1;
        if self.subflows[index].is_established() {
            return self.handle_in_sequence(now, index, segment);
        }
        self.handle_unopened(now, index, segment);
    }

    /// Handles a segment of a subflow that is not established or is closed.
    #[cold]
    fn handle_unopened(&mut self, now: Time, index: usize, segment: &mut Segment) {
        match self.subflows[index].state() {
            State::Established | State::Closed => {}
            State::SynSent(_) => self.handle_in_syn_sent(now, index, segment),
            State::SynReceived(_) => self.handle_in_syn_received(now, index, segment),
            State::TimeWait => self.handle_in_time_wait(now, index, segment),
        }
    }

    /// RFC 9293 §3.10.7.4
    #[inline]
    fn handle_in_sequence(&mut self, now: Time, index: usize, segment: &mut Segment) {
        let subflow = &mut self.subflows[index];
        let start = subflow.receiving.start_of(segment);
        let payload = segment.payload_length() as u64;
        let flags = segment.flags;
        let length = payload + u64::from(flags.contains(Flags::FIN));
        let place = subflow.receiving.place(start, length, &self.config);
        if place == Place::Outside || flags.contains(Flags::RST) || flags.contains(Flags::SYN) {
            return self.handle_odd(now, index, start, place, segment);
        }
        if !flags.contains(Flags::ACK) {
            return;
        }
        let (control, counters) = (&mut self.control, &mut subflow.stats);
        let sending = &mut subflow.sending;
        match sending.handle_ack(now, start, segment, control, counters, &mut self.stats) {
            AckNews::Impossible => return self.challenge(now, index),
            _ if self.bundle.is_some() => self.take_signal(now, index, segment),
            AckNews::Advanced => self.note_acknowledged(now, index),
            AckNews::Same => {}
        }
        if length > 0
            && let Some(data) = self.mapping(index, start, payload, segment)
        {
            self.take_data(now, index, start as u64, data, payload, segment);
            let stream_ends = self.bundle.as_deref().is_some_and(|all| all.peer_fin.is_some());
            if self.subflows[index].is_ending() || stream_ends {
                self.continue_close(now, index);
            }
        }
    }

    /// Handles segments that are unexpected in an established connection, or late. RFC 5961 §3.2, §4.2
    #[cold]
    fn handle_odd(&mut self, now: Time, index: usize, start: i64, place: Place, segment: &Segment) {
        let subflow = &mut self.subflows[index];
        if segment.flags.contains(Flags::RST) {
            if subflow.receiving.is_next(start) {
                // RFC 9293 §3.10.7.4: it is no failure if the peer has already released a connection without loss of
                // data
                let is_complete =
                    subflow.receiving.is_finished() && subflow.sending.only_fin_is_missing();
                let reason =
                    if is_complete { CloseReason::Finished } else { CloseReason::ResetByPeer };
                if segment.options.multipath == Some(MultipathOption::FastClose) {
                    self.end(reason);
                } else {
                    self.lose_subflow(index, reason);
                }
            } else if place == Place::Within {
                self.challenge(now, index);
            }
        } else if segment.flags.contains(Flags::SYN) {
            self.challenge(now, index);
        } else if segment.length() == 0 {
            subflow.receiving.answer_odd(now);
        } else {
            if subflow.receiving.has_arrived(start, segment.length()) {
                self.stats.duplicate_segments += 1;
            } else {
                self.stats.refused_segments += 1;
            }
            subflow.receiving.acknowledge_now();
        }
    }

    /// Sends a challenge acknowledgement, which states what this side expects, in answer to a segment that may be
    /// forged.
    fn challenge(&mut self, now: Time, index: usize) {
        self.stats.challenge_acks_sent += u64::from(self.subflows[index].receiving.answer_odd(now));
    }

    /// Handles the acknowledgement of bytes that the application wrote.
    #[inline]
    fn note_acknowledged(&mut self, now: Time, index: usize) {
        let arrived = self.subflows[index].sending.acknowledged().min(self.buffer.next());
        self.buffer.discard(arrived);
        self.writable |= self.buffer.release(arrived) && !self.closing;
        if self.subflows[index].sending.fin_acked() {
            self.continue_close(now, index);
        }
    }

    /// Takes the payload and the FIN of a segment within the window. `data` is the payload's offset in the stream.
    #[inline]
    fn take_data(
        &mut self,
        now: Time,
        index: usize,
        start: u64,
        data: u64,
        payload: u64,
        segment: &mut Segment,
    ) {
        let subflow = &mut self.subflows[index];
        let flags = segment.flags;
        let arrived = subflow.receiving.note_arrival(now, start, payload, flags, &self.config);
        subflow.stats.data_packets_received += u64::from(payload > 0);
        if !arrived.is_new {
            self.stats.duplicate_segments += 1;
            return;
        }
        let reader_keeps_up = self.assembly.ready_bytes() == 0;
        let before = self.assembly.next();
        let new_bytes = self.assembly.take(data, arrived.length, &mut segment.payload);
        subflow.stats.bytes_received += new_bytes;
        self.stats.duplicate_segments += u64::from(payload > 0 && new_bytes == 0);
        let is_readable = self.assembly.next() > before;
        self.readable |= is_readable;
        // An application that reads immediately must do so before the window is announced (RFC 1122 §4.2.3.2).
        // Otherwise each acknowledgement announces a smaller window than the next duplicate, which RFC 5681 §2 then
        // does not count as a duplicate
        if !(is_readable && reader_keeps_up) {
            subflow.receiving.acknowledge_full(&self.config);
        }
    }

    /// RFC 9293 §3.10.7.3
    fn handle_in_syn_sent(&mut self, now: Time, index: usize, segment: &mut Segment) {
        let subflow = &mut self.subflows[index];
        let flags = segment.flags;
        if !subflow.answers_syn(segment) {
            // The peer still has an older connection with these addresses and ports; this answer makes it end that one.
            // RFC 9293 §3.5.1
            if !flags.contains(Flags::RST) {
                self.resets.push((index, Some(segment.ack)));
            }
            return;
        }
        if flags.contains(Flags::RST) {
            if flags.contains(Flags::ACK) {
                self.lose_subflow(index, CloseReason::ResetByPeer);
            }
            return;
        }
        if !flags.contains(Flags::SYN) {
            return;
        }
        if !self.take_introduction(index, segment) {
            return self.reset_subflow(index);
        }
        let subflow = &mut self.subflows[index];
        if flags.contains(Flags::ACK) {
            subflow.take_syn(segment, &self.config);
            subflow.receiving.acknowledge_now();
            self.establish(now, index);
        } else {
            subflow.answer_crossing_syn(segment, &self.config);
        }
    }

    fn handle_in_syn_received(&mut self, now: Time, index: usize, segment: &mut Segment) {
        let subflow = &mut self.subflows[index];
        let flags = segment.flags;
        if subflow.receiving.is_same_syn(segment) {
            if flags.contains(Flags::ACK) && subflow.answers_syn(segment) {
                subflow.receiving.acknowledge_now();
                self.establish(now, index);
            } else {
                subflow.repeat_syn();
            }
            return;
        }
        let start = subflow.receiving.start_of(segment);
        let place = subflow.receiving.place(start, segment.length(), &self.config);
        if place == Place::Outside || flags.contains(Flags::RST) || flags.contains(Flags::SYN) {
            return self.handle_odd(now, index, start, place, segment);
        }
        if flags.contains(Flags::ACK) && subflow.answers_syn(segment) {
            self.establish(now, index);
            self.handle_in_sequence(now, index, segment);
        }
    }

    /// Handles the establishment of a subflow.
    fn establish(&mut self, now: Time, index: usize) {
        if !self.connected {
            self.control.start(self.subflows[index].sending.peer_window());
        }
        self.number_paths(index);
        self.subflows[index].open(now, &mut self.control, &self.config);
        if !self.connected {
            self.connected = true;
            self.tell(Notice::Connected);
            self.open_bundle();
        } else {
            self.tell(Notice::PathUp(PathId(index as u8)));
            (0..index).for_each(|other| self.follow_peer(other));
        }
    }

    /// Acknowledges a segment that uses sequence numbers; a repeated FIN restarts the timer. RFC 9293 §3.10.7.4
    fn handle_in_time_wait(&mut self, now: Time, index: usize, segment: &Segment) {
        let subflow = &mut self.subflows[index];
        if segment.flags.contains(Flags::RST) {
            // Unlike RFC 9293 §3.10.7.4 and as RFC 1337 §3 advises, an RST does not end TIME-WAIT early
            return;
        }
        if segment.length() > 0 {
            subflow.receiving.acknowledge_now();
            if segment.flags.contains(Flags::FIN) {
                subflow.enter_time_wait(now, &self.config);
            }
        }
    }
}
