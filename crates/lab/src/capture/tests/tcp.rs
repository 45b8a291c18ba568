//! Captures of TCP and Multipath TCP connections, checked with tshark as an independent decoder.

use bytes::Bytes;
use manypath_core::{Address, Via};
use manypath_tcp::{Dss, Flags, MultipathOption, Options, SackBlock, SackBlocks, Segment};

use super::{dissect, file, vias};

#[test]
fn tshark_follows_a_connection_of_tcp_over_both_versions_of_ip() {
    let fields = [
        "tcp.checksum.status",
        "_ws.malformed",
        "tcp.flags",
        "tcp.len",
        "tcp.window_size",
        "tcp.options.mss_val",
        "tcp.options.wscale.shift",
        "tcp.options.sack_le",
        "tcp.options.sack_re",
        "tcp.analysis.acks_frame",
    ];
    for via in vias() {
        let expected = [
            "1||0x0002|0|1000|1460|7|||",
            "1||0x0012|0|1000|1460|7|||1",
            "1||0x0010|0|128000|||||2",
            "1||0x0010|3|128000|||||",
            "1||0x0010|6|128000|||||",
            "1||0x0010|0|128000|||4|10|",
            "1||0x0010|3|128000|||||",
            "1||0x0010|0|128000|||||5",
            "1||0x0011|0|128000|||||",
            "1||0x0011|0|128000|||||9",
            "1||0x0010|0|128000|||||10",
            "1||0x0004|0|128000|||||",
        ];
        assert_eq!(read(&conversation(via), &fields), expected);
    }
}

fn read(conversation: &[(Via, Segment)], fields: &[&str]) -> Vec<String> {
    dissect(&file(TCP, conversation.iter().map(|(via, segment)| (*via, segment))), fields)
}

/// Opens a connection, loses the first of three segments, and closes it.
fn conversation(there: Via) -> Vec<(Via, Segment)> {
    let back = there.reversed();
    let agreed = Options {
        mss: Some(1460),
        window_scale: Some(7),
        sack_permitted: true,
        ..Options::default()
    };
    let mut sack = SackBlocks::default();
    sack.push(SackBlock { start: 104, end: 110 });
    let gap = Options { sack, other_bytes: 12, ..Options::default() };
    let syn = Segment { options: agreed, ..segment(100, 0, Flags::SYN, b"") };
    let answer = Segment { options: agreed, ..segment(200, 101, SYN_ACK, b"") };
    let reports = Segment { options: gap, ..segment(201, 101, Flags::ACK, b"") };
    vec![
        (there, syn),
        (back, answer),
        (there, segment(101, 201, Flags::ACK, b"")),
        (there, segment(101, 201, Flags::ACK, b"one")),
        (there, segment(104, 201, Flags::ACK, b"second")),
        (back, reports),
        (there, segment(101, 201, Flags::ACK, b"one")),
        (back, segment(201, 110, Flags::ACK, b"")),
        (there, segment(110, 201, Flags::ACK.with(Flags::FIN), b"")),
        (back, segment(201, 111, Flags::ACK.with(Flags::FIN), b"")),
        (there, segment(111, 202, Flags::ACK, b"")),
        (back, segment(202, 111, Flags::RST, b"")),
    ]
}

