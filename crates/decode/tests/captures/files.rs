//! File formats, link types, headers, and lines of packets.

use manypath_core::Tsn;
use manypath_decode::Form;
use manypath_sctp::{Cause, Control};
use serde_json::json;

use crate::bytes::*;

const COOKIE_ACK: &str = "10.1.0.2:4002 > 10.1.0.1:4001 tag 0x000000c1 COOKIE ACK";

/// An Ethernet frame of at least 60 bytes.
fn ethernet(tags: &[u8], ip: &[u8]) -> Vec<u8> {
    let mut out = [[2; 6], [4; 6]].concat();
    out.extend(tags);
    out.extend(if ip[0] >> 4 == 4 { [0x08, 0x00] } else { [0x86, 0xdd] });
    out.extend(ip);
    out.resize(out.len().max(60), 0);
    out
}

#[test]
fn every_link_type_shows_the_same_packet() {
    let ip = on_first_path(false, &cookie_ack());
    let cooked = |header: &[u8]| [header, &ip].concat();
    let vlan = [0x81, 0x00, 0, 7];
    let frames = [
        (101, ip.clone()),
        (228, ip.clone()),
        (1, ethernet(&[], &ip)),
        (1, ethernet(&vlan, &ip)),
        (1, ethernet(&[vlan, vlan].concat(), &ip)),
        (113, cooked(&[0, 0, 0, 1, 0, 6, 2, 2, 2, 2, 2, 2, 0, 0, 8, 0])),
        (276, cooked(&[8, 0, 0, 0, 0, 0, 0, 3, 0, 1, 0, 6, 2, 2, 2, 2, 2, 2, 0, 0])),
    ];
    for (link_type, frame) in frames {
        let line = format!("1 0.000000000 {COOKIE_ACK}");
        assert_eq!(lines(pcap(link_type, &[(5, frame.clone())])), [line], "{link_type}");
        let line = format!("1 0.000000000 eth0 {COOKIE_ACK}");
        assert_eq!(lines(pcapng(&[link_type], &[(0, 5, frame)])), [line], "{link_type}");
    }
}

#[test]
fn an_extension_header_of_ipv6_is_passed_over() {
    let frame = ipv6(132, &cookie_ack());
    let line = "1 0.000000000 [2001:db8::1]:4002 > [2001:db8::2]:4001 tag 0x000000c1 COOKIE ACK";
    assert_eq!(lines(pcap(229, &[(0, frame.clone())])), [line]);
    assert_eq!(lines(pcap(1, &[(0, ethernet(&[], &frame))])), [line]);
}

#[test]
fn sctp_in_udp_is_known_by_the_port_of_either_side() {
    let frame = |ports: (u16, u16)| {
        (0, ipv4(SERVER.0, CLIENT.0, 17, &udp(ports.0, ports.1, &cookie_ack())))
    };
    let file = pcap(101, &[frame((9899, 40_000)), frame((40_000, 9899)), frame((53, 40_000))]);
    let udp = |ports: &str| COOKIE_ACK.replace(" COOKIE", &format!(" udp {ports} COOKIE"));
    let seen = lines(file.clone());
    assert_eq!(seen.len(), 2);
    assert!(seen[0].ends_with(&udp("9899 > 40000")), "{seen:?}");
    assert!(seen[1].ends_with(&udp("40000 > 9899")), "{seen:?}");
    let (out, end, summary) =
        read(file, manypath_decode::Options { port: 53, ..options(Form::Line) });
    assert!(end.is_ok());
    assert!(out.contains(&udp("53 > 40000")), "{out}");
    assert_eq!((&summary["frames"], &summary["packets"]), (&json!(3), &json!(1)));
    assert_eq!(summary["associations"][0]["paths"][0]["udp"], true);
}

#[test]
fn times_are_those_of_the_file_in_nanoseconds() {
    let ip = on_first_path(false, &cookie_ack());
    let micro = [(3_000_001, ip.clone()), (4_500_002, ip.clone())];
    let times = |file| objects(file).iter().map(|seen| seen["time"].clone()).collect::<Vec<_>>();
    assert_eq!(times(pcap(101, &micro)), [3_000_001_000_u64, 4_500_002_000]);
    let ng = micro.clone().map(|(at, frame)| (0, at, frame));
    assert_eq!(times(pcapng(&[101], &ng)), [3_000_001_000_u64, 4_500_002_000]);
    let nano = [(3_000_000_001, ip.clone()), (4_000_000_002, ip)];
    assert_eq!(times(big_pcap(101, &nano)), [3_000_000_001_u64, 4_000_000_002]);
    assert!(lines(pcap(101, &micro))[1].starts_with("2 1.500001000 10.1.0.2"));
}

