//! The sending side: waiting messages, chunks in flight, and their acknowledgements.

mod acknowledge;
#[cfg(debug_assertions)]
mod check;
mod cmt;
mod drop_report;
mod flight;
mod immediate_sack;
mod outstanding;
mod peer_window;
mod probe;
mod queue;
mod retransmit;
mod spurious;
#[cfg(test)]
mod tests;
mod transmit;

use manypath_cc::Profile;
use manypath_core::{PathId, Ranges, Time, Tsn, TsnRange};

pub(crate) use acknowledge::{LossDetectionState, Progress};
pub(crate) use cmt::{Blocking, buffer_split};
use flight::Flight;
pub(crate) use flight::News;
use outstanding::{MOST_CHUNKS, Outstanding};
pub(crate) use probe::WindowProbeAnswer;
use queue::Queue;
pub(crate) use queue::Taker;
use spurious::FastRetransmitted;
pub(crate) use spurious::Revealed;

use crate::config::{Config, CumAck, RttSample};
use crate::event::{Message, SendError};

/// The sending side from the application's message to the last acknowledgement.
#[derive(Debug)]
pub(crate) struct Sender {
    queue: Queue,
    outstanding: Outstanding,
    fast_retransmitted: FastRetransmitted,
    /// The chunks in flight, one entry per path.
    flights: Vec<Flight>,
    /// TSNs that the last SACK acknowledged by gap blocks and that the receiver may renege.
    gaps: Ranges,
    /// TSNs that the last SACK acknowledged non-renegably.
    kept_gaps: Ranges,
    /// The peer's initial receive window, in payload bytes.
    peer_buffer: u64,
    /// The last advertised receive window of the peer, in payload bytes.
    announced: u64,
    /// The free space at which the peer's window counts as open.
    window_threshold: u64,
    /// Last advertised window is at least `window_threshold`.
    window_open: bool,
    /// Whether new data has exceeded the last advertised window.
    window_overrun: bool,
    /// Payload bytes in the send buffer: waiting, and sent but not non-renegably acknowledged.
    buffered: usize,
    buffer: usize,
    /// Payload bytes of the last message from the application.
    last_message: usize,
    /// Payload bytes of all chunks in flight.
    in_flight: u64,
    /// Payload bytes of all chunks that wait for retransmission.
    lost_payload: u64,
    /// Number of paths that probe the peer's window.
    probes: usize,
    /// Largest number of outstanding chunks.
    most_outstanding: usize,
    /// Largest payload of one chunk.
    max_payload: usize,
    /// Largest payload of a chunk that is suitable for the peer's receive buffer.
    suitable_payload: usize,
    /// Whether longer messages are fragmented.
    fragmentation: bool,
    /// The application has requested an immediate SACK of the last packet of all data.
    sack_requested: bool,
    profile: Profile,
    cuc: CumAck,
    sfr: bool,
    dac: bool,
    smart_fast_rtx: bool,
    /// Whether SACKs on other paths give RTT samples too, and a retransmission invalidates the samples of higher TSNs.
    any_sack_times: bool,
    /// Chunks that give no RTT sample, because a chunk with the same or a lower TSN was retransmitted after them.
    spoiled: Option<TsnRange>,
}

impl Sender {
    pub(crate) fn new(config: &Config) -> Self {
        Self {
            queue: Queue::default(),
            outstanding: Outstanding::default(),
            fast_retransmitted: FastRetransmitted::default(),
            flights: Vec::new(),
            gaps: Ranges::new(),
            kept_gaps: Ranges::new(),
            peer_buffer: 0,
            announced: 0,
            window_threshold: u64::from(config.peer_window_threshold),
            window_open: false,
            window_overrun: false,
            buffered: 0,
            buffer: config.send_buffer,
            last_message: 0,
            in_flight: 0,
            lost_payload: 0,
            probes: 0,
            most_outstanding: config.max_outstanding.min(MOST_CHUNKS),
            max_payload: usize::MAX,
            suitable_payload: usize::MAX,
            fragmentation: config.fragmentation,
            sack_requested: false,
            profile: config.profile,
            cuc: config.cuc,
            sfr: config.sfr,
            dac: config.dac,
            smart_fast_rtx: config.smart_fast_rtx,
            any_sack_times: config.rtt_sample == RttSample::AnySack,
            spoiled: None,
        }
    }

