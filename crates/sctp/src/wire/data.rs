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
//! │ user data, at least one byte      │
//! └───────────────────────────────────┘
//! ```

use manypath_core::{Ssn, Tsn};

use super::decode_error::Rule;
use super::kind::DATA;
use super::reader::{Chunk, Fault};
use super::writer::Writer;
use crate::packet::{Data, DataFlags};

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

/// Reads the chunk, also one without user data, which the receiver answers with ABORT. RFC 9260 §6.2
#[inline]
pub(super) fn read(mut chunk: Chunk<'_>) -> Result<Data, Fault> {
    let value = &mut chunk.value;
    let [t0, t1, t2, t3, i0, i1, n0, n1, p0, p1, p2, p3] = value.take(Rule::ChunkFields)?;
    Ok(Data {
        tsn: Tsn(u32::from_be_bytes([t0, t1, t2, t3])),
        stream: u16::from_be_bytes([i0, i1]),
        ssn: Ssn(u16::from_be_bytes([n0, n1])),
        ppid: u32::from_be_bytes([p0, p1, p2, p3]),
        // Reserved bits are ignored. RFC 9260 §3.3.1
        flags: DataFlags(chunk.flags & FLAGS),
        payload: value.to_bytes(),
    })
}

/// The defined flags: I, U, B, E.
const FLAGS: u8 = 0x0f;

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::packet::Packet;
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
