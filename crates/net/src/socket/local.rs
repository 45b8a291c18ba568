//! The addresses of this machine.

use std::net::{IpAddr, SocketAddr, SocketAddrV6};

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

/// The socket address of a local address; one that is valid on a link only needs the number of its interface.
pub(super) fn with_scope(address: IpAddr, port: u16) -> Result<SocketAddr, Error> {
    match address {
        IpAddr::V6(ip) if Address::from(address).scope() == Scope::Link => {
            let found = interface_addresses()?.into_iter().find(|local| local.ip == address);
            let interface = found.ok_or(Error::NotLocal(address))?.interface;
            Ok(SocketAddrV6::new(ip, port, 0, interface).into())
        }
        _ => Ok(SocketAddr::new(address, port)),
    }
}

/// The socket address of a peer as a local socket sees it. One that is valid on a link only is on the link of that socket.
pub(super) fn destination(local: SocketAddr, remote: Address, port: u16) -> SocketAddr {
    match (remote.into(), local) {
        (IpAddr::V6(ip), SocketAddr::V6(local)) => {
            SocketAddrV6::new(ip, port, 0, local.scope_id()).into()
        }
        (ip, _) => SocketAddr::new(ip, port),
    }
}
