//! DATA: a message, or a fragment of one. RFC 9260 §3.3.1
//!
//! ```text
//! ┌────────┬────────┬─────────────────┐
//! │ 0      │    IUBE│ length          │
//! ├────────┴────────┴─────────────────┤
//! │ TSN                               │
//! ├─────────────────┬─────────────────┤
//! │ stream          │ SSN             │
//! ├─────────────────┴─────────────────┤
//! │ payload protocol identifier       │
//! ├───────────────────────────────────┤
//! │ user data, one byte at least      │
//! └───────────────────────────────────┘
//! ```

use super::writer::Writer;
use crate::packet::Data;

/// Type of DATA.
const DATA: u8 = 0;

/// Writes the chunk.
pub(super) fn write(writer: &mut Writer<'_>, chunk: &Data) {
    writer.chunk(DATA, chunk.flags.0, |value| {
        value.put_u32(chunk.tsn.0);
        value.put_u16(chunk.stream);
        value.put_u16(chunk.ssn.0);
        value.put_u32(chunk.ppid);
        value.put(&chunk.payload);
    });
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use manypath_core::{Ssn, Tsn};

    use super::*;
    use crate::packet::{DataFlags, Packet};
    use crate::wire::tests::{chunks, hex};

    #[test]
    fn padding_is_not_counted_in_the_length_of_data() {
        let fragment = Data {
            tsn: Tsn(0x0102_0304),
            stream: 7,
            ssn: Ssn(0x0a0b),
            ppid: 46,
            flags: DataFlags::BEGIN.with(DataFlags::IMMEDIATE),
            payload: Bytes::from_static(b"seven.."),
        };
        let whole = Data {
            flags: DataFlags::WHOLE.with(DataFlags::UNORDERED),
            payload: Bytes::from_static(b"four"),
            ..fragment.clone()
        };
        let packet = Packet { data: vec![fragment, whole], ..Packet::default() };
        let expected = "000a0017 01020304 00070a0b 0000002e 73657665 6e2e2e00
                        00070014 01020304 00070a0b 0000002e 666f7572";
        assert_eq!(chunks(&packet), hex(expected));
    }
}
