//! SACK and NR-SACK: received TSNs and the receive window. RFC 9260 §3.3.4, draft-natarajan-tsvwg-sctp-nrsack
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
//! Blocks are offsets from the cumulative TSN. `PP` is the number of packets that the SACK acknowledges, an extension
//! for DAC \[I06]; without DAC the bits are zero.

use manypath_core::{Ranges, Tsn, TsnRange};

use super::decode_error::Rule;
use super::kind::{NR_SACK, SACK};
use super::reader::{Chunk, Fault, Reader};
use super::writer::Writer;
use crate::packet::Sack;

/// Bit position of the number of packets in the flags.
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

/// Reads the chunk into `sack` and reuses its memory. After an error `sack` is unchanged.
///
/// Adjacent blocks are merged: they should be isolated, but need not be. A chunk with empty, reversed, overlapping or
/// unordered blocks is refused. RFC 9260 §3.3.4
pub(super) fn read(chunk: Chunk<'_>, sack: &mut Sack) -> Result<(), Fault> {
    let is_nr_sack = chunk.kind == NR_SACK;
    let mut value = chunk.value;
    let cumulative = Tsn(value.take_u32(Rule::ChunkFields)?);
    let window = value.take_u32(Rule::ChunkFields)?;
    let gaps = value.take_u16(Rule::ChunkFields)?;
    let kept_gaps = if is_nr_sack { value.take_u16(Rule::ChunkFields)? } else { 0 };
    let duplicates = value.take_u16(Rule::ChunkFields)?;
    if is_nr_sack {
        value.take_u16(Rule::ChunkFields)?;
    }
    let gaps = blocks(&mut value, gaps)?;
    let kept_gaps = blocks(&mut value, kept_gaps)?;
    let duplicates = entries(&mut value, duplicates)?;
    sack.non_renegable_chunk = is_nr_sack;
    (sack.cumulative, sack.window) = (cumulative, window);
    sack.packets = chunk.flags >> PACKETS_SHIFT;
    fill(&mut sack.gaps, cumulative, gaps);
    fill(&mut sack.kept_gaps, cumulative, kept_gaps);
    sack.duplicates.clear();
    sack.duplicates.extend(duplicates.iter().map(|bytes| Tsn(u32::from_be_bytes(*bytes))));
    Ok(())
}

/// The cumulative TSN of a chunk, if it is long enough.
pub(super) fn cumulative(chunk: &Chunk<'_>) -> Option<Tsn> {
    chunk.value.as_slice().first_chunk().map(|bytes| Tsn(u32::from_be_bytes(*bytes)))
}

/// Reads this number of gap blocks and checks their order.
fn blocks<'a>(value: &mut Reader<'a>, count: u16) -> Result<&'a [[u8; 4]], Fault> {
    let start = value.clone();
    let blocks = entries(value, count)?;
    let mut last = 0;
    for block in blocks {
        let (first, end) = offsets(block);
        if first <= last || end < first {
            return Err(start.fault(Rule::GapBlocks));
        }
        last = end;
    }
    Ok(blocks)
}

/// Reads this number of entries of four bytes.
fn entries<'a>(value: &mut Reader<'a>, count: u16) -> Result<&'a [[u8; 4]], Fault> {
    value.take_all(usize::from(count), Rule::ChunkFields)
}

fn fill(ranges: &mut Ranges, cumulative: Tsn, blocks: &[[u8; 4]]) {
    ranges.clear();
    for block in blocks {
        let (first, last) = offsets(block);
        let tsn = |offset: u16| cumulative.add(u32::from(offset));
        ranges.push(TsnRange { first: tsn(first), last: tsn(last) });
    }
}

fn offsets(block: &[u8; 4]) -> (u16, u16) {
    let [a, b, c, d] = *block;
    (u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d]))
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

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

    /// The gap blocks of a SACK, or the rule that it breaks.
    fn blocks_of(text: &str) -> Result<Vec<(u32, u32)>, Rule> {
        let value = hex(text);
        let mut chunk = hex("03000000 00000064 00000bb8");
        chunk.extend([0, (value.len() / 4) as u8, 0, 0]);
        chunk.extend(value);
        chunk[3] = chunk.len() as u8;
        let datagram = Bytes::from(chunk);
        let mut sack = Sack { window: 7, ..Sack::default() };
        let chunk = Reader::new(&datagram).chunk().expect("a chunk").expect("a chunk");
        let result = read(chunk, &mut sack).map_err(|fault| fault.rule);
        assert_eq!(sack.window, if result.is_ok() { 3000 } else { 7 }, "refused as a whole");
        result.map(|()| sack.gaps.iter().map(|range| (range.first.0, range.last.0)).collect())
    }

    #[test]
    fn gap_blocks_are_taken_in_ascending_order_and_not_otherwise() {
        assert_eq!(blocks_of("00020002 00040006"), Ok(vec![(102, 102), (104, 106)]));
        assert_eq!(blocks_of("00020003 00040004"), Ok(vec![(102, 104)]), "blocks that touch");
        assert_eq!(blocks_of("0002ffff"), Ok(vec![(102, 100 + 0xffff)]));
        for refused in ["00000002", "00030002", "00040005 00020002", "00020004 00040005"] {
            assert_eq!(blocks_of(refused), Err(Rule::GapBlocks), "{refused}");
        }
    }

    #[test]
    fn a_sack_with_fewer_entries_than_its_counts_is_refused() {
        for (kind, counts) in [("03", "0001 0000"), ("03", "0000 0001"), ("10", "0000 0001")] {
            let datagram = Bytes::from(hex(&format!("{kind}000010 00000064 00000bb8 {counts}")));
            let chunk = Reader::new(&datagram).chunk().expect("a chunk").expect("a chunk");
            let fault = read(chunk, &mut Sack::default()).expect_err("too short");
            assert_eq!((fault.rule, fault.offset), (Rule::ChunkFields, 16));
        }
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
    fn the_two_upper_flags_have_the_number_of_packets_of_dac() {
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
