//! The SCTP ports of sockets, and the endpoints of listening sockets.

use std::net::IpAddr;

use nix::errno::Errno;

use crate::Endpoint;

/// SCTP ports that sockets have bound, and endpoints that have listened.
#[derive(Debug, Default)]
pub(super) struct Ports {
    bound: Vec<Bound>,
    /// Endpoints that listen, and those with associations that were accepted. Their UDP port stays in use.
    pub(super) endpoints: Vec<Endpoint>,
}

#[derive(Debug)]
struct Bound {
    /// Cookie of the socket.
    owner: u64,
    port: u16,
    /// All addresses if empty.
    addresses: Vec<IpAddr>,
}

impl Ports {
    /// Binds a port for a socket; 0 selects a free one.
    pub(super) fn bind(
        &mut self,
        owner: u64,
        port: u16,
        addresses: &[IpAddr],
    ) -> Result<u16, Errno> {
        let port = match port {
            0 => self.free(owner).ok_or(Errno::EADDRINUSE)?,
            port if self.is_taken(owner, port, addresses) => return Err(Errno::EADDRINUSE),
            port => port,
        };
        self.release(owner);
        self.bound.push(Bound { owner, port, addresses: addresses.to_vec() });
        Ok(port)
    }

    /// Releases the port of a socket.
    pub(super) fn release(&mut self, owner: u64) {
        self.bound.retain(|bound| bound.owner != owner);
    }

    fn is_taken(&self, owner: u64, port: u16, addresses: &[IpAddr]) -> bool {
        self.bound.iter().any(|bound| {
            let overlaps = bound.addresses.is_empty()
                || addresses.is_empty()
                || bound.addresses.iter().any(|address| addresses.contains(address));
            bound.owner != owner && bound.port == port && overlaps
        })
    }

    /// A free port of the dynamic range, which begins at a place that depends on the socket. RFC 6335 §6
    fn free(&self, owner: u64) -> Option<u16> {
        let start = owner.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 50;
        let port = |number: u64| FIRST_DYNAMIC + ((start + number) % DYNAMIC) as u16;
        (0..DYNAMIC).map(port).find(|port| !self.is_taken(owner, *port, &[]))
    }
}

const FIRST_DYNAMIC: u16 = 49_152;
/// Number of dynamic ports.
const DYNAMIC: u64 = 1 << 14;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_belongs_to_one_socket_on_an_address() {
        let mut ports = Ports::default();
        let (first, second) = ([IpAddr::from([127, 0, 0, 1])], [IpAddr::from([127, 0, 0, 2])]);
        assert_eq!(ports.bind(1, 7, &first), Ok(7));
        assert_eq!(ports.bind(2, 7, &first), Err(Errno::EADDRINUSE));
        assert_eq!(ports.bind(2, 7, &[]), Err(Errno::EADDRINUSE), "all addresses");
        assert_eq!(ports.bind(2, 7, &second), Ok(7));
        assert_eq!(ports.bind(1, 7, &[first[0], second[0]]), Err(Errno::EADDRINUSE), "bindx");
        ports.release(2);
        assert_eq!(ports.bind(1, 7, &[first[0], second[0]]), Ok(7));
    }

    #[test]
    fn free_ports_differ_until_none_is_left() {
        let mut ports = Ports::default();
        let mut found: Vec<u16> =
            (0..DYNAMIC).map(|owner| ports.bind(owner, 0, &[]).expect("a port")).collect();
        found.sort_unstable();
        found.dedup();
        assert_eq!(found.len() as u64, DYNAMIC);
        assert_eq!(ports.bind(DYNAMIC, 0, &[]), Err(Errno::EADDRINUSE));
    }
}
