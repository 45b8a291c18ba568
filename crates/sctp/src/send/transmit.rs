//! First transmissions: the next new chunk of a path.

use manypath_core::Time;

use super::outstanding::SentChunk;
use super::queue::Fragment;
use super::{Sender, Taker};
use crate::packet::{DATA_HEADER, Data};

impl Sender {
    /// Sends the next new chunk of a path if it fits into `room` bytes.
    pub(crate) fn send_new(&mut self, now: Time, taker: Taker, room: usize) -> Option<Data> {
        let length = self.next_length(taker);
        if length == 0 || DATA_HEADER + length > room || self.is_full() {
            return None;
        }
        let fragment = self.queue.take(taker, self.max_payload)?;
        let (path, tsn) = (taker.path, self.outstanding.next_tsn());
        // Only the payload is cloned, so that the chunk is written once, at its final place
        let Fragment { stream, ssn, ppid, flags, payload } = fragment;
        let data = Data { tsn, stream, ssn, ppid, flags, payload: payload.clone() };
        let chunk = SentChunk::new(now, path, payload, &data, self.counted(length));
        let flight = &mut self.flights[path.index()];
        flight.append(&mut self.outstanding, chunk);
        flight.buffered += length as u64;
        self.note_probe(path, tsn, length as u64);
        self.note_overrun(length as u64);
        self.in_flight += length as u64;
        Some(data)
    }

    /// Payload of the next new chunk of a path; 0 if there is none.
    #[inline]
    pub(crate) fn next_length(&self, taker: Taker) -> usize {
        self.queue.next_length(taker, self.max_payload)
    }

    /// Bytes of the chunks that wait for their first transmission on any path, without padding and without the headers
    /// of further fragments.
    pub(crate) fn waiting_bytes(&self) -> usize {
        self.queue.bytes() + DATA_HEADER * self.queue.len()
    }
}
