//! What the connection keeps of one subflow, beyond the subflow itself.

use std::collections::VecDeque;

use manypath_core::Time;

/// Bytes of the stream that were sent and may have to be sent on another subflow.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Chunk {
    /// Data sequence number of the first byte.
    pub(crate) data: u64,
    /// Bytes.
    pub(crate) length: u64,
}

impl Chunk {
    /// Data sequence number after the last byte.
    #[inline]
    pub(crate) fn end(&self) -> u64 {
        self.data + self.length
    }
}

/// One subflow as the connection sees it.
#[derive(Debug, Default)]
pub(crate) struct Branch {
    /// Where the next bytes stand for a scheduler that lets each subflow carry everything.
    pub(super) cursor: u64,
    /// What the subflow carried when it failed, for the others.
    pub(super) orphans: VecDeque<Chunk>,
    /// Data that others had carried before: where each segment ends on the subflow and where its data stand, ascending
    /// in both. A segment whose data stand above those of a later one is left out.
    again: VecDeque<(u64, u64)>,
    /// When the next penalty for the sake of this subflow may be due.
    pub(super) penalises_from: Time,
    /// Everything below that it was to bring in place of a slower subflow is on its way: once is enough.
    pub(crate) helped: u64,
    /// It takes no new data: FIN leaves as soon as it may.
    pub(crate) is_leaving: bool,
    /// The peer's FIN came before the own one was sent.
    pub(crate) closed_second: bool,
}

impl Branch {
    /// The subflow carries `data` that another had carried before, up to `end` of its own space.
    #[inline]
    pub(super) fn note_again(&mut self, end: u64, data: u64) {
        while self.again.back().is_some_and(|(_, later)| *later >= data) {
            self.again.pop_back();
        }
        self.again.push_back((end, data));
    }

    /// The lowest data that the subflow may have to send again, where everything below `una` is acknowledged and `head`
    /// are the data of the oldest segment that is not. New data ascend, so only copies can be lower than the head.
    #[inline]
    pub(super) fn lowest(&mut self, una: u64, head: Option<u64>) -> Option<u64> {
        while self.again.front().is_some_and(|(end, _)| *end <= una) {
            self.again.pop_front();
        }
        let again = self.again.front().map(|(_, data)| *data);
        head.map(|head| again.map_or(head, |again| again.min(head)))
    }

    /// The first chunk that still matters, where the peer has everything below `data_una`.
    #[inline]
    pub(super) fn orphan(&mut self, data_una: u64) -> Option<Chunk> {
        while let Some(front) = self.orphans.front_mut() {
            if front.end() <= data_una {
                self.orphans.pop_front();
                continue;
            }
            if front.data < data_una {
                *front = Chunk { data: data_una, length: front.end() - data_una };
            }
            return Some(*front);
        }
        None
    }

    /// The first `length` bytes of the first chunk have been taken.
    pub(super) fn take_orphan(&mut self, length: u64) {
        let Some(front) = self.orphans.front_mut() else { return };
        *front = Chunk { data: front.data + length, length: front.length - length };
        if front.length == 0 {
            self.orphans.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_copy_holds_is_let_go_with_the_copy() {
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
    fn an_orphan_whose_bytes_arrived_is_forgotten() {
        let mut branch = Branch::default();
        branch.orphans.extend([Chunk { data: 0, length: 10 }, Chunk { data: 10, length: 10 }]);
        assert_eq!(branch.orphan(0), Some(Chunk { data: 0, length: 10 }));
        branch.take_orphan(4);
        assert_eq!(branch.orphan(0), Some(Chunk { data: 4, length: 6 }));
        assert_eq!(branch.orphan(12), Some(Chunk { data: 12, length: 8 }));
        branch.take_orphan(8);
        assert_eq!(branch.orphan(12), None);
    }
}
