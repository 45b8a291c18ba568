//! The options of plain TCP: those of SYN, and SACK blocks. RFC 9293 §3.2
//!
//! ```text
//! ┌────────┬────────┬─────────────────┐
//! │ 2      │ 4      │ largest segment │
//! ├────────┼────────┼────────┬────────┘
//! │ 3      │ 3      │ shift  │
//! ├────────┼────────┼────────┘
//! │ 4      │ 2      │
//! ├────────┼────────┤
//! │ 5      │ length │
//! ├────────┴────────┴─────────────────┐
//! │ first byte of a block             │
//! ├───────────────────────────────────┤
//! │ first byte after a block          │
//! └───────────────────────────────────┘
//! ```

use bytes::BufMut;

use crate::segment::Options;

/// Writes all options except that of Multipath TCP, without gaps.
pub(super) fn write(out: &mut Vec<u8>, options: &Options) {
    if let Some(mss) = options.mss {
        out.put_slice(&[MAXIMUM_SEGMENT_SIZE, 4]);
        out.put_u16(mss);
    }
    if let Some(shift) = options.window_scale {
        out.put_slice(&[WINDOW_SCALE, 3, shift]);
    }
    if options.sack_permitted {
        out.put_slice(&[SACK_PERMITTED, 2]);
    }
    if !options.sack.is_empty() {
        out.put_slice(&[SACK, 2 + 8 * options.sack.len() as u8]);
        for block in options.sack.as_slice() {
            out.put_u32(block.start);
            out.put_u32(block.end);
        }
    }
}

/// Kinds of options. RFC 9293 §3.2, RFC 7323 §2.2, RFC 2018 §2, §3
const MAXIMUM_SEGMENT_SIZE: u8 = 2;
const WINDOW_SCALE: u8 = 3;
const SACK_PERMITTED: u8 = 4;
const SACK: u8 = 5;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::segment::{SackBlock, SackBlocks};
    use crate::wire::tests::{hex, options};

    #[test]
    fn a_syn_has_the_mss_and_the_window_scale() {
        let syn = Options {
            mss: Some(1460),
            window_scale: Some(7),
            sack_permitted: true,
            ..Options::default()
        };
        assert_eq!(options(syn), hex("020405b4 030307 0402 000000"));
        assert_eq!(options(Options { mss: Some(88), ..Options::default() }), hex("02040058"));
    }

    #[test]
    fn sack_blocks_are_in_order_across_the_wrap_of_sequence_numbers() {
        let mut sack = SackBlocks::default();
        sack.push(SackBlock { start: 0xffff_fff0, end: 0x10 });
        sack.push(SackBlock { start: 1, end: 2 });
        let expected = hex("0512 fffffff0 00000010 00000001 00000002 0000");
        assert_eq!(options(Options { sack, ..Options::default() }), expected);
    }

    #[test]
    fn unused_options_are_zeros() {
        assert_eq!(options(Options { other_bytes: 12, ..Options::default() }), [0; 12]);
    }
}
