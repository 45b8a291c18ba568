//! Out-of-the-blue packets, wrong tags, and hostile peers. RFC 9260 §8.4, §8.5

use bytes::Bytes;
use manypath_core::{Address, Encode as _, Packet as _, SansIo, Ssn, Time, Tsn, Via};
use manypath_sctp::{
    Cause, CloseReason, Control, Data, DataFlags, Heartbeat, HeartbeatInfo, Init, Packet, Rule,
    Sack,
};

use crate::pair::{A, FIRST, Fault, Pair, Side, Z};
use crate::setup::tags_of;

/// A pair with an established association, and the verification tags that A and Z expect.
fn connected() -> (Pair, u32, u32) {
    let mut pair = Pair::new(1);
    pair.open(A);
    pair.settle();
    let tags = tags_of(&pair);
    pair.arrows();
    pair.events(A);
    pair.events(Z);
    (pair, tags[0], tags[1])
}

fn assert_unharmed(pair: &mut Pair) {
    assert!(pair.arrows().is_empty());
    assert!(pair.events(A).is_empty() && pair.events(Z).is_empty());
    pair.send(A, 100);
    pair.settle();
    assert_eq!(pair.read(Z), 100);
    pair.events(A);
    pair.events(Z);
    pair.arrows();
}

fn data(tsn: Tsn) -> Data {
    let payload = Bytes::from_static(b"?");
    Data { tsn, stream: 0, ssn: Ssn(0), ppid: 0, flags: DataFlags::WHOLE, payload }
}

fn probe() -> Heartbeat {
    HeartbeatInfo { nonce: 1, sent_at: 2, address: Z.address(0) }.into()
}

#[test]
fn a_packet_with_a_wrong_tag_is_silently_discarded() {
    let (mut pair, _, of_z) = connected();
    let chunks = [
        Control::Abort { reflected: false, causes: Vec::new() },
        Control::Abort { reflected: true, causes: Vec::new() },
        Control::Shutdown(Tsn(0)),
        Control::ShutdownAck,
        Control::Heartbeat(probe()),
        Control::CookieAck,
    ];
    for chunk in chunks {
        let packet = pair.forge(Z, of_z ^ 1, chunk);
        pair.inject(Z, 0, packet);
    }
    let forged = pair.forge(Z, of_z ^ 1, Control::CookieAck);
    pair.inject(Z, 0, Packet { control: Vec::new(), data: vec![data(Tsn(0))], ..forged });
    assert_unharmed(&mut pair);
}

#[test]
fn only_init_has_tag_zero() {
    let (mut pair, ..) = connected();
    for chunk in [
        Control::CookieAck,
        Control::Abort { reflected: true, causes: Vec::new() },
        Control::Heartbeat(probe()),
    ] {
        let packet = pair.forge(Z, 0, chunk);
        pair.inject(Z, 0, packet);
    }
    assert_unharmed(&mut pair);
    let mut unlisted = Pair::new(1);
    let packet = unlisted.forge(Z, 0, Control::Heartbeat(probe()));
    unlisted.inject(Z, 0, packet);
    assert!(unlisted.arrows().is_empty());
    // and INIT has no other tag
    let init =
        Init { tag: 5, window: 1500, outbound_streams: 1, inbound_streams: 1, ..Init::default() };
    let packet = pair.forge(Z, 5, Control::Init(Box::new(init)));
    pair.inject(Z, 0, packet);
    assert_unharmed(&mut pair);
}

#[test]
fn a_reflected_tag_needs_the_t_bit_and_the_own_tag_needs_none() {
    let abort = |reflected| Control::Abort { reflected, causes: Vec::new() };
    // The receiver's own tag with the T bit, and the peer's tag without it, are wrong
    let (mut pair, of_a, of_z) = connected();
    for (tag, chunk) in [(of_z, abort(true)), (of_a, abort(false))] {
        let packet = pair.forge(Z, tag, chunk);
        pair.inject(Z, 0, packet);
    }
    assert_unharmed(&mut pair);
    // The two right ones
    for right in [0, 1] {
        let (mut pair, of_a, of_z) = connected();
        let (tag, chunk) = [(of_z, abort(false)), (of_a, abort(true))][right].clone();
        let packet = pair.forge(Z, tag, chunk);
        pair.inject(Z, 0, packet);
        assert_eq!(pair.close_reason(Z), Some(CloseReason::AbortedByPeer));
        assert!(pair.arrows().is_empty(), "ABORT is not answered");
    }
}

