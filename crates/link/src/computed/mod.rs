//! One direction of a link whose departures are computed when packets enter it.
//!
//! At a constant rate without jitter or events, the arrival of a packet at the far end follows from the packets that
//! entered before it. So it is computed on entry, and the owner has no event when a transmission begins or ends.

mod ring;

use manypath_core::{Random, Span, Streams, Time};

use crate::config::LinkConfig;
use crate::counters::Counters;
use crate::loss::{AnyLoss, Fate, Loss, LossConfig};
use crate::queue::{DropReason, Limit, QueueConfig, RedRule};
use crate::transmitter::Transmitter;
use ring::{FEWEST_RECORDS, Record, Ring};

/// A link that computes the arrival of a packet at its far end when the packet enters.
///
/// Its packets have the same times and fates as those of a [`Pipe`](crate::Pipe) with the same configuration. Packets
/// enter in the order of time, but ahead of the owner's time or behind it; everything that is read is as of the time of
/// reading.
///
/// The link holds an item of type `T` for each packet whose arrival [`pop`](Self::pop) reports.
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
    /// the rate is so high that two packets may arrive within one nanosecond; or the delay exceeds a century.
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
        let may_compute = is_constant && shortest >= SHORTEST && config.delay <= LONGEST_DELAY;
        may_compute.then(|| Self {
            transmitter: Transmitter::new(config.rate, config.overhead, None),
            delay: config.delay,
            records: Ring::new(),
            most_records: undecided.min(FEWEST_RECORDS),
            undecided,
            loss: (!is_lossless).then(|| Box::new((config.loss.build(), stream("loss")))),
            limit,
            red,
            failed: Counters::default(),
            bytes_lost: 0,
        })
    }

    /// Offers a packet of `size` bytes, at least 20, at `at`, which is not before earlier offers. `now` is the time of the
    /// owner.
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
        self.records.next_arrival()
    }

    /// Returns the next item, whose packet has arrived by `now`.
    #[inline]
    pub fn pop(&mut self, now: Time) -> Option<T> {
        if now < self.next_arrival() { None } else { self.records.pop() }
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

    /// The integral over time of the number of waiting packets until `now`, in packets times nanoseconds. Every packet
    /// that enters by `now` has entered.
    pub fn queue_integral(&mut self, now: Time) -> u128 {
        self.records.drop_until(now);
        let waited = |record: &Record<T>| record.start.min(now).saturating_since(record.entered);
        let recorded = self.records.iter().map(|record| u128::from(waited(record).as_nanos()));
        self.records.waited() + recorded.sum::<u128>()
    }

    /// The time for which the transmitter was busy until `now`.
    #[must_use]
    pub fn busy(&self, now: Time) -> Span {
        let rest = |record: &Record<T>| {
            let ends = record.start + (record.arrives - record.start).saturating_sub(self.delay);
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
        self.records.after(now)
    }

    /// Makes room in the ring, and decides whether the queue refuses a packet.
    #[inline(never)]
    fn make_room(&mut self, now: Time, at: Time, size: u32) -> Option<DropReason> {
        let was_full = self.records.len() == self.records.room();
        // A later packet may enter before `now`, and then records of packets that wait at that time are needed.
        self.records.drop_until(now.min(at));
        if was_full && self.records.len() > self.records.room() / 2 {
            self.records.grow();
            self.most_records = self.undecided.min(self.records.room());
        }
        if self.records.len() < self.undecided { None } else { self.refuse(at, size) }
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

/// Bytes of the smallest packet: the header of IPv4.
const SMALLEST_PACKET: u64 = 20;
/// The shortest transmission. No two packets arrive within one nanosecond.
const SHORTEST: Span = Span::from_nanos(1);
/// With a longer delay, arrivals might exceed the range of time, which ends after 584 years.
const LONGEST_DELAY: Span = Span::from_secs(100 * 365 * 86_400);
