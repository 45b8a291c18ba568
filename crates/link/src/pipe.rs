//! One direction of a link: queue, rate, delay with jitter, loss, in this order.

use std::collections::VecDeque;

use manypath_core::{Integral, Random, Span, Streams, Time};

use crate::config::{Change, LinkConfig, LinkEvent};
use crate::counters::Counters;
use crate::loss::{AnyLoss, Fate, Loss};
use crate::queue::{AnyQueue, DropReason, Entry, Queue, Verdict};
use crate::transmitter::Transmitter;

/// One direction of a link, holding items of type `T` and their sizes.
///
/// Time enters by the arguments only and never decreases. A call may start a waiting packet late, but the result is
/// exact: the packet starts at the instant at which the transmitter became free. Within one instant the transmitter
/// starts packets first, then [link events](LinkEvent) happen, then packets arrive.
///
/// The fields keep this order in memory: the fields that every packet needs come first and share few cache lines.
#[derive(Debug)]
#[repr(C)]
pub struct Pipe<T> {
    /// The return value of `poll_timeout`.
    due: Time,
    /// When the first of `events` happens.
    next_event: Time,
    /// When the next waiting packet starts; [`Time::NEVER`] if none waits.
    next_start: Time,
    /// When the first packet of `flying` arrives; [`Time::NEVER`] if there is none.
    first_arrives: Time,
    /// When the last packet of `flying` arrives; any time in the past if there is none.
    last_arrives: Time,
    delay: Span,
    /// Packets in transmission or propagation, in the order of delivery.
    flying: VecDeque<Flight<T>>,
    transmitter: Transmitter,
    jitter: Span,
    is_up: bool,
    /// Whether `discarded` or `stranded` has items. It is checked for every packet; one flag is cheaper than two lists.
    holds_lost: bool,
    counters: Counters,
    /// The number of waiting packets.
    waiting: Integral,
    /// Items that the queue accepted and dropped later, and that were not yet returned to the owner.
    discarded: Vec<T>,
    /// Items that were inside when the link went down and that were not yet returned to the owner.
    stranded: Vec<T>,
    queue: AnyQueue<T>,
    loss: AnyLoss,
    loss_random: Random,
    jitter_random: Random,
    /// Future events of the link, the earliest first.
    events: VecDeque<LinkEvent>,
}

/// The result of [`Pipe::pop`]. In every case the item belongs to the caller again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Popped<T> {
    /// The item arrived at the far end.
    Delivered(T),
    /// The item arrived at the far end with one wrong byte.
    Damaged {
        /// The item.
        item: T,
        /// Offset of the wrong byte from the beginning of the network header.
        byte: u32,
    },
    /// The item was accepted but will not arrive.
    Lost {
        /// The item.
        item: T,
        /// The cause of the loss.
        cause: LossCause,
    },
}

/// The cause for which a link lost an accepted packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LossCause {
    /// The loss model at the far end.
    Chance,
    /// The queue, which had accepted the packet and dropped it later.
    Queue,
    /// The link went down.
    Down,
}

impl<T: Copy> Pipe<T> {
    /// An empty link called `name`. Random numbers come from the streams `link/<name>/queue`, `.../loss` and
    /// `.../jitter`.
    ///
    /// # Panics
    /// If `config` does not [validate](LinkConfig::validate).
    #[must_use]
    pub fn new(config: &LinkConfig, streams: &Streams, name: &str) -> Self {
        if let Err(error) = config.validate() {
            panic!("link {name}: {error}");
        }
        let next_event = config.events.first().map_or(Time::NEVER, |event| event.at);
        Self {
            due: next_event,
            next_event,
            next_start: Time::NEVER,
            transmitter: Transmitter::new(config.rate, config.overhead, config.trace.as_ref()),
            delay: config.delay,
            jitter: config.jitter,
            is_up: true,
            flying: VecDeque::new(),
            first_arrives: Time::NEVER,
            last_arrives: Time::ZERO,
            queue: config.queue.build(config.rate, streams.stream(&format!("link/{name}/queue"))),
            loss: config.loss.build(),
            loss_random: streams.stream(&format!("link/{name}/loss")),
            jitter_random: streams.stream(&format!("link/{name}/jitter")),
            counters: Counters::default(),
            waiting: Integral::default(),
            discarded: Vec::new(),
            stranded: Vec::new(),
            holds_lost: false,
            events: config.events.iter().copied().collect(),
        }
    }

