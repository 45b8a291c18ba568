//! Seed and replication of a run.

/// Which run of a scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Job {
    /// Seed of the experiment.
    pub seed: u64,
    /// Number of the repetition. The same number means the same random choices in different scenarios.
    pub replication: u64,
}
