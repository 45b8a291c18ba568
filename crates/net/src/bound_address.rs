//! Local addresses as users write them, with an interface if they belong to one.

use std::net::IpAddr;
use std::str::FromStr;

use thiserror::Error;

/// A local address, and the interface whose packets it sends and receives: `192.0.2.7` or `192.0.2.7%eth0`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct BoundAddress {
    /// The address.
    pub address: IpAddr,
    /// The name of the interface, as in [`Builder::interface`](crate::Builder::interface).
    pub interface: Option<String>,
}

/// Why a text is not a [`BoundAddress`].
#[derive(Clone, Copy, Debug, Eq, Error, PartialEq)]
#[non_exhaustive]
pub enum InvalidBoundAddress {
    /// The part before `%` is not an address.
    #[error("expected an IPv4 or IPv6 address, perhaps with an interface: 192.0.2.7%eth0")]
    Address,
    /// Nothing follows `%`.
    #[error("expected the name of an interface after `%`, such as 192.0.2.7%eth0")]
    Interface,
}

impl FromStr for BoundAddress {
    type Err = InvalidBoundAddress;

    fn from_str(text: &str) -> Result<Self, InvalidBoundAddress> {
        let (address, interface) = match text.split_once('%') {
            Some((_, "")) => return Err(InvalidBoundAddress::Interface),
            Some((address, interface)) => (address, Some(interface.to_owned())),
            None => (text, None),
        };
        let address: IpAddr = address.parse().map_err(|_| InvalidBoundAddress::Address)?;
        // An IPv4-mapped address is one of IPv4
        Ok(Self { address: address.to_canonical(), interface })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_may_name_its_interface() {
        for (text, address, interface) in [
            ("192.0.2.7", "192.0.2.7", None),
            ("192.0.2.7%eth0", "192.0.2.7", Some("eth0")),
            ("fe80::1%wan%2", "fe80::1", Some("wan%2")),
            ("::ffff:192.0.2.7", "192.0.2.7", None),
        ] {
            let address = address.parse().expect("an address");
            let interface = interface.map(str::to_owned);
            assert_eq!(text.parse(), Ok(BoundAddress { address, interface }));
        }
    }

    #[test]
    fn other_texts_are_refused() {
        use InvalidBoundAddress::{Address, Interface};
        for (text, error) in [
            ("", Address),
            ("here", Address),
            ("%eth0", Address),
            (" 192.0.2.7", Address),
            ("192.0.2.7:9", Address),
            ("192.0.2.7%", Interface),
        ] {
            assert_eq!(text.parse::<BoundAddress>(), Err(error), "{text:?}");
        }
    }
}
