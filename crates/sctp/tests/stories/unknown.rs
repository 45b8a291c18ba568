//! Unknown chunks and parameters are reported if their type requests it. RFC 9260 §3.2

use bytes::Bytes;
use manypath_core::{Address, Packet as _, SansIo as _, Via};
use manypath_sctp::{Cause, Control, Heartbeat, HeartbeatInfo, Init, Packet};

use crate::pair::{A, Pair, Z};
use crate::setup::init_of;

/// A chunk or a parameter with its header, of a type whose upper bits request a report.
fn unknown(value: &'static [u8]) -> Bytes {
    Bytes::from([&[0xff, 0xff, 0, 4 + value.len() as u8], value].concat())
}

fn connected() -> (Pair, u32) {
    let mut pair = Pair::new(1);
    pair.open(A);
    pair.settle();
    let tag = pair.network.log.iter().find(|sent| sent.label == "COOKIE ECHO").unwrap().tag;
    pair.arrows();
    (pair, tag)
}

#[test]
fn unknown_chunks_are_reported_in_one_error_with_a_cause_for_each() {
    let (mut pair, tag) = connected();
    let chunks = vec![unknown(b"a"), unknown(b"bcd")];
    let packet = pair.forge(Z, tag, Control::Unrecognized(chunks.clone()));
    pair.inject(Z, 0, packet);
    let causes = chunks.into_iter().map(Cause::UnrecognizedChunk).collect();
    assert_eq!(pair.network.log[0].control, [Control::Error(causes)]);
    assert_eq!(pair.arrows(), ["Z -> ERROR -> A"]);
}

#[test]
fn a_report_of_many_unknown_chunks_is_no_larger_than_a_packet() {
    let (mut pair, tag) = connected();
    let packet = pair.forge(Z, tag, Control::Unrecognized(vec![unknown(b""); 360]));
    pair.inject(Z, 0, packet);
    let sent = &pair.network.log[0];
    assert!((1490..=1500).contains(&sent.size), "{}", sent.size);
    assert_eq!(pair.arrows(), ["Z -> ERROR -> A"]);
    // A multiple of this size does not fill a packet exactly
    let packet = pair.forge(Z, tag, Control::Unrecognized(vec![unknown(&[7; 95]); 100]));
    pair.inject(Z, 0, packet);
    assert!((1400..=1500).contains(&pair.network.log[0].size));
}

#[test]
fn a_report_of_many_unknown_parameters_is_no_larger_than_a_packet() {
    let (_, sent) = reported_parameters(&vec![unknown(&[7; 95]); 100], &[1; 300]);
    let size = Packet { control: vec![sent], ..Packet::default() }.size();
    assert!((1000..=1500 - 20 - 304).contains(&size), "{size}");
}

#[test]
fn unknown_parameters_of_init_are_reported_in_init_ack() {
    let mut pair = Pair::new(1);
    let unrecognized = vec![unknown(b"a"), unknown(b"bcd")];
    let init =
        Init { tag: 7, window: 1500, outbound_streams: 1, inbound_streams: 1, ..Init::default() };
    let init = Init { unrecognized: unrecognized.clone(), ..init };
    let packet = pair.forge(Z, 0, Control::Init(Box::new(init)));
    pair.inject(Z, 0, packet);
    let ack = init_of(&pair.network.log[0].control).expect("INIT ACK");
    assert_eq!(ack.reported, unrecognized);
    assert!(ack.cookie.is_some());
}

#[test]
fn unknown_parameters_of_init_ack_are_reported_in_an_error_after_cookie_echo() {
    let (echo, error) = reported_parameters(&[unknown(b"a"), unknown(b"bcde")], &[1]);
    let reported = Bytes::from_static(&[
        0xff, 0xff, 0, 5, b'a', 0, 0, 0, 0xff, 0xff, 0, 8, b'b', b'c', b'd', b'e',
    ]);
    assert_eq!(echo, Control::CookieEcho(vec![1].into()));
    assert_eq!(error, Control::Error(vec![Cause::UnrecognizedParameters(reported)]));
}

/// COOKIE ECHO and the chunk after it in the same packet, for an INIT ACK with these parameters and this cookie.
fn reported_parameters(unrecognized: &[Bytes], cookie: &'static [u8]) -> (Control, Control) {
    let mut pair = Pair::new(1);
    pair.network.cut(0);
    pair.open(A);
    let tag = init_of(&pair.network.log[0].control).unwrap().tag;
    let ack = Init {
        tag: 7,
        window: 1500,
        outbound_streams: 1,
        inbound_streams: 1,
        cookie: Some(Bytes::from_static(cookie)),
        unrecognized: unrecognized.to_vec(),
        ..Init::default()
    };
    let packet = pair.forge(A, tag, Control::InitAck(Box::new(ack)));
    pair.arrows();
    pair.inject(A, 0, packet);
    // Before COOKIE ACK no other packet may be sent. RFC 9260 §5.1 C
    let [sent] = &pair.network.log[..] else { panic!("one packet") };
    assert!(sent.size <= 1500, "{}", sent.size);
    let [echo, error] = &sent.control[..] else { panic!("two chunks") };
    (echo.clone(), error.clone())
}

#[test]
fn information_of_a_foreign_probe_is_returned_byte_for_byte() {
    let (mut pair, tag) = connected();
    for info in [&b""[..], b"odd", &[0xff; 36], &[7; 1000]] {
        let info = Heartbeat::Foreign(Bytes::copy_from_slice(info));
        let packet = pair.forge(Z, tag, Control::Heartbeat(info.clone()));
        pair.inject(Z, 0, packet);
        assert_eq!(pair.network.log.last().unwrap().control, [Control::HeartbeatAck(info)]);
    }
}

/// The answer must not be lost on a path whose MTU is smaller.
#[test]
fn information_larger_than_a_packet_is_returned_in_ip_fragments() {
    let (mut pair, tag) = connected();
    for (length, may_fragment) in [(1460, false), (1461, true), (9000, true)] {
        let info = Heartbeat::Foreign(Bytes::from(vec![7; length]));
        let packet = pair.forge(Z, tag, Control::Heartbeat(info));
        pair.inject(Z, 0, packet);
        assert_eq!(pair.network.log.last().unwrap().may_fragment, may_fragment, "{length}");
    }
}

#[test]
fn so_is_information_from_an_address_that_does_not_belong_to_the_association() {
    let (mut pair, tag) = connected();
    let via = Via { local: Z.address(0), remote: Address::v4(192, 0, 2, 9) };
    for (length, may_fragment) in [(1460, false), (1461, true)] {
        let info = Heartbeat::Foreign(Bytes::from(vec![7; length]));
        let mut packet = pair.forge(Z, tag, Control::Heartbeat(info));
        let (now, mut answer) = (pair.now, Packet::default());
        pair.endpoint(Z).handle_packet(now, via, &mut packet);
        assert_eq!(pair.endpoint(Z).poll_transmit(now, &mut answer), Some(via));
        assert_eq!(answer.may_fragment, may_fragment, "{length}");
    }
}

#[test]
fn an_answer_with_information_that_was_never_sent_is_ignored() {
    let (mut pair, tag) = connected();
    let forged = HeartbeatInfo { nonce: 1, sent_at: 2, address: A.address(0) };
    let odd = Heartbeat::Foreign(Bytes::from_static(b"odd"));
    for info in [odd, Heartbeat::Foreign(Bytes::new()), forged.into()] {
        let packet = pair.forge(Z, tag, Control::HeartbeatAck(info));
        pair.inject(Z, 0, packet);
    }
    assert!(pair.arrows().is_empty());
}
