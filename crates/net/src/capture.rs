//! Captures: every packet of an endpoint, in a file for Wireshark and `manypath decode`.

use std::fs::File;
use std::io;
use std::net::IpAddr;
use std::path::Path;

use manypath_core::{Address, Span, Time, Via};
use manypath_pcapng::background::{self, Background, WriterThread};
use manypath_pcapng::{Writer, ip, output_file, udp};

use crate::shared_file::SharedFile;
use crate::socket::{Arrival, Carrier};

/// A running capture. A thread writes the file, so that no packet waits for the disk. Clones write into the same file.
///
/// Sent packets are written when they are passed to the socket, received ones when the socket returns them. Each has an
/// IP header, and with encapsulation a UDP header, built from its addresses and ports. The capture has one interface
/// per local address, which is its name.
#[derive(Clone, Debug)]
pub struct Capture(SharedFile<File, Open>);

/// An open file.
#[derive(Debug)]
struct Open {
    writer: Writer<Background>,
    thread: WriterThread,
    /// The interface of each local address.
    interfaces: Vec<(Address, u32)>,
    /// Packets that were dropped because the disk was too slow.
    missed: u64,
    /// The current packet; kept to reuse its memory.
    packet: Vec<u8>,
}

impl Capture {
    /// Opens or creates a file. It is truncated when the first endpoint that writes to it is created.
    ///
    /// # Errors
    /// If the file cannot be opened for writing.
    pub fn create(file: &Path) -> io::Result<Self> {
        Ok(Self(SharedFile::new(background::open(file)?)))
    }

    /// Whether a capture may be written to `file`: it does not exist, is empty, is a device or a pipe, or is a capture of
    /// manypath.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn may_replace(file: &Path) -> io::Result<bool> {
        output_file::may_replace(file, manypath_pcapng::is_ours)
    }

    /// Waits until all packets are written, and returns the number of packets that are missing because the disk was too
    /// slow. Later packets are ignored.
    ///
    /// # Errors
    /// If writing failed.
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
        // Writing to memory cannot fail
        let writer = Writer::new(background, "SCTP on real sockets").ok()?;
        Some(Self { writer, thread, interfaces: Vec::new(), missed: 0, packet: Vec::new() })
    }

    /// Writes a packet on the interface of `local`; `ports` are the UDP ports, if it was encapsulated.
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
        // Writing to memory cannot fail
        let _ = self.writer.packet(interface, at, &self.packet, None);
    }

    fn interface(&mut self, local: Address) -> u32 {
        if let Some((_, known)) = self.interfaces.iter().find(|(address, _)| *address == local) {
            return *known;
        }
        // Writing to memory cannot fail
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
    /// Offset between the host's time and Unix time.
    since_1970: Span,
}

impl Tap {
    /// A tap for an endpoint on a UDP port; `since_1970` is the Unix time at the host's time 0.
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

    /// The local and the peer's UDP port.
    fn ports(&self, carrier: Carrier) -> Option<[u16; 2]> {
        match carrier {
            Carrier::Raw => None,
            Carrier::Udp(port) => Some([self.port.unwrap_or_default(), port]),
        }
    }
}

/// The IP protocol number of SCTP.
const SCTP: u8 = 132;
