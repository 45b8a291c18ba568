//! The addresses of a peer.

use std::net::IpAddr;

use crate::socket::Carrier;

/// The addresses and ports of a peer.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Peer {
    pub(crate) addresses: Vec<IpAddr>,
    pub(crate) port: u16,
    pub(crate) carrier: Carrier,
}

impl Peer {
    /// The UDP port assigned to SCTP encapsulation. RFC 6951 §4.1
    pub const ENCAPSULATION_PORT: u16 = 9899;

    /// A peer at `addresses` with the SCTP port `port`, by UDP encapsulation to port 9899.
    ///
    /// The first address is that of the primary path. The peer may announce further addresses when it answers. An
    /// association has at most 16 paths; further ones are omitted.
    pub fn new<I>(addresses: I, port: u16) -> Self
    where
        I: IntoIterator,
        I::Item: Into<IpAddr>,
    {
        let addresses = addresses.into_iter().map(Into::into).collect();
        Self { addresses, port, carrier: Carrier::Udp(Self::ENCAPSULATION_PORT) }
    }

    /// The same peer with another UDP port.
    #[must_use]
    pub fn encapsulation(self, udp_port: u16) -> Self {
        Self { carrier: Carrier::Udp(udp_port), ..self }
    }

    /// The same peer without UDP: packets are sent directly in IP, as protocol 132. The endpoint needs
    /// [`Builder::raw`](crate::Builder::raw).
    #[must_use]
    pub fn raw(self) -> Self {
        Self { carrier: Carrier::Raw, ..self }
    }
}