#[test]
fn nothing_in_a_packet_with_abort_is_answered() {
    let (mut pair, _, of_z) = connected();
    let mut packet = pair.forge(Z, of_z, Control::Heartbeat(probe()));
    packet.control.push(Control::Abort { reflected: false, causes: Vec::new() });
    packet.control.push(Control::Heartbeat(probe()));
    pair.inject(Z, 0, packet);
    assert_eq!(pair.close_reason(Z), Some(CloseReason::AbortedByPeer));
    assert!(pair.arrows().is_empty());
}

#[test]
fn shutdown_complete_has_the_same_tag_rules() {
    for reflected in [false, true] {
        let (mut pair, of_a, of_z) = connected();
        pair.network.times(9, Z, "SHUTDOWN ACK", Fault::Lose);
        pair.shutdown(A);
        pair.settle();
        let (right, wrong) = if reflected { (of_a, of_z) } else { (of_z, of_a) };
        let packet = pair.forge(Z, wrong, Control::ShutdownComplete { reflected });
        pair.inject(Z, 0, packet);
        assert_eq!(pair.close_reason(Z), None);
        let packet = pair.forge(Z, right, Control::ShutdownComplete { reflected });
        pair.inject(Z, 0, packet);
        assert_eq!(pair.close_reason(Z), Some(CloseReason::Shutdown));
    }
}

#[test]
fn out_of_the_blue_packets_are_answered_with_abort_and_their_own_tag() {
    let mut pair = Pair::new(1);
    for chunk in [
        Control::Shutdown(Tsn(0)),
        Control::Heartbeat(probe()),
        Control::Error(vec![Cause::OutOfResource]),
    ] {
        let packet = pair.forge(Z, 1234, chunk);
        pair.inject(Z, 0, packet);
        assert_eq!(pair.network.log[0].tag, 1234);
        assert_eq!(pair.arrows(), ["Z -> ABORT (T) -> A"]);
    }
    let packet = pair.forge(Z, 1234, Control::CookieAck);
    pair.inject(Z, 0, Packet { control: Vec::new(), data: vec![data(Tsn(0))], ..packet });
    assert_eq!(pair.arrows(), ["Z -> ABORT (T) -> A"]);
}

#[test]
fn shutdown_ack_out_of_the_blue_is_answered_with_shutdown_complete() {
    let mut pair = Pair::new(1);
    let packet = pair.forge(Z, 1234, Control::ShutdownAck);
    pair.inject(Z, 0, packet);
    assert_eq!(pair.network.log[0].tag, 1234);
    assert_eq!(pair.arrows(), ["Z -> SHUTDOWN COMPLETE (T) -> A"]);
    // At any position in the packet
    let mut packet = pair.forge(Z, 1234, Control::Heartbeat(probe()));
    packet.control.push(Control::ShutdownAck);
    pair.inject(Z, 0, packet);
    assert_eq!(pair.arrows(), ["Z -> SHUTDOWN COMPLETE (T) -> A"]);
}

#[test]
fn answers_out_of_the_blue_are_not_answered() {
    let mut pair = Pair::new(1);
    let chunks = [
        Control::Abort { reflected: false, causes: Vec::new() },
        Control::Abort { reflected: true, causes: Vec::new() },
        Control::ShutdownComplete { reflected: false },
        Control::ShutdownComplete { reflected: true },
        Control::CookieAck,
        Control::Error(vec![Cause::StaleCookie(1)]),
    ];
    for chunk in chunks {
        let packet = pair.forge(Z, 1234, chunk);
        pair.inject(Z, 0, packet);
    }
    // A packet with ABORT at any position is not answered
    let mut packet = pair.forge(Z, 1234, Control::Heartbeat(probe()));
    packet.control.push(Control::Abort { reflected: false, causes: Vec::new() });
    pair.inject(Z, 0, packet);
    assert!(pair.arrows().is_empty());
}

#[test]
fn a_packet_for_another_port_is_dropped() {
    let (mut pair, _, of_z) = connected();
    let packet = pair.forge(Z, of_z, Control::Abort { reflected: false, causes: Vec::new() });
    pair.inject(Z, 0, Packet { destination_port: 9, ..packet });
    let packet = pair.forge(Z, of_z, Control::Abort { reflected: false, causes: Vec::new() });
    pair.inject(Z, 0, Packet { source_port: 9, ..packet });
    assert_unharmed(&mut pair);
}

