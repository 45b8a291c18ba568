//! The receiving side: its input is DATA, its output is messages and the content of SACKs. RFC 9260 §6.2 to §6.9

mod buffer;
mod latest;
mod order;
mod ready;
mod reassembly;
mod reorder;
mod sack;
#[cfg(test)]
mod tests;
mod tsn_map;

use bytes::Bytes;
use manypath_core::{PathId, Ssn, Time, Tsn, TsnRange};

use buffer::Buffer;
use order::InboundStreams;
use ready::Ready;
use reassembly::{Reassembly, Whole};
use reorder::Reorder;
use sack::{News, SackRules};
use tsn_map::TsnMap;

use crate::config::Config;
use crate::event::Received;
use crate::packet::{Data, DataFlags, Sack};
use crate::stats::{ReorderStats, StreamStats};

/// The receiving side from DATA chunks to messages.
#[derive(Debug)]
pub(crate) struct Receiver {
    arrived: TsnMap,
    buffer: Buffer,
    reassembly: Reassembly,
    streams: InboundStreams,
    ready: Ready,
    reorder: Reorder,
    rules: SackRules,
    /// NR-SACK is in use, and all arrived data is reported as non-renegable.
    keeps_all: bool,
    never_renege: bool,
    /// Streams that the peer may use.
    inbound_streams: u16,
    /// Payloads of fewer bytes are copied.
    copy_below: usize,
    /// Messages may be delivered in parts.
    partial_delivery: bool,
    /// Numbers of invalid streams in received chunks.
    invalid_streams: Vec<u16>,
}

/// The result of the chunks of one packet.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) struct Arrival {
    /// Payload bytes that had not arrived before.
    pub(crate) new_bytes: u64,
    /// Chunks that had arrived before.
    pub(crate) duplicates: u64,
    /// Chunks for which the buffer had no room.
    pub(crate) dropped: u64,
    /// Chunks that had arrived before and were dropped to make room for others (reneging). Their sender must retransmit
    /// them.
    pub(crate) given_up: u64,
    /// TSN of a chunk without user data, which ends the association. RFC 9260 §6.2
    pub(crate) without_data: Option<Tsn>,
}

impl Arrival {
    /// Whether there was anything except new data.
    #[inline]
    pub(crate) fn is_unusual(&self) -> bool {
        self.duplicates + self.dropped + self.given_up > 0 || self.without_data.is_some()
    }
}

impl Receiver {
    pub(crate) fn new(config: &Config) -> Self {
        let mut receiver = Self {
            arrived: TsnMap::default(),
            buffer: Buffer::new(
                config.receive_buffer,
                usize::from(config.mtu),
                config.chunk_overhead,
            ),
            reassembly: Reassembly::default(),
            streams: InboundStreams::default(),
            ready: Ready::default(),
            reorder: Reorder::default(),
            rules: SackRules::new(config),
            keeps_all: false,
            never_renege: config.never_renege,
            inbound_streams: config.inbound_streams,
            copy_below: config.copy_payloads_below,
            partial_delivery: config.partial_delivery,
            invalid_streams: Vec::new(),
        };
        receiver.use_nr_sack(config.nr_sack);
        receiver
    }

    /// Starts the receiver of an established association: the peer's first TSN and the number of its streams are known.
    pub(crate) fn start(&mut self, initial_tsn: Tsn, inbound_streams: u16) {
        self.arrived = TsnMap::new(initial_tsn);
        self.inbound_streams = inbound_streams;
    }

    /// Sets the number of packets per SACK.
    pub(crate) fn set_sack_every(&mut self, packets: u32) {
        self.rules.set_every(packets);
    }

    /// Sets whether both sides support NR-SACK. Until then the configuration decides.
    pub(crate) fn use_nr_sack(&mut self, agreed: bool) {
        self.rules.use_nr_sack(agreed);
        self.keeps_all = agreed && self.never_renege;
        self.ready.track(agreed && !self.never_renege);
    }

    /// Whether both sides support NR-SACK; before the handshake, whether this side does.
    #[inline]
    pub(crate) fn speaks_nr_sack(&self) -> bool {
        self.rules.speaks_nr_sack()
    }

    /// Takes the chunks of one packet out of `data`.
    pub(crate) fn handle_packet(
        &mut self,
        now: Time,
        path: PathId,
        data: &mut Vec<Data>,
    ) -> Arrival {
        let mut arrival = Arrival::default();
        let mut immediate = false;
        let gap_before = self.arrived.has_gaps();
        // The chunks are taken from the end one by one, because an iterator would have to drop the rest at its end
        data.reverse();
        while let Some(chunk) = data.pop() {
            immediate |= chunk.flags.contains(DataFlags::IMMEDIATE);
            self.accept(now, chunk, &mut arrival);
        }
        self.reorder.note(now, self.out_of_order());
        let news = News {
            new: arrival.new_bytes > 0,
            duplicate: arrival.duplicates > 0,
            dropped: arrival.dropped > 0,
            immediate,
            gap: gap_before || self.arrived.has_gaps(),
        };
        self.rules.note_packet(path, news);
        arrival
    }