    /// Limits the payload of new chunks to this number of bytes, and to what is suitable for the peer.
    pub(crate) fn limit_payload(&mut self, max_payload: usize) {
        self.max_payload = max_payload.min(self.suitable_payload);
    }

    /// Limits the payload of chunks to a part of the peer's receive buffer, which has `window` bytes. A chunk in a
    /// packet of 1,280 bytes is always suitable, because every peer accepts packets of 1,500 bytes. RFC 9260 §6
    pub(crate) fn suit_peer_buffer(&mut self, window: u32) {
        self.suitable_payload = (window as usize / CHUNKS_IN_WINDOW).max(SUITS_ALL);
    }

    /// Adds another path.
    pub(crate) fn open_path(&mut self) {
        self.flights.push(Flight::default());
    }

    /// Removes all paths, before anything was sent. Messages that were bound to a path may then use any path.
    pub(crate) fn forget_paths(&mut self) {
        for index in 0..self.flights.len() {
            self.queue.unbind(PathId(index as u8));
        }
        self.flights.clear();
    }

    /// Starts the sender of an established association.
    pub(crate) fn start(&mut self, initial_tsn: Tsn, peer_window: u32, outbound_streams: u16) {
        self.outstanding.start(initial_tsn);
        self.peer_buffer = u64::from(peer_window);
        self.announced = self.peer_buffer;
        self.judge_peer_window();
        self.buffered -= self.queue.start(outbound_streams);
    }

    /// Queues a message of the application. Its first transmission must begin before `expires`, on `path` if it is
    /// given.
    pub(crate) fn push(
        &mut self,
        message: Message,
        expires: Time,
        path: Option<PathId>,
    ) -> Result<(), SendError> {
        let length = message.payload.len();
        if !self.fragmentation && length > self.max_payload {
            return Err(SendError::TooLarge);
        }
        if length > self.space() {
            return Err(if length > self.buffer {
                SendError::TooLarge
            } else {
                SendError::BufferFull
            });
        }
        self.queue.push(message, expires, path)?;
        self.buffered += length;
        self.last_message = length;
        Ok(())
    }

    /// Whether the send buffer lacks room for another packet or for another message like the last one. The length of
    /// the next message, for which the application waits, is unknown.
    pub(crate) fn lacks_room(&self, packet: usize) -> bool {
        self.space() < packet.max(self.last_message)
    }

    /// Free bytes of the send buffer.
    pub(crate) fn space(&self) -> usize {
        self.buffer - self.buffered
    }

    /// Whether the queue has had messages with a lifetime or a path of their own.
    #[inline]
    pub(crate) fn has_special(&self) -> bool {
        self.queue.has_special()
    }

    /// When the first waiting message expires; [`Time::NEVER`] if none does.
    #[inline]
    pub(crate) fn next_expiry(&self) -> Time {
        self.queue.next_expiry()
    }

    /// Whether messages that name a path wait.
    #[inline]
    pub(crate) fn has_bound(&self) -> bool {
        self.queue.has_bound()
    }

    /// Whether messages that name this path wait.
    pub(crate) fn has_bound_to(&self, path: PathId) -> bool {
        self.queue.has_bound_to(path)
    }

    /// Lets messages that name this path use any path.
    pub(crate) fn unbind(&mut self, path: PathId) {
        self.queue.unbind(path);
    }

    /// Removes a message that expired before its transmission began.
    pub(crate) fn take_expired(&mut self, now: Time) -> Option<Message> {
        let message = self.queue.take_expired(now)?;
        self.buffered -= message.payload.len();
        Some(message)
    }

    /// The payload of each outstanding chunk that the peer has not acknowledged, and the messages that wait to be sent.
    /// The latter leave the send buffer. Some fragments of the first waiting message may have been sent.
    pub(crate) fn take_undelivered(&mut self) -> (Vec<Message>, Vec<Message>) {
        let sent = self.outstanding.unacknowledged().collect();
        self.buffered -= self.queue.bytes();
        (sent, self.queue.take_all())
    }

