//! Many runs in parallel, one per thread. The results do not depend on the number of threads.

use rayon::ThreadPoolBuilder;
use rayon::prelude::*;

use crate::error::RunError;
use crate::job::Job;
use crate::outcome::Outcome;
use crate::run::{Watch, run_unless};
use crate::scenario::Scenario;

/// Runs every pair of a scenario and a job on `threads` threads; outcomes are in the order of the jobs. A failed run
/// does not affect the others. When `is_stopped` returns true, all unfinished runs end soon.
///
/// # Panics
/// If the system cannot start the threads.
#[must_use]
pub fn run_batch(
    jobs: &[(&Scenario, Job)],
    threads: usize,
    is_stopped: &(dyn Fn() -> bool + Sync),
) -> Vec<Result<Outcome, RunError>> {
    let pool =
        ThreadPoolBuilder::new().num_threads(threads).build().expect("the system gives threads");
    let watch = Watch::default();
    let outcomes = jobs.par_iter().with_max_len(1).map(|&(scenario, job)| {
        let result = run_unless(scenario, job, &watch, &|_| is_stopped());
        result.map(|(outcome, _)| outcome)
    });
    pool.install(|| outcomes.collect())
}
