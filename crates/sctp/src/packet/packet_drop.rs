//! A damaged packet on its way back to whom it came from. draft-stewart-sctp-pktdrprep
//!
//! The receiver knows from the checksum that a byte is wrong, but not which one. So the sender compares the head of each
//! chunk that comes back with what it has stored, and reacts only where all of it agrees. Here the packet comes back as
//! it was sent, and the place of the damage beside it: a chunk is recognised exactly if its head is intact.

use manypath_core::Packet as _;

use super::{CHUNK_HEADER, COMMON_HEADER, Control, DATA_HEADER, Data, Packet, padded};

/// The PKTDROP chunk, with the B bit: a packet that arrived damaged, and how full the receive buffer is.
#[derive(Clone, Debug)]
pub struct PacketDrop {
    /// Size of the receive buffer in bytes.
    pub window: u32,
    /// Bytes that wait in it.
    pub queued: u32,
    /// The damaged packet, as it was sent.
    pub packet: Packet,
    /// Which byte of it is wrong, counted from its network header on; none where only the bytes themselves tell.
    pub damaged_byte: Option<u32>,
    /// Bytes that the chunk repeats of it, from its common header on.
    pub repeated: u16,
}

/// A part of a damaged packet that its sender recognises.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Part<'a> {
    Control(&'a Control),
    Sack,
    Data(&'a Data),
}

impl PacketDrop {
    /// A report of a damaged packet that takes at most `room` bytes.
    pub(crate) fn new(
        (window, queued): (u32, u32),
        packet: Packet,
        damaged_byte: u32,
        room: usize,
    ) -> Self {
        let mut report =
            Self { window, queued, packet, damaged_byte: Some(damaged_byte), repeated: 0 };
        report.repeated = report.dropped_length().min((room - HEADER) & !3) as u16;
        report
    }

    /// Bytes of the damaged packet from its common header on.
    pub fn dropped_length(&self) -> usize {
        self.packet.size() - usize::from(self.packet.network_header)
    }

    /// Whether the chunk repeats only the first part of the packet (T bit).
    pub fn is_truncated(&self) -> bool {
        usize::from(self.repeated) < self.dropped_length()
    }

    /// Bytes of the chunk's value.
    pub(super) fn length(&self) -> usize {
        HEADER - CHUNK_HEADER + usize::from(self.repeated)
    }

    /// The parts whose heads came back intact. Behind a chunk whose own header is damaged nothing can be found.
    pub(crate) fn recognisable(&self) -> impl Iterator<Item = Part<'_>> {
        let start = usize::from(self.packet.network_header) + COMMON_HEADER;
        let end = usize::from(self.packet.network_header) + usize::from(self.repeated);
        let damaged = self.damaged_byte.map_or(usize::MAX, |byte| byte as usize);
        let readable = parts(&self.packet).scan(start, move |next, (part, length, head)| {
            let start = *next;
            *next += length;
            let can_be_parsed =
                start + head <= end && !(start..start + CHUNK_HEADER).contains(&damaged);
            can_be_parsed.then_some((part, start..start + head))
        });
        readable.filter_map(move |(part, head)| (!head.contains(&damaged)).then_some(part))
    }
}

/// The chunks of a packet in the order of the wire, with the bytes that each takes and those that identify it.
fn parts(packet: &Packet) -> impl Iterator<Item = (Part<'_>, usize, usize)> {
    let control = packet
        .control
        .iter()
        .map(|chunk| (Part::Control(chunk), padded(chunk.length()), CHUNK_HEADER));
    let sack = packet.has_sack.then(|| (Part::Sack, packet.sack.length(), CHUNK_HEADER));
    let data = packet.data.iter().map(|chunk| {
        let head = DATA_HEADER + chunk.payload.len().min(COMPARED);
        (Part::Data(chunk), padded(chunk.length()), head)
    });
    control.chain(sack).chain(data)
}

/// Payload bytes by which a sender recognises a DATA chunk of its own, beside the chunk's header. usrsctp compares as
/// many.
pub(crate) const COMPARED: usize = 31;
/// Bytes of the chunk before the dropped packet: header, window, bytes queued, truncated length, reserved.
const HEADER: usize = 16;

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use manypath_core::{Ssn, Tsn};

    use super::*;
    use crate::packet::{DataFlags, IPV4_HEADER};

    /// COOKIE ACK, SACK, and two chunks of 100 bytes: they begin at bytes 32, 36, 52 and 168.
    fn packet() -> Packet {
        let data = |tsn| Data {
            tsn: Tsn(tsn),
            stream: 0,
            ssn: Ssn(0),
            ppid: 0,
            flags: DataFlags::WHOLE,
            payload: Bytes::from_static(&[0; 100]),
        };
        Packet {
            network_header: IPV4_HEADER as u16,
            control: vec![Control::CookieAck],
            has_sack: true,
            data: vec![data(1), data(2)],
            ..Packet::default()
        }
    }

    /// What is recognised: `c` for control, `s` for SACK, and the TSNs.
    fn recognised(damaged_byte: u32, room: usize) -> String {
        let report = PacketDrop::new((0, 0), packet(), damaged_byte, room);
        let name = |part| match part {
            Part::Control(_) => "c".to_owned(),
            Part::Sack => "s".to_owned(),
            Part::Data(data) => data.tsn.0.to_string(),
        };
        report.recognisable().map(name).collect()
    }

    #[test]
    fn damage_in_the_header_of_a_chunk_hides_what_follows() {
        for (first, whole) in [(32, ""), (36, "c"), (52, "cs"), (168, "cs1")] {
            assert!((first..first + 4).all(|byte| recognised(byte, 1468) == whole), "{first}");
        }
    }

    #[test]
    fn damage_in_the_head_of_data_hides_that_chunk_and_elsewhere_none() {
        assert!((56..52 + 16 + 31).all(|byte| recognised(byte, 1468) == "cs2"));
        assert!((99..168).all(|byte| recognised(byte, 1468) == "cs12"));
        assert!((172..168 + 47).all(|byte| recognised(byte, 1468) == "cs1"));
        assert!((215..284).all(|byte| recognised(byte, 1468) == "cs12"));
    }

    #[test]
    fn damage_in_a_sack_leaves_it_recognisable_by_its_type() {
        assert!((40..52).all(|byte| recognised(byte, 1468) == "cs12"));
    }

    #[test]
    fn what_was_cut_off_is_not_recognised() {
        // 264 bytes of the packet from its common header on, of which the head of the second chunk ends at 195
        for (room, whole) in [(16 + 264, "cs12"), (16 + 196, "cs12"), (16 + 195, "cs1"), (16, "")] {
            assert_eq!(recognised(283, room), whole, "{room}");
            let report = PacketDrop::new((0, 0), packet(), 283, room);
            assert_eq!(report.is_truncated(), room < 280);
            assert!(CHUNK_HEADER + report.length() <= room);
        }
    }
}
