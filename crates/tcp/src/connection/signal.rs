//! Handling of the data sequence signal of a segment. RFC 8684 §3.3

use manypath_core::Time;

use super::Connection;
use crate::mptcp::MultipathOption;
use crate::segment::Segment;

impl Connection {
    /// Handles DATA_ACK, window and DATA_FIN of a segment on the subflow `index`.
    #[inline]
    pub(super) fn take_signal(&mut self, now: Time, index: usize, segment: &Segment) {
        let Some(bundle) = self.bundle.as_deref_mut() else { return };
        let window = self.subflows[index].sending.shared_window(segment.window);
        if let Some(MultipathOption::Dss(signal)) = segment.options.multipath {
            let fin_at = self.closing.then(|| self.buffer.end());
            bundle.acknowledge(signal.data_ack, window, self.buffer.next(), fin_at);
            if signal.is_last && bundle.peer_fin.is_none() {
                bundle.peer_fin = Some(signal.data + segment.payload_length() as u64);
            }
        }
        let has_room = self.buffer.release(bundle.data_una());
        if !self.buffer.is_empty() {
            // Bytes that a subflow may have to retransmit stay in the buffer, even if another subflow has delivered
            // them
            let mut kept = bundle.data_una();
            for (other, subflow) in self.subflows.iter().enumerate() {
                kept = bundle.lowest_of(other, subflow).map_or(kept, |lowest| kept.min(lowest));
            }
            self.buffer.discard(kept);
        }
        let stream_ends = bundle.peer_fin.is_some();
        self.writable |= has_room && !self.closing;
        if stream_ends {
            self.continue_streams();
        }
        if self.subflows[index].sending.fin_acked() {
            self.continue_leave(now, index);
        }
    }

    /// The offset of a segment's payload in the stream; `None` if the payload cannot be taken.
    #[inline]
    pub(super) fn mapping(
        &mut self,
        index: usize,
        start: i64,
        payload: u64,
        segment: &Segment,
    ) -> Option<u64> {
        let Some(bundle) = self.bundle.as_deref() else { return Some(start as u64) };
        match segment.options.multipath {
            _ if payload == 0 => Some(0),
            Some(MultipathOption::Dss(signal)) if bundle.has_room(signal.data + payload) => {
                Some(signal.data)
            }
            Some(MultipathOption::Dss(_)) => {
                self.stats.refused_segments += 1;
                self.subflows[index].receiving.acknowledge_now();
                None
            }
            _ => {
                self.reset_subflow(index);
                None
            }
        }
    }

    /// Handles a read of the application: each subflow that the peer sends on acknowledges if its acknowledgement
    /// waited for the read or if the peer may wait for the window. Returns whether any subflow acknowledges.
    pub(super) fn note_shared_read(&mut self) -> bool {
        let room = self.room();
        let all_is_read = self.assembly.ready_bytes() == 0;
        let Some(bundle) = self.bundle.as_deref() else { return false };
        let known = bundle.known_room(self.assembly.next());
        let mut is_news = false;
        for subflow in &mut self.subflows {
            if subflow.is_established() && !subflow.receiving.is_finished() {
                is_news |= subflow.receiving.note_read(known, room, subflow.sending.mss());
                is_news |= all_is_read && subflow.receiving.acknowledge_full(&self.config);
            }
        }
        is_news
    }
}