    /// Payload bytes that wait for earlier data, with the overhead of each chunk.
    fn out_of_order(&self) -> u64 {
        let ready = self.ready.bytes() + self.buffer.overhead(self.ready.len());
        (self.buffer.held() - ready) as u64
    }

    /// An invalid stream that a chunk named; each is reported once. RFC 9260 §6.5
    pub(crate) fn take_invalid_stream(&mut self) -> Option<u16> {
        self.invalid_streams.pop()
    }

    /// Returns the next message.
    pub(crate) fn read(&mut self) -> Option<Received> {
        let received = self.ready.pop()?;
        self.buffer.release(received.message.payload.len());
        Some(received)
    }

    /// The messages that were delivered in part but not to their end: TSN, stream, and SSN if they are ordered.
    pub(crate) fn unfinished(&self) -> impl Iterator<Item = (Tsn, u16, Option<Ssn>)> {
        self.reassembly.unfinished()
    }

    /// Whether a message can be read.
    pub(crate) fn is_readable(&self) -> bool {
        !self.ready.is_empty()
    }

    /// Number of streams that the peer has used, including unused ones with lower numbers.
    pub(crate) fn streams(&self) -> usize {
        self.streams.len()
    }

    /// Head-of-line blocking on a stream up to `now`.
    pub(crate) fn stream_stats(&self, now: Time, stream: u16) -> StreamStats {
        self.streams.stats(now, stream)
    }

    /// The part of the buffer that cannot be read, up to `now`.
    pub(crate) fn reorder_stats(&self, now: Time) -> ReorderStats {
        self.reorder.stats(now)
    }

    /// Number of chunks that have not arrived although one with a higher TSN has.
    pub(crate) fn missing(&self) -> usize {
        self.arrived.missing()
    }

    /// Size of the buffer, and how much of it is in use, in bytes.
    pub(crate) fn buffer(&self) -> (u32, u32) {
        (self.buffer.capacity(), self.buffer.in_use())
    }

    /// Whether reads since the last SACK have opened the window so far that another SACK is due; true only once.
    pub(crate) fn window_opened(&mut self) -> bool {
        self.buffer.opened()
    }

    /// Whether a SACK is due.
    pub(crate) fn sack_due(&self) -> bool {
        self.rules.is_due()
    }

    /// Requests an immediate SACK.
    pub(crate) fn demand_sack(&mut self) {
        self.rules.demand();
    }

    /// Largest size of the next SACK, in bytes.
    pub(crate) fn longest_sack(&self) -> usize {
        let islands = self.arrived.islands() + self.ready.settled_ranges();
        self.rules.longest(islands)
    }

    /// Fills `sack` with at most `room` bytes; the rest is left for the next one.
    pub(crate) fn write_sack(&mut self, room: usize, sack: &mut Sack) {
        let settled = self.ready.settled_above(self.arrived.cumulative());
        self.rules.write(&self.arrived, settled, room, sack);
        seeded!(GapBlockTooLong => sack.gaps.last().map(|last| sack.gaps.insert(last.next())));
        sack.window = self.buffer.advertise();
    }

    /// The path of the first DATA packet since the last SACK.
    pub(crate) fn first_data_path(&self) -> PathId {
        self.rules.first_path()
    }

    /// Whether DATA arrived on `path` since the last SACK; if none arrived since, whether it did before that SACK.
    pub(crate) fn carried_data(&self, path: PathId) -> bool {
        self.rules.carried_data(path)
    }

    /// The path of the latest DATA packet.
    pub(crate) fn last_data_path(&self) -> PathId {
        self.rules.last_path()
    }

    /// The cumulative TSN.
    pub(crate) fn cumulative(&self) -> Tsn {
        self.arrived.cumulative()
    }

