//! Malformed packets: each is read up to its error, and never beyond its end.

use bytes::Bytes;
use manypath_core::{Packet as _, Tsn};
use proptest::collection::vec;
use proptest::prelude::*;

use super::any::packet;
use super::{bytes, hex};
use crate::packet::{COMMON_HEADER, Control, Packet};
use crate::wire::{DecodeError, Rule, checksum};

/// Adds the right checksum to a datagram.
fn sealed(mut datagram: Vec<u8>) -> Bytes {
    if let Some(field) = datagram.get_mut(8..12) {
        field.fill(0);
        checksum::seal(&mut datagram);
    }
    datagram.into()
}

/// Decodes a packet with these chunks.
fn read(chunks: &str) -> (Packet, Result<(), DecodeError>) {
    let datagram = [hex("1389138a deadbeef 00000000"), hex(chunks)].concat();
    let mut packet = Packet::default();
    let result = packet.decode(&sealed(datagram), 20);
    assert_eq!((packet.source_port, packet.tag), (5001, 0xdead_beef));
    (packet, result)
}

/// The broken rule and its offset, and the numbers of control and DATA chunks that were read.
fn verdict(chunks: &str) -> (Option<(Rule, usize)>, usize, usize) {
    let (packet, result) = read(chunks);
    let fault = result.err().map(|error| (error.rule, error.offset));
    (fault, packet.control.len(), packet.data.len())
}

const COOKIE_ACK: &str = "0b000004";
const DATA: &str = "00030011 00000001 00000000 00000000 61000000";

#[test]
fn a_chunk_that_is_cut_short_is_dropped_and_those_before_it_count() {
    for (broken, rule) in [
        ("00030011 00000001 00000000 00000000", Rule::PartialChunk),
        ("0b00", Rule::PartialChunk),
        ("0b000003", Rule::ChunkLength),
        ("00000000 00000000", Rule::ChunkLength),
        ("0003000c 00000001 00000000", Rule::ChunkFields),
        ("07000006 00010000", Rule::ChunkFields),
        ("0400000c 00020008 00000000", Rule::HeartbeatInfo),
        ("04000004", Rule::HeartbeatInfo),
        ("0400000c 00010009 00000000", Rule::Parameter),
        ("81020008 00000001", Rule::ChunkFields),
    ] {
        let (fault, control, data) = verdict(&format!("{COOKIE_ACK} {DATA} {broken}"));
        assert_eq!(fault.map(|(rule, _)| rule), Some(rule), "{broken}");
        assert!(fault.is_some_and(|(_, offset)| offset >= 36), "{broken}: {fault:?}");
        assert_eq!((control, data), (1, 1), "{broken}");
    }
}

#[test]
fn an_abort_with_a_format_error_is_dropped_but_not_one_with_an_unknown_cause() {
    for (causes, fault) in [
        ("06000008 000cffff", Some(40)),
        ("06000008 000c0003", Some(40)),
        ("0600000c 000c0004 000c0005", Some(44)),
        ("0600000a 00090006 00010000", Some(44)),
        ("06000004", None),
        ("06000008 12340004", None),
        ("0600000a 12340006 12340000", None),
        ("06010008 000c0004", None),
    ] {
        let (found, control, data) = verdict(&format!("{COOKIE_ACK} {DATA} {causes}"));
        assert_eq!(found, fault.map(|offset| (Rule::Parameter, offset)), "{causes}");
        assert_eq!((control, data), (1 + usize::from(fault.is_none()), 1), "{causes}");
    }
}

#[test]
fn an_error_names_chunk_place_and_rule() {
    let (_, result) = read(&format!("{COOKIE_ACK} 0300000c 00000001 00000000"));
    let error = result.expect_err("a SACK without numbers of blocks");
    let text = "chunk 1 (SACK): the chunk is too short for its fields at byte 28 (RFC 9260 §3.3)";
    assert_eq!(error.to_string(), text);
    assert!(!error.discards_packet());
}

#[test]
fn padding_after_the_last_chunk_may_be_missing() {
    for missing in 0..=3 {
        let text = DATA.replace(' ', "");
        let (packet, result) = read(&text[..text.len() - 2 * missing]);
        assert_eq!(result, Ok(()));
        assert_eq!(packet.data[0].payload, "a");
    }
}

#[test]
fn chunks_that_must_be_alone_discard_a_packet_with_others() {
    let init = "01000014 00000001 00010000 00010001 00000001";
    let init_ack = "02000014 00000001 00010000 00010001 00000001";
    for alone in [init, init_ack, "0e000004"] {
        assert_eq!(verdict(alone), (None, 1, 0));
        for shared in [format!("{alone} {COOKIE_ACK}"), format!("{DATA} {alone}")] {
            let (packet, result) = read(&shared);
            assert_eq!(result.map_err(|error| error.rule), Err(Rule::NotAlone));
            assert!(result.is_err_and(|error| error.discards_packet()));
            assert!(packet.control.is_empty() && packet.data.is_empty());
        }
    }
}

#[test]
fn the_upper_bits_of_an_unknown_chunk_define_its_handling() {
    for (unknown, goes_on, is_reported) in [
        ("0f000005 07000000", false, false),
        ("40000005 07000000", false, true),
        ("85000005 07000000", true, false),
        ("c0000005 07000000", true, true),
    ] {
        let (packet, result) = read(&format!("{COOKIE_ACK} {unknown} {DATA}"));
        assert_eq!(result, Ok(()), "{unknown}");
        assert_eq!(packet.data.len(), usize::from(goes_on), "{unknown}");
        let whole = Bytes::from(hex(unknown)[..5].to_vec());
        let reported = is_reported.then(|| Control::Unrecognized(vec![whole]));
        assert_eq!(packet.control.get(1), reported.as_ref(), "{unknown}");
    }
}

