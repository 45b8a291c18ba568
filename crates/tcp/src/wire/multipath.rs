//! The options of Multipath TCP version 0, in which SYNs contain keys. RFC 6824 §3
//!
//! ```text
//! ┌────────┬────────┬────────┬────────┐   ┌────────┬────────┬────────┬────────┐
//! │ 30     │ length │ 0      │ H      │   │ 30     │ length │ 2      │ F,M,A  │
//! ├────────┴────────┴────────┴────────┤   ├────────┴────────┴────────┴────────┤
//! │ key of the sender                 │   │ DATA_ACK                          │
//! │                                   │   ├───────────────────────────────────┤
//! ├───────────────────────────────────┤   │ data sequence number              │
//! │ key of the receiver               │   ├───────────────────────────────────┤
//! │                                   │   │ subflow sequence number           │
//! └───────────────────────────────────┘   ├─────────────────┬─────────────────┘
//!                                         │ data length     │
//!                                         └─────────────────┘
//! ┌────────┬────────┬────────┬────────┐   ┌────────┬────────┬────────┬────────┐
//! │ 30     │ 12     │ 1      │ address│   │ 30     │ 12     │ 7      │ 0      │
//! ├────────┴────────┴────────┴────────┤   ├────────┴────────┴────────┴────────┤
//! │ token of the receiver             │   │ key of the receiver               │
//! ├───────────────────────────────────┤   │                                   │
//! │ random number                     │   │                                   │
//! └───────────────────────────────────┘   └───────────────────────────────────┘
//! ```
//!
//! DATA_ACK and data sequence number have 64 bits; options contain the lower 32 bits. `H` means that keys are hashed by
//! SHA-1, `F` is DATA_FIN, `M` means that there is a mapping, and `A` means that there is a DATA_ACK. There are no
//! DSS checksums.
//!
//! The engine's segments lack some fields of these options, so the encoding differs from the RFC:
//!
//! - The random number of a join is the sequence number of its SYN.
//! - The SYN/ACK of a join has the format of the SYN, without HMAC: the engine counts only 12 bytes for this option.
//! - The third segment of a join has no MP_JOIN option, and so no HMAC.
//! - All options except MP_CAPABLE are omitted if the SYNs of the subflow are unknown.

use bytes::BufMut;
use manypath_core::Via;

use super::Handshakes;
use super::handshakes::{Beginning, Direction};
use crate::mptcp::{Dss, MultipathOption};
use crate::segment::{Flags, Segment};

/// Writes the Multipath TCP option of a segment that is sent `via`, if there is one.
///
/// A data sequence signal (DSS) is written into `other_bytes`, the bytes that the configuration reserves for further
/// options. If they are fewer than `SIGNAL`, no signal is written, not even one without a mapping.
pub(super) fn write(out: &mut Vec<u8>, via: Via, segment: &Segment, handshakes: &Handshakes) {
    let Some(option) = segment.options.multipath else { return };
    let room = usize::from(segment.options.other_bytes);
    let there = Direction::of(via, segment);
    let own = handshakes.beginning(there);
    let peer = handshakes.beginning(there.reversed());
    match (option, own, peer) {
        (MultipathOption::Capable { key }, ..) => write_capable(out, &[key]),
        (MultipathOption::Join { token }, Some(own), _) => {
            if let Some(key) = handshakes.named(token) {
                out.put_slice(&[KIND, 12, JOIN, own.address]);
                out.put_u32(key.token);
                out.put_u32(own.initial);
            }
        }
        (MultipathOption::Dss(signal), Some(own), Some(peer)) => {
            if room >= BOTH_KEYS && confirms(segment, signal, &own, &peer) {
                write_capable(out, &[own.key.value, peer.key.value]);
            } else if room >= SIGNAL {
                write_signal(out, segment, signal, &own, &peer);
            }
        }
        (MultipathOption::FastClose, _, Some(peer)) => {
            out.put_slice(&[KIND, 12, FAST_CLOSE, 0]);
            out.put_u64(peer.key.value);
        }
        _ => {}
    }
}

fn write_capable(out: &mut Vec<u8>, keys: &[u64]) {
    out.put_slice(&[KIND, 4 + 8 * keys.len() as u8, CAPABLE, USES_SHA1]);
    for key in keys {
        out.put_u64(*key);
    }
}

