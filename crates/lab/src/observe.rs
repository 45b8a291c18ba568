//! Samples a world at fixed instants while it runs.

use manypath_core::{Span, Time};

use crate::build::Laboratory;
use crate::error::Cause;
use crate::recorders::Recorders;
use crate::series::Recorder;
use crate::slices::Slices;

/// All observers of a running world, each with its own instants.
pub(crate) struct Observers<'a> {
    /// Slices of the run, between which it can be stopped.
    pub(crate) slices: Slices<'a>,
    /// The series, if requested, from the start of the run on.
    pub(crate) recorder: Option<Recorder>,
    /// Called for packets and hosts, not at fixed instants.
    pub(crate) recorders: Recorders,
}

impl Observers<'_> {
    /// Runs to `until`; the series is sampled at its instants, after all events of that instant.
    pub(crate) fn run_until(
        &mut self,
        laboratory: &mut Laboratory,
        until: Time,
    ) -> Result<(), Cause> {
        while let Some(at) = self.recorder.as_ref().map(Recorder::next).filter(|&at| at <= until) {
            self.run_world(laboratory, at)?;
            if let Some(recorder) = &mut self.recorder {
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
        // At least once, because events may be due at `until` itself
        loop {
            let end = until.min(world.now() + step);
            self.slices.run(world.now(), end, |at| world.run_until_seen_by(recorders, at))?;
            if let Some(changes) = &recorders.changes {
                changes.check_memory(end)?;
            }
            if end == until {
                return Ok(());
            }
        }
    }
}

/// How often the memory for changes is checked, and at most how many times.
const LOOK_EVERY: Span = Span::from_millis(100);
const STEPS: u64 = 10_000;
