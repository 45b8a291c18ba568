//! Captures: every packet of an endpoint in a file that Wireshark and `manypath decode` open.

use std::fs::File;
use std::io;
use std::net::IpAddr;
use std::path::Path;

use manypath_core::{Address, Span, Time, Via};
use manypath_pcapng::background::{self, Background, WriterThread};
use manypath_pcapng::{Writer, ip, udp};

use crate::shared_file::SharedFile;
use crate::socket::{Arrival, Carrier};

/// A capture that is being written, with a thread for the disk: no packet waits for it. Clones write into the same file.
///
/// Sent packets are written as they are handed to the socket, received ones as the socket returns them: each with an IP header
/// and, inside UDP, a UDP header made from its addresses and ports, on an interface that has the name of the local address.
#[derive(Clone, Debug)]
pub struct Capture(SharedFile<File, Open>);

/// A file that is not finished.
#[derive(Debug)]
struct Open {
    writer: Writer<Background>,
    thread: WriterThread,
    /// The interface of each local address.
    interfaces: Vec<(Address, u32)>,
    /// Packets that the disk was too slow for.
    missed: u64,
    /// The packet at hand, kept for its capacity.
    packet: Vec<u8>,
}

impl Capture {
    /// Opens a file, or makes it. What it held is lost as soon as an endpoint is made that writes into it.
    ///
    /// # Errors
    /// If the system does not let it be written.
    pub fn create(file: &Path) -> io::Result<Self> {
        Ok(Self(SharedFile::new(background::open(file)?)))
    }

    /// Waits until everything is in the file, and returns how many packets are missing because the disk was too slow.
    /// Later packets are ignored.
    ///
    /// # Errors
    /// If the system did not take everything.
    pub fn finish(&self) -> io::Result<u64> {
        let Some(open) = self.0.finish() else { return Ok(0) };
        open.writer.finish()?;
        open.thread.finish()?;
        Ok(open.missed)
    }
}

impl Open {
    fn new(file: File) -> Option<Self> {
        let (background, thread) = background::start(file);
        // Memory takes everything
        let writer = Writer::new(background, "SCTP on real sockets").ok()?;
        Some(Self { writer, thread, interfaces: Vec::new(), missed: 0, packet: Vec::new() })
    }

    /// Writes a packet on the interface of `local`; `ports` are those of UDP, if that carried it.
    fn write(&mut self, local: Address, at: Time, via: Via, ports: Option<[u16; 2]>, bytes: &[u8]) {
        if !self.writer.get_mut().has_room() {
            self.missed += 1;
            return;
        }
        self.packet.clear();
        match ports {
            Some(ports) => udp::write(&mut self.packet, via, ports, bytes),
            None => ip::write(&mut self.packet, via, SCTP, |out| out.extend_from_slice(bytes)),
        }
        let interface = self.interface(local);
        // Memory takes everything
        let _ = self.writer.packet(interface, at, &self.packet, None);
    }

    fn interface(&mut self, local: Address) -> u32 {
        if let Some((_, known)) = self.interfaces.iter().find(|(address, _)| *address == local) {
            return *known;
        }
        // Memory takes everything
        let added = self.writer.add_interface(&IpAddr::from(local).to_string()).unwrap_or(0);
        self.interfaces.push((local, added));
        added
    }
}

/// An endpoint's connection to a capture.
#[derive(Debug)]
pub(crate) struct Tap {
    capture: Capture,
    /// The UDP port of the endpoint, if it has one.
    port: Option<u16>,
    /// What to add to the endpoint's time.
    since_1970: Span,
}

impl Tap {
    /// For an endpoint on a UDP port whose time 0 was so long after 1970.
    pub(crate) fn new(capture: Capture, port: Option<u16>, since_1970: Span) -> Self {
        capture.0.begin(Open::new);
        Self { capture, port, since_1970 }
    }

    pub(crate) fn sent(&self, now: Time, via: Via, carrier: Carrier, bytes: &[u8]) {
        let ports = self.ports(carrier);
        let at = now + self.since_1970;
        self.capture.0.while_open(|open| open.write(via.local, at, via, ports, bytes));
    }

    pub(crate) fn received(&self, now: Time, arrival: Arrival<'_>) {
        let Arrival { via, carrier, bytes } = arrival;
        let ports = self.ports(carrier).map(|[own, peer]| [peer, own]);
        let at = now + self.since_1970;
        self.capture.0.while_open(|open| open.write(via.local, at, via.reversed(), ports, bytes));
    }

    /// The UDP ports here and at the peer.
    fn ports(&self, carrier: Carrier) -> Option<[u16; 2]> {
        match carrier {
            Carrier::Raw => None,
            Carrier::Udp(port) => Some([self.port.unwrap_or_default(), port]),
        }
    }
}

/// The number of SCTP as a protocol of IP.
const SCTP: u8 = 132;
