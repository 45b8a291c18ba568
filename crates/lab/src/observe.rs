//! Samples a world at fixed instants while it runs.

use manypath_core::{Span, Time};

use crate::build::Laboratory;
use crate::recorders::Recorders;
use crate::run::Cause;
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
            let at = recording.min(self.means.next);
            if at > until {
                break;
            }
            self.run_world(laboratory, at)?;
            if self.means.next <= at {
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

/// Means over time of values that have no counter, from equidistant samples.
#[derive(Debug)]
pub(crate) struct Means {
    next: Time,
    samples: u64,
    path_counts: Vec<usize>,
    /// Paths of all flows, flow by flow.
    paths: Vec<PathSums>,
    queues: Vec<u64>,
}

/// Sums over samples; [`Means::path`] divides them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PathSums {
    pub(crate) cwnd: f64,
    pub(crate) ssthresh: f64,
    pub(crate) srtt: f64,
    pub(crate) outstanding: f64,
}

impl Means {
    /// Means from `first` on; `path_counts` has the number of paths of each flow.
    pub(crate) fn new(first: Time, path_counts: &[usize], links: usize) -> Self {
        let paths = vec![PathSums::default(); path_counts.iter().sum()];
        Self {
            next: first,
            samples: 0,
            path_counts: path_counts.to_vec(),
            paths,
            queues: vec![0; links],
        }
    }

    /// The means of a path; paths are numbered through all flows.
    pub(crate) fn path(&self, index: usize) -> PathSums {
        let (sums, samples) = (self.paths[index], self.samples as f64);
        PathSums {
            cwnd: sums.cwnd / samples,
            ssthresh: sums.ssthresh / samples,
            srtt: sums.srtt / samples,
            outstanding: sums.outstanding / samples,
        }
    }

    /// The mean number of packets in the queue of a link.
    pub(crate) fn queue(&self, index: usize) -> f64 {
        self.queues[index] as f64 / self.samples as f64
    }

    fn look(&mut self, laboratory: &mut Laboratory) {
        let flows = laboratory.flows.iter().zip(&self.path_counts);
        let paths = flows.flat_map(|(&flow, &count)| (0..count).map(move |path| (flow, path)));
        for (sums, (flow, path)) in self.paths.iter_mut().zip(paths) {
            let stats = laboratory.read_path(flow, path).source;
            sums.cwnd += stats.window as f64;
            sums.ssthresh += stats.ssthresh as f64;
            sums.srtt += stats.srtt.as_secs_f64();
            sums.outstanding += stats.outstanding as f64;
        }
        for (sum, &link) in self.queues.iter_mut().zip(&laboratory.links) {
            *sum += laboratory.world.queue_len(link) as u64;
        }
        self.samples += 1;
        self.next += MEANS_EVERY;
    }
}

/// How often the memory for changes is checked, and at most how many times.
const LOOK_EVERY: Span = Span::from_millis(100);
const STEPS: u64 = 10_000;
/// Windows change within a round trip, but means over minutes need no shorter interval.
const MEANS_EVERY: Span = Span::from_millis(100);
