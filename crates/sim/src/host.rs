//! A host: a protocol, its timer in the schedule, and the routes that begin at it.

use manypath_core::{Time, Via};

use crate::schedule::Component;

/// Identifies a host of a world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HostId(pub(crate) u32);

impl HostId {
    /// The host's number: 0 for the first that was added.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a host sent and received since the run began; bytes are network-layer bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct HostCounters {
    /// Packets that the protocol wanted to send.
    pub sent: u64,
    /// The packets among `sent` without a matching route.
    pub no_route: u64,
    /// Packets handed to the protocol, damaged ones included.
    pub received: u64,
    /// The packets among `received` with a wrong byte.
    pub damaged: u64,
    /// Bytes that the protocol wanted to send.
    pub bytes_sent: u64,
    /// Bytes handed to the protocol.
    pub bytes_received: u64,
}

/// A host with its state in the world.
#[derive(Debug)]
pub(crate) struct Host<N> {
    pub(crate) protocol: N,
    pub(crate) component: Component,
    pub(crate) counters: HostCounters,
    /// Whether the owner of the world may have given the protocol a command since it was last polled.
    pub(crate) is_touched: bool,
    /// The first step of the route for each pair of addresses; a host has only a few routes.
    routes: Vec<(Via, u32)>,
    wake_ups: WakeUps,
}

/// The number of timer events within one instant.
#[derive(Debug, Default)]
struct WakeUps {
    at: Time,
    count: u32,
}

impl<N> Host<N> {
    pub(crate) fn new(protocol: N, component: Component) -> Self {
        Self {
            protocol,
            component,
            counters: HostCounters::default(),
            is_touched: false,
            routes: Vec::new(),
            wake_ups: WakeUps::default(),
        }
    }

    /// Packets that leave by `via` begin at `first_step`. Returns false if there is a route for `via` already.
    pub(crate) fn add_route(&mut self, via: Via, first_step: u32) -> bool {
        let is_new = self.route(via).is_none();
        if is_new {
            self.routes.push((via, first_step));
        }
        is_new
    }

    /// The first step of the route for `via`.
    #[inline]
    pub(crate) fn route(&self, via: Via) -> Option<u32> {
        // The first two routes are selected without a branch, because the branch would be unpredictable
        let first = self.routes.first()?;
        let guess = usize::from(first.0.remote != via.remote);
        let route = match self.routes.get(guess) {
            Some(route) if route.0 == via => route,
            _ => self.routes.iter().find(|route| route.0 == via)?,
        };
        Some(route.1)
    }

    /// Counts wake-ups and panics if time does not advance: a timer that stays due after `handle_timeout` would block
    /// the run.
    #[inline]
    pub(crate) fn note_wake_up(&mut self, now: Time) {
        let WakeUps { at, count } = &mut self.wake_ups;
        *count = if *at == now { *count + 1 } else { 0 };
        *at = now;
        let component = self.component.index();
        assert!(*count < MAX_WAKE_UPS, "component {component} wakes up without end at {now}");
    }
}

/// More wake-ups of one host within one instant mean that a timer stays due.
const MAX_WAKE_UPS: u32 = 10_000;