#[test]
fn ecne_and_cwr_are_skipped() {
    assert_eq!(verdict(&format!("0c000008 00000001 0d000008 00000001 {DATA}")), (None, 0, 1));
}

#[test]
fn of_several_sacks_the_newest_counts_and_control_after_data_is_processed() {
    let sack = |cumulative, window| format!("03000010 {cumulative:08x} {window:08x} 00000000");
    for (sacks, expected) in [
        ([(7, 1), (8, 2)], (8, 2)),
        ([(8, 1), (7, 2)], (8, 1)),
        ([(8, 1), (8, 2)], (8, 2)),
        ([(u32::MAX, 1), (0, 2)], (0, 2)),
    ] {
        let [first, second] = sacks.map(|(cumulative, window)| sack(cumulative, window));
        let (packet, result) = read(&format!("{DATA} {first} {COOKIE_ACK} {second}"));
        assert_eq!(result, Ok(()));
        assert_eq!((packet.sack.cumulative, packet.sack.window), (Tsn(expected.0), expected.1));
        assert_eq!((packet.control.len(), packet.data.len()), (1, 1));
    }
}

#[test]
fn data_without_user_data_is_read_so_that_it_can_be_answered() {
    let (packet, result) = read("00030010 00000001 00000000 00000000");
    assert_eq!((result, packet.data[0].payload.len()), (Ok(()), 0));
}

#[test]
fn a_packet_with_a_wrong_checksum_still_has_ports_and_tag() {
    let datagram = Bytes::from(hex("1389138a deadbeef 00000000 0b000004"));
    let mut packet = Packet::default();
    let error = packet.decode(&datagram, 20).expect_err("zero is no checksum");
    assert_eq!((error.rule, error.discards_packet()), (Rule::Checksum, true));
    assert_eq!((packet.destination_port, packet.tag), (5002, 0xdead_beef));
    assert!(packet.control.is_empty());
    let error = packet.decode(&datagram.slice(..11), 20).expect_err("too short");
    assert_eq!((error.rule, error.discards_packet()), (Rule::CommonHeader, true));
}

#[test]
fn opaque_fields_are_slices_of_the_datagram() {
    let datagram = sealed([hex("1389138a deadbeef 00000000"), hex(DATA)].concat());
    let mut packet = Packet::default();
    packet.decode(&datagram, 20).expect("a sound packet");
    assert_eq!(packet.data[0].payload.as_ptr(), datagram[28..].as_ptr());
}

/// Number of entries in a decoded packet; it must be small compared with the packet's size in bytes.
fn weight(packet: &Packet) -> usize {
    let causes = |causes: &[crate::packet::Cause]| 1 + causes.len();
    let control = packet.control.iter().map(|chunk| match chunk {
        Control::Init(init) | Control::InitAck(init) => {
            1 + init.addresses.len() + init.reported.len() + init.unrecognized.len()
        }
        Control::Abort { causes: list, .. } | Control::Error(list) => causes(list),
        Control::Unrecognized(chunks) => chunks.len(),
        _ => 1,
    });
    control.sum::<usize>()
        + packet.data.len()
        + packet.sack.gaps.len()
        + packet.sack.duplicates.len()
}

fn survives(datagram: Vec<u8>) {
    let datagram = sealed(datagram);
    let mut packet = Packet::default();
    let result = packet.decode(&datagram, 20);
    if let Err(error) = result {
        assert!(error.offset <= datagram.len(), "{error}");
    }
    let chunks = datagram.len().saturating_sub(COMMON_HEADER);
    assert!(weight(&packet) <= chunks / 4, "{packet:?}");
    // The decoded packet can be encoded
    if result.is_ok() && packet.size() < usize::from(u16::MAX) {
        let again = Bytes::from(bytes(&packet));
        let mut second = Packet::default();
        second.decode(&again, 20).expect("a packet that this stack writes");
    }
}

proptest! {
    #[test]
    fn decoding_survives_random_bytes(datagram in vec(any::<u8>(), 0..1500)) {
        survives(datagram);
    }

    #[test]
    fn decoding_survives_random_chunks(
        chunks in vec((0..20_u8, any::<u8>(), 0..60_u16, vec(any::<u8>(), 0..60)), 0..20),
    ) {
        let mut datagram = vec![0; COMMON_HEADER];
        for (kind, flags, length, value) in chunks {
            let kind = if kind == 19 { 0x81 } else { kind };
            datagram.extend([kind, flags]);
            datagram.extend(length.to_be_bytes());
            datagram.extend(value);
        }
        survives(datagram);
    }

    #[test]
    fn decoding_survives_truncation(packet in packet(), at in any::<prop::sample::Index>()) {
        let mut datagram = bytes(&packet);
        datagram.truncate(at.index(datagram.len() + 1));
        survives(datagram);
    }

    #[test]
    fn decoding_survives_flipped_bits(
        packet in packet(),
        flips in vec(any::<prop::sample::Index>(), 1..8),
    ) {
        let mut datagram = bytes(&packet);
        for at in flips {
            let bit = at.index(8 * datagram.len());
            datagram[bit / 8] ^= 1 << (bit % 8);
        }
        survives(datagram);
    }
}