#[test]
fn one_interface_can_be_chosen() {
    let ip = on_first_path(false, &cookie_ack());
    let file = pcapng(&[101, 147], &[(0, 1, ip.clone()), (1, 2, ip)]);
    let chosen =
        manypath_decode::Options { interface: Some("eth0".to_owned()), ..options(Form::Line) };
    let (out, end, _) = read(file, chosen);
    assert!(end.is_ok());
    assert_eq!(out.lines().count(), 1);
}

#[test]
fn frames_of_an_unknown_link_type_are_skipped_and_counted() {
    let ip = || on_first_path(false, &cookie_ack());
    let frames = [(1, 1, ip()), (0, 2, ip()), (1, 3, ip()), (2, 4, ip()), (0, 5, ip())];
    let file = pcapng(&[101, 147, 195], &frames);
    let numbers: Vec<_> =
        lines(file.clone()).iter().map(|line| line.split(' ').next().unwrap().to_owned()).collect();
    assert_eq!(numbers, ["2", "5"]);
    let summary = summary(file);
    assert_eq!(summary["skipped_frames"], json!({"147": 2, "195": 1}));
    assert_eq!((&summary["frames"], &summary["packets"]), (&json!(5), &json!(2)));
}

#[test]
fn a_packet_that_is_older_than_the_first_frame_has_a_negative_time() {
    let ip = on_first_path(false, &cookie_ack());
    let file = pcap(101, &[(5_000_000, vec![0; 20]), (4_500_000, ip.clone()), (2_999_999, ip)]);
    let seen = lines(file.clone());
    assert!(seen[0].starts_with("2 -0.500000000 10.1.0.2"), "{seen:?}");
    assert!(seen[1].starts_with("3 -2.000001000 10.1.0.2"), "{seen:?}");
    assert_eq!(summary(file)["associations"][0]["began"], -500_000_000);
}

#[test]
fn chunks_are_printed_with_standard_terms() {
    let mut gaps = sack(16, &[(18, 20), (22, 22)]);
    gaps.duplicates = vec![Tsn(12), Tsn(13)];
    let packets = [
        sctp(true, |packet| {
            (packet.has_sack, packet.sack) = (true, gaps.clone());
            packet.data = vec![data(17, 1452), data(18, 4)];
        }),
        sctp(true, |packet| {
            packet.tag = 0;
            let addresses = vec![address(CLIENT.0).into(), address(CLIENT.1).into()];
            packet.control =
                vec![Control::Init(Box::new(manypath_sctp::Init { addresses, ..init(0xc1) }))];
        }),
        sctp(true, |packet| {
            let causes = vec![Cause::InvalidStream(7), Cause::UserInitiated("bye\x1b[2J".into())];
            packet.control = vec![Control::Abort { reflected: true, causes }];
        }),
        sctp(true, |packet| {
            packet.control = vec![Control::Heartbeat(heartbeat(1)), Control::Shutdown(Tsn(9))];
        }),
    ];
    let frames: Vec<_> = packets.iter().map(|packet| (0, on_first_path(true, packet))).collect();
    let seen = lines(pcap(101, &frames));
    let ends = [
        "tag 0x0000005e SACK cum 16 rwnd 500000 gaps 18-20 22-22 dup 12 13; \
         DATA tsn 17 stream 1 ssn 3 ppid 7 BE 1452 B; DATA tsn 18 stream 1 ssn 3 ppid 7 BE 4 B",
        "tag 0x00000000 INIT tag 0x000000c1 rwnd 100000 streams out 10 in 2048 tsn 17 \
         addresses 10.1.0.1 10.2.0.1",
        "ABORT T [invalid stream 7] [user-initiated abort \"bye\\x1b[2J\"]",
        "HEARTBEAT 12 B; SHUTDOWN cum 9",
    ];
    for (line, end) in seen.iter().zip(ends) {
        assert!(line.ends_with(end), "{line}");
    }
    let object = &objects(pcap(101, &frames))[0];
    let chunk = json!({"type": "SACK", "cumulative": 16, "window": 500_000, "gaps": [[18, 20], [22, 22]], "duplicates": [12, 13]});
    assert_eq!(object["chunks"][0], chunk);
    let chunk = json!({"type": "DATA", "tsn": 17, "stream": 1, "ssn": 3, "ppid": 7, "flags": "BE", "length": 1452});
    assert_eq!(object["chunks"][1], chunk);
}

