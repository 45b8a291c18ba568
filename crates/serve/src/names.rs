//! Names of sockets: addresses as their programs see them.

use std::net::{IpAddr, SocketAddr};

use manypath_net::Association;
use manypath_posix::abi::address::{INET, in_family};
use nix::errno::Errno;

/// The IPv4 address in an IPv4-mapped IPv6 address; otherwise the address itself.
pub(super) fn canonical(domain: u16, address: &SocketAddr) -> Result<IpAddr, Errno> {
    if domain == INET && address.is_ipv6() {
        return Err(Errno::EINVAL);
    }
    Ok(address.ip().to_canonical())
}

/// Addresses of the daemon that a socket may use.
pub(super) fn of_family(domain: u16, only_v6: bool, all: &[IpAddr]) -> Vec<IpAddr> {
    let fits = |ip: &&IpAddr| (domain != INET || ip.is_ipv4()) && (!only_v6 || ip.is_ipv6());
    all.iter().filter(fits).copied().collect()
}

/// The primary address of an association's peer.
pub(super) fn peer(domain: u16, association: &Association) -> Option<SocketAddr> {
    let (_, peer) = association.primary()?;
    Some(in_family(peer, domain))
}

/// All addresses of an association's peer.
pub(super) fn peers(domain: u16, association: &Association) -> Vec<SocketAddr> {
    let port = association.peer_port();
    let mut addresses = Vec::new();
    for path in association.paths() {
        let address = in_family(SocketAddr::new(path.remote, port), domain);
        if !addresses.contains(&address) {
            addresses.push(address);
        }
    }
    addresses
}
