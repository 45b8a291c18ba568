//! A host: a protocol, its timer in the schedule, and the routes that begin at it.

use manypath_core::{Time, Via};

use crate::schedule::Component;

/// Names a host of a world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HostId(pub(crate) u32);

impl HostId {
    /// Its number: 0 for the first that was added.
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
    /// Of these, packets that no route fits.
    pub no_route: u64,
    /// Packets handed to the protocol, damaged ones included.
    pub received: u64,
    /// Of these, packets with a byte that is wrong.
    pub damaged: u64,
    /// Bytes that the protocol wanted to send.
    pub bytes_sent: u64,
    /// Bytes handed to the protocol.
    pub bytes_received: u64,
}

/// A host as the world holds it.
#[derive(Debug)]
pub(crate) struct Host<N> {
    pub(crate) protocol: N,
    pub(crate) component: Component,
    pub(crate) counters: HostCounters,
    /// Somebody outside may have given it a command since it was polled.
    pub(crate) is_touched: bool,
    /// First step of the route for each way out: a handful.
    routes: Vec<(Via, u32)>,
    wake_ups: WakeUps,
}

/// How often a timer fired within one instant.
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

    /// Packets that leave by `via` begin at `first_step`; false if another route has taken that way.
    pub(crate) fn add_route(&mut self, via: Via, first_step: u32) -> bool {
        let is_new = self.route(via).is_none();
        if is_new {
            self.routes.push((via, first_step));
        }
        is_new
    }

    /// The first step of the route that leaves by `via`.
    #[inline]
    pub(crate) fn route(&self, via: Via) -> Option<u32> {
        // The first two routes are told apart without a branch, which no processor could predict
        let first = self.routes.first()?;
        let guess = usize::from(first.0.remote != via.remote);
        let route = match self.routes.get(guess) {
            Some(route) if route.0 == via => route,
            _ => self.routes.iter().find(|route| route.0 == via)?,
        };
        Some(route.1)
    }

    /// Counts wake-ups and fails when time stands still: a timer that stays due after `handle_timeout` would hang
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

/// More wake-ups of one host within one instant are a timer that is never switched off.
const MAX_WAKE_UPS: u32 = 10_000;