    /// Offers a packet to the near end of the link.
    #[inline]
    pub fn push(&mut self, now: Time, entry: Entry<T>) -> Verdict {
        self.advance(now);
        self.counters.arrived += 1;
        self.counters.bytes_arrived += u64::from(entry.size);
        let verdict = self.accept(now, entry);
        self.refresh(now);
        verdict
    }

    /// When [`pop`](Self::pop) must be called next, because a packet is due or an event happens. [`Time::NEVER`] if
    /// never.
    #[inline]
    #[must_use]
    pub fn poll_timeout(&self) -> Time {
        self.due
    }

    /// Returns one packet that is due at or before `now`. Call it until it returns `None`, then read
    /// [`poll_timeout`](Self::poll_timeout) again.
    #[inline]
    pub fn pop(&mut self, now: Time) -> Option<Popped<T>> {
        if now < self.due {
            return None;
        }
        self.advance(now);
        let popped = if self.holds_lost { self.hand_back() } else { self.deliver(now) };
        self.refresh(now);
        popped
    }

    /// Packets waiting for the transmitter at `now`; the one in transmission does not count.
    pub fn queue_len(&mut self, now: Time) -> usize {
        self.settle(now);
        self.queue.len()
    }

    /// The integral over time of the number of waiting packets until `now`, in packets times nanoseconds.
    pub fn queue_integral(&mut self, now: Time) -> u128 {
        self.settle(now);
        self.waiting.until(now)
    }

    /// The time for which the transmitter was busy until `now`.
    pub fn busy(&mut self, now: Time) -> Span {
        self.settle(now);
        self.transmitter.busy(now)
    }

    /// Bytes waiting for the transmitter at `now`, framing excluded.
    pub fn queue_bytes(&mut self, now: Time) -> u64 {
        self.settle(now);
        self.queue.bytes()
    }

    /// The queue as it was at the last call of the pipe.
    #[must_use]
    pub fn queue(&self) -> &AnyQueue<T> {
        &self.queue
    }

    /// The counters since the beginning of the run.
    #[must_use]
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// Packets inside: waiting, in transmission, in propagation, or lost but not yet returned.
    #[must_use]
    pub fn in_flight(&self) -> usize {
        self.queue.len() + self.flying.len() + self.discarded.len() + self.stranded.len()
    }

    /// Advances the pipe so that its queue can be read. `due` does not change. So a packet that the queue discards here
    /// is returned by the next call, at the same instant as without this reading.
    fn settle(&mut self, now: Time) {
        self.advance(now);
        let next = self.first_arrives.min(self.next_event);
        debug_assert!(self.due <= next.max(now), "something is due before the next call");
    }

    #[inline]
    fn accept(&mut self, now: Time, entry: Entry<T>) -> Verdict {
        if !self.is_up {
            self.counters.dropped_down += 1;
            return Verdict::Dropped(DropReason::Down);
        }
        let free_at = self.transmitter.free_at();
        let is_idle = free_at <= now;
        if is_idle {
            if self.queue.may_skip(entry.size) {
                self.start(now, entry);
                return Verdict::Queued;
            }
            // The queue is empty. This call informs the queue that the transmitter is idle.
            let nothing = self.queue.dequeue(free_at, &mut self.discarded);
            debug_assert!(nothing.is_none(), "a packet waited for an idle transmitter");
        }
        let verdict = self.queue.enqueue(now, entry, &mut self.discarded);
        self.look_at_queue(now);
        match verdict {
            Verdict::Queued if is_idle => self.start_next(now),
            Verdict::Queued => {}
            Verdict::Dropped(reason) => {
                self.counters.dropped_queue += 1;
                self.counters.dropped_early += u64::from(reason == DropReason::Early);
            }
        }
        verdict
    }