/// Whether this is the third segment of the first handshake, which repeats both keys. RFC 6824 §3.1
fn confirms(segment: &Segment, signal: Dss, own: &Beginning, peer: &Beginning) -> bool {
    own.is_first
        && segment.flags == Flags::ACK
        && segment.payload.is_empty()
        && segment.options.sack.is_empty()
        && segment.seq == own.initial.wrapping_add(1)
        && segment.ack == peer.initial.wrapping_add(1)
        && signal.data_ack == 0
        && !signal.is_last
}

/// Writes a data sequence signal. It has a mapping if there is payload or a DATA_FIN. The mapping of a DATA_FIN without
/// payload has the subflow sequence number 0. RFC 6824 §3.3.3
fn write_signal(
    out: &mut Vec<u8>,
    segment: &Segment,
    signal: Dss,
    own: &Beginning,
    peer: &Beginning,
) {
    let payload = segment.payload_length() as u16;
    let fin = u16::from(signal.is_last);
    let maps = payload + fin > 0;
    let flags = HAS_DATA_ACK
        | if maps { HAS_MAPPING } else { 0 }
        | if signal.is_last { DATA_FIN } else { 0 };
    out.put_slice(&[KIND, if maps { SIGNAL as u8 } else { ACK_ONLY }, DSS, flags]);
    out.put_u32(peer.key.first_data.wrapping_add(signal.data_ack) as u32);
    if maps {
        let place = if payload > 0 { segment.seq.wrapping_sub(own.initial) } else { 0 };
        out.put_u32(own.key.first_data.wrapping_add(signal.data) as u32);
        out.put_u32(place);
        out.put_u16(payload + fin);
    }
}

/// Kind number of all options of Multipath TCP. RFC 6824 §8
const KIND: u8 = 30;

/// Subtypes, in the upper half of the third byte. In MP_CAPABLE the lower half is the version, 0. RFC 6824 §3.1, §8
const CAPABLE: u8 = 0x00;
const JOIN: u8 = 0x10;
const DSS: u8 = 0x20;
const FAST_CLOSE: u8 = 0x70;

/// Flag H of MP_CAPABLE: keys are hashed by SHA-1. RFC 6824 §3.1
const USES_SHA1: u8 = 0x01;

/// Flags of a data sequence signal. RFC 6824 §3.3
const HAS_DATA_ACK: u8 = 0x01;
const HAS_MAPPING: u8 = 0x04;
const DATA_FIN: u8 = 0x10;

/// Length of a full data sequence signal, and of one without a mapping.
const SIGNAL: usize = 18;
const ACK_ONLY: u8 = 8;