    fn accept(&mut self, now: Time, mut chunk: Data, arrival: &mut Arrival) {
        let Data { tsn, stream, flags, .. } = chunk;
        let length = chunk.payload.len();
        if length == 0 {
            arrival.without_data = Some(tsn);
            return;
        }
        if self.arrived.is_out_of_reach(tsn) || self.is_stray(stream, tsn) {
            arrival.dropped += 1;
            return;
        }
        if !self.buffer.fits(length)
            && !self.arrived.contains(tsn)
            && !self.make_room(now, tsn, length, arrival)
        {
            arrival.dropped += 1;
            return;
        }
        if !self.arrived.insert(tsn) {
            arrival.duplicates += 1;
            self.rules.note_duplicate(tsn);
            seeded!(DuplicateDelivered => self.ready.push(Whole::from_chunk(chunk)));
            return;
        }
        arrival.new_bytes += length as u64;
        if stream >= self.inbound_streams {
            self.invalid_streams.push(stream);
            self.ready.settle(TsnRange::one(tsn));
            return;
        }
        self.buffer.hold(length);
        if length < self.copy_below {
            chunk.payload = Bytes::copy_from_slice(&chunk.payload);
        }
        if !flags.contains(DataFlags::WHOLE) {
            if let Some(whole) = self.reassembly.insert(chunk) {
                self.buffer.join(whole.tsns.count() as usize);
                self.deliver(now, whole);
            }
        } else {
            self.deliver(now, Whole::from_chunk(chunk));
        }
    }

    /// Whether a chunk on a stream that does not exist would lie above a gap, if many gaps exist already. Such a chunk
    /// uses no buffer, so there is no other limit that prevents a peer from making a gap of every second TSN.
    #[inline]
    fn is_stray(&self, stream: u16, tsn: Tsn) -> bool {
        stream >= self.inbound_streams
            && self.arrived.islands() >= MOST_STRAY_ISLANDS
            && tsn != self.arrived.cumulative().next()
    }

    fn deliver(&mut self, now: Time, whole: Whole) {
        if whole.message.unordered {
            return self.ready.push(whole);
        }
        let (tsns, length) = (whole.tsns, whole.message.payload.len());
        if !self.streams.insert(now, whole, &mut self.ready) {
            self.buffer.release(length);
            self.ready.settle(tsns);
        }
    }

    /// Handles a chunk of `length` bytes that is next in order and does not fit. If it continues a message that is
    /// larger than the whole buffer, the part that has arrived is delivered, because otherwise no more data could be
    /// accepted. RFC 9260 §6.9
    fn deliver_part(&mut self, length: usize) {
        let cumulative = self.arrived.cumulative();
        let Some(beginning) = self.reassembly.beginning_up_to(cumulative) else { return };
        let is_next = beginning.order.is_none_or(|(stream, ssn)| self.streams.is_next(stream, ssn));
        let (chunks, length) = (beginning.chunks + 1, beginning.length + length);
        if is_next && self.buffer.is_exceeded_by(length, chunks) {
            self.buffer.join(beginning.chunks);
            let part = self.reassembly.take_part(&beginning);
            self.ready.push(part);
        }
    }

    /// Makes room in a full buffer for a TSN that is within the window or closes a gap; other chunks are refused.
    /// RFC 9260 §6.2
    ///
    /// If data may be reneged on, the highest TSNs that wait for lower ones are dropped. Otherwise no chunk can be
    /// dropped, and the buffer exceeds its capacity, because the data that waits for this TSN would wait forever.
    #[cold]
    fn make_room(&mut self, now: Time, tsn: Tsn, length: usize, arrival: &mut Arrival) -> bool {
        if self.partial_delivery && tsn == self.arrived.cumulative().next() {
            self.deliver_part(length);
        }
        if self.buffer.fits_earlier_window(length) {
            return true;
        }
        if !self.arrived.reaches_beyond(tsn) {
            return false;
        }
        if self.keeps_all {
            return self.buffer.may_overdraw(length, tsn == self.arrived.cumulative().next());
        }
        while !self.buffer.fits(length) {
            let Some((tsns, length)) = self.give_up_above(now, tsn) else { return false };
            arrival.given_up += u64::from(tsns.count());
            self.arrived.remove(tsns);
            self.buffer.release(length);
        }
        true
    }

    fn give_up_above(&mut self, now: Time, tsn: Tsn) -> Option<(TsnRange, usize)> {
        let fragment = self.reassembly.highest().filter(|highest| highest.is_after(tsn));
        let message = self.streams.highest().filter(|highest| highest.is_after(tsn));
        match (fragment, message) {
            (None, None) => None,
            (Some(fragment), Some(message)) if message.is_after(fragment) => {
                self.streams.give_up_highest(now)
            }
            (None, Some(_)) => self.streams.give_up_highest(now),
            (Some(_), _) => self.reassembly.give_up_highest(),
        }
    }
}

/// With this number of islands of received TSNs, chunks on invalid streams are accepted only in sequence. A packet has
/// room for fewer gap blocks than this.
const MOST_STRAY_ISLANDS: usize = 512;
