//! Whether IP may cut the packets of a socket. RFC 9260 §6.9

use std::io;
use std::os::fd::AsFd;

use nix::sys::socket::{setsockopt, sockopt::Ipv6DontFrag};
use rustix::net::sockopt::{
    Ipv4PathMtuDiscovery, Ipv6PathMtuDiscovery, set_ip_mtu_discover, set_ipv6_mtu_discover,
};

/// Forbids it, or allows it for a while.
///
/// "Probe" sets the don't-fragment bit and takes no notice of the MTU that the system believes in. Where IP may cut
/// packets of IPv6, this machine does so for the MTUs that it knows of: below them, routers drop what is too large.
pub(super) fn forbid_fragments(socket: &impl AsFd, is_v4: bool, forbid: bool) -> io::Result<()> {
    if is_v4 {
        let mode = if forbid { Ipv4PathMtuDiscovery::PROBE } else { Ipv4PathMtuDiscovery::DONT };
        return Ok(set_ip_mtu_discover(socket, mode)?);
    }
    let mode = if forbid { Ipv6PathMtuDiscovery::PROBE } else { Ipv6PathMtuDiscovery::DONT };
    set_ipv6_mtu_discover(socket, mode)?;
    Ok(setsockopt(socket, Ipv6DontFrag, &forbid)?)
}
