//! Samples a world at fixed instants while it runs.

use manypath_core::{Span, Time};

use crate::build::Laboratory;
use crate::error::Cause;
use crate::means::Means;
use crate::recorders::Recorders;
use crate::series::Recorder;
use crate::slices::Slices;

/// All observers of a running world, each with its own instants.
pub(crate) struct Observers<'a> {
    /// Slices of the run, between which it can be stopped.
    pub(crate) slices: Slices<'a>,
    /// Means over the measured time.
    pub(crate) means: Means,
    /// The series, if requested, from the start of the run on.
    pub(crate) recorder: Option<Recorder>,
    /// Called for packets and hosts, not at fixed instants.
    pub(crate) recorders: Recorders,
}

impl Observers<'_> {
    /// Runs to `until`; each observer samples at its instants, after all events of that instant.
    pub(crate) fn run_until(
        &mut self,
        laboratory: &mut Laboratory,
        until: Time,
    ) -> Result<(), Cause> {
        loop {
            let recording = self.recorder.as_ref().map_or(Time::NEVER, Recorder::next);
            let at = recording.min(self.means.next());
            if at > until {
                break;
            }
            self.run_world(laboratory, at)?;
            if self.means.next() <= at {
                self.means.look(laboratory);
            }
            if let Some(recorder) = self.recorder.as_mut().filter(|_| recording <= at) {
                recorder.look(laboratory);
            }
        }
        self.run_world(laboratory, until)
    }

    fn run_world(&mut self, laboratory: &mut Laboratory, until: Time) -> Result<(), Cause> {
        let world = &mut laboratory.world;
        let recorders = &mut self.recorders;
        if recorders.is_empty() {
            return Ok(self.slices.run(world.now(), until, |at| world.run_until(at))?);
        }
        let step = LOOK_EVERY.max((until - world.now()) / STEPS);
        while world.now() < until {
            let end = until.min(world.now() + step);
            self.slices.run(world.now(), end, |at| world.run_until_seen_by(recorders, at))?;
            if let Some(changes) = &recorders.changes {
                changes.check_memory(end)?;
            }
        }
        Ok(())
    }
}

/// How often the memory for changes is checked, and at most how many times.
const LOOK_EVERY: Span = Span::from_millis(100);
const STEPS: u64 = 10_000;
