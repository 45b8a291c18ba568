//! Spurious fast retransmissions: the peer had received the chunk, and reports its copy as a duplicate. \[D10] III-C

use std::collections::VecDeque;

use manypath_core::Tsn;

/// The most recently fast retransmitted chunks, until they have proved spurious.
///
/// A lookup takes a few steps for any number of chunks, because a peer may report any duplicates.
#[derive(Debug, Default)]
pub(crate) struct FastRetransmitted {
    /// The oldest one first.
    marks: VecDeque<Mark>,
    /// Number of marks that were removed.
    forgotten: u64,
    /// TSN of each mark, and the number of marks made before it, in ascending order of TSNs.
    by_tsn: Vec<(u32, u64)>,
    /// Number of SACKs that caused missing reports.
    sacks: u64,
}

/// A chunk that a SACK marked.
#[derive(Debug)]
struct Mark {
    tsn: Tsn,
    sack: u64,
    /// The number of duplicates that show that a copy from before the fast retransmission has arrived: one, and one
    /// more for each copy that was sent after the fast retransmission.
    duplicates_needed: u32,
    /// In the oldest mark of its SACK: how many marks of that SACK have proved superfluous.
    revealed: u32,
}

/// The results of reported duplicates.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) struct Revealed {
    /// Chunks whose fast retransmission was spurious.
    pub(crate) chunks: u64,
    /// SACKs known to have caused at least two spurious retransmissions.
    pub(crate) bursts: u64,
}

impl FastRetransmitted {
    /// Records that another SACK counts missing chunks.
    pub(super) fn begin_sack(&mut self) {
        self.sacks += 1;
    }

    /// Records that the current SACK causes a fast retransmission of `tsn`. If there are too many marks, the oldest is
    /// removed.
    pub(super) fn mark(&mut self, tsn: Tsn) {
        if self.marks.len() == MOST_MARKS {
            self.forget_oldest();
        }
        let entry = (tsn.0, self.forgotten + self.marks.len() as u64);
        let at = self.by_tsn.partition_point(|known| *known < entry);
        self.by_tsn.insert(at, entry);
        self.marks.push_back(Mark { tsn, sack: self.sacks, duplicates_needed: 1, revealed: 0 });
    }

    fn forget_oldest(&mut self) {
        let Some(oldest) = self.marks.pop_front() else { return };
        if let Ok(at) = self.by_tsn.binary_search(&(oldest.tsn.0, self.forgotten)) {
            self.by_tsn.remove(at);
        }
        self.forgotten += 1;
        if let Some(next) = self.marks.front_mut().filter(|next| next.sack == oldest.sack) {
            next.revealed = oldest.revealed - u32::from(oldest.duplicates_needed == 0);
        }
    }

    /// Records that `tsn`, which was fast retransmitted, will be sent once more; ignored if it has proved spurious.
    pub(super) fn expect_another(&mut self, tsn: Tsn) {
        if let Some(mark) = self.find(tsn).filter(|mark| mark.duplicates_needed > 0) {
            mark.duplicates_needed += 1;
        }
    }

    /// Handles the TSNs that the peer reports as duplicates.
    pub(super) fn reveal(&mut self, duplicates: &[Tsn]) -> Revealed {
        let mut revealed = Revealed::default();
        for &tsn in duplicates {
            let Some(mark) = self.find(tsn).filter(|mark| mark.duplicates_needed > 0) else {
                continue;
            };
            mark.duplicates_needed -= 1;
            if mark.duplicates_needed == 0 {
                let sack = mark.sack;
                revealed.chunks += 1;
                revealed.bursts += u64::from(self.count_revealed(sack) == 2);
            }
        }
        revealed
    }

    /// Records another spurious mark of a SACK; returns their number.
    fn count_revealed(&mut self, sack: u64) -> u32 {
        let oldest = self.marks.partition_point(|mark| mark.sack < sack);
        let Some(mark) = self.marks.get_mut(oldest) else { return 0 };
        mark.revealed += 1;
        mark.revealed
    }

