//! The addresses of this machine.

use std::net::IpAddr;

use manypath_core::{Address, Scope};
use nix::ifaddrs::getifaddrs;
use nix::net::if_::{InterfaceFlags, if_nametoindex};

use crate::Error;

/// An address of an interface.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct LocalAddress {
    pub(crate) ip: IpAddr,
    /// Number of the interface.
    pub(crate) interface: u32,
    /// The interface works.
    pub(crate) is_up: bool,
}

/// The addresses of all interfaces.
pub(crate) fn interface_addresses() -> Result<Vec<LocalAddress>, Error> {
    let interfaces = getifaddrs().map_err(Error::system("the addresses of this machine"))?;
    let found = interfaces.filter_map(|interface| {
        let address = interface.address?;
        let v4 = address.as_sockaddr_in().map(|v4| IpAddr::V4(v4.ip()));
        let v6 = || address.as_sockaddr_in6().map(|v6| IpAddr::V6(v6.ip()));
        let ip = v4.or_else(v6)?;
        let is_up = interface.flags.contains(InterfaceFlags::IFF_UP | InterfaceFlags::IFF_RUNNING);
        let interface = if_nametoindex(interface.interface_name.as_str()).unwrap_or(0);
        Some(LocalAddress { ip, interface, is_up })
    });
    Ok(found.collect())
}

/// The addresses that an endpoint takes whose application names none: all that work, but those that are valid on one link
/// only.
pub(crate) fn local_addresses() -> Result<Vec<IpAddr>, Error> {
    let mut addresses: Vec<IpAddr> = Vec::new();
    for LocalAddress { ip, is_up, .. } in interface_addresses()? {
        let usable = is_up && Address::from(ip).scope() != Scope::Link;
        if usable && !addresses.contains(&ip) {
            addresses.push(ip);
        }
    }
    Ok(addresses)
}