/// RFC 9260 §3.3.7
#[test]
fn an_abort_with_a_format_error_leaves_the_association_open() {
    let (mut pair, _, of_z) = connected();
    let causes = vec![Cause::Other { code: 12, info: Bytes::new() }];
    let abort = pair.forge(Z, of_z, Control::Abort { reflected: false, causes });
    let mut datagram = Vec::new();
    abort.encode(Via::default(), &(), &mut datagram);
    // The length of the cause reaches beyond the chunk
    let cause = datagram.len() - 4;
    datagram[cause + 2..].fill(0xff);
    datagram[8..12].fill(0);
    let checksum = crc32c::crc32c(&datagram).to_le_bytes();
    datagram[8..12].copy_from_slice(&checksum);
    let mut packet = Packet::default();
    let error = packet.decode(&datagram.into(), 20).expect_err("the cause has a wrong length");
    assert_eq!((error.rule, error.offset), (Rule::Parameter, cause));
    pair.inject(Z, 0, packet);
    assert_unharmed(&mut pair);
}

#[test]
fn a_flood_of_inits_leaves_no_state() {
    let mut pair = Pair::new(1);
    for tag in 1..=1000 {
        let init =
            Init { tag, window: 1500, outbound_streams: 1, inbound_streams: 1, ..Init::default() };
        let packet = pair.forge(Z, 0, Control::Init(Box::new(init)));
        pair.inject(Z, 0, packet);
    }
    assert_eq!(pair.arrows().len(), 1000);
    assert_eq!(pair.endpoint(Z).poll_timeout(), Time::NEVER);
    assert!(pair.events(Z).is_empty());
}

#[test]
fn from_an_unknown_address_a_heartbeat_is_answered_and_data_is_not_taken() {
    let (mut pair, of_a, of_z) = connected();
    let mut packet = pair.forge(Z, of_z, Control::Heartbeat(probe()));
    packet.control.push(Control::Heartbeat(probe()));
    packet.data.push(data(Tsn(0)));
    let unlisted = Via { local: Z.address(0), remote: Address::v4(192, 0, 2, 9) };
    let now = pair.now;
    pair.endpoint(Z).handle_packet(now, unlisted, &mut packet);
    let mut answer = Packet::default();
    assert_eq!(pair.endpoint(Z).poll_transmit(now, &mut answer), Some(unlisted));
    // One answer per packet, so that it is never larger than the packet
    assert_eq!(answer.control, [Control::HeartbeatAck(probe())]);
    assert_eq!((answer.tag, answer.data.len()), (of_a, 0));
    answer.clear();
    assert_eq!(pair.endpoint(Z).poll_transmit(now, &mut answer), None);
    assert_eq!(pair.endpoint(Z).path_count(FIRST), 1);
    // With another tag, or from a multicast source, there is none
    for (tag, remote) in [(of_z ^ 1, unlisted.remote), (of_z, Address::v4(224, 0, 0, 1))] {
        let mut packet = pair.forge(Z, tag, Control::Heartbeat(probe()));
        pair.endpoint(Z).handle_packet(now, Via { remote, ..unlisted }, &mut packet);
        pair.endpoint(Z).poll_transmit(now, &mut answer);
        assert!(!matches!(answer.control[..], [Control::HeartbeatAck(_)]));
        answer.clear();
    }
    assert_unharmed(&mut pair);
}

#[test]
fn an_abort_with_a_guessed_tag_before_init_ack_is_discarded() {
    let mut pair = Pair::new(1);
    pair.network.cut(0);
    pair.open(A);
    let packet = pair.forge(A, 0, Control::Abort { reflected: true, causes: Vec::new() });
    pair.inject(A, 0, packet);
    assert_eq!(pair.close_reason(A), None);
}

