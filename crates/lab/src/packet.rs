//! What travels: a packet of SCTP or a segment of TCP.

use std::mem::offset_of;

use bytes::Bytes;
use manypath_core::{Encode, Packet as _, Via};
use manypath_events::Form;
use manypath_sctp as sctp;
use manypath_tcp as tcp;

/// A packet of either protocol.
///
/// Packets are recycled, and flows of different protocols recycle each other's: one packet keeps the memory of both.
/// The fields lie in memory as they stand here: what a packet with DATA needs of `sctp`, its end, shares a cache line
/// with `protocol`.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub(crate) struct Packet {
    /// The bytes of a packet of SCTP that travels as bytes; of a lost one they stay until the memory is used again.
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
    /// The packet, to be read.
    pub(crate) fn form(&self) -> Form<'_> {
        match self.protocol {
            Protocol::Sctp => Form::Sctp(&self.sctp),
            Protocol::Tcp => Form::Tcp(&self.tcp),
        }
    }

    /// The packet as one of SCTP, to be filled or read.
    #[inline]
    pub(crate) fn sctp_mut(&mut self) -> &mut sctp::Packet {
        self.protocol = Protocol::Sctp;
        &mut self.sctp
    }

    /// The packet as a segment of TCP, to be filled or read.
    #[inline]
    pub(crate) fn tcp_mut(&mut self) -> &mut tcp::Segment {
        self.protocol = Protocol::Tcp;
        &mut self.tcp
    }

    /// Writes the packet of SCTP, which leaves `via`, as the bytes that its receiver will see.
    #[cold]
    pub(crate) fn seal(&mut self, via: Via) {
        let header = usize::from(self.sctp.network_header);
        let mut datagram = Vec::with_capacity(self.sctp.size() - header);
        self.sctp.encode(via, &(), &mut datagram);
        assert_eq!(header + datagram.len(), self.sctp.size(), "{:?}", self.sctp);
        self.datagram = datagram.into();
    }

    /// The packet of SCTP that the bytes say.
    #[cold]
    pub(crate) fn open(&mut self) -> &mut sctp::Packet {
        let (datagram, header) = (std::mem::take(&mut self.datagram), self.sctp.network_header);
        let result = self.sctp.decode(&datagram, header);
        assert_eq!(result, Ok(()), "what is written here can be read");
        &mut self.sctp
    }

    /// What the bytes of a packet of SCTP say after all bits of one byte were turned, and the bytes; that byte counts
    /// from the common header on.
    #[cold]
    pub(crate) fn open_damaged(&mut self, damaged: usize) -> (&sctp::Packet, Bytes) {
        let mut datagram = Vec::from(std::mem::take(&mut self.datagram));
        datagram[damaged] = !datagram[damaged];
        let (datagram, header) = (Bytes::from(datagram), self.sctp.network_header);
        let result = self.sctp.decode(&datagram, header);
        assert_eq!(result.map_err(|error| error.rule), Err(sctp::Rule::Checksum));
        (&self.sctp, datagram)
    }

    /// Number of the protocol in a network header. RFC 9260 §1, RFC 9293 §3.1
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
