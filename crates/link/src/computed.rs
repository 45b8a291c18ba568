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
/// The link holds an item of type `T` for a packet whose arrival the owner wants to be told by [`pop`](Self::pop).
///
/// The fields keep this order in memory: the fields that every packet needs come first.
#[derive(Debug)]
#[repr(C)]
pub struct ComputedLink<T> {
    transmitter: Transmitter,
    delay: Span,
    /// The accepted packets that may still wait or travel, the oldest first.
    records: Ring<T>,
    /// With this number of records, the ring is full or the queue may refuse a packet.
    most_records: usize,
    loss: Option<Box<(AnyLoss, Random)>>,
    /// With fewer records, the queue accepts every packet.
    undecided: usize,
    limit: Limit,
    red: Option<Box<RedRule>>,
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

impl<T: Copy> ComputedLink<T> {
    /// An empty link called `name`, with the streams of random numbers of [`Pipe::new`](crate::Pipe::new). `None` if
    /// departures cannot be computed: there is jitter, an event, a trace, or a queue that decides when packets leave;
    /// or packets are so fast that two may arrive within one nanosecond.
    ///
    /// # Panics
    /// If `config` does not [validate](LinkConfig::validate).
    #[must_use]
    pub fn new(config: &LinkConfig, streams: &Streams, name: &str) -> Option<Self> {
        if let Err(error) = config.validate() {
            panic!("link {name}: {error}");
        }
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
        let limit = config.queue.limit();
        let undecided = match (&red, limit.bytes) {
            // Beside those that wait, the packet in transmission is recorded.
            (None, u64::MAX) => {
                usize::try_from(limit.packets).unwrap_or(usize::MAX).saturating_add(1)
            }
            _ => 0,
        };
        let is_lossless = matches!(config.loss, LossConfig::Lossless(_));
        (is_constant && shortest >= SHORTEST).then(|| Self {
            transmitter: Transmitter::new(config.rate, config.overhead, None),
            delay: config.delay,
            records: Ring::new(),
            most_records: FEWEST_RECORDS.min(undecided),
            undecided,
            loss: (!is_lossless).then(|| Box::new((config.loss.build(), stream("loss")))),
            limit,
            red,
            failed: Counters::default(),
            bytes_lost: 0,
        })
    }

    /// Offers a packet of `size` bytes at `at`, which is not before earlier offers. `now` is the time of the owner.
    ///
    /// If the packet arrives, [`pop`](Self::pop) returns the `item` then. If it is dropped, lost or damaged, the owner
    /// calls [`count`](Self::count) when that time has come.
    #[inline]
    pub fn push(&mut self, now: Time, at: Time, size: u32, item: Option<T>) -> Passage {
        debug_assert!(u64::from(size) >= SMALLEST_PACKET, "a packet of {size} bytes");
        if self.records.len() >= self.most_records
            && let Some(reason) = self.make_room(now, at, size)
        {
            return Passage::Dropped(reason);
        }
        let start = at.max(self.transmitter.free_at());
        let arrives = self.transmitter.send(start, size) + self.delay;
        let record = Record { entered: at, start, arrives, size, item };
        if self.loss.is_some() {
            return self.push_with_loss(record);
        }
        self.records.push(record);
        Passage::Arrives(arrives)
    }

    /// When [`pop`](Self::pop) has an item; [`Time::NEVER`] if the link holds none.
    #[inline]
    #[must_use]
    pub fn next_arrival(&self) -> Time {
        self.records.next_arrival
    }

    /// Returns the next item, whose packet has arrived by `now`.
    #[inline]
    pub fn pop(&mut self, now: Time) -> Option<T> {
        if now < self.records.next_arrival { None } else { self.records.pop() }
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
        let (accepted, bytes_accepted) = self.records.accepted();
        counters.arrived += accepted;
        counters.bytes_arrived += bytes_accepted;
        counters.delivered = accepted - self.failed.lost;
        counters.bytes_delivered = bytes_accepted - self.bytes_lost;
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
        let waited = |record: &Record<T>| record.start.min(now).saturating_since(record.entered);
        let recorded = self.records.iter().map(|record| u128::from(waited(record).as_nanos()));
        self.records.waited + recorded.sum::<u128>()
    }

