//! A link of a world: a pipe with events of its own, or a link whose departures are computed when packets enter.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use manypath_core::{Span, Time};
use manypath_link::{ComputedLink, Counters, Pipe};

use crate::schedule::Component;
use crate::slab::Handle;

/// A link and its component of the schedule.
#[derive(Debug)]
pub(super) enum Line {
    /// Packets start, arrive and are lost by events.
    Piped(Piped),
    /// Packets learn their arrival when they enter.
    Computed(Computed),
}

/// The fields keep this order in memory: the first cache lines hold the fields that every packet needs.
#[derive(Debug)]
#[repr(C, align(64))]
pub(super) struct Piped {
    pub(super) component: Component,
    pub(super) pipe: Pipe<Handle>,
}

/// A computed link, the packets that it will deliver by an event, and those that have yet to enter it.
#[derive(Debug)]
#[repr(C, align(64))]
pub(super) struct Computed {
    pub(super) link: ComputedLink,
    pub(super) component: Component,
    /// Packets whose arrival at the far end is an event, and when it happens.
    flying: VecDeque<(Time, Handle)>,
    /// Packets that come from other computed links, by the time at which they enter.
    inbox: BinaryHeap<Reverse<Arrival>>,
}

/// A packet that leaves a computed link for another one. The order is that of events: time, then the number of the
/// component of the link that it leaves. No link delivers two packets within one nanosecond.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Arrival(u128);

impl Arrival {
    #[inline]
    pub(super) fn new(at: Time, from: Component, handle: Handle) -> Self {
        Self(from.key(at) | u128::from(handle.0))
    }

    #[inline]
    pub(super) fn at(self) -> Time {
        Time::from_nanos((self.0 >> 64) as u64)
    }

    #[inline]
    pub(super) fn handle(self) -> Handle {
        Handle(self.0 as u32)
    }
}

impl Line {
    pub(super) fn counters(&self, now: Time) -> Counters {
        match self {
            Self::Piped(Piped { pipe, .. }) => *pipe.counters(),
            Self::Computed(Computed { link, .. }) => link.counters(now),
        }
    }

    /// Packets inside.
    pub(super) fn in_flight(&self, now: Time) -> u64 {
        let packets = match self {
            Self::Piped(Piped { pipe, .. }) => pipe.in_flight(),
            Self::Computed(Computed { link, .. }) => link.in_flight(now),
        };
        packets as u64
    }

    pub(super) fn queue_len(&mut self, now: Time) -> usize {
        match self {
            Self::Piped(Piped { pipe, .. }) => pipe.queue_len(now),
            Self::Computed(Computed { link, .. }) => link.queue_len(now),
        }
    }

    pub(super) fn queue_integral(&mut self, now: Time) -> u128 {
        match self {
            Self::Piped(Piped { pipe, .. }) => pipe.queue_integral(now),
            Self::Computed(Computed { link, .. }) => link.queue_integral(now),
        }
    }

    pub(super) fn busy(&mut self, now: Time) -> Span {
        match self {
            Self::Piped(Piped { pipe, .. }) => pipe.busy(now),
            Self::Computed(Computed { link, .. }) => link.busy(now),
        }
    }
}

impl Computed {
    pub(super) fn new(link: ComputedLink, component: Component) -> Self {
        Self { link, component, flying: VecDeque::new(), inbox: BinaryHeap::new() }
    }

    /// Adds a packet that arrives at the far end at `at`, by an event. Returns whether it is the first to arrive.
    #[inline]
    pub(super) fn fly(&mut self, at: Time, handle: Handle) -> bool {
        self.flying.push_back((at, handle));
        self.flying.len() == 1
    }

    /// Removes the packet that arrives at `now`.
    #[inline]
    pub(super) fn land(&mut self, now: Time) -> Option<Handle> {
        let &(at, handle) = self.flying.front()?;
        (at <= now).then(|| {
            self.flying.pop_front();
            handle
        })
    }

    /// Adds a packet that enters later. Returns whether it is the first to enter.
    #[inline]
    pub(super) fn await_packet(&mut self, arrival: Arrival) -> bool {
        let is_first = self.inbox.peek().is_none_or(|first| arrival < first.0);
        self.inbox.push(Reverse(arrival));
        is_first
    }

    /// Removes the next packet that enters before the event `reached` of the order of all events.
    #[inline]
    pub(super) fn take(&mut self, reached: u128) -> Option<Arrival> {
        let Reverse(first) = *self.inbox.peek()?;
        if first.0 >= reached {
            return None;
        }
        self.inbox.pop();
        Some(first)
    }

    /// Whether a packet has to enter before the event `reached`.
    #[inline]
    pub(super) fn is_behind(&self, reached: u128) -> bool {
        self.inbox.peek().is_some_and(|first| first.0.0 < reached)
    }

    /// When the link needs its event: when a packet arrives at a host, or when one that has yet to enter could arrive
    /// at the far end.
    #[inline]
    pub(super) fn due(&self) -> Time {
        let arrival = self.flying.front().map_or(Time::NEVER, |first| first.0);
        match self.inbox.peek() {
            None => arrival,
            Some(first) => arrival.min(self.link.earliest_arrival(first.0.at())),
        }
    }
}
