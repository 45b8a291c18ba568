//! Builds files and packets byte by byte.

use std::io::Cursor;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use manypath_core::{Encode as _, Tsn, Via};
use manypath_decode::{Decoder, FileError, Form, Options};
use manypath_sctp::{Control, Data, DataFlags, Heartbeat, Init, Packet, Sack};
use serde_json::Value;

/// The sides of the association of these tests: first address, second address, port, and verification tag.
pub(crate) const CLIENT: ([u8; 4], [u8; 4], u16, u32) = ([10, 1, 0, 1], [10, 2, 0, 1], 4001, 0xc1);
pub(crate) const SERVER: ([u8; 4], [u8; 4], u16, u32) = ([10, 1, 0, 2], [10, 2, 0, 2], 4002, 0x5e);

/// An SCTP packet from the client or from the server.
pub(crate) fn sctp(from_client: bool, fill: impl FnOnce(&mut Packet)) -> Vec<u8> {
    let (from, to) = if from_client { (CLIENT, SERVER) } else { (SERVER, CLIENT) };
    let mut packet =
        Packet { source_port: from.2, destination_port: to.2, tag: to.3, ..Packet::default() };
    fill(&mut packet);
    encoded(&packet)
}

pub(crate) fn encoded(packet: &Packet) -> Vec<u8> {
    let mut out = Vec::new();
    packet.encode(Via::default(), &(), &mut out);
    out
}

pub(crate) fn data(tsn: u32, length: usize) -> Data {
    Data {
        tsn: Tsn(tsn),
        stream: 1,
        ssn: manypath_core::Ssn(3),
        ppid: 7,
        flags: DataFlags::WHOLE,
        payload: vec![0xda; length].into(),
    }
}

pub(crate) fn sack(cumulative: u32, gaps: &[(u32, u32)]) -> Sack {
    let mut sack = Sack { cumulative: Tsn(cumulative), window: 500_000, ..Sack::default() };
    for (first, last) in gaps {
        (*first..=*last).for_each(|tsn| {
            sack.gaps.insert(Tsn(tsn));
        });
    }
    sack
}

pub(crate) fn init(tag: u32) -> Init {
    Init {
        tag,
        window: 100_000,
        outbound_streams: 10,
        inbound_streams: 2048,
        initial_tsn: Tsn(17),
        ..Init::default()
    }
}

pub(crate) fn heartbeat(byte: u8) -> Heartbeat {
    Heartbeat::Foreign(vec![byte; 12].into())
}

/// COOKIE ACK of the server, the shortest packet.
pub(crate) fn cookie_ack() -> Vec<u8> {
    sctp(false, |packet| packet.control.push(Control::CookieAck))
}

pub(crate) fn ipv4(source: [u8; 4], destination: [u8; 4], protocol: u8, payload: &[u8]) -> Vec<u8> {
    let length = (20 + payload.len() as u16).to_be_bytes();
    let mut out = vec![0x45, 0, length[0], length[1], 0, 0, 0, 0, 64, protocol, 0, 0];
    out.extend(source);
    out.extend(destination);
    out.extend(payload);
    out
}

/// An IPv6 packet with a destination options header before its payload.
pub(crate) fn ipv6(protocol: u8, payload: &[u8]) -> Vec<u8> {
    let length = (8 + payload.len() as u16).to_be_bytes();
    let mut out = vec![0x60, 0, 0, 0, length[0], length[1], 60, 64];
    out.extend("2001:db8::1".parse::<Ipv6Addr>().unwrap().octets());
    out.extend("2001:db8::2".parse::<Ipv6Addr>().unwrap().octets());
    out.extend([protocol, 0, 1, 4, 0, 0, 0, 0]);
    out.extend(payload);
    out
}

pub(crate) fn udp(source: u16, destination: u16, payload: &[u8]) -> Vec<u8> {
    let numbers = [source, destination, 8 + payload.len() as u16, 0];
    let mut out: Vec<u8> = numbers.iter().flat_map(|number| number.to_be_bytes()).collect();
    out.extend(payload);
    out
}

/// A packet from the client to the server on their first path, or back.
pub(crate) fn on_first_path(from_client: bool, packet: &[u8]) -> Vec<u8> {
    let (from, to) = if from_client { (CLIENT, SERVER) } else { (SERVER, CLIENT) };
    ipv4(from.0, to.0, 132, packet)
}

