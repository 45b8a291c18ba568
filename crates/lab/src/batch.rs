//! Many runs at once, one thread each; what they give does not depend on the number of threads.

use rayon::ThreadPoolBuilder;
use rayon::prelude::*;

use crate::outcome::Outcome;
use crate::run::{Job, RunError, Watch, run};
use crate::scenario::Scenario;

/// Runs every pair of a scenario and a job on `threads` threads; outcomes come in the order of the jobs.
///
/// # Panics
/// If the system gives no threads.
#[must_use]
pub fn run_batch(jobs: &[(&Scenario, Job)], threads: usize) -> Vec<Result<Outcome, RunError>> {
    let pool =
        ThreadPoolBuilder::new().num_threads(threads).build().expect("the system gives threads");
    let outcomes = jobs
        .par_iter()
        .with_max_len(1)
        .map(|&(scenario, job)| run(scenario, job, &Watch::default()));
    let outcomes = outcomes.map(|result| result.map(|(outcome, _)| outcome));
    pool.install(|| outcomes.collect())
}
