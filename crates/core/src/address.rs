//! Addresses of interfaces, and the pair of them that a packet travels between.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};

/// IP address of one interface. IPv4 is stored in the IPv4-mapped form of IPv6 (RFC 4291 §2.5.5.2). Names are never
/// resolved here.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Address(u128);

/// Scope in which an address is valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The host itself: 127.0.0.0/8 and ::1.
    Host,
    /// The local link: 169.254.0.0/16 (RFC 3927) and fe80::/10.
    Link,
    /// Global: all other addresses.
    Global,
}

/// The two addresses of a packet as one endpoint sees them: a sent packet leaves at `local`, a received packet arrived
/// at `local`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Via {
    /// The address of the endpoint's own interface.
    pub local: Address,
    /// The address of the peer's interface.
    pub remote: Address,
}

impl Address {
    /// The IPv6 address with these bits, the most significant first on the wire.
    #[must_use]
    pub const fn from_bits(bits: u128) -> Self {
        Self(bits)
    }

    /// The bits of the IPv6 form.
    #[must_use]
    pub const fn bits(self) -> u128 {
        self.0
    }

    /// The IPv4 address a.b.c.d.
    #[must_use]
    pub const fn v4(a: u8, b: u8, c: u8, d: u8) -> Self {
        Self(V4_MAPPED | u32::from_be_bytes([a, b, c, d]) as u128)
    }

    /// Whether this is an IPv4 address.
    #[must_use]
    pub const fn is_v4(self) -> bool {
        self.0 >> 32 == V4_MAPPED >> 32
    }

    /// Whether the address can belong to one interface: it is neither multicast, broadcast, reserved nor unspecified.
    /// RFC 6890 §2.2
    #[must_use]
    pub const fn is_unicast(self) -> bool {
        if self.is_v4() {
            let first = (self.0 >> 24) as u8;
            first != 0 && first < 224
        } else {
            self.0 != 0 && self.0 >> 120 != 0xff
        }
    }

    /// The scope in which the address is valid.
    #[must_use]
    pub const fn scope(self) -> Scope {
        if self.is_v4() {
            match (self.0 as u32).to_be_bytes() {
                [127, ..] => Scope::Host,
                [169, 254, ..] => Scope::Link,
                _ => Scope::Global,
            }
        } else if self.0 == 1 {
            Scope::Host
        } else if self.0 >> 118 == 0xfe80 >> 6 {
            Scope::Link
        } else {
            Scope::Global
        }
    }

    /// Whether a packet from this address can reach `other`: both have the same address family and the same scope.
    #[must_use]
    pub fn reaches(self, other: Self) -> bool {
        self.is_v4() == other.is_v4() && self.scope() == other.scope()
    }
}

impl Via {
    /// The same pair of addresses as the peer sees it.
    #[must_use]
    pub const fn reversed(self) -> Self {
        Self { local: self.remote, remote: self.local }
    }
}

impl From<IpAddr> for Address {
    fn from(address: IpAddr) -> Self {
        match address {
            IpAddr::V4(v4) => Self(v4.to_ipv6_mapped().to_bits()),
            IpAddr::V6(v6) => Self(v6.to_bits()),
        }
    }
}

impl From<Address> for IpAddr {
    fn from(address: Address) -> Self {
        Self::V6(Ipv6Addr::from_bits(address.0)).to_canonical()
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        IpAddr::from(*self).fmt(f)
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Via {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} -> {}", self.local, self.remote)
    }
}

const V4_MAPPED: u128 = 0xffff_0000_0000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_families_are_formatted_and_parsed_in_standard_notation() {
        assert_eq!(Address::v4(10, 1, 0, 2).to_string(), "10.1.0.2");
        let v6: IpAddr = "2001:db8::1".parse().unwrap();
        assert_eq!(Address::from(v6).to_string(), "2001:db8::1");
        assert!(Address::v4(10, 1, 0, 2).is_v4() && !Address::from(v6).is_v4());
    }

    #[test]
    fn multicast_and_unspecified_addresses_are_not_unicast() {
        let is_unicast = |text: &str| Address::from(text.parse::<IpAddr>().unwrap()).is_unicast();
        for text in ["224.0.0.1", "255.255.255.255", "240.0.0.1", "0.0.0.0", "::", "ff02::1"] {
            assert!(!is_unicast(text), "{text}");
        }
        for text in ["10.0.0.1", "223.255.255.255", "127.0.0.1", "::1", "fe80::1", "2001:db8::1"] {
            assert!(is_unicast(text), "{text}");
        }
    }

    #[test]
    fn an_address_reaches_only_its_own_family_and_scope() {
        let address = |text: &str| Address::from(text.parse::<IpAddr>().unwrap());
        let groups = [
            ["127.0.0.1", "127.9.9.9"],
            ["::1", "::1"],
            ["10.0.0.1", "192.0.2.7"],
            ["169.254.0.1", "169.254.169.254"],
            ["fe80::1", "febf::1"],
            ["2001:db8::1", "fec0::1"],
        ];
        for (i, from) in groups.iter().enumerate() {
            for (j, to) in groups.iter().enumerate() {
                assert_eq!(address(from[0]).reaches(address(to[1])), i == j, "{from:?} {to:?}");
            }
        }
    }

    #[test]
    fn only_169_254_is_link_local_in_ipv4() {
        for global in ["10.0.0.1", "172.16.0.1", "192.168.0.1", "169.253.255.255", "169.255.0.0"] {
            let address = Address::from(global.parse::<IpAddr>().unwrap());
            assert_eq!(address.scope(), Scope::Global, "{global}");
        }
        assert_eq!(Address::v4(169, 254, 0, 0).scope(), Scope::Link);
        assert_eq!(Address::v4(169, 254, 255, 255).scope(), Scope::Link);
    }

    #[test]
    fn an_ipv4_address_equals_its_mapped_form() {
        let plain: IpAddr = "192.0.2.7".parse().unwrap();
        let mapped: IpAddr = "::ffff:192.0.2.7".parse().unwrap();
        assert_eq!(Address::from(plain), Address::from(mapped));
        assert_eq!(Address::from(plain), Address::v4(192, 0, 2, 7));
    }

    #[test]
    fn the_peer_sees_the_addresses_reversed() {
        let via = Via { local: Address::v4(10, 0, 0, 1), remote: Address::v4(10, 0, 0, 2) };
        assert_eq!(via.reversed().to_string(), "10.0.0.2 -> 10.0.0.1");
        assert_eq!(via.reversed().reversed(), via);
    }
}
