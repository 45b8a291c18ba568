//! The subflow with the smallest smoothed RTT first, as Linux does by default.

use manypath_core::Span;

use super::schedule::Schedule;
use crate::subflow::Subflow;

/// The fastest subflow whose window has room.
#[derive(Debug)]
pub(super) struct LowestRtt;

impl Schedule for LowestRtt {
    #[inline]
    fn arrange(&self, order: &mut [usize], subflows: &[Subflow]) {
        let srtt = |index: &usize| -> Span { subflows[*index].srtt() };
        // Nearly always in order already: one comparison for each
        if !order.is_sorted_by_key(srtt) {
            order.sort_by_key(srtt);
        }
    }
}