    /// The time for which the transmitter was busy until `now`.
    #[must_use]
    pub fn busy(&self, now: Time) -> Span {
        let rest = |record: &Record<T>| {
            let ends = record.start + (record.arrives - record.start - self.delay);
            ends.saturating_since(record.start.max(now))
        };
        self.later(now).fold(self.transmitter.busy_in_all(), |busy, record| busy - rest(record))
    }

    /// The arrivals at the far end after `now` that have been computed, with those of packets that are lost there: time
    /// and size.
    pub fn arrivals_after(&self, now: Time) -> impl Iterator<Item = (Time, u32)> + '_ {
        self.later(now).map(|record| (record.arrives, record.size))
    }

    /// The packets that have not arrived at `now`.
    fn later(&self, now: Time) -> impl Iterator<Item = &Record<T>> {
        self.records.iter().filter(move |record| record.arrives > now)
    }

    /// Makes room in the ring, and decides whether the queue refuses a packet.
    #[inline(never)]
    fn make_room(&mut self, now: Time, at: Time, size: u32) -> Option<DropReason> {
        let refused =
            if self.records.len() < self.undecided { None } else { self.refuse(at, size) };
        if self.records.is_full() {
            self.records.make_room(now.min(at));
            self.most_records = self.records.room().min(self.undecided);
        }
        refused
    }

    /// The decision of the queue about a packet that enters at `at`.
    fn refuse(&mut self, at: Time, size: u32) -> Option<DropReason> {
        let waiting = self.records.waiting(at);
        let bytes = if self.limit.bytes == u64::MAX { 0 } else { self.records.bytes_waiting() };
        let Some(red) = &mut self.red else {
            let is_admitted = self.limit.admits(waiting + 1, bytes + u64::from(size));
            return (!is_admitted).then_some(DropReason::Full);
        };
        if waiting == 0 {
            red.note_empty(self.records.last_start());
        }
        red.refuse(at, (waiting, bytes), size)
    }

    #[inline(never)]
    fn push_with_loss(&mut self, mut record: Record<T>) -> Passage {
        let at = record.arrives;
        let fate = self
            .loss
            .as_deref_mut()
            .map_or(Fate::Intact, |(loss, random)| loss.fate(at, record.size, random));
        if fate == Fate::Lost {
            record.item = None;
        }
        self.records.push(record);
        match fate {
            Fate::Intact => Passage::Arrives(at),
            Fate::Lost => Passage::Lost(at),
            Fate::Damaged { byte } => Passage::Damaged { at, byte },
        }
    }
}

/// An accepted packet.
#[derive(Debug, Clone, Copy)]
struct Record<T> {
    entered: Time,
    start: Time,
    arrives: Time,
    size: u32,
    /// The item that is returned when the packet arrives, if there is one and it was not yet returned.
    item: Option<T>,
}

/// Records of packets in the order in which they entered. Its size is a power of two and grows when needed.
#[derive(Debug)]
#[repr(C)]
struct Ring<T> {
    records: Vec<Record<T>>,
    /// Number of the next record, which is the number of packets that were accepted so far, at whatever time.
    tail: usize,
    /// Number of the oldest record that is kept.
    head: usize,
    /// Bytes of all packets.
    bytes: u64,
    /// When the packet of the record `landing` arrives; [`Time::NEVER`] if no record has an item.
    next_arrival: Time,
    /// Number of the first record with an item.
    landing: usize,
    /// Number of the first record whose packet waits, as of the last question.
    waiting: usize,
    /// Number of the first record whose bytes are not among `bytes_started`, which counts them up to `waiting`.
    started: usize,
    bytes_started: u64,
    /// The sum of the waiting times of packets whose records are no longer kept, in nanoseconds.
    waited: u128,
}