    #[inline]
    fn deliver(&mut self, now: Time) -> Option<Popped<T>> {
        if self.first_arrives > now {
            return None;
        }
        let Flight { item, size, .. } = self.flying.pop_front()?;
        self.first_arrives = self.flying.front().map_or(Time::NEVER, |flight| flight.arrives);
        let fate = if self.loss.is_lossless() {
            Fate::Intact
        } else {
            self.loss.fate(now, size, &mut self.loss_random)
        };
        let popped = match fate {
            Fate::Intact => Popped::Delivered(item),
            Fate::Damaged { byte } => {
                self.counters.damaged += 1;
                Popped::Damaged { item, byte }
            }
            Fate::Lost => {
                self.counters.lost += 1;
                return Some(Popped::Lost { item, cause: LossCause::Chance });
            }
        };
        self.counters.delivered += 1;
        self.counters.bytes_delivered += u64::from(size);
        Some(popped)
    }

    /// Advances the pipe to `now`: starts every packet whose turn has come and applies every event.
    #[inline]
    fn advance(&mut self, now: Time) {
        while self.next_event <= now {
            self.happen();
        }
        self.start_waiting(now);
    }

    #[inline]
    fn start_waiting(&mut self, now: Time) {
        while self.next_start <= now {
            self.start_next(self.next_start);
        }
    }

    /// Starts the packet that the queue returns at `start`.
    #[inline]
    fn start_next(&mut self, start: Time) {
        if let Some(entry) = self.queue.dequeue(start, &mut self.discarded) {
            self.start(start, entry);
        }
        self.look_at_queue(start);
    }

    #[inline]
    fn start(&mut self, start: Time, Entry { item, size, .. }: Entry<T>) {
        let mut arrives = self.transmitter.send(start, size) + self.delay;
        if self.jitter > Span::ZERO {
            let longer = self.jitter_random.between(0, self.jitter.as_nanos());
            arrives += Span::from_nanos(longer);
        }
        self.last_arrives = self.last_arrives.max(arrives);
        self.first_arrives = self.first_arrives.min(self.last_arrives);
        self.flying.push_back(Flight { arrives: self.last_arrives, item, size });
    }

    /// Updates `waiting`, `next_start` and `holds_lost` after a change of the queue.
    #[inline]
    fn look_at_queue(&mut self, at: Time) {
        let waiting = self.queue.len();
        self.waiting.set(at, waiting as u64);
        self.next_start = if waiting == 0 { Time::NEVER } else { self.transmitter.free_at() };
        self.look_for_lost();
    }

    #[inline]
    fn look_for_lost(&mut self) {
        self.holds_lost = !(self.discarded.is_empty() && self.stranded.is_empty());
    }

    #[cold]
    fn hand_back(&mut self) -> Option<Popped<T>> {
        let popped = match self.discarded.pop() {
            Some(item) => {
                self.counters.dropped_late += 1;
                Popped::Lost { item, cause: LossCause::Queue }
            }
            None => {
                let item = self.stranded.pop()?;
                self.counters.lost_down += 1;
                Popped::Lost { item, cause: LossCause::Down }
            }
        };
        self.look_for_lost();
        Some(popped)
    }

    /// Computes `due` from the other fields.
    #[inline]
    fn refresh(&mut self, now: Time) {
        self.due = if self.holds_lost { now } else { self.first_arrives.min(self.next_event) };
    }

    #[cold]
    fn happen(&mut self) {
        let Some(LinkEvent { at, change }) = self.events.pop_front() else { return };
        self.next_event = self.events.front().map_or(Time::NEVER, |event| event.at);
        self.start_waiting(at);
        match change {
            Change::Down => self.go_down(at),
            Change::Up => self.is_up = true,
            Change::Rate(rate) => self.transmitter.set_rate(rate),
            Change::Delay(delay) => self.delay = delay,
            Change::Loss(loss) => self.loss = loss.build(),
        }
    }

    fn go_down(&mut self, at: Time) {
        self.is_up = false;
        if self.transmitter.free_at() > at {
            self.stranded.extend(self.flying.pop_back().map(|flight| flight.item));
            self.first_arrives = self.flying.front().map_or(Time::NEVER, |flight| flight.arrives);
            self.last_arrives = self.flying.back().map_or(Time::ZERO, |flight| flight.arrives);
        }
        // Packets that the queue discards here also count as lost by the link.
        while let Some(entry) = self.queue.dequeue(at, &mut self.stranded) {
            self.stranded.push(entry.item);
        }
        self.transmitter.abort(at);
        self.look_at_queue(at);
    }
}

#[derive(Debug, Clone, Copy)]
struct Flight<T> {
    arrives: Time,
    item: T,
    size: u32,
}
