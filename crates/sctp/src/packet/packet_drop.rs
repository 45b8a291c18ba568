//! Packet drop reports: a damaged packet returns to its sender. draft-stewart-sctp-pktdrprep
//!
//! The checksum tells the receiver that a byte is wrong, but not which one. The sender compares the head of each
//! returned chunk with its own copy, and reacts only if all of it matches.

use bytes::Bytes;
use manypath_core::{Ssn, Tsn};

use super::{
    CHUNK_HEADER, COMMON_HEADER, DATA_HEADER, DataFlags, HeartbeatInfo, NR_SACK_HEADER,
    SACK_HEADER, padded,
};
use crate::wire::kind;

/// The PKTDROP chunk: a packet that arrived damaged, and how full the receive buffer is.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct PacketDrop {
    /// Size of the receive buffer in bytes.
    pub window: u32,
    /// Bytes in the receive buffer.
    pub queued: u32,
    /// B bit: the checksum of the packet was wrong. Reports for other reasons are ignored.
    pub bad_checksum: bool,
    /// M bit: a middlebox sent the report. Such reports are ignored.
    pub from_middlebox: bool,
    /// Length of the damaged packet in bytes, from its common header on.
    pub length: u16,
    /// The damaged packet from its common header on; only its first part if the T bit is set.
    pub dropped: Bytes,
}

/// A chunk of a damaged packet, as far as its sender can recognise it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Part<'a> {
    /// COOKIE ECHO with a cookie of this many bytes.
    CookieEcho(usize),
    CookieAck,
    Shutdown,
    ShutdownAck,
    Heartbeat(HeartbeatInfo),
    Sack,
    Data(DataHead<'a>),
    /// A chunk that is not retransmitted.
    Other,
}

/// The fields of a DATA chunk that identify it to its sender.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DataHead<'a> {
    pub(crate) tsn: Tsn,
    pub(crate) stream: u16,
    pub(crate) ssn: Ssn,
    pub(crate) ppid: u32,
    pub(crate) flags: DataFlags,
    /// Payload length according to the chunk header, in bytes.
    pub(crate) length: usize,
    /// The first bytes of the payload.
    pub(crate) payload: &'a [u8],
}

impl PacketDrop {
    /// A report of at most `room` bytes about a damaged packet.
    pub(crate) fn new((window, queued): (u32, u32), damaged: &Bytes, room: usize) -> Self {
        let repeated = damaged.len().min(room.saturating_sub(HEADER) & !3);
        let length = u16::try_from(damaged.len()).unwrap_or(u16::MAX);
        let dropped = damaged.slice(..repeated);
        Self { window, queued, bad_checksum: true, from_middlebox: false, length, dropped }
    }

    /// Whether the chunk contains only the first part of the packet (T bit).
    pub fn is_truncated(&self) -> bool {
        self.dropped.len() < usize::from(self.length)
    }

    /// Length of the chunk's value in bytes.
    pub(super) fn length(&self) -> usize {
        HEADER - CHUNK_HEADER + self.dropped.len()
    }

    /// The returned chunks with plausible headers, in order. The iterator ends at the first header that this stack
    /// never sends, because the next chunk cannot be located.
    pub(crate) fn parts(&self) -> impl Iterator<Item = Part<'_>> {
        let mut rest = self.dropped.get(COMMON_HEADER..).unwrap_or_default();
        let mut left = usize::from(self.length).saturating_sub(COMMON_HEADER);
        std::iter::from_fn(move || {
            let (kind, flags, length) =
                header(rest).filter(|header| is_plausible(*header, left))?;
            let (chunk, behind) = rest.split_at(padded(length).min(rest.len()));
            let left_behind = left.saturating_sub(padded(length));
            if kind::is_sack(kind) && !has_length_of_its_counts(kind, length, chunk) {
                // Only one byte is wrong: if a plausible header follows, the length is right
                let follows = header(behind).is_some_and(|next| is_plausible(next, left_behind));
                if !follows && left_behind > 0 {
                    return None;
                }
            }
            let part = part(kind, flags, length, &chunk[..length.min(chunk.len())])?;
            (rest, left) = (behind, left_behind);
            Some(part)
        })
    }
}

/// Whether this stack sends chunks with this header, and the chunk fits into the remaining `left` bytes of the packet.
fn is_plausible((kind, flags, length): (u8, u8, usize), left: usize) -> bool {
    length <= left && is_own(kind, flags) && has_length(kind, length)
}