    /// The latest mark of a TSN.
    fn find(&mut self, tsn: Tsn) -> Option<&mut Mark> {
        let above = self.by_tsn.partition_point(|known| *known <= (tsn.0, u64::MAX));
        let (known, number) = *self.by_tsn.get(above.checked_sub(1)?)?;
        let index = number.checked_sub(self.forgotten)?;
        (known == tsn.0).then(|| self.marks.get_mut(index as usize))?
    }
}

/// More marks than this belong to no round trip of interest.
const MOST_MARKS: usize = 512;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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
    fn a_sack_with_two_or_more_spurious_retransmissions_is_one_burst() {
        let mut memory = marked();
        assert_eq!(reveal(&mut memory, &[2]), (1, 0));
        assert_eq!(reveal(&mut memory, &[7]), (1, 0));
        assert_eq!(reveal(&mut memory, &[3]), (1, 1));
        assert_eq!(reveal(&mut memory, &[1]), (1, 0));
        assert_eq!(reveal(&mut memory, &[8]), (1, 1));
    }

    #[test]
    fn a_spurious_retransmission_counts_once_even_if_the_chunk_is_sent_again() {
        let mut memory = marked();
        assert_eq!(reveal(&mut memory, &[2]), (1, 0));
        memory.expect_another(Tsn(2));
        assert_eq!(reveal(&mut memory, &[2, 2]), (0, 0));
    }

    #[test]
    fn duplicates_of_other_chunks_and_repeated_duplicates_reveal_nothing() {
        let mut memory = marked();
        assert_eq!(reveal(&mut memory, &[4, 2, 2, 2]), (1, 0));
        assert_eq!(reveal(&mut memory, &[2]), (0, 0));
    }

    #[test]
    fn a_later_copy_requires_another_duplicate() {
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

    /// A direct implementation that visits all marks.
    #[derive(Default)]
    struct Model {
        marks: Vec<(Tsn, u64, u32)>,
        sacks: u64,
    }

    impl Model {
        fn mark(&mut self, tsn: Tsn) {
            if self.marks.len() == MOST_MARKS {
                self.marks.remove(0);
            }
            self.marks.push((tsn, self.sacks, 1));
        }

        fn find(&mut self, tsn: Tsn) -> Option<&mut (Tsn, u64, u32)> {
            self.marks.iter_mut().rev().find(|mark| mark.0 == tsn).filter(|mark| mark.2 > 0)
        }

        fn reveal(&mut self, tsn: Tsn) -> Revealed {
            let mut revealed = Revealed::default();
            let Some(mark) = self.find(tsn) else { return revealed };
            mark.2 -= 1;
            if mark.2 == 0 {
                let sack = mark.1;
                let together = self.marks.iter().filter(|mark| mark.1 == sack && mark.2 == 0);
                revealed = Revealed { chunks: 1, bursts: u64::from(together.count() == 2) };
            }
            revealed
        }
    }

    proptest! {
        #[test]
        fn the_memory_is_a_list_of_marks(
            steps in prop::collection::vec((0_u8..8, 0_u32..900), 1..3000),
        ) {
            let (mut memory, mut model) = (FastRetransmitted::default(), Model::default());
            for (step, tsn) in steps {
                let tsn = Tsn(u32::MAX - 450).add(tsn);
                match step {
                    0 => {
                        memory.begin_sack();
                        model.sacks += 1;
                    }
                    1..4 => {
                        memory.mark(tsn);
                        model.mark(tsn);
                    }
                    4 => {
                        memory.expect_another(tsn);
                        if let Some(mark) = model.find(tsn) {
                            mark.2 += 1;
                        }
                    }
                    _ => prop_assert_eq!(memory.reveal(&[tsn]), model.reveal(tsn)),
                }
                prop_assert_eq!(memory.marks.len(), model.marks.len());
                prop_assert_eq!(memory.by_tsn.len(), model.marks.len());
            }
        }
    }
}
