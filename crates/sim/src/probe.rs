//! Samples a world at regular intervals. A run without a probe has no cost for it.

use manypath_core::{SansIo, Span, Time};

use crate::world::World;

/// Instants at regular intervals at which a world is sampled.
///
/// The event loop does not depend on probes: the probe runs it from one of its instants to the next.
#[derive(Debug, Clone, Copy)]
pub struct Probe {
    next: Time,
    every: Span,
}

impl Probe {
    /// A probe at `first` and then every `every`.
    ///
    /// # Panics
    /// If `every` is zero.
    #[must_use]
    pub fn new(first: Time, every: Span) -> Self {
        assert!(every > Span::ZERO, "a probe needs time between its readings");
        Self { next: first, every }
    }

    /// The next instant of the probe.
    #[must_use]
    pub fn next(&self) -> Time {
        self.next
    }

    /// Runs `world` to `until` and calls `read` at each instant of the probe, `until` included, after all other events
    /// of that instant.
    pub fn run<N: SansIo>(
        &mut self,
        world: &mut World<N>,
        until: Time,
        mut read: impl FnMut(&mut World<N>),
    ) {
        while self.next <= until {
            world.run_until(self.next);
            read(world);
            self.next += self.every;
        }
        world.run_until(until);
    }
}
