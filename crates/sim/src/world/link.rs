//! A link of a world: a pipe with events of its own, or a link whose departures are computed when packets enter.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::num::NonZeroU32;

use manypath_core::{Span, Time};
use manypath_link::{ComputedLink, Counters, Pipe};

use crate::schedule::Component;
use crate::slab::Handle;

/// A link and its component of the schedule.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "most links of a large network are computed")]
pub(super) enum Link {
    /// Packets start, arrive and are lost by events.
    Piped(Box<Piped>),
    /// The arrival of a packet is computed when it enters.
    Computed(Computed),
}

/// The fields keep this order in memory: the first cache lines hold the fields that every packet needs.
#[derive(Debug)]
#[repr(C, align(64))]
pub(super) struct Piped {
    pub(super) component: Component,
    pub(super) pipe: Pipe<Handle>,
}

/// A computed link, and the packets that have yet to enter it.
#[derive(Debug)]
#[repr(C, align(64))]
pub(super) struct Computed {
    /// It holds the packets whose arrival is an event.
    pub(super) computed: ComputedLink<Handle>,
    pub(super) component: Component,
    waiting: ArrivalQueue,
}

/// The packets that come from other computed links, in the order in which they enter. Most arrive in this order.
#[derive(Debug, Default)]
struct ArrivalQueue {
    in_order: VecDeque<Arrival>,
    out_of_order: BinaryHeap<Reverse<Arrival>>,
}

impl ArrivalQueue {
    #[inline]
    fn push(&mut self, arrival: Arrival) {
        if self.in_order.back().is_none_or(|last| *last < arrival) {
            self.in_order.push_back(arrival);
        } else {
            self.out_of_order.push(Reverse(arrival));
        }
    }

    #[inline]
    fn first(&self) -> Option<Arrival> {
        let in_order = self.in_order.front().copied();
        match self.out_of_order.peek() {
            None => in_order,
            Some(&Reverse(out_of_order)) => {
                Some(in_order.map_or(out_of_order, |first| first.min(out_of_order)))
            }
        }
    }

    /// Removes the first packet, which is `first`.
    #[inline]
    fn remove(&mut self, first: Arrival) {
        if self.in_order.front() == Some(&first) {
            self.in_order.pop_front();
        } else {
            self.out_of_order.pop();
        }
    }
}

/// A packet that leaves a computed link for another one, as one number: the time, the component of the link that it
/// leaves, and the packet. So the order is that of events. No link delivers two packets within one nanosecond.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Arrival(u128);

impl Arrival {
    #[inline]
    pub(super) fn new(at: Time, from: Component, handle: Handle) -> Self {
        Self(from.key(at) | u128::from(handle.0.get()))
    }

    #[inline]
    pub(super) fn at(self) -> Time {
        Time::from_nanos((self.0 >> 64) as u64)
    }

    #[inline]
    pub(super) fn handle(self) -> Option<Handle> {
        NonZeroU32::new(self.0 as u32).map(Handle)
    }
}

impl Link {
    pub(super) fn counters(&self, now: Time) -> Counters {
        match self {
            Self::Piped(link) => *link.pipe.counters(),
            Self::Computed(Computed { computed, .. }) => computed.counters(now),
        }
    }

    /// Packets inside.
    pub(super) fn in_flight(&self, now: Time) -> u64 {
        let packets = match self {
            Self::Piped(link) => link.pipe.in_flight(),
            Self::Computed(Computed { computed, .. }) => computed.in_flight(now),
        };
        packets as u64
    }

    pub(super) fn queue_len(&mut self, now: Time) -> usize {
        match self {
            Self::Piped(link) => link.pipe.queue_len(now),
            Self::Computed(Computed { computed, .. }) => computed.queue_len(now),
        }
    }

    pub(super) fn queue_integral(&mut self, now: Time) -> u128 {
        match self {
            Self::Piped(link) => link.pipe.queue_integral(now),
            Self::Computed(Computed { computed, .. }) => computed.queue_integral(now),
        }
    }

    pub(super) fn busy(&mut self, now: Time) -> Span {
        match self {
            Self::Piped(link) => link.pipe.busy(now),
            Self::Computed(Computed { computed, .. }) => computed.busy(now),
        }
    }
}

impl Computed {
    pub(super) fn new(computed: ComputedLink<Handle>, component: Component) -> Self {
        Self { computed, component, waiting: ArrivalQueue::default() }
    }

    /// Adds a packet that enters later. Returns whether it is the first to enter.
    #[inline]
    pub(super) fn await_packet(&mut self, arrival: Arrival) -> bool {
        let is_first = self.waiting.first().is_none_or(|first| arrival < first);
        self.waiting.push(arrival);
        is_first
    }

    /// Removes the next packet that enters before the event `reached` of the order of all events.
    #[inline]
    pub(super) fn take(&mut self, reached: u128) -> Option<Arrival> {
        let first = self.waiting.first().filter(|first| first.0 < reached)?;
        self.waiting.remove(first);
        Some(first)
    }

    /// Whether a packet has to enter before the event `reached`.
    #[inline]
    pub(super) fn is_behind(&self, reached: u128) -> bool {
        self.waiting.first().is_some_and(|first| first.0 < reached)
    }

    /// When the link needs its event: when a packet arrives at a host, or when one that has yet to enter could arrive
    /// at the far end.
    #[inline]
    pub(super) fn due(&self) -> Time {
        let arrival = self.computed.next_arrival();
        match self.waiting.first() {
            None => arrival,
            Some(first) => arrival.min(self.computed.earliest_arrival(first.at())),
        }
    }
}
