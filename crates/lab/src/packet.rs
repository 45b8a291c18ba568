//! The packet of the simulated network: an SCTP packet or a TCP segment.

use std::mem::offset_of;
use std::net::IpAddr;

use bytes::Bytes;
use manypath_core::{Encode, Packet as _, Via};
use manypath_events::Form;
use manypath_sctp as sctp;
use manypath_tcp as tcp;

/// A packet of either protocol.
///
/// Packets are recycled among flows of both protocols, so a packet keeps the memory of both. The order of the fields is
/// the order in memory: the part of `sctp` that a packet with DATA needs, its end, shares a cache line with `protocol`.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub(crate) struct Packet {
    /// The encoded SCTP packet, if packets are encoded. The bytes of a lost packet remain until its memory is reused.
    datagram: Bytes,
    sctp: sctp::Packet,
    protocol: Protocol,
    tcp: tcp::Segment,
}

const _: () = assert!(
    (offset_of!(Packet, sctp) + offset_of!(sctp::Packet, source_port)) / 64
        == offset_of!(Packet, protocol) / 64,
    "what a packet with DATA needs fills one cache line"
);

/// Which part of a packet is in use.
#[derive(Clone, Copy, Debug, Default)]
enum Protocol {
    #[default]
    Sctp,
    Tcp,
}

impl Packet {
    /// The packet, for reading.
    pub(crate) fn form(&self) -> Form<'_> {
        match self.protocol {
            Protocol::Sctp => Form::Sctp(&self.sctp),
            Protocol::Tcp => Form::Tcp(&self.tcp),
        }
    }

    /// The packet as an SCTP packet, for filling or reading.
    #[inline]
    pub(crate) fn sctp_mut(&mut self) -> &mut sctp::Packet {
        self.protocol = Protocol::Sctp;
        &mut self.sctp
    }

    /// The packet as a TCP segment, for filling or reading.
    #[inline]
    pub(crate) fn tcp_mut(&mut self) -> &mut tcp::Segment {
        self.protocol = Protocol::Tcp;
        &mut self.tcp
    }

    /// Encodes the SCTP packet, which is sent via `via`, to the bytes that its receiver will decode.
    #[cold]
    pub(crate) fn seal(&mut self, via: Via) {
        let header = usize::from(self.sctp.network_header);
        let mut datagram = Vec::with_capacity(self.sctp.size() - header);
        self.sctp.encode(via, &(), &mut datagram);
        assert_eq!(header + datagram.len(), self.sctp.size(), "{:?}", self.sctp);
        self.datagram = datagram.into();
    }

    /// Decodes the SCTP packet from its bytes.
    #[cold]
    pub(crate) fn open(&mut self) -> &mut sctp::Packet {
        let (datagram, header) = (std::mem::take(&mut self.datagram), self.sctp.network_header);
        let result = self.sctp.decode(&datagram, header);
        assert_eq!(result, Ok(()), "what is written here can be read");
        &mut self.sctp
    }

    /// Decodes the SCTP packet after all bits of the byte at offset `damaged`, counted from the common header on, were
    /// inverted; returns the packet and its bytes.
    #[cold]
    pub(crate) fn open_damaged(&mut self, damaged: usize) -> (&sctp::Packet, Bytes) {
        let mut datagram = Vec::from(std::mem::take(&mut self.datagram));
        datagram[damaged] = !datagram[damaged];
        let (datagram, header) = (Bytes::from(datagram), self.sctp.network_header);
        let result = self.sctp.decode(&datagram, header);
        assert_eq!(result.map_err(|error| error.rule), Err(sctp::Rule::Checksum));
        (&self.sctp, datagram)
    }

    /// Whether the packet, which is sent via `via`, is encapsulated in UDP. RFC 6951
    pub(crate) fn is_in_udp(&self, via: Via) -> bool {
        let header = if IpAddr::from(via.local).is_ipv4() { 20 } else { 40 };
        matches!(self.protocol, Protocol::Sctp) && self.sctp.network_header > header
    }

    /// Protocol number for the network header. RFC 9260 §1, RFC 9293 §3.1
    pub(crate) fn protocol_number(&self) -> u8 {
        match self.protocol {
            Protocol::Sctp => 132,
            Protocol::Tcp => 6,
        }
    }
}

impl manypath_core::Packet for Packet {
    #[inline]
    fn size(&self) -> usize {
        match self.protocol {
            Protocol::Sctp => self.sctp.size(),
            Protocol::Tcp => self.tcp.size(),
        }
    }

    #[inline]
    fn clear(&mut self) {
        match self.protocol {
            Protocol::Sctp => self.sctp.clear(),
            Protocol::Tcp => self.tcp.clear(),
        }
    }
}

impl Encode for Packet {
    type Memory = tcp::Handshakes;

    fn note(&self, via: Via, handshakes: &mut tcp::Handshakes) {
        match self.protocol {
            Protocol::Sctp => {}
            Protocol::Tcp => self.tcp.note(via, handshakes),
        }
    }

    fn encode(&self, via: Via, handshakes: &tcp::Handshakes, out: &mut Vec<u8>) {
        match self.protocol {
            Protocol::Sctp => self.sctp.encode(via, &(), out),
            Protocol::Tcp => self.tcp.encode(via, handshakes, out),
        }
    }
}