/// Every chunk type with invalid values in every state: no panic, and no endless exchange of answers.
#[test]
fn invalid_packets_with_the_right_tag_at_most_end_the_association() {
    let mut random = manypath_core::Streams::new(7, 0).stream("nonsense");
    for round in 0..400 {
        let (mut pair, of_a, of_z) = connected();
        for _ in 0..5 {
            pair.send(A, 1 + random.below(3000) as usize);
            pair.send(Z, 1 + random.below(3000) as usize);
        }
        match round % 5 {
            1 => pair.shutdown(A),
            2 => pair.shutdown(Z),
            3 => pair.network.cut(0),
            _ => {}
        }
        for _ in 0..20 {
            let (to, tag) = if random.chance(0.5) { (A, of_a) } else { (Z, of_z) };
            let packet = nonsense(&mut pair, to, tag, &mut random);
            pair.inject(to, 0, packet);
            pair.drive(manypath_core::Span::from_millis(random.below(300)));
        }
        pair.network.restore(0);
        pair.drive(manypath_core::Span::from_secs(900));
        pair.read(A);
        pair.read(Z);
    }
}

fn nonsense(pair: &mut Pair, to: Side, tag: u32, random: &mut manypath_core::Random) -> Packet {
    let tsn = Tsn(random.next_u64() as u32);
    let chunks = [
        Control::CookieAck,
        Control::CookieEcho(Bytes::from(vec![0; random.below(200) as usize])),
        Control::Heartbeat(probe()),
        Control::HeartbeatAck(probe()),
        Control::Shutdown(tsn),
        Control::Shutdown(Tsn(0)),
        Control::ShutdownAck,
        Control::Error(vec![Cause::StaleCookie(0)]),
        Control::Error(vec![Cause::InvalidStream(9)]),
        Control::InitAck(Box::default()),
    ];
    let mut packet =
        pair.forge(to, tag, chunks[random.below(chunks.len() as u64) as usize].clone());
    if random.chance(0.3) {
        packet.control.clear();
        packet.has_sack = true;
        packet.sack = Sack { cumulative: tsn, window: random.next_u64() as u32, ..Sack::default() };
        packet.sack.gaps.insert(tsn.add(random.below(9) as u32));
        packet.sack.kept_gaps.insert(tsn.add(random.below(9) as u32));
    }
    if random.chance(0.3) {
        let flags = DataFlags(random.below(16) as u8);
        packet.data.push(Data { flags, stream: random.below(20) as u16, ..data(tsn) });
    }
    packet
}

#[test]
fn a_sack_before_establishment_is_dropped_and_one_after_the_end_is_out_of_the_blue() {
    let mut pair = Pair::new(1);
    pair.open(A);
    let init = pair.announcements().swap_remove(0);
    let sack = || Sack { cumulative: init.initial_tsn, window: 1, ..Sack::default() };
    let packet = |pair: &Pair| {
        let forged = pair.forge(A, init.tag, Control::CookieAck);
        Packet { control: Vec::new(), has_sack: true, sack: sack(), ..forged }
    };
    let early = packet(&pair);
    pair.inject(A, 0, early);
    pair.settle();
    assert_eq!(pair.arrows().len(), 4, "the handshake and nothing else");
    pair.abort(A);
    pair.settle();
    pair.arrows();
    let late = packet(&pair);
    pair.inject(A, 0, late);
    assert_eq!(pair.arrows(), ["A -> ABORT (T) -> Z"]);
}

#[test]
fn the_chunks_of_a_packet_are_taken_in_their_order() {
    let (mut pair, _, of_z) = connected();
    let numbered =
        |nonce| Heartbeat::from(HeartbeatInfo { nonce, sent_at: 0, address: A.address(0) });
    let mut packet = pair.forge(Z, of_z, Control::Heartbeat(numbered(1)));
    packet.control.push(Control::Heartbeat(numbered(2)));
    pair.network.log.clear();
    pair.inject(Z, 0, packet);
    let answers = [1, 2].map(|nonce| Control::HeartbeatAck(numbered(nonce)));
    assert_eq!(pair.network.log[0].control, answers);
    // Chunks after an ABORT find no association
    let mut packet = pair.forge(Z, of_z, Control::Abort { reflected: false, causes: Vec::new() });
    packet.control.push(Control::Heartbeat(numbered(3)));
    packet.data.push(data(Tsn(0)));
    pair.network.log.clear();
    pair.inject(Z, 0, packet);
    assert_eq!(pair.close_reason(Z), Some(CloseReason::AbortedByPeer));
    assert!(pair.network.log.is_empty() && pair.read(Z) == 0);
}