/// A packet on the second path.
pub(crate) fn on_second_path(from_client: bool, packet: &[u8]) -> Vec<u8> {
    let (from, to) = if from_client { (CLIENT, SERVER) } else { (SERVER, CLIENT) };
    ipv4(from.1, to.1, 132, packet)
}

/// A classic file; times are in microseconds.
pub(crate) fn pcap(link_type: u32, frames: &[(u64, Vec<u8>)]) -> Vec<u8> {
    classic(link_type, frames, 0xa1b2_c3d4, 1_000_000, u32::to_le_bytes)
}

/// A classic file in big-endian byte order, with times in nanoseconds.
pub(crate) fn big_pcap(link_type: u32, frames: &[(u64, Vec<u8>)]) -> Vec<u8> {
    classic(link_type, frames, 0xa1b2_3c4d, 1_000_000_000, u32::to_be_bytes)
}

fn classic(
    link_type: u32,
    frames: &[(u64, Vec<u8>)],
    magic: u32,
    units: u64,
    word: fn(u32) -> [u8; 4],
) -> Vec<u8> {
    let version = if word(1)[0] == 1 { 0x0004_0002 } else { 0x0002_0004 };
    let mut out: Vec<u8> =
        [magic, version, 0, 0, 65_535, link_type].into_iter().flat_map(word).collect();
    for (at, frame) in frames {
        let length = frame.len() as u32;
        let header = [(at / units) as u32, (at % units) as u32, length, length];
        out.extend(header.into_iter().flat_map(word));
        out.extend(frame);
    }
    out
}

/// A pcapng file with interfaces of these link types; a frame has its interface and its time in microseconds.
pub(crate) fn pcapng(link_types: &[u32], frames: &[(u32, u64, Vec<u8>)]) -> Vec<u8> {
    let mut out = block(0x0a0d_0d0a, &words(&[0x1a2b_3c4d, 1, u32::MAX, u32::MAX]));
    for (number, link_type) in link_types.iter().enumerate() {
        let mut interface = words(&[*link_type, 0]);
        interface
            .extend(words(&[4 << 16 | 2, u32::from_le_bytes(*b"eth0") + ((number as u32) << 24)]));
        out.extend(block(1, &interface));
    }
    for (interface, at, frame) in frames {
        let length = frame.len() as u32;
        let mut packet = words(&[*interface, (at >> 32) as u32, *at as u32, length, length]);
        packet.extend(frame);
        packet.resize(packet.len().next_multiple_of(4), 0);
        out.extend(block(6, &packet));
    }
    out
}

fn block(kind: u32, body: &[u8]) -> Vec<u8> {
    let length = body.len() as u32 + 12;
    let mut out = words(&[kind, length]);
    out.extend(body);
    out.extend(words(&[length]));
    out
}

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

pub(crate) fn options(form: Form) -> Options {
    Options { form, port: 9899, any_checksum: false, interface: None }
}

/// The output, the result at the end of the file, and the summary.
pub(crate) fn read(file: Vec<u8>, options: Options) -> (String, Result<(), FileError>, Value) {
    let mut out = String::new();
    let mut decoder = match Decoder::new(Cursor::new(file), options) {
        Ok(decoder) => decoder,
        Err(error) => return (out, Err(error), Value::Null),
    };
    let end = loop {
        match decoder.read(&mut out) {
            Ok(true) => {}
            Ok(false) => break Ok(()),
            Err(error) => break Err(error),
        }
    };
    let summary = serde_json::to_value(decoder.summary()).expect("a summary is JSON");
    (out, end, summary)
}

/// The lines of a valid file.
pub(crate) fn lines(file: Vec<u8>) -> Vec<String> {
    let (out, end, _) = read(file, options(Form::Line));
    end.expect("the file is sound");
    out.lines().map(|line| line.trim().to_owned()).collect()
}

/// The objects of a valid file.
pub(crate) fn objects(file: Vec<u8>) -> Vec<Value> {
    let (out, end, _) = read(file, options(Form::Json));
    end.expect("the file is sound");
    out.lines().map(|line| serde_json::from_str(line).expect("an object")).collect()
}

pub(crate) fn summary(file: Vec<u8>) -> Value {
    let (out, end, summary) = read(file, options(Form::Nothing));
    end.expect("the file is sound");
    assert_eq!(out, "");
    summary
}

pub(crate) fn address(bytes: [u8; 4]) -> IpAddr {
    Ipv4Addr::from(bytes).into()
}
