//! A warm world does not allocate memory.

use crate::toy::{Dumbbell, slow_core};
use manypath_core::{Span, Streams, Time};
use manypath_link::loss::BernoulliConfig;
use manypath_link::queue::{Capacity, CoDelConfig, FqCoDelConfig, PieConfig, RedConfig};
use manypath_link::{LinkConfig, LossConfig, QueueConfig};

/// The number of allocations in 60 s with 5 games of 20 balls over a lossy core with `queue`, after a warm-up of 200 s, within which
/// the longest bursts occur. A
/// game that has lost all its balls restarts with a burst, so queues fill and empty repeatedly.
fn allocations_with(queue: QueueConfig) -> u64 {
    let loss = LossConfig::Bernoulli(BernoulliConfig { p: 0.05 });
    let core = LinkConfig { queue, loss, ..slow_core() };
    let mut dumbbell = Dumbbell::new(5, 20, &core, &Streams::new(1, 0));
    let seconds = |seconds| Time::ZERO + Span::from_secs(seconds);
    dumbbell.world.run_until(seconds(200));
    let before = dumbbell.world.totals();
    let measured = allocation_counter::measure(|| dumbbell.world.run_until(seconds(260)));
    let after = dumbbell.world.totals();
    assert!(after.delivered > before.delivered + 10_000 && after.dropped > before.dropped);
    measured.count_total
}

#[test]
fn drop_tail_allocates_nothing() {
    assert_eq!(allocations_with(QueueConfig::DropTail(Capacity::Packets(30))), 0);
}

#[test]
fn red_allocates_nothing() {
    let red = RedConfig::new(0.002, 10.0, 30.0, 0.1);
    assert_eq!(allocations_with(QueueConfig::Red(red)), 0);
}

#[test]
fn codel_allocates_nothing() {
    assert_eq!(allocations_with(QueueConfig::CoDel(CoDelConfig::default())), 0);
}

#[test]
fn pie_allocates_nothing() {
    assert_eq!(allocations_with(QueueConfig::Pie(PieConfig::default())), 0);
}

#[test]
fn fq_codel_allocates_nothing() {
    let fq_codel = FqCoDelConfig { packets: Some(60), ..FqCoDelConfig::default() };
    assert_eq!(allocations_with(QueueConfig::FqCoDel(fq_codel)), 0);
}
