//! Laws over random packets: as many bytes as the size says, whole chunks, zeros between them, the right checksum.

use bytes::Bytes;
use manypath_core::{Address, Encode, Packet as _, Ranges, Ssn, Tsn, TsnRange, Via};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::packet::{
    COMMON_HEADER, Cause, Control, Data, DataFlags, HeartbeatInfo, IPV4_HEADER, Init, Packet,
    PacketDrop, Sack,
};

/// The bytes that digits of `text` name, blanks left out.
pub(super) fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u32> = text.chars().filter_map(|c| c.to_digit(16)).collect();
    assert_eq!(digits.len() % 2, 0, "two digits a byte");
    digits.chunks(2).map(|pair| (16 * pair[0] + pair[1]) as u8).collect()
}

/// The whole packet.
pub(super) fn bytes(packet: &Packet) -> Vec<u8> {
    let mut out = Vec::new();
    packet.encode(Via::default(), &(), &mut out);
    out
}

/// What follows the common header.
pub(super) fn chunks(packet: &Packet) -> Vec<u8> {
    bytes(packet).split_off(COMMON_HEADER)
}

/// A control chunk alone.
pub(super) fn control(chunk: Control) -> Vec<u8> {
    chunks(&Packet { control: vec![chunk], ..Packet::default() })
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
        let unpadded: usize = packet.control.iter().map(unpadded_length).sum::<usize>()
            + if packet.has_sack { packet.sack.length() } else { 0 }
            + packet.data.iter().map(Data::length).sum::<usize>();
        prop_assert_eq!(lengths.len(), packet.control.len() + usize::from(packet.has_sack) + packet.data.len());
        prop_assert_eq!(lengths.iter().sum::<usize>(), unpadded);
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

/// INIT and INIT ACK count the padding of all their parameters but the last.
fn unpadded_length(chunk: &Control) -> usize {
    let padding = match chunk {
        Control::Init(init) | Control::InitAck(init) => {
            match (&init.cookie, init.nr_sack, init.packet_drop_reports) {
                (Some(cookie), ..) => cookie.len().next_multiple_of(4) - cookie.len(),
                (None, true, true) => 2,
                (None, false, false) => 0,
                (None, ..) => 3,
            }
        }
        _ => 0,
    };
    chunk.length() - padding
}

/// A checksum as a receiver makes it, bit by bit from the polynomial. RFC 9260 appendix A
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

fn packet() -> impl Strategy<Value = Packet> {
    let report =
        (packet_of(any_control()), any::<u32>(), any::<u32>(), 16..1469_usize, 20..1500_u32);
    let report = report.prop_map(|(packet, window, queued, room, damaged_byte)| {
        let report = PacketDrop::new((window, queued), packet, damaged_byte, room);
        Control::PacketDrop(Box::new(report))
    });
    packet_of(prop_oneof![6 => any_control(), 1 => report])
}

fn packet_of(control: impl Strategy<Value = Control>) -> impl Strategy<Value = Packet> {
    let header = (any::<u16>(), any::<u16>(), any::<u32>());
    let parts = (vec(control, 0..3), prop::option::of(any_sack()), vec(any_data(), 0..4));
    (header, parts).prop_map(|((source_port, destination_port, tag), (control, sack, data))| {
        let network_header = IPV4_HEADER as u16;
        let has_sack = sack.is_some();
        let sack = sack.unwrap_or_default();
        Packet { source_port, destination_port, tag, network_header, control, sack, has_sack, data }
    })
}

fn any_control() -> impl Strategy<Value = Control> {
    let cookie = || vec(any::<u8>(), 0..300).prop_map(Bytes::from);
    prop_oneof![
        any_init(None).prop_map(Control::Init),
        cookie().prop_flat_map(|cookie| any_init(Some(cookie)).prop_map(Control::InitAck)),
        cookie().prop_map(Control::CookieEcho),
        Just(Control::CookieAck),
        any_info().prop_map(Control::Heartbeat),
        any_info().prop_map(Control::HeartbeatAck),
        any::<u32>().prop_map(|tsn| Control::Shutdown(Tsn(tsn))),
        Just(Control::ShutdownAck),
        any::<bool>().prop_map(|reflected| Control::ShutdownComplete { reflected }),
        (any::<bool>(), prop::option::of(any_cause()))
            .prop_map(|(reflected, cause)| Control::Abort { reflected, cause }),
        any_cause().prop_map(Control::Error),
    ]
}

fn any_init(cookie: Option<Bytes>) -> impl Strategy<Value = Box<Init>> {
    let numbers = (any::<u32>(), any::<u32>(), any::<u16>(), any::<u16>(), any::<u32>());
    (numbers, vec(any_address(), 0..5), any::<[bool; 2]>()).prop_map(
        move |((tag, window, outbound_streams, inbound_streams, tsn), addresses, extensions)| {
            let [nr_sack, packet_drop_reports] = extensions;
            let (initial_tsn, cookie) = (Tsn(tsn), cookie.clone());
            Box::new(Init {
                tag,
                window,
                outbound_streams,
                inbound_streams,
                initial_tsn,
                addresses,
                nr_sack,
                packet_drop_reports,
                cookie,
            })
        },
    )
}

fn any_address() -> impl Strategy<Value = Address> {
    prop_oneof![
        any::<[u8; 4]>().prop_map(|[a, b, c, d]| Address::v4(a, b, c, d)),
        any::<u128>().prop_map(|bits| Address::from_bits(bits | 1 << 127)),
    ]
}

fn any_info() -> impl Strategy<Value = HeartbeatInfo> {
    (any::<u64>(), any::<u64>(), any_address())
        .prop_map(|(nonce, sent_at, address)| HeartbeatInfo { nonce, sent_at, address })
}

fn any_cause() -> impl Strategy<Value = Cause> {
    prop_oneof![
        any::<u16>().prop_map(Cause::InvalidStream),
        any::<u32>().prop_map(Cause::StaleCookie),
        any::<u32>().prop_map(|tsn| Cause::NoUserData(Tsn(tsn))),
        any_address().prop_map(Cause::RestartWithNewAddresses),
        select(vec![
            Cause::OutOfResource,
            Cause::InvalidMandatoryParameter,
            Cause::CookieWhileShuttingDown,
            Cause::UserInitiated,
            Cause::ProtocolViolation,
        ]),
    ]
}

fn any_sack() -> impl Strategy<Value = Sack> {
    let numbers = (any::<bool>(), any::<u32>(), any::<u32>(), 0..4_u8);
    (numbers, vec((1..300_u32, 0..300_u32), 0..30), vec(any::<u32>(), 0..10)).prop_map(
        |((non_renegable_chunk, cumulative, window, packets), blocks, duplicates)| {
            let cumulative = Tsn(cumulative);
            let [mut gaps, mut kept_gaps] = [Ranges::new(), Ranges::new()];
            let mut last = cumulative;
            for (index, (missing, more)) in blocks.into_iter().enumerate() {
                let first = last.add(missing + 1);
                last = first.add(more);
                let kept = non_renegable_chunk && index % 2 == 0;
                let list = if kept { &mut kept_gaps } else { &mut gaps };
                list.push(TsnRange { first, last });
            }
            let duplicates = duplicates.into_iter().map(Tsn).collect();
            Sack { non_renegable_chunk, cumulative, window, gaps, kept_gaps, duplicates, packets }
        },
    )
}

fn any_data() -> impl Strategy<Value = Data> {
    let numbers = (any::<u32>(), any::<u16>(), any::<u16>(), any::<u32>(), 0..16_u8);
    (numbers, vec(any::<u8>(), 1..1453)).prop_map(|((tsn, stream, ssn, ppid, flags), payload)| {
        let (tsn, ssn, flags, payload) =
            (Tsn(tsn), Ssn(ssn), DataFlags(flags), Bytes::from(payload));
        Data { tsn, stream, ssn, ppid, flags, payload }
    })
}
