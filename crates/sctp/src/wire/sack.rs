//! SACK and NR-SACK: what has arrived, and how much room is left. RFC 9260 §3.3.4, draft-natarajan-tsvwg-sctp-nrsack
//!
//! ```text
//! ┌────────┬────────┬─────────────────┐   ┌────────┬────────┬─────────────────┐
//! │ 3      │PP      │ length          │   │ 16     │PP      │ length          │
//! ├────────┴────────┴─────────────────┤   ├────────┴────────┴─────────────────┤
//! │ cumulative TSN                    │   │ cumulative TSN                    │
//! ├───────────────────────────────────┤   ├───────────────────────────────────┤
//! │ receive window                    │   │ receive window                    │
//! ├─────────────────┬─────────────────┤   ├─────────────────┬─────────────────┤
//! │ gap blocks      │ duplicates      │   │ gap blocks      │ kept gap blocks │
//! ├─────────────────┼─────────────────┤   ├─────────────────┼─────────────────┤
//! │ first of a gap  │ last of a gap   │   │ duplicates      │ reserved        │
//! ├─────────────────┴─────────────────┤   ├─────────────────┼─────────────────┤
//! │ TSN of a duplicate                │   │ first of a gap  │ last of a gap   │
//! └───────────────────────────────────┘   ├─────────────────┼─────────────────┤
//!                                         │ first of a kept │ last of a kept  │
//!                                         ├─────────────────┴─────────────────┤
//!                                         │ TSN of a duplicate                │
//!                                         └───────────────────────────────────┘
//! ```
//!
//! Blocks count from the cumulative TSN. `PP` is the number of packets that the SACK stands for, the extension of DAC
//! \[I06]; without it the bits are zero.

use manypath_core::{Ranges, Tsn};

use super::writer::Writer;
use crate::packet::Sack;

/// Type of SACK.
const SACK: u8 = 3;
/// Type of NR-SACK, which has no number at IANA: both sides must have announced it.
pub(super) const NR_SACK: u8 = 0x10;
/// Place of the number of packets among the flags.
const PACKETS_SHIFT: u8 = 6;

/// Writes the chunk.
pub(super) fn write(writer: &mut Writer<'_>, sack: &Sack) {
    let kind = if sack.non_renegable_chunk { NR_SACK } else { SACK };
    writer.chunk(kind, sack.packets << PACKETS_SHIFT, |value| {
        value.put_u32(sack.cumulative.0);
        value.put_u32(sack.window);
        value.put_u16(count(sack.gaps.len()));
        if sack.non_renegable_chunk {
            value.put_u16(count(sack.kept_gaps.len()));
        }
        value.put_u16(count(sack.duplicates.len()));
        if sack.non_renegable_chunk {
            value.put_u16(0);
        }
        write_blocks(value, sack.cumulative, &sack.gaps);
        write_blocks(value, sack.cumulative, &sack.kept_gaps);
        for duplicate in &sack.duplicates {
            value.put_u32(duplicate.0);
        }
    });
}

fn write_blocks(writer: &mut Writer<'_>, cumulative: Tsn, blocks: &Ranges) {
    let offset = |tsn: Tsn| {
        u16::try_from(tsn.distance_from(cumulative)).expect("a gap block that 16 bits can name")
    };
    for block in blocks.iter() {
        writer.put_u16(offset(block.first));
        writer.put_u16(offset(block.last));
    }
}

fn count(entries: usize) -> u16 {
    u16::try_from(entries).expect("a SACK that fits into a packet")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::Packet;
    use crate::wire::tests::{chunks, hex};

    fn ranges(tsns: &[u32]) -> Ranges {
        let mut ranges = Ranges::new();
        for &tsn in tsns {
            ranges.insert(Tsn(tsn));
        }
        ranges
    }

    fn written(sack: Sack) -> Vec<u8> {
        chunks(&Packet { sack, has_sack: true, ..Packet::default() })
    }

    #[test]
    fn gap_blocks_count_from_the_cumulative_tsn_around_the_number_circle() {
        let sack = Sack {
            cumulative: Tsn(0xffff_fffe),
            window: 0x0001_0000,
            gaps: ranges(&[0, 1, 4]),
            duplicates: vec![Tsn(0xffff_fffd)],
            ..Sack::default()
        };
        let expected = "0300001c fffffffe 00010000 0002 0001 0002 0003 0006 0006 fffffffd";
        assert_eq!(written(sack), hex(expected));
    }

    #[test]
    fn the_packets_of_dac_stand_in_the_two_upper_flags() {
        let sack = |packets| Sack { cumulative: Tsn(9), window: 1500, packets, ..Sack::default() };
        for (packets, flags) in [(0, "00"), (1, "40"), (2, "80"), (3, "c0")] {
            let expected = format!("03{flags}0010 00000009 000005dc 00000000");
            assert_eq!(written(sack(packets)), hex(&expected));
        }
    }

    #[test]
    fn an_nr_sack_has_both_kinds_of_gaps() {
        let sack = Sack {
            non_renegable_chunk: true,
            cumulative: Tsn(100),
            window: 3000,
            gaps: ranges(&[110]),
            kept_gaps: ranges(&[102, 103, 105]),
            duplicates: vec![Tsn(99), Tsn(100)],
            packets: 2,
        };
        let expected = "10800028 00000064 00000bb8 0001 0002 0002 0000
                        000a 000a 0002 0003 0005 0005 00000063 00000064";
        assert_eq!(written(sack), hex(expected));
    }

    #[test]
    fn the_farthest_gap_block_is_written() {
        let sack = Sack { gaps: ranges(&[0xffff]), ..Sack::default() };
        assert_eq!(written(sack), hex("03000014 00000000 00000000 00010000 ffffffff"));
    }
}
