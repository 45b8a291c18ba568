//! The SCTP ports of sockets, and the host that has them.

use std::net::IpAddr;

use manypath_net::{Builder, Error, Host};
use nix::errno::Errno;

use super::Settings;

/// SCTP ports that sockets have bound. All sockets use one host: its UDP port, and its raw sockets.
#[derive(Debug)]
pub(super) struct Ports {
    bound: Vec<Bound>,
    host: Host,
    /// The host before it: sockets that connected from another UDP port have its endpoints.
    former: Option<Host>,
    /// The host has no sockets on the wanted UDP port, because another program has it. The settings for the next
    /// attempt.
    wanted: Option<Builder>,
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
    /// Opens the host. If another program has the UDP port, sockets can connect from another one, but not listen.
    pub(super) fn open(settings: &Settings) -> Result<Self, Error> {
        let builder = settings.builder.clone().local(settings.local.clone());
        let builder = match settings.encapsulation {
            Some(udp) => builder.encapsulation(udp),
            None => builder.without_encapsulation(),
        };
        let (host, wanted) = match Host::open(builder.clone()) {
            Err(Error::AddressInUse(_)) => {
                (Host::open(builder.clone().encapsulation(0))?, Some(builder))
            }
            opened => (opened?, None),
        };
        Ok(Self { bound: Vec::new(), host, former: None, wanted })
    }

    /// The host, for a socket that connects.
    pub(super) fn host(&self) -> &Host {
        &self.host
    }

    /// All hosts that have endpoints of sockets.
    pub(super) fn hosts(&self) -> impl Iterator<Item = &Host> {
        self.former.iter().chain([&self.host])
    }

    /// The host on the wanted UDP port, for a socket that listens.
    pub(super) fn listening_host(&mut self) -> Result<&Host, Error> {
        if let Some(builder) = &self.wanted {
            // The other program may have ended
            let host = Host::open(builder.clone())?;
            self.former = Some(std::mem::replace(&mut self.host, host));
            self.wanted = None;
        }
        Ok(&self.host)
    }

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
        let mut is_bound = [false; DYNAMIC as usize];
        for bound in self.bound.iter().filter(|bound| bound.owner != owner) {
            if let Some(place) = bound.port.checked_sub(Host::FIRST_DYNAMIC) {
                is_bound[usize::from(place)] = true;
            }
        }
        let offsets = (0..DYNAMIC).map(|number| ((start + number) % DYNAMIC) as u16);
        let unbound = offsets.filter(|offset| !is_bound[usize::from(*offset)]);
        // Associations of sockets that are closed may still have the port
        unbound.map(|offset| Host::FIRST_DYNAMIC + offset).find(|port| !self.host.has_port(*port))
    }
}

/// Number of dynamic ports.
const DYNAMIC: u64 = 1 << 14;

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::Limits;
    use manypath_net::Endpoint;

    /// The ports of a host on a free UDP port.
    fn ports() -> Ports {
        let settings = Settings {
            path: PathBuf::new(),
            builder: Endpoint::builder(),
            local: vec![[127, 0, 0, 1].into(), [127, 0, 0, 2].into()],
            encapsulation: Some(0),
            most_sockets: 1,
            limits: Limits::default(),
            group: None,
        };
        Ports::open(&settings).expect("a host")
    }

    #[tokio::test]
    async fn a_port_belongs_to_one_socket_on_an_address() {
        let mut ports = ports();
        let (first, second) = ([IpAddr::from([127, 0, 0, 1])], [IpAddr::from([127, 0, 0, 2])]);
        assert_eq!(ports.bind(1, 7, &first), Ok(7));
        assert_eq!(ports.bind(2, 7, &first), Err(Errno::EADDRINUSE));
        assert_eq!(ports.bind(2, 7, &[]), Err(Errno::EADDRINUSE), "all addresses");
        assert_eq!(ports.bind(2, 7, &second), Ok(7));
        assert_eq!(ports.bind(1, 7, &[first[0], second[0]]), Err(Errno::EADDRINUSE), "bindx");
        ports.release(2);
        assert_eq!(ports.bind(1, 7, &[first[0], second[0]]), Ok(7));
    }

    #[tokio::test]
    async fn free_ports_differ_until_none_is_left() {
        let mut ports = ports();
        let used = ports.bind(DYNAMIC, 0, &[]).expect("a port");
        ports.release(DYNAMIC);
        let _endpoint = ports.host().endpoint().bind(used).await.expect("it is free");
        let mut found: Vec<u16> =
            (1..DYNAMIC).map(|owner| ports.bind(owner, 0, &[]).expect("a port")).collect();
        assert!(!found.contains(&used), "an endpoint has it");
        found.sort_unstable();
        found.dedup();
        assert_eq!(found.len() as u64, DYNAMIC - 1);
        assert_eq!(ports.bind(DYNAMIC, 0, &[]), Err(Errno::EADDRINUSE));
    }
}
