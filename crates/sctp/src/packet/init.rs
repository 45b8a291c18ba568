//! The body of INIT and INIT ACK, and the extensions that it offers. RFC 9260 §3.3.2, §3.3.3

use bytes::Bytes;
use manypath_core::{Address, Tsn};

use super::cause::length_of_addresses;
use super::{PARAMETER_HEADER, padded};

/// The body of INIT and INIT ACK. RFC 9260 §3.3.2, §3.3.3
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Init {
    /// Verification tag for packets to the sender of this chunk; never 0.
    pub tag: u32,
    /// Advertised receive window in bytes.
    pub window: u32,
    /// Number of outbound streams that the sender wants.
    pub outbound_streams: u16,
    /// Largest number of inbound streams that the sender accepts.
    pub inbound_streams: u16,
    /// TSN of the first DATA chunk.
    pub initial_tsn: Tsn,
    /// All addresses of the sender in its order; empty if the source address of the packet is the only one.
    pub addresses: Vec<Address>,
    /// Whether the sender supports NR-SACK (Supported Extensions lists type 0x10).
    pub nr_sack: bool,
    /// Whether the sender supports packet drop reports (Supported Extensions lists type 0x81).
    pub packet_drop_reports: bool,
    /// State cookie; only in INIT ACK.
    pub cookie: Option<Bytes>,
    /// Other offers and requests of the sender; `None` in an INIT of this stack.
    pub offers: Option<Box<Offers>>,
    /// Only in INIT ACK: unrecognised parameters of the INIT, with their headers. RFC 9260 §3.3.3
    pub reported: Vec<Bytes>,
    /// Parameters of this chunk that this stack does not recognise and must report, with their headers. Only in decoded
    /// chunks; never sent. RFC 9260 §3.2.1
    pub unrecognized: Vec<Bytes>,
}

/// Parameters of INIT and INIT ACK that offer an extension or make a request.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Offers {
    /// Types of other chunks that the sender supports, except those with fields in [`Init`]. RFC 5061 §4.2.7
    pub extensions: Vec<u8>,
    /// The sender supports ECN (0x8000). RFC 4960 appendix A
    pub ecn: bool,
    /// The sender supports FORWARD TSN (0xC000). RFC 3758 §3.1
    pub forward_tsn: bool,
    /// The sender accepts packets with a zero checksum; the number of its error detection method (0x8001). RFC 9653
    pub zero_checksum: Option<u32>,
    /// Random number for authentication (0x8002). RFC 4895 §3.1
    pub random: Option<Bytes>,
    /// Types of chunks that must be authenticated (0x8003). RFC 4895 §3.2
    pub authenticated: Option<Bytes>,
    /// Identifiers of hash functions, two bytes each (0x8004). RFC 4895 §3.3
    pub hashes: Option<Bytes>,
    /// Address types that the sender supports (12); `None` means all. RFC 9260 §3.3.2
    pub address_types: Option<Vec<u16>>,
    /// Requested extension of the cookie's lifetime in milliseconds (9). RFC 9260 §3.3.2
    pub cookie_preservative: Option<u32>,
    /// Adaptation layer indication (0xC006). RFC 5061 §4.2.6
    pub adaptation: Option<u32>,
    /// A host name address, with its parameter header (11): the chunk must be refused. RFC 9260 §3.3.2
    pub host_name: Option<Bytes>,
}

impl Init {
    /// Length of the chunk's value in bytes, with the padding of all parameters.
    pub(super) fn length(&self) -> usize {
        let listed = self.offers.as_ref().map_or(0, |offers| offers.extensions.len());
        let types = usize::from(self.nr_sack) + usize::from(self.packet_drop_reports) + listed;
        let extensions = if types > 0 { parameter(types) } else { 0 };
        let reported: usize = self.reported.iter().map(|known| parameter(known.len())).sum();
        let cookie = self.cookie.as_ref().map_or(0, |cookie| parameter(cookie.len()));
        let offers = self.offers.as_ref().map_or(0, |offers| offers.length());
        INIT_BODY + length_of_addresses(&self.addresses) + extensions + offers + reported + cookie
    }

    /// Adds reports of the unrecognised parameters of an INIT to this INIT ACK, as long as the chunk has at most `room`
    /// bytes. RFC 9260 §3.2.1
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
    /// Length of all parameters except Supported Extensions, in bytes.
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

/// Length of a parameter with a value of this length, padding included.
const fn parameter(value: usize) -> usize {
    padded(PARAMETER_HEADER + value)
}

const INIT_BODY: usize = 16;
