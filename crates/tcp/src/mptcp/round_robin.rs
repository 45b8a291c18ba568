//! Scheduler that sends one segment on each subflow in turn.

use super::schedule::Schedule;

/// The subflow that has waited longest and whose window has room.
#[derive(Debug)]
pub(super) struct RoundRobin;

impl Schedule for RoundRobin {
    #[inline]
    fn note_sent(&self, order: &mut [usize], place: usize) {
        order[place..].rotate_left(1);
    }
}
