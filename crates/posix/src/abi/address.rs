//! Socket addresses: `sockaddr_in`, `sockaddr_in6`, and their arrays.

use super::Layout;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV6};

/// A `struct sockaddr_storage`: an IPv4 or IPv6 address, or none (`AF_UNSPEC` and other families).
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Address(pub Option<SocketAddr>);

impl From<SocketAddr> for Address {
    fn from(address: SocketAddr) -> Self {
        Self(Some(address))
    }
}

impl Layout for Address {
    const SIZE: usize = 128;
    const ALIGN: usize = 8;

    fn put(&self, bytes: &mut [u8]) {
        bytes.fill(0);
        if let Some(address) = self.0 {
            let encoded = encode(address);
            bytes[..encoded.len()].copy_from_slice(&encoded);
        }
    }

    fn take(bytes: &[u8]) -> Self {
        Self(decode(bytes).map(|(address, _)| address))
    }
}

/// The length of `struct sockaddr_in`.
pub const LENGTH_V4: usize = 16;
/// The length of `struct sockaddr_in6`.
pub const LENGTH_V6: usize = 28;
/// The length of an address of this family in bytes; none for families other than IPv4 and IPv6.
#[must_use]
pub const fn length(family: u16) -> Option<usize> {
    match family {
        INET => Some(LENGTH_V4),
        INET6 => Some(LENGTH_V6),
        _ => None,
    }
}

/// `AF_INET`.
pub const INET: u16 = libc::AF_INET as u16;
/// `AF_INET6`.
pub const INET6: u16 = libc::AF_INET6 as u16;

/// The `struct sockaddr_in` or `struct sockaddr_in6` of `address`.
#[must_use]
pub fn encode(address: SocketAddr) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(LENGTH_V6);
    match address {
        SocketAddr::V4(v4) => {
            bytes.extend_from_slice(&INET.to_ne_bytes());
            bytes.extend_from_slice(&v4.port().to_be_bytes());
            bytes.extend_from_slice(&v4.ip().octets());
            bytes.resize(LENGTH_V4, 0);
        }
        SocketAddr::V6(v6) => {
            bytes.extend_from_slice(&INET6.to_ne_bytes());
            bytes.extend_from_slice(&v6.port().to_be_bytes());
            bytes.extend_from_slice(&v6.flowinfo().to_be_bytes());
            bytes.extend_from_slice(&v6.ip().octets());
            bytes.extend_from_slice(&v6.scope_id().to_ne_bytes());
        }
    }
    bytes
}

/// The address at the start of `bytes` and its length, or none for other families and too few bytes.
#[must_use]
pub fn decode(bytes: &[u8]) -> Option<(SocketAddr, usize)> {
    let family = u16::decode(bytes)?;
    if family == INET {
        let bytes = bytes.get(..LENGTH_V4)?;
        let ip: [u8; 4] = bytes[4..8].try_into().ok()?;
        Some((SocketAddr::from((Ipv4Addr::from(ip), port(bytes))), LENGTH_V4))
    } else if family == INET6 {
        let bytes = bytes.get(..LENGTH_V6)?;
        let ip: [u8; 16] = bytes[8..24].try_into().ok()?;
        let flow = u32::from_be(u32::decode(&bytes[4..])?);
        let scope = u32::decode(&bytes[24..])?;
        let v6 = SocketAddrV6::new(Ipv6Addr::from(ip), port(bytes), flow, scope);
        Some((v6.into(), LENGTH_V6))
    } else {
        None
    }
}

/// The addresses of `addresses` one after the other, as `sctp_bindx` and `sctp_getpaddrs` have them.
#[must_use]
pub fn encode_all(addresses: &[SocketAddr]) -> Vec<u8> {
    addresses.iter().flat_map(|address| encode(*address)).collect()
}

/// The addresses that are one after the other in `bytes`, or none if a byte belongs to none.
#[must_use]
pub fn decode_all(mut bytes: &[u8]) -> Option<Vec<SocketAddr>> {
    let mut addresses = Vec::new();
    while !bytes.is_empty() {
        let (address, length) = decode(bytes)?;
        addresses.push(address);
        bytes = &bytes[length..];
    }
    Some(addresses)
}

/// An IPv4 address as an IPv6 socket shows it (`::ffff:192.0.2.1`), if `family` is [`INET6`].
#[must_use]
pub fn in_family(address: SocketAddr, family: u16) -> SocketAddr {
    match address.ip() {
        IpAddr::V4(ip) if family == INET6 => (ip.to_ipv6_mapped(), address.port()).into(),
        _ => address,
    }
}

fn port(bytes: &[u8]) -> u16 {
    u16::from_be_bytes([bytes[2], bytes[3]])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> SocketAddr {
        text.parse().expect("an address")
    }

    #[test]
    fn the_bytes_of_an_address_are_those_of_the_manual() {
        // ip(7), ipv6(7): family in host order; port and address in network order
        let [low, high] = INET.to_ne_bytes();
        assert_eq!(
            encode(address("192.0.2.1:5001")),
            [low, high, 0x13, 0x89, 192, 0, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0]
        );
        let v6 = encode(address("[2001:db8::1]:5001"));
        assert_eq!(v6[2..4], [0x13, 0x89]);
        assert_eq!(v6[8..24], [0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
    }

    #[test]
    fn arrays_of_addresses_are_packed() {
        let addresses =
            [address("192.0.2.1:7"), address("[2001:db8::1%3]:7"), address("10.0.0.1:0")];
        let bytes = encode_all(&addresses);
        assert_eq!(bytes.len(), LENGTH_V4 + LENGTH_V6 + LENGTH_V4);
        assert_eq!(decode_all(&bytes).as_deref(), Some(&addresses[..]));
        assert_eq!(decode_all(&bytes[..bytes.len() - 1]), None);
    }

    #[test]
    fn an_unknown_family_has_no_address() {
        assert_eq!(decode(&[0; 16]), None);
        assert_eq!(decode(&[2]), None);
        assert_eq!(Address::decode(&[0; 128]), Some(Address(None)));
    }

    #[test]
    fn an_ipv6_socket_shows_mapped_ipv4_addresses() {
        assert_eq!(in_family(address("192.0.2.1:7"), INET6), address("[::ffff:192.0.2.1]:7"));
        assert_eq!(in_family(address("192.0.2.1:7"), INET), address("192.0.2.1:7"));
    }
}
