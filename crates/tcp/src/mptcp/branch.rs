//! The state that the connection keeps for one subflow, in addition to the subflow itself.

use std::collections::VecDeque;

use manypath_core::Time;

/// Bytes of the stream that were sent and may have to be sent on another subflow.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct DataRange {
    /// Data sequence number of the first byte.
    pub(crate) data: u64,
    /// Bytes.
    pub(crate) length: u64,
}

impl DataRange {
    /// Data sequence number after the last byte.
    #[inline]
    pub(crate) fn end(&self) -> u64 {
        self.data + self.length
    }
}

/// The connection's state of one subflow.
#[derive(Debug, Default)]
pub(crate) struct Branch {
    /// The offset of the next bytes, if the scheduler lets each subflow carry all data.
    pub(super) cursor: u64,
    /// Data that the subflow carried when it failed, to be reinjected on other subflows.
    pub(super) reinjections: VecDeque<DataRange>,
    /// Data that another subflow had carried before. Each entry has the end of a segment on this subflow and the offset
    /// of its data; both ascend. A segment is omitted if its data are above those of a later segment.
    again: VecDeque<(u64, u64)>,
    /// The earliest time of the next penalty for the benefit of this subflow.
    pub(super) penalises_from: Time,
    /// The end of the data that this subflow has resent for a slower subflow: each byte is resent only once.
    pub(crate) helped: u64,
    /// The subflow takes no new data, and FIN is sent as soon as possible.
    pub(crate) is_leaving: bool,
    /// The peer's FIN arrived before this side sent its own.
    pub(crate) closed_second: bool,
}

impl Branch {
    /// Records that the subflow carries `data` that another subflow had carried before, up to `end` of its own sequence
    /// space.
    #[inline]
    pub(super) fn note_again(&mut self, end: u64, data: u64) {
        while self.again.back().is_some_and(|(_, later)| *later >= data) {
            self.again.pop_back();
        }
        self.again.push_back((end, data));
    }

    /// The lowest data that the subflow may have to retransmit. Everything below `una` is acknowledged, and `head` is
    /// the data offset of the oldest unacknowledged segment. The offsets of new data ascend, so only copies can be
    /// lower than the head.
    #[inline]
    pub(super) fn lowest(&mut self, una: u64, head: Option<u64>) -> Option<u64> {
        while self.again.front().is_some_and(|(end, _)| *end <= una) {
            self.again.pop_front();
        }
        let again = self.again.front().map(|(_, data)| *data);
        head.map(|head| again.map_or(head, |again| again.min(head)))
    }

    /// The first range that the peer has not acknowledged yet; the peer has everything below `data_una`.
    #[inline]
    pub(super) fn next_reinjection(&mut self, data_una: u64) -> Option<DataRange> {
        while let Some(front) = self.reinjections.front_mut() {
            if front.end() <= data_una {
                self.reinjections.pop_front();
                continue;
            }
            if front.data < data_una {
                *front = DataRange { data: data_una, length: front.end() - data_una };
            }
            return Some(*front);
        }
        None
    }

    /// Removes the first `length` bytes of the first range.
    pub(super) fn take_reinjection(&mut self, length: u64) {
        let Some(front) = self.reinjections.front_mut() else { return };
        *front = DataRange { data: front.data + length, length: front.length - length };
        if front.length == 0 {
            self.reinjections.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dropping_a_copy_releases_its_data() {
        let mut branch = Branch::default();
        assert_eq!(branch.lowest(0, None), None);
        assert_eq!(branch.lowest(0, Some(500)), Some(500));
        branch.note_again(30, 300);
        branch.note_again(40, 100);
        branch.note_again(50, 200);
        assert_eq!(branch.lowest(20, Some(500)), Some(100));
        assert_eq!(branch.lowest(40, Some(200)), Some(200));
        assert_eq!(branch.lowest(50, Some(900)), Some(900));
    }

    #[test]
    fn a_reinjected_range_that_arrived_is_forgotten() {
        let mut branch = Branch::default();
        branch
            .reinjections
            .extend([DataRange { data: 0, length: 10 }, DataRange { data: 10, length: 10 }]);
        assert_eq!(branch.next_reinjection(0), Some(DataRange { data: 0, length: 10 }));
        branch.take_reinjection(4);
        assert_eq!(branch.next_reinjection(0), Some(DataRange { data: 4, length: 6 }));
        assert_eq!(branch.next_reinjection(12), Some(DataRange { data: 12, length: 8 }));
        branch.take_reinjection(8);
        assert_eq!(branch.next_reinjection(12), None);
    }
}