/// Whether this stack sends chunks of this type with these flags.
fn is_own(kind: u8, flags: u8) -> bool {
    let known = match kind {
        kind::DATA | kind::PACKET_DROP => 0x0f,
        kind::SACK | kind::NR_SACK => 0xc0,
        kind::ABORT | kind::SHUTDOWN_COMPLETE => 0x01,
        kind::INIT
        | kind::INIT_ACK
        | kind::HEARTBEAT
        | kind::HEARTBEAT_ACK
        | kind::SHUTDOWN
        | kind::SHUTDOWN_ACK
        | kind::ERROR
        | kind::COOKIE_ECHO
        | kind::COOKIE_ACK
        | kind::PADDING => 0,
        _ => return false,
    };
    flags & !known == 0
}

/// Whether this stack sends chunks of this type with this length.
fn has_length(kind: u8, length: usize) -> bool {
    match kind {
        kind::COOKIE_ACK | kind::SHUTDOWN_ACK | kind::SHUTDOWN_COMPLETE => length == 4,
        kind::SHUTDOWN => length == 8,
        kind::HEARTBEAT => length == 4 + 4 + HeartbeatInfo::LENGTH,
        _ => true,
    }
}

/// Whether the length of a SACK or NR-SACK matches its numbers of blocks and duplicates.
fn has_length_of_its_counts(kind: u8, length: usize, chunk: &[u8]) -> bool {
    let count = |at: usize| {
        let bytes = chunk.get(at..at + 2).unwrap_or_default();
        bytes.iter().fold(0, |count, byte| count << 8 | usize::from(*byte))
    };
    let (header, counts) = match kind {
        kind::SACK => (SACK_HEADER, count(12) + count(14)),
        _ => (NR_SACK_HEADER, count(12) + count(14) + count(16)),
    };
    length == header + 4 * counts
}

/// Whether a damaged packet must not be reported: it contains ABORT, INIT ACK or another packet drop report. Its chunks
/// are followed as long as their headers are plausible.
pub(crate) fn must_not_be_reported(damaged: &[u8]) -> bool {
    let mut rest = damaged.get(COMMON_HEADER..).unwrap_or_default();
    while let Some((kind, _, length)) = header(rest) {
        if matches!(kind, kind::ABORT | kind::INIT_ACK | kind::PACKET_DROP) {
            return true;
        }
        rest = rest.get(padded(length)..).unwrap_or_default();
    }
    false
}

/// Type, flags and length of the first chunk in `bytes`.
fn header(bytes: &[u8]) -> Option<(u8, u8, usize)> {
    let &[kind, flags, high, low, ..] = bytes else { return None };
    let length = usize::from(u16::from_be_bytes([high, low]));
    (length >= CHUNK_HEADER).then_some((kind, flags, length))
}

/// Classifies a chunk of `length` bytes; `chunk` is its returned part.
fn part(kind: u8, flags: u8, length: usize, chunk: &[u8]) -> Option<Part<'_>> {
    Some(match kind {
        kind::DATA => Part::Data(data_head(flags, length, chunk)?),
        kind::SACK | kind::NR_SACK => Part::Sack,
        kind::COOKIE_ECHO => Part::CookieEcho(length - CHUNK_HEADER),
        kind::COOKIE_ACK => Part::CookieAck,
        kind::SHUTDOWN => Part::Shutdown,
        kind::SHUTDOWN_ACK => Part::ShutdownAck,
        kind::HEARTBEAT => {
            let info = chunk.get(2 * CHUNK_HEADER..).and_then(HeartbeatInfo::parse);
            info.map_or(Part::Other, Part::Heartbeat)
        }
        _ => Part::Other,
    })
}

fn data_head(flags: u8, length: usize, chunk: &[u8]) -> Option<DataHead<'_>> {
    let (header, payload) = chunk.split_first_chunk::<DATA_HEADER>()?;
    let [.., t0, t1, t2, t3, i0, i1, n0, n1, p0, p1, p2, p3] = *header;
    let length = length.checked_sub(DATA_HEADER)?;
    Some(DataHead {
        tsn: Tsn(u32::from_be_bytes([t0, t1, t2, t3])),
        stream: u16::from_be_bytes([i0, i1]),
        ssn: Ssn(u16::from_be_bytes([n0, n1])),
        ppid: u32::from_be_bytes([p0, p1, p2, p3]),
        flags: DataFlags(flags),
        length,
        payload: payload.get(..length.min(COMPARED))?,
    })
}

/// Number of payload bytes that a sender compares to identify its DATA chunk, in addition to the header; as in usrsctp.
pub(crate) const COMPARED: usize = 31;
/// Bytes of the chunk before the dropped packet: header, window, bytes queued, truncated length, reserved.
const HEADER: usize = 16;

#[cfg(test)]
mod tests {
    use manypath_core::{Encode as _, Via};

    use super::*;
    use crate::packet::{Control, Data, Packet};

