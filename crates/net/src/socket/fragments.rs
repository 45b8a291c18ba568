//! Whether IP may cut the packets of a socket. RFC 9260 §6.9

use std::io;
use std::os::fd::{AsFd, AsRawFd};

use nix::sys::socket::{setsockopt, sockopt::Ipv6DontFrag};
use rustix::net::sockopt::{
    Ipv4PathMtuDiscovery, Ipv6PathMtuDiscovery, set_ip_mtu_discover, set_ipv6_mtu_discover,
};

/// Forbids it, or allows it for a while.
///
/// "Probe" sets the don't-fragment bit and takes no notice of the MTU that the system believes in. IPv6 is fragmented by
/// this machine alone, which may not know of a smaller link: fragments have the size that every link of IPv6 takes.
pub(super) fn forbid_fragments(socket: &impl AsFd, is_v4: bool, forbid: bool) -> io::Result<()> {
    if is_v4 {
        let mode = if forbid { Ipv4PathMtuDiscovery::PROBE } else { Ipv4PathMtuDiscovery::DONT };
        return Ok(set_ip_mtu_discover(socket, mode)?);
    }
    let mode = if forbid { Ipv6PathMtuDiscovery::PROBE } else { Ipv6PathMtuDiscovery::DONT };
    set_ipv6_mtu_discover(socket, mode)?;
    limit_fragments(socket, if forbid { 0 } else { LEAST_MTU })?;
    Ok(setsockopt(socket, Ipv6DontFrag, &forbid)?)
}

/// Sets the size of the largest fragment, in bytes; 0 leaves it to the system. ipv6(7), `IPV6_MTU`
fn limit_fragments(socket: &impl AsFd, most: nix::libc::c_int) -> io::Result<()> {
    use nix::libc::{IPPROTO_IPV6, IPV6_MTU, setsockopt, socklen_t};

    let descriptor = socket.as_fd().as_raw_fd();
    let length = size_of_val(&most) as socklen_t;
    #[expect(unsafe_code, reason = "no library has this option")]
    // SAFETY: the descriptor is open, and the system reads `length` bytes of a number that lives until then
    let result =
        unsafe { setsockopt(descriptor, IPPROTO_IPV6, IPV6_MTU, (&raw const most).cast(), length) };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// RFC 8200 §5
const LEAST_MTU: nix::libc::c_int = 1280;
