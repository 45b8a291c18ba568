//! Fast retransmissions that nobody needed: the peer had the chunk, and reports its copy as a duplicate. \[D10] III-C

use std::collections::VecDeque;

use manypath_core::Tsn;

/// The chunks that were fast retransmitted last, until their copies have proved superfluous.
#[derive(Debug, Default)]
pub(crate) struct FastRetransmitted {
    marks: VecDeque<Mark>,
    /// How many SACKs have made the sender count missing chunks.
    sacks: u64,
}

/// A chunk that a SACK marked.
#[derive(Debug)]
struct Mark {
    tsn: Tsn,
    sack: u64,
    /// So many duplicates show that a copy arrived which had left before the fast retransmission. One does, and one more
    /// for each copy that has left after it.
    duplicates_needed: u32,
}

/// What duplicates have revealed.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) struct Revealed {
    /// Chunks that were fast retransmitted without need.
    pub(crate) chunks: u64,
    /// Of the SACKs that made the sender do so, those of which this is now the second chunk.
    pub(crate) bursts: u64,
}

impl FastRetransmitted {
    /// Another SACK makes the sender count.
    pub(super) fn begin_sack(&mut self) {
        self.sacks += 1;
    }

    /// The SACK in hand makes `tsn` a fast retransmission. The oldest mark is forgotten where there are too many.
    pub(super) fn mark(&mut self, tsn: Tsn) {
        if self.marks.len() == MOST_MARKS {
            self.marks.pop_front();
        }
        self.marks.push_back(Mark { tsn, sack: self.sacks, duplicates_needed: 1 });
    }

    /// `tsn`, which was fast retransmitted, is to be sent once more; of no interest if it has proved superfluous.
    pub(super) fn expect_another(&mut self, tsn: Tsn) {
        if let Some(mark) = self.find(tsn).filter(|mark| mark.duplicates_needed > 0) {
            mark.duplicates_needed += 1;
        }
    }

    /// The peer reports TSNs that arrived once more.
    pub(super) fn reveal(&mut self, duplicates: &[Tsn]) -> Revealed {
        let mut revealed = Revealed::default();
        for &tsn in duplicates {
            let Some(mark) = self.find(tsn).filter(|mark| mark.duplicates_needed > 0) else {
                continue;
            };
            mark.duplicates_needed -= 1;
            if mark.duplicates_needed == 0 {
                let sack = mark.sack;
                let together = |mark: &&Mark| mark.sack == sack && mark.duplicates_needed == 0;
                revealed.chunks += 1;
                revealed.bursts += u64::from(self.marks.iter().filter(together).count() == 2);
            }
        }
        revealed
    }

    fn find(&mut self, tsn: Tsn) -> Option<&mut Mark> {
        self.marks.iter_mut().rev().find(|mark| mark.tsn == tsn)
    }
}

/// More marks than this belong to no round trip of interest.
const MOST_MARKS: usize = 512;

#[cfg(test)]
mod tests {
    use super::*;

    /// After marks by two SACKs, of 1, 2, 3 and of 7, 8.
    fn marked() -> FastRetransmitted {
        let mut memory = FastRetransmitted::default();
        for tsns in [&[1, 2, 3][..], &[7, 8]] {
            memory.begin_sack();
            tsns.iter().for_each(|&tsn| memory.mark(Tsn(tsn)));
        }
        memory
    }

    fn reveal(memory: &mut FastRetransmitted, duplicates: &[u32]) -> (u64, u64) {
        let duplicates: Vec<Tsn> = duplicates.iter().map(|&tsn| Tsn(tsn)).collect();
        let Revealed { chunks, bursts } = memory.reveal(&duplicates);
        (chunks, bursts)
    }

    #[test]
    fn two_chunks_of_one_sack_are_a_burst_and_a_third_one_is_no_other() {
        let mut memory = marked();
        assert_eq!(reveal(&mut memory, &[2]), (1, 0));
        assert_eq!(reveal(&mut memory, &[7]), (1, 0));
        assert_eq!(reveal(&mut memory, &[3]), (1, 1));
        assert_eq!(reveal(&mut memory, &[1]), (1, 0));
        assert_eq!(reveal(&mut memory, &[8]), (1, 1));
    }

    #[test]
    fn what_has_been_revealed_is_not_revealed_again_though_it_is_sent_once_more() {
        let mut memory = marked();
        assert_eq!(reveal(&mut memory, &[2]), (1, 0));
        memory.expect_another(Tsn(2));
        assert_eq!(reveal(&mut memory, &[2, 2]), (0, 0));
    }

    #[test]
    fn other_duplicates_and_further_ones_reveal_nothing() {
        let mut memory = marked();
        assert_eq!(reveal(&mut memory, &[4, 2, 2, 2]), (1, 0));
        assert_eq!(reveal(&mut memory, &[2]), (0, 0));
    }

    #[test]
    fn a_copy_that_left_later_must_be_a_duplicate_first() {
        let mut memory = marked();
        memory.expect_another(Tsn(1));
        assert_eq!(reveal(&mut memory, &[1]), (0, 0), "the later copy, or the one before it");
        assert_eq!(reveal(&mut memory, &[1]), (1, 0));
    }

    #[test]
    fn the_memory_is_bounded() {
        let mut memory = marked();
        (100..100 + MOST_MARKS as u32 - 1).for_each(|tsn| memory.mark(Tsn(tsn)));
        assert_eq!(memory.marks.len(), MOST_MARKS);
        assert_eq!(reveal(&mut memory, &[7, 8]), (1, 0), "only 8 is still known");
    }
}
