//! The body of INIT and INIT ACK, and what its parameters offer. RFC 9260 §3.3.2, §3.3.3

use bytes::Bytes;
use manypath_core::{Address, Tsn};

use super::cause::length_of_addresses;
use super::{PARAMETER_HEADER, padded};

/// The body of INIT and INIT ACK. RFC 9260 §3.3.2, §3.3.3
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Init {
    /// Tag that the receiver of this chunk puts into every packet; never 0.
    pub tag: u32,
    /// Advertised receive window in bytes.
    pub window: u32,
    /// Streams that the sender wants to send on.
    pub outbound_streams: u16,
    /// Streams that the sender accepts at most.
    pub inbound_streams: u16,
    /// TSN of the first DATA chunk.
    pub initial_tsn: Tsn,
    /// All addresses of the sender in its own order; none if the packet's source address is the only one.
    pub addresses: Vec<Address>,
    /// Whether the sender understands NR-SACK (Supported Extensions lists type 0x10).
    pub nr_sack: bool,
    /// Whether the sender understands packet drop reports (Supported Extensions lists type 0x81).
    pub packet_drop_reports: bool,
    /// State cookie, INIT ACK only.
    pub cookie: Option<Bytes>,
    /// What else the sender offers or asks for; none in an INIT of this stack.
    pub offers: Option<Box<Offers>>,
    /// INIT ACK only: parameters of the INIT that its receiver did not know, each complete with its header.
    /// RFC 9260 §3.3.3
    pub reported: Vec<Bytes>,
    /// Parameters of this chunk that are not known here and whose sender wants to be told, each complete with its header.
    /// A chunk that was read has them; they are never sent. RFC 9260 §3.2.1
    pub unrecognized: Vec<Bytes>,
}

/// Parameters of INIT and INIT ACK by which the sender offers an extension or asks for something.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Offers {
    /// Types of further chunks that the sender understands, apart from those that are fields of [`Init`].
    /// RFC 5061 §4.2.7
    pub extensions: Vec<u8>,
    /// The sender can mark congestion (0x8000). RFC 4960 appendix A
    pub ecn: bool,
    /// The sender understands FORWARD TSN (0xC000). RFC 3758 §3.1
    pub forward_tsn: bool,
    /// The sender accepts packets whose checksum is zero, by this method (0x8001). RFC 9653
    pub zero_checksum: Option<u32>,
    /// Random number for authentication (0x8002). RFC 4895 §3.1
    pub random: Option<Bytes>,
    /// Types of chunks that must be authenticated (0x8003). RFC 4895 §3.2
    pub authenticated: Option<Bytes>,
    /// Identifiers of hash functions, two bytes each (0x8004). RFC 4895 §3.3
    pub hashes: Option<Bytes>,
    /// Types of addresses that the sender can use (12); all if it says nothing. RFC 9260 §3.3.2
    pub address_types: Option<Vec<u16>>,
    /// By how many milliseconds the cookie should live longer (9). RFC 9260 §3.3.2
    pub cookie_preservative: Option<u32>,
    /// Indication of the layer above (0xC006). RFC 5061 §4.2.6
    pub adaptation: Option<u32>,
    /// A host name address, the whole parameter with its header (11): the chunk must be refused. RFC 9260 §3.3.2
    pub host_name: Option<Bytes>,
}

impl Init {
    /// Bytes of the chunk's value; padding behind every parameter counts.
    pub(super) fn length(&self) -> usize {
        let listed = self.offers.as_ref().map_or(0, |offers| offers.extensions.len());
        let types = usize::from(self.nr_sack) + usize::from(self.packet_drop_reports) + listed;
        let extensions = if types > 0 { parameter(types) } else { 0 };
        let reported: usize = self.reported.iter().map(|known| parameter(known.len())).sum();
        let cookie = self.cookie.as_ref().map_or(0, |cookie| parameter(cookie.len()));
        let offers = self.offers.as_ref().map_or(0, |offers| offers.length());
        INIT_BODY + length_of_addresses(&self.addresses) + extensions + offers + reported + cookie
    }

    /// Reports parameters of the INIT that this INIT ACK answers, as far as the chunk stays within `room` bytes.
    /// RFC 9260 §3.2.1
    pub(crate) fn report(&mut self, unrecognized: Vec<Bytes>, room: usize) {
        for whole in unrecognized {
            if self.length() + parameter(whole.len()) > room {
                return;
            }
            self.reported.push(whole);
        }
    }
}

impl Offers {
    /// Bytes of all parameters but Supported Extensions.
    fn length(&self) -> usize {
        let number = |number: &Option<u32>| number.map_or(0, |_| parameter(4));
        let bytes =
            |bytes: &Option<Bytes>| bytes.as_ref().map_or(0, |bytes| parameter(bytes.len()));
        let flag = |flag| if flag { parameter(0) } else { 0 };
        let types = self.address_types.as_ref().map_or(0, |types| parameter(2 * types.len()));
        flag(self.ecn)
            + flag(self.forward_tsn)
            + number(&self.zero_checksum)
            + number(&self.cookie_preservative)
            + number(&self.adaptation)
            + bytes(&self.random)
            + bytes(&self.authenticated)
            + bytes(&self.hashes)
            + types
            + self.host_name.as_ref().map_or(0, |whole| padded(whole.len()))
    }
}

/// Bytes of a parameter with a value of so many bytes, padding included.
const fn parameter(value: usize) -> usize {
    padded(PARAMETER_HEADER + value)
}

const INIT_BODY: usize = 16;
