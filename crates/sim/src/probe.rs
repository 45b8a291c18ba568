//! Reads numbers every so often: the price is paid by who asks.

use manypath_core::{SansIo, Span, Time};

use crate::world::World;

/// Instants at a fixed distance at which somebody looks at a world.
///
/// The event loop knows nothing of probes: it runs from one instant of the probe to the next.
#[derive(Debug, Clone, Copy)]
pub struct Probe {
    next: Time,
    every: Span,
}

impl Probe {
    /// Looks at `first` and then every `every`.
    ///
    /// # Panics
    /// If `every` is zero.
    #[must_use]
    pub fn new(first: Time, every: Span) -> Self {
        assert!(every > Span::ZERO, "a probe needs time between its readings");
        Self { next: first, every }
    }

    /// When it looks next.
    #[must_use]
    pub fn next(&self) -> Time {
        self.next
    }

    /// Runs `world` to `until` and calls `read` at each instant on the way, `until` included, after everything else
    /// that happens at that instant.
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
