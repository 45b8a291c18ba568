//! Whether IP may fragment the packets of a socket. RFC 9260 §6.9

use std::io;
use std::os::fd::AsFd;

use nix::sys::socket::{setsockopt, sockopt::Ipv6DontFrag};
use rustix::net::sockopt::{
    Ipv4PathMtuDiscovery, Ipv6PathMtuDiscovery, set_ip_mtu_discover, set_ipv6_mtu_discover,
};

/// Forbids or allows fragmentation.
///
/// The mode "probe" sets the don't-fragment bit and ignores the path MTU that the system has stored. If fragmentation
/// is allowed on IPv6, this machine fragments packets for the MTUs that it knows; routers drop packets that exceed a
/// smaller MTU.
pub(super) fn forbid_fragments(socket: &impl AsFd, is_v4: bool, forbid: bool) -> io::Result<()> {
    if is_v4 {
        let mode = if forbid { Ipv4PathMtuDiscovery::PROBE } else { Ipv4PathMtuDiscovery::DONT };
        return Ok(set_ip_mtu_discover(socket, mode)?);
    }
    let mode = if forbid { Ipv6PathMtuDiscovery::PROBE } else { Ipv6PathMtuDiscovery::DONT };
    set_ipv6_mtu_discover(socket, mode)?;
    Ok(setsockopt(socket, Ipv6DontFrag, &forbid)?)
}
