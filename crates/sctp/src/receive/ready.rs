//! Messages that the application may read, and their TSNs.

use std::collections::VecDeque;

use manypath_core::{Ranges, Tsn, TsnRange};

use super::reassembly::Whole;
use crate::event::Received;

/// Complete messages that the application may read, in order.
#[derive(Debug, Default)]
pub(super) struct Ready {
    messages: VecDeque<Received>,
    /// Payload bytes of all of them.
    bytes: usize,
    /// TSNs that will not be dropped, if an NR-SACK must distinguish them from others.
    settled: Option<Ranges>,
}

impl Ready {
    /// Sets whether settled TSNs are recorded.
    pub(super) fn track(&mut self, tracks: bool) {
        self.settled = tracks.then(Ranges::new);
    }

    pub(super) fn push(&mut self, whole: Whole) {
        self.bytes += whole.message.payload.len();
        self.settle(whole.tsns);
        self.messages.push_back(whole.into_received());
    }

    /// Records the chunks of a message that can be read, or that was discarded for good.
    pub(super) fn settle(&mut self, tsns: TsnRange) {
        let Some(settled) = &mut self.settled else { return };
        let mut tsn = tsns.first;
        while tsn.is_at_or_before(tsns.last) {
            settled.insert(tsn);
            tsn = tsn.next();
        }
    }

    /// Number of ranges of settled TSNs; each may split a gap block into three.
    pub(super) fn settled_ranges(&self) -> usize {
        self.settled.as_ref().map_or(0, |settled| 2 * settled.len())
    }

    /// The settled TSNs above the cumulative one, if they are recorded.
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

    /// The number of messages that can be read.
    pub(super) fn len(&self) -> usize {
        self.messages.len()
    }

    /// Their payload bytes.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }
}
