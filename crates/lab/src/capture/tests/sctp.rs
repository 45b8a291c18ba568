//! Captures of SCTP, checked with tshark as an independent decoder, for every type of chunk.

use bytes::Bytes;
use manypath_core::{Address, Ranges, Ssn, Tsn, Via};
use manypath_sctp::{
    Cause, Control, Data, DataFlags, Heartbeat, HeartbeatInfo, Init, Packet, Sack,
};

use super::{SOUND, dissect, file, vias};

/// A packet, and tshark's names of its chunk types.
type Sample = (Packet, &'static str);

#[test]
fn tshark_decodes_every_chunk_over_both_ip_versions() {
    for via in vias() {
        let samples = samples(via);
        let packets = samples.iter().map(|(packet, _)| (via, packet));
        let fields = ["sctp.chunk_type", "sctp.checksum.status", "_ws.expert.message"];
        let read = dissect(&file(SCTP, packets), &fields);
        let expected: Vec<_> =
            samples.iter().map(|(_, chunks)| format!("{chunks}|{SOUND}|")).collect();
        assert_eq!(read, expected);
    }
}

fn samples(via: Via) -> Vec<Sample> {
    let init = Init {
        tag: 1,
        window: 65_536,
        outbound_streams: 10,
        inbound_streams: 10,
        initial_tsn: Tsn(7),
        addresses: vec![via.local, Address::v4(10, 0, 2, 1)],
        nr_sack: true,
        ..Init::default()
    };
    let cookie = Bytes::from_static(&[0xc0; 123]);
    let init_ack = Init { cookie: Some(cookie.clone()), ..init.clone() };
    let info = HeartbeatInfo { nonce: 1 << 60, sent_at: 1_000_000_007, address: via.remote };
    let info = Heartbeat::from(info);
    let mut samples = vec![
        (control(Control::Init(Box::new(init))), "1"),
        (control(Control::InitAck(Box::new(init_ack))), "2"),
        (control(Control::CookieEcho(cookie)), "10"),
        (control(Control::CookieAck), "11"),
        (control(Control::Heartbeat(info.clone())), "4"),
        (control(Control::HeartbeatAck(info.clone())), "5"),
        (control(Control::Shutdown(Tsn(9))), "7"),
        (control(Control::ShutdownAck), "8"),
        (control(Control::ShutdownComplete { reflected: true }), "14"),
        (control(Control::Abort { reflected: false, causes: Vec::new() }), "6"),
        (acknowledging(sack(false)), "3"),
        (acknowledging(sack(true)), "16"),
        (bundled(info), "5,16,0,0,0"),
    ];
    for cause in [
        Cause::InvalidStream(3),
        Cause::MissingParameters(vec![7]),
        Cause::StaleCookie(1_000),
        Cause::OutOfResource,
        Cause::InvalidMandatoryParameter,
        Cause::NoUserData(Tsn(4)),
        Cause::CookieWhileShuttingDown,
        Cause::RestartWithNewAddresses(vec![via.local]),
        Cause::UserInitiated(Bytes::from_static(b"enough")),
        Cause::ProtocolViolation(Bytes::new()),
    ] {
        let abort = Control::Abort { reflected: true, causes: vec![cause.clone()] };
        samples.push((control(Control::Error(vec![cause])), "9"));
        samples.push((control(abort), "6"));
    }
    samples
}

fn control(chunk: Control) -> Packet {
    Packet { control: vec![chunk], ..empty() }
}

fn acknowledging(sack: Sack) -> Packet {
    Packet { sack, has_sack: true, ..empty() }
}

fn empty() -> Packet {
    Packet { source_port: 5001, destination_port: 5001, tag: 1, ..Packet::default() }
}

fn sack(non_renegable_chunk: bool) -> Sack {
    let mut blocks = [Ranges::new(), Ranges::new()];
    for tsn in [3, 4, 9] {
        blocks[0].insert(Tsn(tsn));
        blocks[1].insert(Tsn(tsn + 10));
    }
    let [gaps, kept_gaps] = blocks;
    let kept_gaps = if non_renegable_chunk { kept_gaps } else { Ranges::new() };
    let duplicates = vec![Tsn(0), Tsn(3)];
    Sack {
        non_renegable_chunk,
        cumulative: Tsn(1),
        window: 1500,
        gaps,
        kept_gaps,
        duplicates,
        packets: 2,
    }
}

/// Two fragments and a whole message of odd lengths, after everything else that a packet can contain.
fn bundled(info: Heartbeat) -> Packet {
    let chunk = |tsn, flags, payload| Data {
        tsn: Tsn(tsn),
        stream: 1,
        ssn: Ssn(0),
        ppid: 1 << 31,
        flags,
        payload: Bytes::from_static(payload),
    };
    let data = vec![
        chunk(1, DataFlags::BEGIN, b"one"),
        chunk(2, DataFlags::END.with(DataFlags::IMMEDIATE), b"more"),
        chunk(3, DataFlags::WHOLE.with(DataFlags::UNORDERED), b"whole"),
    ];
    Packet { data, control: vec![Control::HeartbeatAck(info)], ..acknowledging(sack(true)) }
}

/// The IP protocol number of SCTP.
const SCTP: u8 = 132;
