//! PKTDROP: a packet that arrived damaged, back to where it came from. draft-stewart-sctp-pktdrprep
//!
//! ```text
//! ┌────────┬────────┬─────────────────┐
//! │ 0x81   │ T, B   │ length          │
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

use super::packet;
use super::writer::Writer;
use crate::packet::PacketDrop;

/// Type of the chunk, which IANA does not know: a peer must have listed it.
pub(super) const PACKET_DROP: u8 = 0x81;
/// Flag: the checksum was wrong.
const BAD_CHECKSUM: u8 = 0x02;
/// Flag: the chunk repeats only the first part of the packet.
const TRUNCATED: u8 = 0x04;

/// Writes the chunk; all bits of the damaged byte are wrong.
pub(super) fn write(writer: &mut Writer<'_>, report: &PacketDrop) {
    let mut dropped = Vec::with_capacity(report.dropped_length());
    packet::write(&report.packet, &mut dropped);
    let damaged = report.damaged_byte.and_then(|byte| {
        dropped.get_mut((byte as usize).checked_sub(usize::from(report.packet.network_header))?)
    });
    if let Some(byte) = damaged {
        *byte = !*byte;
    }
    let (flags, length) = if report.is_truncated() {
        (BAD_CHECKSUM | TRUNCATED, dropped.len() as u16)
    } else {
        (BAD_CHECKSUM, 0)
    };
    writer.chunk(PACKET_DROP, flags, |value| {
        value.put_u32(report.window);
        value.put_u32(report.queued);
        value.put_u16(length);
        value.put_u16(0);
        value.put(&dropped[..usize::from(report.repeated)]);
    });
}

#[cfg(test)]
mod tests {
    use crate::packet::{Control, IPV4_HEADER, Packet, PacketDrop};
    use crate::wire::tests::{control, hex};

    /// A packet of 16 bytes: COOKIE ACK with the checksum of reference vector 5.2.
    fn dropped() -> Packet {
        Packet {
            source_port: 5001,
            destination_port: 5002,
            tag: 0xdead_beef,
            network_header: IPV4_HEADER as u16,
            control: vec![Control::CookieAck],
            ..Packet::default()
        }
    }

    #[test]
    fn the_damaged_packet_comes_back_with_its_damage() {
        let report = PacketDrop::new((0x10000, 0x200), dropped(), 35, 1468);
        let expected = "81020020 00010000 00000200 00000000 1389138a deadbeef 5876026e 0b0000fb";
        assert_eq!(control(Control::PacketDrop(Box::new(report))), hex(expected));
    }

    #[test]
    fn a_packet_that_does_not_fit_is_cut_off_and_its_length_told() {
        let report = PacketDrop::new((1, 0), dropped(), 35, 16 + 15);
        let expected = "8106001c 00000001 00000000 00100000 1389138a deadbeef 5876026e";
        assert_eq!(control(Control::PacketDrop(Box::new(report))), hex(expected));
    }
}