    /// Number of sent chunks that the peer has not acknowledged.
    pub(crate) fn unacknowledged_chunks(&self) -> usize {
        self.outstanding.unacknowledged_count()
    }

    /// Sets the largest number of outstanding chunks.
    pub(crate) fn limit_outstanding(&mut self, chunks: usize) {
        self.most_outstanding = chunks.min(MOST_CHUNKS);
    }

    /// Whether no new chunk may be sent before the lowest one has arrived, independently of free buffer space.
    #[inline]
    pub(crate) fn is_full(&self) -> bool {
        self.outstanding.len() >= self.most_outstanding
    }

    /// Bytes in flight on a path in the accounting of the congestion control.
    pub(crate) fn flight(&self, path: PathId) -> u64 {
        self.flights[path.index()].bytes()
    }

    /// Payload bytes in flight on a path.
    pub(crate) fn payload_on(&self, path: PathId) -> u64 {
        self.flights[path.index()].payload()
    }

    /// Payload bytes of a path's chunks in the send buffer. \[D10] IV-B: Buffered
    pub(crate) fn buffered_on(&self, path: PathId) -> u64 {
        self.flights[path.index()].buffered()
    }

    /// Lowest and highest TSN in flight on a path.
    pub(crate) fn extent(&self, path: PathId) -> Option<(Tsn, Tsn)> {
        let flight = &self.flights[path.index()];
        flight.head().zip(flight.tail())
    }

    /// The results of the last SACK for a path.
    pub(crate) fn news(&self, path: PathId) -> &News {
        &self.flights[path.index()].news
    }

    /// Whether a chunk waits for retransmission on this path.
    pub(crate) fn has_lost(&self, path: PathId) -> bool {
        self.flights[path.index()].lost_chunks() > 0
    }

    /// Whether any chunk waits for retransmission.
    #[inline]
    pub(crate) fn has_any_lost(&self) -> bool {
        self.lost_payload > 0
    }

    /// Whether there is data that could be sent on this path.
    pub(crate) fn has_data_for(&self, path: PathId) -> bool {
        self.has_waiting() || self.has_lost(path)
    }

    /// Whether nothing is in flight on any path.
    pub(crate) fn nothing_in_flight(&self) -> bool {
        self.in_flight == 0
    }

    /// Whether a message, or a part of one, waits for its first transmission.
    pub(crate) fn has_waiting(&self) -> bool {
        !self.queue.is_empty()
    }

    /// Whether nothing waits to be sent, for the first time or again.
    pub(crate) fn has_sent_all(&self) -> bool {
        !self.has_waiting() && !self.has_any_lost()
    }

    /// Whether all data of the application was acknowledged.
    pub(crate) fn is_idle(&self) -> bool {
        self.queue.is_empty() && self.outstanding.is_empty()
    }

    /// The TSN of the next new chunk.
    pub(crate) fn next_tsn(&self) -> Tsn {
        self.outstanding.next_tsn()
    }

    /// The cumulative TSN that the peer has acknowledged.
    pub(crate) fn cumulative_acked(&self) -> Tsn {
        self.outstanding.first_tsn().previous()
    }

    /// Whether the peer has acknowledged any chunk since the first one.
    pub(crate) fn is_acknowledged(&self, initial_tsn: Tsn) -> bool {
        let has_gaps = !self.gaps.is_empty() || !self.kept_gaps.is_empty();
        self.outstanding.first_tsn() != initial_tsn || has_gaps
    }

    /// Payload bytes of all chunks in flight.
    pub(crate) fn payload_in_flight(&self) -> u64 {
        self.in_flight
    }

    /// Bytes that a chunk with this payload counts against the window.
    fn counted(&self, payload: usize) -> u16 {
        self.profile.count(payload as u64) as u16
    }
}

/// Number of chunks of the largest size that fit into the peer's receive buffer. With a small number, a large part of
/// the window is too small for another chunk, and the sender must wait for its timer before it probes the rest.
const CHUNKS_IN_WINDOW: usize = 32;
/// Payload of a chunk in a packet of 1,280 bytes over IPv6 and UDP, in bytes.
const SUITS_ALL: usize = 1280 - 40 - 8 - 12 - 16;