#[test]
fn tshark_follows_a_connection_of_multipath_tcp_over_two_subflows() {
    let conversation = several_paths();
    let complaints = [
        "_ws.malformed",
        "mptcp.connection.echoed_key_mismatch",
        "mptcp.connection.missing_algorithm",
        "mptcp.connection.unsupported_algorithm",
        "mptcp.dss.infinite_mapping",
    ];
    assert_eq!(read(&conversation, &complaints), vec!["||||"; conversation.len()]);
    let fields = [
        "tcp.checksum.status",
        "mptcp.stream",
        "tcp.options.mptcp.subtype",
        "tcp.options.mptcp.sendkey",
        "tcp.options.mptcp.recvkey",
        "mptcp.expected_token",
        "tcp.options.mptcp.recvtok",
        "mptcp.ack",
        "mptcp.dss.dsn",
        "tcp.options.mptcp.subflowseqno",
        "tcp.options.mptcp.datalvllen",
        "tcp.options.mptcp.datafin.flag",
        "mptcp.dss.missing_mapping",
    ];
    let [client, server] = ["13835058055282163713", "5764607523034234882"];
    let [names_client, names_server] = ["3797571632", "3398555624"];
    let expected = [
        format!("1|0|0|{client}||{names_client}|||||||"),
        format!("1|0|0|{server}||{names_server}|||||||"),
        format!("1|0|0|{client}|{server}|{names_client}|||||||"),
        "1|0|2|||||1|1|1|5|0|".to_owned(),
        format!("1|0|1||||{names_server}||||||"),
        format!("1|0|1||||{names_client}||||||"),
        "1|0|2|||||1||||0|".to_owned(),
        "1|0|2|||||1|6|1|5|1|".to_owned(),
        "1|0|2|||||11||||0|".to_owned(),
        "1|0|2|||||11|1|0|1|1|".to_owned(),
        // A reset has no mapping
        format!("1|0|7||{server}||||||||1"),
    ];
    assert_eq!(read(&conversation, &fields), expected);
}

fn several_paths() -> Vec<(Via, Segment)> {
    let first = Via { local: Address::v4(10, 0, 0, 1), remote: Address::v4(10, 0, 0, 2) };
    let second = Via { local: Address::v4(10, 0, 1, 1), remote: Address::v4(10, 0, 1, 2) };
    let (client, server) = (0xc << 60 | 1, 0x5 << 60 | 2);
    let capable = |key| MultipathOption::Capable { key };
    let join = |key: u64| MultipathOption::Join { token: (key >> 32) as u32 };
    let dss = |data_ack, data, is_last| MultipathOption::Dss(Dss { data_ack, data, is_last });
    let with = |option, segment: Segment| {
        let is_syn = segment.flags.contains(Flags::SYN);
        let (mss, other_bytes) = if is_syn { (Some(1460), 0) } else { (None, 20) };
        let options = Options { mss, multipath: Some(option), other_bytes, ..Options::default() };
        Segment { options, ..segment }
    };
    let fin = Flags::ACK.with(Flags::FIN);
    let reset = Flags::RST.with(Flags::ACK);
    vec![
        (first, with(capable(client), segment(100, 0, Flags::SYN, b""))),
        (first.reversed(), with(capable(server), segment(200, 101, SYN_ACK, b""))),
        (first, with(dss(0, 0, false), segment(101, 201, Flags::ACK, b""))),
        (first, with(dss(0, 0, false), segment(101, 201, Flags::ACK, b"three"))),
        (second, with(join(server), segment(300, 0, Flags::SYN, b""))),
        (second.reversed(), with(join(client), segment(400, 301, SYN_ACK, b""))),
        (second, with(dss(0, 5, false), segment(301, 401, Flags::ACK, b""))),
        (second, with(dss(0, 5, true), segment(301, 401, Flags::ACK, b"four"))),
        (second.reversed(), with(dss(10, 0, false), segment(401, 305, Flags::ACK, b""))),
        (first.reversed(), with(dss(10, 0, true), segment(201, 106, fin, b""))),
        (first, with(MultipathOption::FastClose, segment(106, 202, reset, b""))),
    ]
}

fn segment(seq: u32, ack: u32, flags: Flags, payload: &'static [u8]) -> Segment {
    let payload = if payload.is_empty() { Vec::new() } else { vec![Bytes::from_static(payload)] };
    let (source_port, destination_port) = (5001, 5001);
    Segment {
        source_port,
        destination_port,
        seq,
        ack,
        flags,
        window: 1000,
        payload,
        ..Segment::default()
    }
}

const SYN_ACK: Flags = Flags::SYN.with(Flags::ACK);

/// The IP protocol number of TCP.
const TCP: u8 = 6;
