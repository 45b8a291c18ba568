//! Laws over random packets: the size is right, chunks are complete, padding is zero, the checksum is right, and
//! decoding inverts encoding.

mod any;
mod hostile;

use any::packet;
use bytes::Bytes;
use manypath_core::{Encode, Packet as _, Ssn, Tsn, Via};
use proptest::prelude::*;

use crate::packet::{COMMON_HEADER, Control, Data, DataFlags, IPV4_HEADER, Init, Offers, Packet};

/// Decodes hexadecimal digits; blanks are ignored.
pub(super) fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u32> = text.chars().filter_map(|c| c.to_digit(16)).collect();
    assert_eq!(digits.len() % 2, 0, "two digits a byte");
    digits.chunks(2).map(|pair| (16 * pair[0] + pair[1]) as u8).collect()
}

/// The encoded packet.
pub(super) fn bytes(packet: &Packet) -> Vec<u8> {
    let mut out = Vec::new();
    packet.encode(Via::default(), &(), &mut out);
    out
}

/// The encoded packet without its common header.
pub(super) fn chunks(packet: &Packet) -> Vec<u8> {
    bytes(packet).split_off(COMMON_HEADER)
}

/// An encoded control chunk.
pub(super) fn control(chunk: Control) -> Vec<u8> {
    chunks(&Packet { control: vec![chunk], ..Packet::default() })
}

#[test]
fn control_chunks_precede_the_sack_and_data_follows_it() {
    let data = |tsn| Data {
        tsn: Tsn(tsn),
        stream: 0,
        ssn: Ssn(0),
        ppid: 0,
        flags: DataFlags::WHOLE,
        payload: Bytes::from_static(b"four"),
    };
    let packet = Packet {
        control: vec![Control::CookieAck, Control::Error(Vec::new())],
        has_sack: true,
        data: vec![data(1), data(2)],
        ..Packet::default()
    };
    let (bytes, mut at, mut kinds) = (chunks(&packet), 0, Vec::new());
    while at < bytes.len() {
        kinds.push(bytes[at]);
        at += usize::from(u16::from_be_bytes([bytes[at + 2], bytes[at + 3]])).next_multiple_of(4);
    }
    assert_eq!(kinds, [11, 9, 3, 0, 0]);
}

proptest! {
    #[test]
    fn a_packet_has_as_many_bytes_as_its_size_says(packet in packet()) {
        prop_assert_eq!(bytes(&packet).len() + IPV4_HEADER, packet.size());
    }

    #[test]
    fn a_packet_can_be_walked_from_chunk_to_chunk(packet in packet()) {
        let bytes = chunks(&packet);
        let mut lengths = Vec::new();
        let mut rest = bytes.as_slice();
        while !rest.is_empty() {
            let length = usize::from(u16::from_be_bytes([rest[2], rest[3]]));
            let (chunk, behind) = rest.split_at(length.next_multiple_of(4));
            prop_assert!(chunk[length..].iter().all(|&byte| byte == 0), "padding is zero");
            lengths.push(length);
            rest = behind;
        }
        let mut unpadded: Vec<_> = packet.control.iter().flat_map(unpadded_lengths).collect();
        unpadded.extend(packet.has_sack.then(|| packet.sack.length()));
        unpadded.extend(packet.data.iter().map(Data::length));
        prop_assert_eq!(lengths, unpadded);
    }

    #[test]
    fn a_decoded_packet_equals_the_encoded_one(packet in packet(), used in packet()) {
        let datagram = Bytes::from(bytes(&packet));
        // A recycled packet keeps only its memory
        let mut decoded = used;
        prop_assert_eq!(decoded.decode(&datagram, packet.network_header), Ok(()));
        prop_assert_eq!(decoded.size(), IPV4_HEADER + datagram.len());
        prop_assert_eq!(decoded, packet);
    }

    #[test]
    fn a_flipped_bit_breaks_the_checksum(packet in packet(), at in any::<prop::sample::Index>()) {
        let mut bytes = bytes(&packet);
        prop_assert!(is_sound(&bytes));
        let bit = at.index(8 * bytes.len());
        bytes[bit / 8] ^= 1 << (bit % 8);
        prop_assert!(!is_sound(&bytes));
    }
}

/// Lengths of the chunks of a control chunk on the wire. INIT and INIT ACK count the padding of all parameters except
/// the last one; unrecognised chunks are separate chunks.
fn unpadded_lengths(chunk: &Control) -> Vec<usize> {
    let padding = |length: usize| length.next_multiple_of(4) - length;
    let init_padding = |init: &Init| {
        let offers = init.offers.as_deref();
        let listed = offers.map_or(0, |offers| offers.extensions.len());
        let listed = listed + usize::from(init.nr_sack) + usize::from(init.packet_drop_reports);
        let of_offers = || {
            offers.map_or(
                0,
                |Offers { host_name, address_types, hashes, authenticated, random, .. }| {
                    let last = [random, authenticated, hashes].into_iter().flatten().last();
                    match (host_name, address_types, last) {
                        (Some(whole), ..) => padding(whole.len()),
                        (_, Some(types), _) => padding(2 * types.len()),
                        (.., Some(bytes)) => padding(bytes.len()),
                        _ => 0,
                    }
                },
            )
        };
        match (&init.cookie, init.reported.last()) {
            (Some(cookie), _) => padding(cookie.len()),
            (_, Some(whole)) => padding(whole.len()),
            _ if listed > 0 => padding(listed),
            _ => of_offers(),
        }
    };
    match chunk {
        Control::Init(init) | Control::InitAck(init) => vec![chunk.length() - init_padding(init)],
        Control::Unrecognized(chunks) => chunks.iter().map(Bytes::len).collect(),
        _ => vec![chunk.length()],
    }
}

/// Computes the checksum bit by bit from the polynomial. RFC 9260 appendix A
fn is_sound(packet: &[u8]) -> bool {
    let mut crc = u32::MAX;
    for (at, &byte) in packet.iter().enumerate() {
        crc ^= u32::from(if (8..12).contains(&at) { 0 } else { byte });
        for _ in 0..8 {
            crc = if crc & 1 == 1 { crc >> 1 ^ 0x82f6_3b78 } else { crc >> 1 };
        }
    }
    packet[8..12] == (!crc).to_le_bytes()
}
