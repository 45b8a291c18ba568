//! Error causes: why ABORT or ERROR was sent. RFC 9260 §3.3.10

use bytes::Bytes;
use manypath_core::{Address, Tsn};

use super::{PARAMETER_HEADER, padded};

/// Error causes that ABORT and ERROR carry. RFC 9260 §3.3.10
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Cause {
    /// A DATA chunk named a stream that does not exist (1). RFC 9260 §3.3.10.1
    InvalidStream(u16),
    /// INIT or INIT ACK lacks mandatory parameters of these types (2). RFC 9260 §3.3.10.2
    MissingParameters(Vec<u16>),
    /// The cookie was older than its lifetime by so many microseconds (3). RFC 9260 §3.3.10.3
    StaleCookie(u32),
    /// The endpoint has no room for another association (4). RFC 9260 §3.3.10.4
    OutOfResource,
    /// An address cannot be used; the whole parameter, header included (5). RFC 9260 §3.3.10.5
    UnresolvableAddress(Bytes),
    /// The type of a chunk is not known; the whole chunk, header included (6). RFC 9260 §3.3.10.6
    UnrecognizedChunk(Bytes),
    /// A mandatory parameter holds a value that cannot be (7). RFC 9260 §3.3.10.7
    InvalidMandatoryParameter,
    /// The types of parameters of INIT ACK are not known; the whole parameters, headers included (8).
    /// RFC 9260 §3.3.10.8
    UnrecognizedParameters(Bytes),
    /// A DATA chunk without a byte of data (9). RFC 9260 §3.3.10.9
    NoUserData(Tsn),
    /// COOKIE ECHO arrived while the association shuts down (10). RFC 9260 §3.3.10.10
    CookieWhileShuttingDown,
    /// A restart named addresses that the association did not have (11). RFC 9260 §3.3.10.11
    RestartWithNewAddresses(Vec<Address>),
    /// The user ended the association, perhaps with a reason (12). RFC 9260 §3.3.10.12
    UserInitiated(Bytes),
    /// The peer broke the protocol; perhaps with more about it (13). RFC 9260 §3.3.10.13
    ProtocolViolation(Bytes),
    /// A cause of another specification, or one whose content cannot be read.
    Other {
        /// The code.
        code: u16,
        /// What follows the header of the cause.
        info: Bytes,
    },
}

impl Cause {
    /// Bytes of the cause without padding behind it.
    pub(super) fn length(&self) -> usize {
        PARAMETER_HEADER
            + match self {
                Self::OutOfResource
                | Self::InvalidMandatoryParameter
                | Self::CookieWhileShuttingDown => 0,
                Self::InvalidStream(_) | Self::StaleCookie(_) | Self::NoUserData(_) => 4,
                Self::MissingParameters(types) => 4 + 2 * types.len(),
                Self::RestartWithNewAddresses(addresses) => length_of_addresses(addresses),
                Self::UnresolvableAddress(bytes)
                | Self::UnrecognizedChunk(bytes)
                | Self::UnrecognizedParameters(bytes)
                | Self::UserInitiated(bytes)
                | Self::ProtocolViolation(bytes)
                | Self::Other { info: bytes, .. } => bytes.len(),
            }
    }
}

/// Bytes of addresses as parameters, which need no padding.
pub(super) fn length_of_addresses(addresses: &[Address]) -> usize {
    let length = |address: &Address| if address.is_v4() { 4 } else { 16 };
    addresses.iter().map(|address| padded(PARAMETER_HEADER + length(address))).sum()
}
