//! Received datagrams, and the memory for them.

use manypath_core::Via;

/// The layer below SCTP between two addresses.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Carrier {
    /// IP, as protocol 132.
    Raw,
    /// UDP, to this port of the peer. RFC 6951
    Udp(u16),
}

/// A received datagram, without its network and UDP headers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival<'a> {
    /// Local address and source.
    pub(crate) via: Via,
    /// The layer below SCTP.
    pub(crate) carrier: Carrier,
    /// The SCTP packet.
    pub(crate) bytes: &'a [u8],
}

impl Arrival<'_> {
    /// The SCTP port to which it is sent; `None` if it is too short. RFC 9260 §3.1
    #[inline]
    pub(crate) fn destination_port(&self) -> Option<u16> {
        match *self.bytes {
            [_, _, high, low, ..] => Some(u16::from_be_bytes([high, low])),
            _ => None,
        }
    }

    /// Length in bytes from the IP header on, without IP options.
    pub(crate) fn network_length(&self) -> u32 {
        let ip = if std::net::IpAddr::from(self.via.local).is_ipv4() { 20 } else { 40 };
        let udp = if matches!(self.carrier, Carrier::Udp(_)) { 8 } else { 0 };
        ip + udp + self.bytes.len() as u32
    }
}

/// Memory for received datagrams: several buffers, each with one or several datagrams of equal size.
#[derive(Debug, Default)]
pub(crate) struct Buffers {
    pub(super) bytes: Vec<u8>,
    pub(super) filled: Vec<Filled>,
}

/// The content of one buffer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Filled {
    pub(super) via: Via,
    pub(super) carrier: Carrier,
    /// Bytes before the first datagram.
    pub(super) start: usize,
    /// Bytes of all datagrams.
    pub(super) length: usize,
    /// Bytes of each datagram except the last.
    pub(super) stride: usize,
}

impl Buffers {
    pub(crate) fn new() -> Self {
        Self { bytes: vec![0; BUFFERS * BUFFER], filled: Vec::with_capacity(BUFFERS) }
    }

    /// The datagrams of the last call.
    pub(crate) fn arrivals(&self) -> impl Iterator<Item = Arrival<'_>> {
        let buffers = self.bytes.chunks_exact(BUFFER);
        self.filled.iter().zip(buffers).flat_map(|(&filled, buffer)| {
            let Filled { via, carrier, start, length, stride } = filled;
            let datagrams = buffer[start..start + length].chunks(stride.max(1));
            datagrams.map(move |bytes| Arrival { via, carrier, bytes })
        })
    }
}

/// Largest number of buffers that one call fills.
pub(super) const BUFFERS: usize = 16;
/// Size of a buffer in bytes: the largest datagram, or the largest GRO segment.
pub(super) const BUFFER: usize = 1 << 16;
