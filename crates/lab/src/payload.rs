//! The content of messages: it follows from the number and the length, so both ends can compute it.

use std::sync::LazyLock;

use bytes::Bytes;

/// The content of message `number`: a slice of a pattern that all flows share, so that no byte is copied. Only a
/// message longer than the pattern is composed of several slices.
#[inline]
pub(crate) fn content(number: u64, length: u32) -> Bytes {
    if length as usize <= PIECE {
        return Bytes::from_static(rest_of_piece(number, length, 0));
    }
    pieces(number, length).collect::<Vec<_>>().concat().into()
}

/// The payload protocol identifier of message `number`, from which the sink gets the lower 32 bits of the number.
#[inline]
pub(crate) fn ppid(number: u64) -> u32 {
    FIRST_PPID.wrapping_add(number as u32)
}

/// Whether `payload` is what message `number` of `length` bytes carries.
#[inline]
pub(crate) fn is_content(payload: &Bytes, number: u64, length: u32) -> bool {
    if length as usize <= PIECE {
        return is_same(payload, rest_of_piece(number, length, 0));
    }
    payload.len() == length as usize && payload.chunks(PIECE).eq(pieces(number, length))
}

/// Whether `left` has the bytes of `right`.
#[inline]
pub(crate) fn is_same(left: &[u8], right: &[u8]) -> bool {
    // A reassembled message may be a copy; only then the bytes must be compared.
    std::ptr::eq(left, right) || left == right
}

/// The slice of the pattern that message `number` of `length` bytes has from `offset` to the end of the current piece.
#[inline]
pub(crate) fn rest_of_piece(number: u64, length: u32, offset: u32) -> &'static [u8] {
    let (index, begun) = (offset as usize / PIECE, offset as usize % PIECE);
    // Pieces of a message begin at different offsets, so that exchanged pieces are detected
    let place = ((number + index as u64 * STRIDE) % OFFSETS) as usize;
    &PATTERN[place + begun..place + PIECE.min(length as usize - index * PIECE)]
}

fn pieces(number: u64, length: u32) -> impl Iterator<Item = &'static [u8]> {
    (0..length).step_by(PIECE).map(move |offset| rest_of_piece(number, length, offset))
}

/// Pseudo-random bytes (SplitMix64), so that different offsets have different content.
static PATTERN: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut state = 0_u64;
    let word = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = state;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    };
    let words = (OFFSETS as usize + PIECE).div_ceil(8);
    std::iter::repeat_with(word).take(words).flat_map(u64::to_le_bytes).collect()
});

/// First payload protocol identifier: far from those that IANA assigned, so that tools do not decode the content as
/// another protocol.
const FIRST_PPID: u32 = 1 << 31;
/// Longest message in bytes.
pub(crate) const MAX_MESSAGE: u32 = 1 << 26;
/// A longer message is a copy that consists of pieces of this size in bytes.
pub(crate) const PIECE: usize = 1 << 20;
/// Messages whose numbers differ by less than this begin at different offsets of the pattern.
const OFFSETS: u64 = 1 << 16;
/// Distance between the offsets of two successive pieces of a message.
const STRIDE: u64 = 257;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_is_recognised_at_any_offset() {
        let (number, length) = (70_000, 1452);
        let original = content(number, length);
        assert!(is_content(&original, number, length));
        assert!(is_content(&Bytes::copy_from_slice(&original), number, length));
        assert!(!is_content(&original.slice(1..), number, length));
        assert!(!is_content(&content(number + 1, length), number, length));
    }

    #[test]
    fn a_message_longer_than_the_pattern_is_recognised_and_its_pieces_are_told_apart() {
        let (number, length) = (70_000, 3 * PIECE as u32 + 5);
        let original = content(number, length);
        assert_eq!(original.len(), length as usize);
        assert_eq!(original[..PIECE], content(number, PIECE as u32));
        assert!(is_content(&original, number, length));
        assert!(!is_content(&original.slice(1..), number, length));
        let mut swapped = original.to_vec();
        let (first, second) = swapped.split_at_mut(PIECE);
        first.swap_with_slice(&mut second[..PIECE]);
        assert!(!is_content(&swapped.into(), number, length));
    }
}
