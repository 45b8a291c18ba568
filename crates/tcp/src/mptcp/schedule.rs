//! The interface of a scheduler, and the list of all schedulers.

use std::fmt::Debug;

use super::lowest_rtt::LowestRtt;
use super::redundant::Redundant;
use super::round_robin::RoundRobin;
use crate::config::Scheduler;
use crate::subflow::Subflow;

/// Selects the subflow for the next bytes: the first subflow in an order of all subflows that may send.
pub(crate) trait Schedule: Debug + Sync {
    /// Sorts the subflows into the order in which they are tried. Called before every segment.
    fn arrange(&self, _order: &mut [usize], _subflows: &[Subflow]) {}

    /// The subflow at `place` of the order has taken new data.
    fn note_sent(&self, _order: &mut [usize], _place: usize) {}

    /// Whether each subflow carries all data that has not arrived, independently of the other subflows.
    fn carries_everything(&self) -> bool {
        false
    }
}

/// The scheduler of this name.
pub(crate) fn schedule(scheduler: Scheduler) -> &'static dyn Schedule {
    match scheduler {
        Scheduler::LowestRtt => &LowestRtt,
        Scheduler::RoundRobin => &RoundRobin,
        Scheduler::Redundant => &Redundant,
    }
}
