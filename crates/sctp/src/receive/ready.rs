//! Messages that the application may read, and the TSNs that are settled with them.

use std::collections::VecDeque;

use manypath_core::{Ranges, Tsn, TsnRange};

use super::reassembly::Whole;
use crate::event::Received;

/// Complete messages whose turn has come, in the order in which the application gets them.
#[derive(Debug, Default)]
pub(super) struct Ready {
    messages: VecDeque<Received>,
    /// Payload bytes of all of them.
    bytes: usize,
    /// TSNs that nothing will take back any more, where an NR-SACK shall tell them from others.
    settled: Option<Ranges>,
}

impl Ready {
    /// From now on it is known which TSNs are settled, or not any more.
    pub(super) fn track(&mut self, tracks: bool) {
        self.settled = tracks.then(Ranges::new);
    }

    pub(super) fn push(&mut self, whole: Whole) {
        self.bytes += whole.message.payload.len();
        self.settle(whole.tsns);
        self.messages.push_back(whole.into_received());
    }

    /// The chunks of a message that the application is offered, or that was thrown away for good.
    pub(super) fn settle(&mut self, tsns: TsnRange) {
        let Some(settled) = &mut self.settled else { return };
        let mut tsn = tsns.first;
        while tsn.is_at_or_before(tsns.last) {
            settled.insert(tsn);
            tsn = tsn.next();
        }
    }

    /// How many ranges of settled TSNs there are: each may cut a gap block into three.
    pub(super) fn settled_ranges(&self) -> usize {
        self.settled.as_ref().map_or(0, |settled| 2 * settled.len())
    }

    /// The settled TSNs above the cumulative one, where they are known.
    pub(super) fn settled_above(&mut self, cumulative: Tsn) -> Option<&Ranges> {
        let settled = self.settled.as_mut()?;
        settled.remove_up_to(cumulative);
        Some(settled)
    }

    pub(super) fn pop(&mut self) -> Option<Received> {
        let received = self.messages.pop_front()?;
        self.bytes -= received.message.payload.len();
        Some(received)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    /// Messages that wait for nothing but the application.
    pub(super) fn len(&self) -> usize {
        self.messages.len()
    }

    /// Their payload bytes.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }
}
