//! Properties of random segments: the encoded length, options that can be parsed, the correct checksum.

use bytes::Bytes;
use manypath_core::{Address, Encode, Packet as _, Via};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

use super::Handshakes;
use crate::mptcp::{Dss, MultipathOption, token};
use crate::segment::{Flags, IPV4_HEADER, Options, SackBlock, SackBlocks, Segment, TCP_HEADER};

/// The bytes of the hexadecimal digits in `text`; blanks are ignored.
pub(super) fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u32> = text.chars().filter_map(|c| c.to_digit(16)).collect();
    assert_eq!(digits.len() % 2, 0, "two digits a byte");
    digits.chunks(2).map(|pair| (16 * pair[0] + pair[1]) as u8).collect()
}

/// From 10.0.0.1 to 10.0.1.2.
pub(super) fn via() -> Via {
    Via { local: Address::v4(10, 0, 0, 1), remote: Address::v4(10, 0, 1, 2) }
}

/// The bytes of a whole segment of a connection whose beginning is unknown.
pub(super) fn bytes(segment: &Segment) -> Vec<u8> {
    encoded(segment, &Handshakes::default())
}

/// The bytes between the header and the payload.
pub(super) fn options(options: Options) -> Vec<u8> {
    bytes(&Segment { options, ..Segment::default() }).split_off(TCP_HEADER)
}

fn encoded(segment: &Segment, handshakes: &Handshakes) -> Vec<u8> {
    let mut out = Vec::new();
    segment.encode(via(), handshakes, &mut out);
    out
}

proptest! {
    #[test]
    fn a_segment_has_as_many_bytes_as_its_size_says(segment in any_segment()) {
        for handshakes in [Handshakes::default(), known(&segment)] {
            let bytes = encoded(&segment, &handshakes);
            prop_assert_eq!(bytes.len() + IPV4_HEADER, segment.size());
            let header = segment.header_length() - IPV4_HEADER;
            prop_assert_eq!(usize::from(bytes[12] >> 4) * 4, header);
            prop_assert_eq!(&bytes[header..], segment.payload.concat());
        }
    }

    #[test]
    fn the_walk_over_options_ends_after_the_last_one(segment in any_segment()) {
        let bytes = encoded(&segment, &known(&segment));
        let mut rest = &bytes[TCP_HEADER..segment.header_length() - IPV4_HEADER];
        let mut kinds = Vec::new();
        while let [kind @ 1..=255, length, ..] = *rest {
            kinds.push(kind);
            prop_assert!(length >= 2);
            rest = &rest[usize::from(length)..];
        }
        prop_assert!(rest.iter().all(|&byte| byte == 0), "padding is zero");
        let Options { mss, window_scale, sack_permitted, sack, multipath, .. } = segment.options;
        let is_written = match multipath {
            Some(MultipathOption::Dss(_)) => segment.options.other_bytes >= 20,
            other => other.is_some(),
        };
        let expected = [
            (2, mss.is_some()),
            (3, window_scale.is_some()),
            (4, sack_permitted),
            (5, !sack.is_empty()),
            (30, is_written),
        ];
        let expected = expected.into_iter().filter(|(_, is_there)| *is_there).map(|(kind, _)| kind);
        prop_assert_eq!(kinds, expected.collect::<Vec<_>>());
    }

    #[test]
    fn a_wrong_byte_breaks_the_checksum(
        segment in any_segment(),
        at in any::<prop::sample::Index>(),
        wrong in 1..=255_u8,
    ) {
        let mut bytes = encoded(&segment, &known(&segment));
        prop_assert!(is_right(&bytes));
        let at = at.index(bytes.len());
        bytes[at] ^= wrong;
        prop_assert!(!is_right(&bytes));
    }
}

/// The check of a receiver: with the pseudo header, all words sum to all ones. RFC 9293 §3.1
fn is_right(segment: &[u8]) -> bool {
    let length = (segment.len() as u16).to_be_bytes();
    let mut all = vec![10, 0, 0, 1, 10, 0, 1, 2, 0, 6, length[0], length[1]];
    all.extend_from_slice(segment);
    all.resize(all.len().next_multiple_of(2), 0);
    let mut sum = 0_u16;
    for word in all.chunks(2) {
        let (more, carry) = sum.overflowing_add(u16::from_be_bytes([word[0], word[1]]));
        sum = more + u16::from(carry);
    }
    sum == u16::MAX
}

const CLIENT: u64 = 0x1111_2222_3333_4444;
const SERVER: u64 = 0x5555_6666_7777_8888;

/// The handshake information for the connection of a segment.
fn known(segment: &Segment) -> Handshakes {
    let mut handshakes = Handshakes::default();
    let ports = (segment.source_port, segment.destination_port);
    let syn = |(source_port, destination_port), flags, key| Segment {
        source_port,
        destination_port,
        flags,
        options: Options {
            multipath: Some(MultipathOption::Capable { key }),
            ..Options::default()
        },
        ..Segment::default()
    };
    syn(ports, Flags::SYN, CLIENT).note(via(), &mut handshakes);
    let answer = syn((ports.1, ports.0), Flags::SYN.with(Flags::ACK), SERVER);
    answer.note(via().reversed(), &mut handshakes);
    handshakes
}

fn any_segment() -> impl Strategy<Value = Segment> {
    let numbers = (any::<[u16; 3]>(), any::<u32>(), any::<u32>());
    let flags = select(vec![
        Flags::SYN,
        Flags::SYN.with(Flags::ACK),
        Flags::ACK,
        Flags::ACK.with(Flags::FIN),
        Flags::RST,
        Flags::RST.with(Flags::ACK),
    ]);
    let payload = vec(vec(any::<u8>(), 0..700).prop_map(Bytes::from), 0..4);
    (numbers, flags, any_options(), payload).prop_map(|(numbers, flags, options, payload)| {
        let ([source_port, destination_port, window], seq, ack) = numbers;
        Segment { source_port, destination_port, seq, ack, flags, window, options, payload }
    })
}

/// Options that fit into a header.
fn any_options() -> impl Strategy<Value = Options> {
    let agreed = (option::of(any::<u16>()), option::of(0..15_u8), any::<bool>());
    let blocks = vec((any::<u32>(), any::<u32>()), 0..5);
    let further = (0..=10_u8).prop_map(|words| 4 * words);
    let all = (agreed, blocks, option::of(any_multipath()), further);
    let built =
        all.prop_map(|((mss, window_scale, sack_permitted), blocks, multipath, other_bytes)| {
            let mut sack = SackBlocks::default();
            blocks.iter().for_each(|&(start, end)| sack.push(SackBlock { start, end }));
            Options { mss, window_scale, sack_permitted, sack, multipath, other_bytes }
        });
    built.prop_filter("a header has 40 bytes for options", |options| options.length() <= 40)
}

fn any_multipath() -> impl Strategy<Value = MultipathOption> {
    let dss = (0..1_u64 << 40, 0..1_u64 << 40, any::<bool>());
    let dss = dss.prop_map(|(data_ack, data, is_last)| Dss { data_ack, data, is_last });
    prop_oneof![
        1 => any::<u64>().prop_map(|key| MultipathOption::Capable { key }),
        1 => Just(MultipathOption::Join { token: token(SERVER) }),
        1 => Just(MultipathOption::FastClose),
        3 => dss.prop_map(MultipathOption::Dss),
    ]
}