impl<T: Copy> Ring<T> {
    fn new() -> Self {
        Self {
            records: vec![Record::EMPTY; FEWEST_RECORDS],
            tail: 0,
            head: 0,
            bytes: 0,
            next_arrival: Time::NEVER,
            landing: 0,
            waiting: 0,
            started: 0,
            bytes_started: 0,
            waited: 0,
        }
    }

    #[inline]
    fn len(&self) -> usize {
        self.tail - self.head
    }

    fn room(&self) -> usize {
        self.records.len()
    }

    fn is_full(&self) -> bool {
        self.len() == self.room()
    }

    /// Packets and bytes that were accepted so far.
    fn accepted(&self) -> (u64, u64) {
        (self.tail as u64, self.bytes)
    }

    /// When the transmission of the last packet begins; zero before the first.
    fn last_start(&self) -> Time {
        self.tail.checked_sub(1).map_or(Time::ZERO, |last| self.get(last).start)
    }

    #[inline]
    fn push(&mut self, record: Record<T>) {
        if record.item.is_some() && self.next_arrival == Time::NEVER {
            self.landing = self.tail;
            self.next_arrival = record.arrives;
        }
        let place = self.place(self.tail);
        self.records[place] = record;
        self.tail += 1;
        self.bytes += u64::from(record.size);
    }

    /// Removes the first item.
    #[inline]
    fn pop(&mut self) -> Option<T> {
        let place = self.place(self.landing);
        let item = self.records[place].item.take();
        self.next_arrival = Time::NEVER;
        while self.landing != self.tail {
            let record = self.get(self.landing);
            if record.item.is_some() {
                self.next_arrival = record.arrives;
                break;
            }
            self.landing += 1;
        }
        item
    }

    fn iter(&self) -> impl Iterator<Item = &Record<T>> {
        (self.head..self.tail).map(|number| self.get(number))
    }

    #[inline]
    fn get(&self, number: usize) -> &Record<T> {
        &self.records[self.place(number)]
    }

    #[inline]
    fn place(&self, number: usize) -> usize {
        number & (self.records.len() - 1)
    }

    /// The number of packets that wait at `at`, which never decreases.
    #[inline]
    fn waiting(&mut self, at: Time) -> usize {
        while self.waiting != self.tail && self.get(self.waiting).start <= at {
            self.waiting += 1;
        }
        self.tail - self.waiting
    }

    /// The bytes of the packets that [`waiting`](Self::waiting) counted last.
    fn bytes_waiting(&mut self) -> u64 {
        while self.started != self.waiting {
            self.bytes_started += u64::from(self.get(self.started).size);
            self.started += 1;
        }
        self.bytes - self.bytes_started
    }

    /// Drops records of packets that arrived by `at`, or else doubles the size. No packet enters before `at`, and
    /// nothing is read before it.
    fn make_room(&mut self, at: Time) {
        let mut waited = 0_u128;
        let mut head = self.head;
        while head != self.tail {
            let record = self.get(head);
            if record.arrives > at || record.item.is_some() {
                break;
            }
            waited += u128::from((record.start - record.entered).as_nanos());
            head += 1;
        }
        self.waited += waited;
        self.waiting = self.waiting.max(head);
        self.head = head;
        if self.len() * 2 > self.records.len() {
            let kept: Vec<_> = self.iter().copied().collect();
            self.records.resize(2 * self.records.len(), Record::EMPTY);
            for (number, record) in (self.head..).zip(kept) {
                let place = self.place(number);
                self.records[place] = record;
            }
        }
    }
}

impl<T> Record<T> {
    const EMPTY: Self =
        Self { entered: Time::ZERO, start: Time::ZERO, arrives: Time::ZERO, size: 0, item: None };
}

/// Bytes of the smallest packet: the header of IPv4.
const SMALLEST_PACKET: u64 = 20;
/// The shortest transmission. No two packets arrive within one nanosecond.
const SHORTEST: Span = Span::from_nanos(1);
/// A network may have thousands of links with a packet or two each.
const FEWEST_RECORDS: usize = 16;
