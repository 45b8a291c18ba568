//! Random packets with every chunk type.

use bytes::Bytes;
use manypath_core::{Address, Ranges, Ssn, Tsn, TsnRange};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::packet::{
    Cause, Control, Data, DataFlags, Heartbeat, HeartbeatInfo, IPV4_HEADER, Init, Offers, Packet,
    PacketDrop, Sack,
};

pub(super) fn packet() -> impl Strategy<Value = Packet> {
    let report = (packet_of(any_control()), any::<[u32; 2]>(), any::<[bool; 2]>(), 16..1469_usize);
    let report =
        report.prop_map(|(packet, [window, queued], [bad_checksum, from_middlebox], room)| {
            let report = PacketDrop::new((window, queued), &super::bytes(&packet).into(), room);
            Control::PacketDrop(Box::new(PacketDrop { bad_checksum, from_middlebox, ..report }))
        });
    packet_of(prop_oneof![8 => any_control(), 1 => report])
}

fn packet_of(control: impl Strategy<Value = Control>) -> impl Strategy<Value = Packet> {
    let header = (any::<u16>(), any::<u16>(), any::<u32>());
    let shared = (vec(control, 0..3), prop::option::weighted(0.1, any_unrecognized()))
        .prop_map(|(control, last)| control.into_iter().chain(last).collect());
    let shared = (shared, prop::option::of(any_sack()), vec(any_data(), 0..4));
    let alone = any_alone().prop_map(|chunk| (vec![chunk], None, Vec::new()));
    (header, prop_oneof![7 => shared, 3 => alone]).prop_map(|(header, (control, sack, data))| {
        let (source_port, destination_port, tag) = header;
        let network_header = IPV4_HEADER as u16;
        let has_sack = sack.is_some();
        let sack = sack.unwrap_or_default();
        Packet {
            source_port,
            destination_port,
            tag,
            network_header,
            control,
            sack,
            has_sack,
            data,
            ..Packet::default()
        }
    })
}

/// A chunk that must not be bundled.
fn any_alone() -> impl Strategy<Value = Control> {
    prop_oneof![
        any_init(None).prop_map(Control::Init),
        prop::option::weighted(0.9, opaque(300))
            .prop_flat_map(|cookie| any_init(cookie).prop_map(Control::InitAck)),
        any::<bool>().prop_map(|reflected| Control::ShutdownComplete { reflected }),
    ]
}

fn any_control() -> impl Strategy<Value = Control> {
    prop_oneof![
        opaque(300).prop_map(Control::CookieEcho),
        Just(Control::CookieAck),
        any_info().prop_map(Control::Heartbeat),
        any_info().prop_map(Control::HeartbeatAck),
        any::<u32>().prop_map(|tsn| Control::Shutdown(Tsn(tsn))),
        Just(Control::ShutdownAck),
        (any::<bool>(), vec(any_cause(), 0..4))
            .prop_map(|(reflected, causes)| Control::Abort { reflected, causes }),
        vec(any_cause(), 0..4).prop_map(Control::Error),
        (0..300_u16).prop_map(Control::Padding),
    ]
}

/// Chunks of unknown types whose two upper bits request a report and let the reader continue.
fn any_unrecognized() -> impl Strategy<Value = Control> {
    let chunk = (0xc0..=0xff_u8, any::<u8>(), vec(any::<u8>(), 0..50));
    let chunk = chunk.prop_map(|(kind, flags, value)| {
        let length = 4 + value.len() as u16;
        let [high, low] = length.to_be_bytes();
        Bytes::from([&[kind, flags, high, low], &value[..]].concat())
    });
    vec(chunk, 1..4).prop_map(Control::Unrecognized)
}

