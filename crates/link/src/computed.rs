//! One direction of a link whose departures are computed when packets enter it.
//!
//! At a constant rate without jitter or events, a packet's arrival at the far end follows from the packets that entered
//! before it. So the owner learns it at once, and need not visit the link when a transmission begins or ends.

use manypath_core::{Random, Span, Streams, Time};

use crate::config::LinkConfig;
use crate::counters::Counters;
use crate::loss::{AnyLoss, Fate, Loss, LossConfig};
use crate::queue::{DropReason, Limit, QueueConfig, RedRule};
use crate::transmitter::Transmitter;

/// A link that tells when a packet arrives at its far end as soon as the packet enters.
///
/// Its packets have the same times and fates as those of a [`Pipe`](crate::Pipe) with the same configuration. Packets
/// enter in the order of time, but ahead of the owner's time or behind it; everything that is read is as of the time of
/// reading.
///
/// The fields keep this order in memory: the fields that every packet needs come first.
#[derive(Debug)]
#[repr(C)]
pub struct ComputedLink {
    transmitter: Transmitter,
    delay: Span,
    limit: Limit,
    /// The accepted packets that may still wait or travel, the oldest first.
    records: Ring,
    /// Packets and bytes that were accepted so far, at whatever time.
    accepted: u64,
    bytes_accepted: u64,
    /// The sum of all waiting times, in nanoseconds.
    waited: u128,
    red: Option<Box<RedRule>>,
    loss: Option<Box<(AnyLoss, Random)>>,
    /// Counters of what [`count`](Self::count) was told.
    failed: Counters,
    /// Bytes of lost packets.
    bytes_lost: u64,
}

/// What becomes of a packet, and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Passage {
    /// It arrives at the far end at this time.
    Arrives(Time),
    /// It arrives at the far end at this time, with one wrong byte.
    Damaged {
        /// When it arrives.
        at: Time,
        /// Offset of the wrong byte from the beginning of the network header.
        byte: u32,
    },
    /// The loss model removes it at the far end at this time.
    Lost(Time),
    /// The queue refuses it when it enters.
    Dropped(DropReason),
}

impl ComputedLink {
    /// An empty link called `name`, with the streams of random numbers of [`Pipe::new`](crate::Pipe::new). `None` if
    /// departures cannot be computed: there is jitter, an event, a trace, or a queue that decides when packets leave;
    /// or packets are so fast that two may arrive within one nanosecond.
    #[must_use]
    pub fn new(config: &LinkConfig, streams: &Streams, name: &str) -> Option<Self> {
        let stream = |part| streams.stream(&format!("link/{name}/{part}"));
        let red = match &config.queue {
            QueueConfig::DropTail(_) => None,
            QueueConfig::Red(red) => {
                Some(Box::new(RedRule::new(red, config.rate, stream("queue"))))
            }
            _ => return None,
        };
        let shortest = config.rate.time_for_with(SMALLEST_PACKET, 0).0;
        let is_constant =
            config.events.is_empty() && config.trace.is_none() && config.jitter == Span::ZERO;
        let is_lossless = matches!(config.loss, LossConfig::Lossless(_));
        (is_constant && shortest >= SHORTEST).then(|| Self {
            transmitter: Transmitter::new(config.rate, config.overhead, None),
            delay: config.delay,
            limit: config.queue.limit(),
            records: Ring::new(),
            accepted: 0,
            bytes_accepted: 0,
            waited: 0,
            red,
            loss: (!is_lossless).then(|| Box::new((config.loss.build(), stream("loss")))),
            failed: Counters::default(),
            bytes_lost: 0,
        })
    }

