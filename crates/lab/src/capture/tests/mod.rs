//! Captures of each protocol, checked with tshark as an independent decoder.

mod sctp;
mod tcp;

use std::io::Write;
use std::net::IpAddr;
use std::process::{Command, Stdio};

use manypath_core::{Address, Encode, Time, Via};

use super::{ip, pcapng};

/// The fields that tshark decodes in each packet: one line per packet, bars between fields, commas between the values
/// of one field.
fn dissect(file: &[u8], fields: &[&str]) -> Vec<String> {
    let mut tshark = Command::new("tshark")
        .args(["-r", "-", "-o", "sctp.checksum:CRC 32c", "-o", "tcp.check_checksum:TRUE"])
        .args(["-o", "mptcp.analyze_mappings:TRUE"])
        .args(["-T", "fields", "-E", "separator=|"])
        .args(fields.iter().flat_map(|field| ["-e", field]))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect(
            "this test needs tshark: .ci/prepare --tests installs it, or apt-get install tshark",
        );
    let mut stdin = tshark.stdin.take().expect("a pipe");
    stdin.write_all(file).expect("tshark reads its input");
    drop(stdin);
    let output = tshark.wait_with_output().expect("tshark ends");
    let text = String::from_utf8(output.stdout).expect("tshark writes text");
    text.lines().map(str::to_owned).collect()
}

/// A capture of packets of a protocol at intervals of a millisecond.
fn file<'a, P: Encode + 'a>(protocol: u8, packets: impl Iterator<Item = (Via, &'a P)>) -> Vec<u8> {
    let mut out = Vec::new();
    let mut writer = pcapng::Writer::new(&mut out, "samples").expect("memory");
    let interface = writer.add_interface("link").expect("memory");
    let mut memory = P::Memory::default();
    for (number, (via, packet)) in packets.enumerate() {
        let mut bytes = Vec::new();
        packet.note(via, &mut memory);
        ip::write(&mut bytes, via, protocol, |out| packet.encode(via, &memory, out));
        let at = Time::from_nanos(number as u64 * 1_000_000);
        writer.packet(interface, at, &bytes, None).expect("memory");
    }
    writer.finish().expect("memory");
    out
}

/// A pair of addresses of each IP version.
fn vias() -> [Via; 2] {
    let address = |text: &str| Address::from(text.parse::<IpAddr>().expect("an address"));
    [["10.0.0.1", "10.0.1.2"], ["2001:db8::1", "2001:db8::2"]]
        .map(|[local, remote]| Via { local: address(local), remote: address(remote) })
}

/// tshark's value for a right checksum.
const SOUND: &str = "1";
