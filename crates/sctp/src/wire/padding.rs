//! PAD: bytes without meaning, which enlarge a packet. RFC 4820 §3
//!
//! ```text
//! ┌────────┬────────┬─────────────────┐
//! │ 132    │ 0      │ length          │
//! ├────────┴────────┴─────────────────┤
//! │ zeros                             │
//! └───────────────────────────────────┘
//! ```

use super::kind::PADDING;
use super::reader::Chunk;
use super::writer::Writer;
use crate::packet::Control;

/// Writes the chunk with this number of zeros after its header.
pub(super) fn write(writer: &mut Writer<'_>, zeros: u16) {
    writer.chunk(PADDING, 0, |value| value.fill(usize::from(zeros)));
}

/// Reads the chunk; its flags and content are ignored.
pub(super) fn read(chunk: &Chunk<'_>) -> Control {
    // The length field has 16 bits
    Control::Padding(u16::try_from(chunk.value.as_slice().len()).unwrap_or(u16::MAX))
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::wire::reader::Reader;
    use crate::wire::tests::{control, hex};

    #[test]
    fn padding_is_written_as_zeros() {
        assert_eq!(control(Control::Padding(0)), hex("84000004"));
        assert_eq!(control(Control::Padding(4)), hex("84000008 00000000"));
        assert_eq!(control(Control::Padding(5)), hex("84000009 00000000 00000000"));
    }

    #[test]
    fn flags_and_bytes_of_padding_are_ignored() {
        let chunk = Bytes::from(hex("84ff000b deadbeef 01020300"));
        let chunk = Reader::new(&chunk).chunk().expect("a sound chunk").expect("a chunk");
        assert_eq!(read(&chunk), Control::Padding(7));
    }
}