    /// Offers a packet of `size` bytes at `at`, which is not before earlier offers. `now` is the time of the owner.
    ///
    /// If the packet is dropped, lost or damaged, the owner calls [`count`](Self::count) when that time has come.
    #[inline]
    pub fn push(&mut self, now: Time, at: Time, size: u32) -> Passage {
        debug_assert!(u64::from(size) >= SMALLEST_PACKET, "a packet of {size} bytes");
        if self.records.is_full() {
            self.records.make_room(now.min(at));
        }
        if self.must_decide()
            && let Some(reason) = self.refuse(at, size)
        {
            return Passage::Dropped(reason);
        }
        let start = at.max(self.transmitter.free_at());
        let arrives = self.transmitter.send(start, size) + self.delay;
        let passage = match self.loss {
            None => Passage::Arrives(arrives),
            Some(_) => self.draw_fate(arrives, size),
        };
        self.accepted += 1;
        self.bytes_accepted += u64::from(size);
        self.waited += u128::from((start - at).as_nanos());
        let is_lost = matches!(passage, Passage::Lost(_));
        self.records.push(Record { entered: at, start, arrives, size, is_lost });
        passage
    }

    /// A packet that enters at `at` or later does not arrive at the far end before this time, which is after `at`.
    #[inline]
    #[must_use]
    pub fn earliest_arrival(&self, at: Time) -> Time {
        at.max(self.transmitter.free_at()) + self.delay + SHORTEST
    }

    /// Counts a packet of `size` bytes that was dropped, lost or damaged.
    pub fn count(&mut self, passage: Passage, size: u32) {
        let failed = &mut self.failed;
        match passage {
            Passage::Arrives(_) => {}
            Passage::Damaged { .. } => failed.damaged += 1,
            Passage::Lost(_) => {
                failed.lost += 1;
                self.bytes_lost += u64::from(size);
            }
            Passage::Dropped(reason) => {
                failed.arrived += 1;
                failed.bytes_arrived += u64::from(size);
                failed.dropped_queue += 1;
                failed.dropped_early += u64::from(reason == DropReason::Early);
            }
        }
    }

    /// The counters from the beginning of the run until `now`.
    #[must_use]
    pub fn counters(&self, now: Time) -> Counters {
        let mut counters = self.failed;
        counters.arrived += self.accepted;
        counters.bytes_arrived += self.bytes_accepted;
        counters.delivered = self.accepted - self.failed.lost;
        counters.bytes_delivered = self.bytes_accepted - self.bytes_lost;
        for record in self.later(now) {
            counters.delivered -= 1;
            counters.bytes_delivered -= u64::from(record.size);
            if record.entered > now {
                counters.arrived -= 1;
                counters.bytes_arrived -= u64::from(record.size);
            }
        }
        counters
    }

    /// Packets inside at `now`: waiting, in transmission, or in propagation.
    #[must_use]
    pub fn in_flight(&self, now: Time) -> usize {
        self.later(now).filter(|record| record.entered <= now).count()
    }

    /// Packets waiting for the transmitter at `now`; the one in transmission does not count.
    #[must_use]
    pub fn queue_len(&self, now: Time) -> usize {
        self.later(now).filter(|record| record.entered <= now && record.start > now).count()
    }

    /// The integral over time of the number of waiting packets until `now`, in packets times nanoseconds.
    #[must_use]
    pub fn queue_integral(&self, now: Time) -> u128 {
        let rest = |record: &Record| record.start.saturating_since(record.entered.max(now));
        let rests = self.later(now).map(|record| u128::from(rest(record).as_nanos()));
        self.waited - rests.sum::<u128>()
    }

    /// The time for which the transmitter was busy until `now`.
    #[must_use]
    pub fn busy(&self, now: Time) -> Span {
        let rest = |record: &Record| {
            let ends = record.start + (record.arrives - record.start - self.delay);
            ends.saturating_since(record.start.max(now))
        };
        self.later(now).fold(self.transmitter.busy_in_all(), |busy, record| busy - rest(record))
    }

