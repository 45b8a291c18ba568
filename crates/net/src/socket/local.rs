//! The addresses of this machine.

use std::ffi::OsString;
use std::net::{IpAddr, SocketAddr, SocketAddrV6};
use std::os::fd::AsFd;

use manypath_core::{Address, Scope};
use nix::errno::Errno;
use nix::ifaddrs::getifaddrs;
use nix::net::if_::{InterfaceFlags, if_nametoindex};
use nix::sys::socket::{setsockopt, sockopt::BindToDevice};

use crate::Error;

/// An address of an interface.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct LocalAddress {
    /// The address.
    pub ip: IpAddr,
    /// Number of the interface.
    pub interface: u32,
    /// The interface carries packets.
    pub is_up: bool,
}

/// The addresses of all interfaces.
///
/// # Errors
/// If the system does not list them.
pub fn interface_addresses() -> Result<Vec<LocalAddress>, Error> {
    let interfaces = getifaddrs().map_err(Error::system("the addresses of this machine"))?;
    let found = interfaces.filter_map(|interface| {
        let address = interface.address?;
        let v4 = address.as_sockaddr_in().map(|v4| IpAddr::V4(v4.ip()));
        let v6 = || address.as_sockaddr_in6().map(|v6| IpAddr::V6(v6.ip()));
        let ip = v4.or_else(v6)?;
        let is_up = carries_packets(interface.flags);
        let interface = if_nametoindex(interface.interface_name.as_str()).unwrap_or(0);
        Some(LocalAddress { ip, interface, is_up })
    });
    Ok(found.collect())
}

/// Whether an interface with these flags carries packets. Linux sets `IFF_RUNNING` up to a second after the carrier is
/// detected (`IFF_LOWER_UP`), and packets pass before that. A dormant interface waits for authentication. netdevice(7)
fn carries_packets(flags: InterfaceFlags) -> bool {
    let has_carrier = flags.contains(InterfaceFlags::IFF_LOWER_UP)
        && !flags.contains(InterfaceFlags::IFF_DORMANT);
    flags.contains(InterfaceFlags::IFF_UP)
        && (flags.contains(InterfaceFlags::IFF_RUNNING) || has_carrier)
}

/// The addresses of an endpoint whose application names none: all that work, except link-local ones of IPv6.
///
/// # Errors
/// If the system does not list them.
pub fn local_addresses() -> Result<Vec<IpAddr>, Error> {
    let mut addresses: Vec<IpAddr> = Vec::new();
    for LocalAddress { ip, is_up, .. } in interface_addresses()? {
        if is_up && !needs_interface(ip) && !addresses.contains(&ip) {
            addresses.push(ip);
        }
    }
    Ok(addresses)
}

/// Whether an address is valid only together with its interface: link-local ones of IPv6 are. RFC 4291 §2.5.6
fn needs_interface(ip: IpAddr) -> bool {
    ip.is_ipv6() && Address::from(ip).scope() == Scope::Link
}

/// The address to which a socket is bound.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Place {
    pub(crate) ip: IpAddr,
    /// The only interface for sending and receiving; any if `None`.
    pub(crate) interface: Option<String>,
}

impl Place {
    /// The socket address; a link-local address needs the number of its interface.
    pub(super) fn with_scope(&self, port: u16) -> Result<SocketAddr, Error> {
        let address = self.ip;
        match address {
            IpAddr::V6(ip) if needs_interface(address) => {
                let wanted = self.interface.as_deref().map(|name| if_nametoindex(name).ok());
                let is_meant = |local: &LocalAddress| {
                    local.ip == address
                        && wanted.is_none_or(|wanted| wanted == Some(local.interface))
                };
                let found = interface_addresses()?.into_iter().find(is_meant);
                let interface = found.ok_or(Error::NotLocal(address))?.interface;
                Ok(SocketAddrV6::new(ip, port, 0, interface).into())
            }
            _ => Ok(SocketAddr::new(address, port)),
        }
    }

    /// Binds a socket to the interface.
    pub(super) fn keep_to_interface(&self, socket: &impl AsFd) -> Result<(), Error> {
        let Some(name) = &self.interface else { return Ok(()) };
        setsockopt(socket, BindToDevice, &OsString::from(name)).map_err(|error| match error {
            Errno::ENODEV | Errno::EINVAL => Error::NoInterface(name.clone()),
            Errno::EPERM => {
                Error::NoRights(format!("interface {name}: run it as root, or with CAP_NET_RAW"))
            }
            error => Error::system(format!("interface {name}"))(error),
        })
    }
}

/// The socket address of a peer for a local socket. A link-local address is on the link of that socket.
pub(super) fn destination(local: SocketAddr, remote: Address, port: u16) -> SocketAddr {
    match (remote.into(), local) {
        (IpAddr::V6(ip), SocketAddr::V6(local)) => {
            SocketAddrV6::new(ip, port, 0, local.scope_id()).into()
        }
        (ip, _) => SocketAddr::new(ip, port),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn link_local_addresses_of_ipv6_need_an_interface_and_those_of_ipv4_do_not() {
        let needs = |text: &str| needs_interface(text.parse().unwrap());
        assert!(needs("fe80::1"));
        for text in ["169.254.3.4", "10.0.0.1", "::1", "2001:db8::1"] {
            assert!(!needs(text), "{text}");
        }
        let place = Place { ip: "169.254.3.4".parse().unwrap(), interface: None };
        assert_eq!(place.with_scope(9899).unwrap(), "169.254.3.4:9899".parse().unwrap());
    }

    #[test]
    fn an_interface_carries_packets_as_soon_as_it_has_a_carrier() {
        use InterfaceFlags as F;
        let up = F::IFF_UP;
        assert!(carries_packets(up | F::IFF_RUNNING | F::IFF_LOWER_UP));
        assert!(carries_packets(up | F::IFF_LOWER_UP), "the system has not set IFF_RUNNING yet");
        assert!(carries_packets(up | F::IFF_RUNNING), "an interface that reports no carrier");
        assert!(!carries_packets(up), "no carrier");
        assert!(!carries_packets(up | F::IFF_LOWER_UP | F::IFF_DORMANT));
        assert!(!carries_packets(F::IFF_RUNNING | F::IFF_LOWER_UP), "switched off");
    }
}
