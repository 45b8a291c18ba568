//! Scheduler that prefers the subflow with the smallest smoothed RTT, the default of Linux.

use manypath_core::Span;

use super::schedule::Schedule;
use crate::subflow::Subflow;

/// The fastest subflow whose window has room.
#[derive(Debug)]
pub(super) struct LowestRtt;

impl Schedule for LowestRtt {
    #[inline]
    fn arrange(&self, order: &mut [usize], subflows: &[Subflow]) {
        let srtt = |index: &usize| -> Span { subflows[*index].sending.srtt() };
        // The order is almost always sorted already, so this check costs one comparison per subflow
        if !order.is_sorted_by_key(srtt) {
            order.sort_by_key(srtt);
        }
    }
}