    /// The deliveries after `now` that have been computed: time and size.
    pub fn deliveries_after(&self, now: Time) -> impl Iterator<Item = (Time, u32)> + '_ {
        let delivered = self.later(now).filter(|record| !record.is_lost);
        delivered.map(|record| (record.arrives, record.size))
    }

    /// The packets that have not arrived at `now`.
    fn later(&self, now: Time) -> impl Iterator<Item = &Record> {
        self.records.iter().filter(move |record| record.arrives > now)
    }

    /// Whether the queue could refuse the next packet. Beside those that wait, the one in transmission is recorded.
    #[inline]
    fn must_decide(&self) -> bool {
        self.records.len() as u64 > self.limit.packets
            || self.limit.bytes != u64::MAX
            || self.red.is_some()
    }

    /// The decision of the queue about a packet that enters at `at`.
    #[inline(never)]
    fn refuse(&mut self, at: Time, size: u32) -> Option<DropReason> {
        let (waiting, bytes) = self.records.waiting(at);
        let Some(red) = &mut self.red else {
            let is_admitted = self.limit.admits(waiting + 1, bytes + u64::from(size));
            return (!is_admitted).then_some(DropReason::Full);
        };
        if waiting == 0 {
            red.note_empty(self.records.last_start);
        }
        red.refuse(at, (waiting, bytes), size)
    }

    #[inline(never)]
    fn draw_fate(&mut self, at: Time, size: u32) -> Passage {
        let Some((loss, random)) = self.loss.as_deref_mut() else { return Passage::Arrives(at) };
        match loss.fate(at, size, random) {
            Fate::Intact => Passage::Arrives(at),
            Fate::Lost => Passage::Lost(at),
            Fate::Damaged { byte } => Passage::Damaged { at, byte },
        }
    }
}

/// The times of an accepted packet.
#[derive(Debug, Clone, Copy, Default)]
struct Record {
    entered: Time,
    start: Time,
    arrives: Time,
    size: u32,
    is_lost: bool,
}

/// Records of packets in the order in which they entered. Its size is a power of two and grows when needed.
#[derive(Debug)]
struct Ring {
    records: Vec<Record>,
    /// Number of the oldest record that is kept, of the first whose transmission has not begun, and of the next one.
    head: usize,
    waiting: usize,
    tail: usize,
    /// When the transmission of the last packet begins.
    last_start: Time,
    /// Bytes of the records from `waiting` on.
    bytes: u64,
}

impl Ring {
    fn new() -> Self {
        let records = vec![Record::default(); FEWEST_RECORDS];
        Self { records, head: 0, waiting: 0, tail: 0, last_start: Time::ZERO, bytes: 0 }
    }

    #[inline]
    fn len(&self) -> usize {
        self.tail - self.head
    }

    #[inline]
    fn is_full(&self) -> bool {
        self.len() == self.records.len()
    }

    #[inline]
    fn push(&mut self, record: Record) {
        let place = self.tail & (self.records.len() - 1);
        self.records[place] = record;
        self.tail += 1;
        self.last_start = record.start;
        self.bytes += u64::from(record.size);
    }

    fn iter(&self) -> impl Iterator<Item = &Record> {
        (self.head..self.tail).map(|number| self.get(number))
    }

    #[inline]
    fn get(&self, number: usize) -> &Record {
        &self.records[number & (self.records.len() - 1)]
    }

    /// The number of packets that wait at `at`, which never decreases, and their bytes.
    #[inline]
    fn waiting(&mut self, at: Time) -> (usize, u64) {
        while self.waiting != self.tail && self.get(self.waiting).start <= at {
            self.bytes -= u64::from(self.get(self.waiting).size);
            self.waiting += 1;
        }
        (self.tail - self.waiting, self.bytes)
    }

    /// Drops records of packets that arrived by `at`, or else doubles the size. No packet enters before `at`, and
    /// nothing is read before it.
    #[cold]
    fn make_room(&mut self, at: Time) {
        while self.head != self.tail && self.get(self.head).arrives <= at {
            self.head += 1;
        }
        self.waiting(at);
        if self.len() * 2 > self.records.len() {
            let kept: Vec<_> = self.iter().copied().collect();
            let size = 2 * self.records.len();
            self.records.resize(size, Record::default());
            for (number, record) in (self.head..).zip(kept) {
                self.records[number & (size - 1)] = record;
            }
        }
    }
}

/// Bytes of the smallest packet: the header of IPv4.
const SMALLEST_PACKET: u64 = 20;
/// The shortest transmission. No two packets arrive within one nanosecond.
const SHORTEST: Span = Span::from_nanos(1);
/// A network may have thousands of links with a packet or two each.
const FEWEST_RECORDS: usize = 16;