/// Length of the option with both keys.
const BOTH_KEYS: usize = 20;

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use manypath_core::{Address, Encode};

    use super::*;
    use crate::mptcp::token;
    use crate::segment::{Options, SackBlock, TCP_HEADER};
    use crate::wire::tests::{hex, via};

    /// The letters from a to h in ASCII. The SHA-1 hash begins with the token, 425af12a, and ends with the initial data
    /// sequence number, 15bcf868e324d56a.
    const CLIENT: u64 = 0x6162_6364_6566_6768;
    /// The letters from i to p in ASCII.
    const SERVER: u64 = 0x696a_6b6c_6d6e_6f70;

    fn segment(seq: u32, ack: u32, flags: Flags, option: MultipathOption) -> Segment {
        let other_bytes = if flags.contains(Flags::SYN) { 0 } else { 20 };
        let options = Options { multipath: Some(option), other_bytes, ..Options::default() };
        Segment { seq, ack, flags, options, ..Segment::default() }
    }

    /// Both SYNs of a connection with the initial sequence numbers 100 and 200.
    fn handshakes() -> Handshakes {
        let mut handshakes = Handshakes::default();
        let [first, answer] = introductions();
        first.note(via(), &mut handshakes);
        answer.note(via().reversed(), &mut handshakes);
        handshakes
    }

    fn introductions() -> [Segment; 2] {
        let capable = |key| MultipathOption::Capable { key };
        [
            segment(100, 0, Flags::SYN, capable(CLIENT)),
            segment(200, 101, Flags::SYN.with(Flags::ACK), capable(SERVER)),
        ]
    }

    fn options_of(segment: &Segment, via: Via, handshakes: &Handshakes) -> Vec<u8> {
        let mut out = Vec::new();
        segment.encode(via, handshakes, &mut out);
        out[TCP_HEADER..TCP_HEADER + segment.options.length()].to_vec()
    }

    fn signal(data_ack: u64, data: u64, is_last: bool) -> MultipathOption {
        MultipathOption::Dss(Dss { data_ack, data, is_last })
    }

    #[test]
    fn both_syns_carry_the_key_of_their_sender() {
        let [first, answer] = introductions();
        let known = handshakes();
        assert_eq!(options_of(&first, via(), &known), hex("1e0c0001 6162636465666768"));
        let answer = options_of(&answer, via().reversed(), &known);
        assert_eq!(answer, hex("1e0c0001 696a6b6c6d6e6f70"));
    }

    #[test]
    fn the_third_segment_repeats_both_keys_and_the_next_ones_do_not() {
        let known = handshakes();
        let third = segment(101, 201, Flags::ACK, signal(0, 0, false));
        let both = hex("1e140001 6162636465666768 696a6b6c6d6e6f70");
        assert_eq!(options_of(&third, via(), &known), both);
        let later = segment(101, 202, Flags::ACK, signal(1, 0, false));
        assert_eq!(options_of(&later, via(), &known)[..4], hex("1e082001"));
        let answer = segment(201, 101, Flags::ACK, signal(0, 0, false));
        assert_eq!(options_of(&answer, via().reversed(), &known)[..4], hex("1e082001"));
    }

    #[test]
    fn a_mapping_counts_from_the_syn_and_data_from_the_hash() {
        let mut data = segment(101, 201, Flags::ACK, signal(0, 0, false));
        data.payload.push(Bytes::from_static(b"three"));
        let first = options_of(&data, via(), &handshakes());
        assert_eq!(first[..4], hex("1e122005"));
        assert_eq!(first[8..], hex("e324d56b 00000001 0005 0000"));
        data.seq = 99;
        data.options.multipath = Some(signal(0, 1 << 32 | 0x1cdb_2a95, true));
        let wrapped = options_of(&data, via(), &handshakes());
        assert_eq!(wrapped[..4], hex("1e122015"));
        assert_eq!(wrapped[8..], hex("00000000 ffffffff 0006 0000"));
    }

    #[test]
    fn an_acknowledgement_has_a_mapping_only_with_data_fin() {
        let known = handshakes();
        let ack = segment(300, 400, Flags::ACK, signal(0x10, 0, false));
        let expected = hex("1e082001 e324d57b 000000000000000000000000");
        assert_eq!(options_of(&ack, via().reversed(), &known), expected);
        let last = segment(300, 400, Flags::ACK, signal(0x10, 3, true));
        let written = options_of(&last, via().reversed(), &known);
        assert_eq!(written[..8], hex("1e122015 e324d57b"));
        assert_eq!(written[12..], hex("00000000 0001 0000"));
    }

    #[test]
    fn the_data_sequence_signal_follows_the_sack_blocks() {
        let mut ack = segment(300, 400, Flags::ACK, signal(0x10, 0, false));
        ack.options.sack.push(SackBlock { start: 1, end: 2 });
        let written = options_of(&ack, via().reversed(), &handshakes());
        assert_eq!(written.len(), 32);
        assert_eq!(written[..18], hex("050a 00000001 00000002 1e082001 e324d57b"));
    }

    #[test]
    fn a_join_names_the_connection_of_its_receiver_by_the_hash_of_the_key() {
        let mut known = handshakes();
        let join = MultipathOption::Join { token: token(CLIENT) };
        let answer = segment(0x0a0b_0c0d, 1, Flags::SYN.with(Flags::ACK), join);
        let elsewhere = Via { local: Address::v4(10, 9, 9, 9), ..via().reversed() };
        assert_eq!(options_of(&answer, elsewhere, &known), [0; 12], "its begin was not seen");
        answer.note(elsewhere, &mut known);
        let expected = hex("1e0c1001 425af12a 0a0b0c0d");
        assert_eq!(options_of(&answer, elsewhere, &known), expected);
    }

    #[test]
    fn a_reset_of_the_whole_connection_shows_the_key_of_its_receiver() {
        let reset = Flags::RST.with(Flags::ACK);
        let mut reset = segment(101, 201, reset, MultipathOption::FastClose);
        reset.options.other_bytes = 0;
        let expected = hex("1e0c7000 696a6b6c6d6e6f70");
        assert_eq!(options_of(&reset, via(), &handshakes()), expected);
    }

    #[test]
    fn signals_are_left_out_where_options_are_too_short_for_them() {
        let mut data = segment(101, 201, Flags::ACK, signal(0, 0, false));
        data.options.other_bytes = 16;
        data.payload.push(Bytes::from_static(b"data"));
        assert_eq!(options_of(&data, via(), &handshakes()), [0; 16]);
        data.payload.clear();
        assert_eq!(options_of(&data, via(), &handshakes()), [0; 16]);
    }
}