fn any_init(cookie: Option<Bytes>) -> impl Strategy<Value = Box<Init>> {
    let numbers = (any::<u32>(), any::<u32>(), any::<u16>(), any::<u16>(), any::<u32>());
    let lists = (vec(any_address(), 0..5), vec(any_parameter(0xff), 0..3));
    (numbers, lists, any::<[bool; 2]>(), prop::option::of(any_offers())).prop_map(
        move |(
            (tag, window, outbound_streams, inbound_streams, tsn),
            lists,
            extensions,
            offers,
        )| {
            let [nr_sack, packet_drop_reports] = extensions;
            let (addresses, reported) = lists;
            Box::new(Init {
                tag,
                window,
                outbound_streams,
                inbound_streams,
                initial_tsn: Tsn(tsn),
                addresses,
                nr_sack,
                packet_drop_reports,
                cookie: cookie.clone(),
                // An empty offer is encoded like no offer
                offers: offers.filter(|offers| *offers != Offers::default()).map(Box::new),
                reported,
                unrecognized: Vec::new(),
            })
        },
    )
}

fn any_offers() -> impl Strategy<Value = Offers> {
    let some = || prop::option::of(opaque(40));
    let number = || prop::option::of(any::<u32>());
    let other_types = vec(any::<u8>().prop_filter("fields", |it| ![0x10, 0x81].contains(it)), 0..5);
    let flags = (any::<bool>(), any::<bool>());
    let types = prop::option::of(vec(any::<u16>(), 0..4));
    let name = prop::option::weighted(
        0.1,
        any_parameter(0).prop_map(|whole| Bytes::from([&[0, 11], &whole[2..]].concat())),
    );
    ((other_types, flags, types), (number(), number(), number()), (some(), some(), some()), name)
        .prop_map(|((extensions, flags, address_types), numbers, bytes, host_name)| Offers {
            extensions,
            ecn: flags.0,
            forward_tsn: flags.1,
            zero_checksum: numbers.0,
            random: bytes.0,
            authenticated: bytes.1,
            hashes: bytes.2,
            address_types,
            cookie_preservative: numbers.1,
            adaptation: numbers.2,
            host_name,
        })
}

/// A parameter with its header, without padding.
fn any_parameter(upper: u8) -> impl Strategy<Value = Bytes> {
    (any::<u8>(), vec(any::<u8>(), 0..30)).prop_map(move |(kind, value)| {
        Bytes::from([&[upper, kind, 0, 4 + value.len() as u8], &value[..]].concat())
    })
}

/// Fewer than `limit` opaque bytes.
fn opaque(limit: usize) -> impl Strategy<Value = Bytes> {
    vec(any::<u8>(), 0..limit).prop_map(Bytes::from)
}

fn any_address() -> impl Strategy<Value = Address> {
    prop_oneof![
        any::<[u8; 4]>().prop_map(|[a, b, c, d]| Address::v4(a, b, c, d)),
        any::<u128>().prop_map(|bits| Address::from_bits(bits | 1 << 127)),
    ]
}

/// Heartbeat information of this stack or of another one.
fn any_info() -> impl Strategy<Value = Heartbeat> {
    let own = (any::<u64>(), any::<u64>(), any_address())
        .prop_map(|(nonce, sent_at, address)| HeartbeatInfo { nonce, sent_at, address }.into());
    prop_oneof![own, opaque(100).prop_map(Heartbeat::Foreign)]
}

fn any_cause() -> impl Strategy<Value = Cause> {
    prop_oneof![
        any::<u16>().prop_map(Cause::InvalidStream),
        vec(any::<u16>(), 0..4).prop_map(Cause::MissingParameters),
        any::<u32>().prop_map(Cause::StaleCookie),
        opaque(40).prop_map(Cause::UnresolvableAddress),
        opaque(40).prop_map(Cause::UnrecognizedChunk),
        opaque(40).prop_map(Cause::UnrecognizedParameters),
        any::<u32>().prop_map(|tsn| Cause::NoUserData(Tsn(tsn))),
        vec(any_address(), 0..3).prop_map(Cause::RestartWithNewAddresses),
        opaque(40).prop_map(Cause::UserInitiated),
        opaque(40).prop_map(Cause::ProtocolViolation),
        (14..u16::MAX, opaque(40)).prop_map(|(code, info)| Cause::Other { code, info }),
        select(vec![
            Cause::OutOfResource,
            Cause::InvalidMandatoryParameter,
            Cause::CookieWhileShuttingDown,
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
