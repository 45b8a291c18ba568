//! PKTDROP: returns a damaged packet to its sender. draft-stewart-sctp-pktdrprep
//!
//! ```text
//! ┌────────┬────────┬─────────────────┐
//! │ 0x81   │ TBM    │ length          │
//! ├────────┴────────┴─────────────────┤
//! │ receive buffer                    │
//! ├───────────────────────────────────┤
//! │ bytes that wait in it             │
//! ├─────────────────┬─────────────────┤
//! │ length if T     │ 0               │
//! ├─────────────────┴─────────────────┤
//! │ packet, from its common header on │
//! └───────────────────────────────────┘
//! ```

use super::decode_error::Rule;
use super::kind::PACKET_DROP;
use super::reader::{Chunk, Fault};
use super::writer::Writer;
use crate::packet::PacketDrop;

/// Flag: sent by a middlebox instead of the peer.
const FROM_MIDDLEBOX: u8 = 0x01;
/// Flag: the checksum of the packet was wrong.
const BAD_CHECKSUM: u8 = 0x02;
/// Flag: the chunk contains only the first part of the packet.
const TRUNCATED: u8 = 0x04;

/// Writes the chunk.
pub(super) fn write(writer: &mut Writer<'_>, report: &PacketDrop) {
    let flag = |is_set, flag| if is_set { flag } else { 0 };
    let flags = flag(report.bad_checksum, BAD_CHECKSUM)
        | flag(report.from_middlebox, FROM_MIDDLEBOX)
        | flag(report.is_truncated(), TRUNCATED);
    writer.chunk(PACKET_DROP, flags, |value| {
        value.put_u32(report.window);
        value.put_u32(report.queued);
        value.put_u16(if report.is_truncated() { report.length } else { 0 });
        value.put_u16(0);
        value.put(&report.dropped);
    });
}

/// Reads the chunk. The dropped packet is kept as opaque bytes.
pub(super) fn read(mut chunk: Chunk<'_>) -> Result<PacketDrop, Fault> {
    let value = &mut chunk.value;
    let window = value.take_u32(Rule::ChunkFields)?;
    let queued = value.take_u32(Rule::ChunkFields)?;
    let length = value.take_u16(Rule::ChunkFields)?;
    value.take_u16(Rule::ChunkFields)?;
    let dropped = value.to_bytes();
    // Shorter than the chunk, whose length has 16 bits
    let repeated = dropped.len() as u16;
    let is_truncated = chunk.flags & TRUNCATED != 0;
    Ok(PacketDrop {
        window,
        queued,
        bad_checksum: chunk.flags & BAD_CHECKSUM != 0,
        from_middlebox: chunk.flags & FROM_MIDDLEBOX != 0,
        length: if is_truncated { length.max(repeated) } else { repeated },
        dropped,
    })
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::packet::Control;
    use crate::wire::tests::{control, hex};

    /// A packet of 16 bytes: COOKIE ACK with a checksum that was computed before one byte was damaged.
    fn damaged() -> Bytes {
        Bytes::from(hex("1389138a deadbeef 5876026e 0b0000fb"))
    }

    #[test]
    fn the_report_contains_the_packet_as_it_arrived() {
        let report = PacketDrop::new((0x10000, 0x200), &damaged(), 1468);
        let expected = "81020020 00010000 00000200 00000000 1389138a deadbeef 5876026e 0b0000fb";
        assert_eq!(control(Control::PacketDrop(Box::new(report))), hex(expected));
    }

    #[test]
    fn a_packet_that_does_not_fit_is_truncated_and_its_length_reported() {
        let report = PacketDrop::new((1, 0), &damaged(), 16 + 15);
        let expected = "8106001c 00000001 00000000 00100000 1389138a deadbeef 5876026e";
        assert_eq!(control(Control::PacketDrop(Box::new(report))), hex(expected));
    }
}