    /// COOKIE ACK, SACK, and two chunks of 100 bytes, which begin at bytes 12, 16, 32 and 148 of the packet.
    fn packet() -> Vec<u8> {
        let data = |tsn| Data {
            tsn: Tsn(tsn),
            stream: 0,
            ssn: Ssn(0),
            ppid: 0,
            flags: DataFlags::WHOLE,
            payload: Bytes::from_static(&[0; 100]),
        };
        let control = vec![Control::CookieAck];
        let data = vec![data(1), data(2)];
        let packet = Packet { control, has_sack: true, data, ..Packet::default() };
        let mut bytes = Vec::new();
        packet.encode(Via::default(), &(), &mut bytes);
        bytes
    }

    /// The recognised chunks if all bits of one byte are inverted: `c` for COOKIE ACK, `s` for SACK, and the TSNs of
    /// matching DATA heads.
    fn found(damaged_byte: usize, room: usize) -> String {
        let mut packet = packet();
        packet[damaged_byte] = !packet[damaged_byte];
        let report = PacketDrop::new((0, 0), &packet.into(), room);
        let name = |part| match part {
            Part::CookieAck => "c".to_owned(),
            Part::Sack => "s".to_owned(),
            Part::Data(head) => name_of(head).unwrap_or_default(),
            other => panic!("{other:?}"),
        };
        report.parts().map(name).collect()
    }

    fn name_of(head: DataHead<'_>) -> Option<String> {
        let is_intact = (head.tsn.0 == 1 || head.tsn.0 == 2)
            && (head.stream, head.ssn.0, head.ppid, head.flags) == (0, 0, 0, DataFlags::WHOLE)
            && head.length == 100
            && head.payload == [0; COMPARED];
        is_intact.then(|| head.tsn.0.to_string())
    }

    #[test]
    fn damage_in_the_header_of_a_chunk_hides_what_follows() {
        for (first, whole) in [(12, ""), (16, "c"), (148, "cs1")] {
            assert!((first..first + 4).all(|byte| found(byte, 1468) == whole), "{first}");
        }
        // An implausible length ends the search
        let report = |byte| found(byte, 1468);
        assert_eq!([report(32), report(33), report(34)], ["cs"; 3]);
        assert!(!report(35).contains('1'));
    }

    #[test]
    fn damage_in_the_head_of_a_data_chunk_hides_only_that_chunk() {
        assert!((36..32 + 16 + 31).all(|byte| found(byte, 1468) == "cs2"));
        assert!((79..148).all(|byte| found(byte, 1468) == "cs12"));
        assert!((152..148 + 47).all(|byte| found(byte, 1468) == "cs1"));
        assert!((195..264).all(|byte| found(byte, 1468) == "cs12"));
    }

    #[test]
    fn damage_in_a_sack_leaves_it_recognisable_by_its_type() {
        assert!((20..32).all(|byte| found(byte, 1468) == "cs12"));
    }

    #[test]
    fn what_was_cut_off_is_not_recognised() {
        // The packet has 264 bytes; the head of its second DATA chunk ends at byte 195
        for (room, whole) in [(16 + 264, "cs12"), (16 + 196, "cs12"), (16 + 195, "cs1"), (16, "")] {
            assert_eq!(found(263, room), whole, "{room}");
            let report = PacketDrop::new((0, 0), &packet().into(), room);
            assert_eq!(report.is_truncated(), room < 280);
            assert!(CHUNK_HEADER + report.length() <= room);
        }
    }

    #[test]
    fn packet_drops_aborts_and_init_acks_are_not_reported() {
        let bytes = |chunks: &[Control]| {
            let packet = Packet { control: chunks.to_vec(), ..Packet::default() };
            let mut bytes = Vec::new();
            packet.encode(Via::default(), &(), &mut bytes);
            bytes
        };
        let abort = Control::Abort { reflected: false, causes: Vec::new() };
        assert!(must_not_be_reported(&bytes(&[Control::CookieAck, abort])));
        assert!(must_not_be_reported(&bytes(&[Control::InitAck(Box::default())])));
        let report = PacketDrop::new((0, 0), &packet().into(), 1468);
        assert!(must_not_be_reported(&bytes(&[Control::PacketDrop(Box::new(report))])));
        assert!(!must_not_be_reported(&bytes(&[Control::CookieAck, Control::ShutdownAck])));
        assert!(!must_not_be_reported(&packet()[..14]));
    }

    #[test]
    fn parsing_any_returned_packet_ends() {
        let (sound, mut random) = (packet(), 7_u32);
        for length in 0..sound.len() {
            let mut bytes = sound[..length].to_vec();
            if let Some(byte) = bytes.get_mut(random as usize % (length + 1)) {
                *byte = (random >> 8) as u8;
            }
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            must_not_be_reported(&bytes);
            let report = PacketDrop::new((0, 0), &bytes.into(), 1468);
            assert!(report.parts().count() <= length / 4);
        }
    }
}
