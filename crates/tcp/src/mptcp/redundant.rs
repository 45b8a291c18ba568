//! Scheduler that sends all data on each subflow. The first copy that arrives counts.

use super::schedule::Schedule;

/// Every subflow carries all data that has not arrived yet, at its own rate.
#[derive(Debug)]
pub(super) struct Redundant;

impl Schedule for Redundant {
    fn carries_everything(&self) -> bool {
        true
    }
}