#[test]
fn chunks_are_in_wire_order_including_unknown_ones() {
    let mut packet = sctp(true, |packet| {
        (packet.has_sack, packet.sack) = (true, sack(16, &[]));
    });
    // Skipped without a report; skipped with a report; ends the packet
    packet.extend([
        0x9f, 0, 0, 8, 1, 2, 3, 4, 12, 0, 0, 4, 0xdf, 0, 0, 4, 0x3f, 0, 0, 4, 11, 0, 0, 4,
    ]);
    let seen = lines(pcap(101, &[(0, on_first_path(true, &resealed(packet.clone())))]));
    let end = "SACK cum 16 rwnd 500000; type 159 8 B; ECNE; type 223 4 B; type 63 4 B";
    assert!(seen[0].ends_with(end), "{seen:?}");
    let summary = summary(pcap(101, &[(0, on_first_path(true, &resealed(packet)))]));
    assert_eq!(summary["unknown_chunks"], json!({"63": 1, "159": 1, "223": 1}));
}

/// The packet with the right checksum.
fn resealed(mut packet: Vec<u8>) -> Vec<u8> {
    packet[8..12].fill(0);
    let checksum = crc32c::crc32c(&packet).to_le_bytes();
    packet[8..12].copy_from_slice(&checksum);
    packet
}

#[test]
fn chunks_of_a_packet_with_a_wrong_checksum_are_shown_only_on_request() {
    let mut packet = sctp(true, |packet| packet.data = vec![data(17, 100)]);
    packet[8] ^= 0xff;
    let file = pcap(101, &[(0, on_first_path(true, &packet))]);
    let (out, _, summary) = read(file.clone(), options(Form::Line));
    assert!(
        out.ends_with("tag 0x0000005e (error: the checksum is wrong at byte 8 (RFC 9260 §6.8))\n"),
        "{out}"
    );
    assert_eq!((&summary["damaged"], &summary["packets"]), (&json!(1), &json!(1)));
    let any = manypath_decode::Options { any_checksum: true, ..options(Form::Line) };
    let (out, _, summary) = read(file, any);
    assert!(out.ends_with("BE 100 B (the checksum is wrong)\n"), "{out}");
    assert_eq!(summary["damaged"], 1);
    assert_eq!(summary["associations"][0]["paths"][0]["data_chunks"], 1);
}

#[test]
fn a_truncated_packet_shows_its_complete_chunks() {
    let packet = sctp(true, |packet| {
        (packet.has_sack, packet.sack) = (true, sack(16, &[]));
        packet.data = vec![data(17, 100)];
    });
    let mut frame = on_first_path(true, &packet);
    frame.truncate(80);
    let (out, end, summary) = read(pcap(101, &[(0, frame)]), options(Form::Line));
    assert!(end.is_ok());
    assert!(out.contains("SACK cum 16 rwnd 500000 (not captured to its end) (error: chunk 1 (DATA): the chunk is longer"), "{out}");
    assert_eq!((&summary["cut"], &summary["damaged"]), (&json!(1), &json!(0)));
}

#[test]
fn parts_of_ip_packets_are_named_and_not_read() {
    let mut first = on_first_path(true, &sctp(true, |packet| packet.data = vec![data(17, 100)]));
    first[6] = 0x20;
    let mut second = first.clone();
    second[6..8].copy_from_slice(&[0, 20]);
    let (out, _, summary) = read(pcap(101, &[(0, first), (0, second)]), options(Form::Line));
    let line = "10.1.0.1 > 10.1.0.2 IP fragment, not read";
    assert!(out.lines().all(|seen| seen.ends_with(line)), "{out}");
    assert_eq!((&summary["fragments"], &summary["packets"]), (&json!(2), &json!(0)));
}

#[test]
fn a_malformed_chunk_has_the_error_of_the_decoder() {
    let mut packet = sctp(true, |packet| packet.control = vec![Control::CookieAck]);
    packet.extend([0, 3, 0, 90, 0, 0, 0, 1]);
    let object = &objects(pcap(101, &[(0, on_first_path(true, &resealed(packet)))]))[0];
    assert_eq!(object["chunks"], json!([{"type": "COOKIE ACK"}]));
    assert_eq!(object["error"]["section"], "6.10");
    assert_eq!((&object["error"]["offset"], &object["error"]["chunk"]), (&json!(16), &json!(1)));
}
