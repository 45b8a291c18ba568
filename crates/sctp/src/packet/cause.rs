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
    /// The cookie expired this many microseconds ago (3). RFC 9260 §3.3.10.3
    StaleCookie(u32),
    /// The endpoint lacks the resources for another association (4). RFC 9260 §3.3.10.4
    OutOfResource,
    /// An address cannot be used; the whole parameter, header included (5). RFC 9260 §3.3.10.5
    UnresolvableAddress(Bytes),
    /// The chunk type is unknown; the whole chunk, header included (6). RFC 9260 §3.3.10.6
    UnrecognizedChunk(Bytes),
    /// A mandatory parameter has an invalid value (7). RFC 9260 §3.3.10.7
    InvalidMandatoryParameter,
    /// Parameters of INIT ACK with unknown types; the whole parameters, headers included (8). RFC 9260 §3.3.10.8
    UnrecognizedParameters(Bytes),
    /// A DATA chunk without user data, with its TSN (9). RFC 9260 §3.3.10.9
    NoUserData(Tsn),
    /// COOKIE ECHO arrived while the association was shutting down (10). RFC 9260 §3.3.10.10
    CookieWhileShuttingDown,
    /// A restart listed addresses that the association did not have (11). RFC 9260 §3.3.10.11
    RestartWithNewAddresses(Vec<Address>),
    /// The application ended the association; an optional reason (12). RFC 9260 §3.3.10.12
    UserInitiated(Bytes),
    /// The peer violated the protocol; optional details (13). RFC 9260 §3.3.10.13
    ProtocolViolation(Bytes),
    /// A cause of another specification, or one with unreadable content.
    Other {
        /// The code.
        code: u16,
        /// The bytes after the header of the cause.
        info: Bytes,
    },
}

impl Cause {
    /// A restart that listed these new addresses; those beyond `room` bytes are omitted. RFC 9260 §5.2.2
    pub(crate) fn restart(mut addresses: Vec<Address>, room: usize) -> Self {
        while PARAMETER_HEADER + length_of_addresses(&addresses) > room && addresses.len() > 1 {
            addresses.pop();
        }
        Self::RestartWithNewAddresses(addresses)
    }

    /// Length of the cause in bytes, without padding.
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

/// Length of addresses as parameters, in bytes. They need no padding.
pub(super) fn length_of_addresses(addresses: &[Address]) -> usize {
    let length = |address: &Address| if address.is_v4() { 4 } else { 16 };
    addresses.iter().map(|address| padded(PARAMETER_HEADER + length(address))).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_restart_names_the_new_addresses_that_fit() {
        let addresses = [Address::v4(10, 0, 0, 1), Address::from_bits(7), Address::v4(10, 0, 0, 2)];
        for (room, count) in [(500, 3), (40, 3), (39, 2), (32, 2), (31, 1), (0, 1)] {
            let cause = Cause::restart(addresses.to_vec(), room);
            assert_eq!(cause, Cause::RestartWithNewAddresses(addresses[..count].to_vec()));
            assert!(cause.length() <= room.max(12), "{room}");
        }
    }
}
