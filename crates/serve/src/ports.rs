//! The SCTP ports of sockets, and the host that has them.

use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use manypath_net::{Builder, Error, Host};
use nix::errno::Errno;

use super::settings::Settings;

/// The SCTP ports of sockets. All sockets use one host: its UDP port, and its raw sockets.
#[derive(Debug)]
pub(super) struct Ports {
    /// Local addresses of the daemon; empty for all of the machine.
    local: Vec<IpAddr>,
    /// The wanted UDP port of all sockets; `None` for raw IP.
    encapsulation: Option<u16>,
    /// No endpoint is opened any more.
    ends: AtomicBool,
    bound: Mutex<Vec<Bound>>,
    hosts: Mutex<Hosts>,
}

/// The hosts that have the endpoints of sockets.
#[derive(Debug)]
struct Hosts {
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
        Ok(Self {
            local: settings.local.clone(),
            encapsulation: settings.encapsulation,
            ends: AtomicBool::new(false),
            bound: Mutex::default(),
            hosts: Mutex::new(Hosts { host, former: None, wanted }),
        })
    }

    /// The local addresses of the daemon; empty for all of the machine.
    pub(super) fn local(&self) -> &[IpAddr] {
        &self.local
    }

    /// The wanted UDP port of all sockets; `None` for raw IP.
    pub(super) fn encapsulation(&self) -> Option<u16> {
        self.encapsulation
    }

    /// Lets no endpoint be opened any more.
    pub(super) fn end(&self) {
        self.ends.store(true, Ordering::Relaxed);
    }

    /// Whether no endpoint is opened any more.
    pub(super) fn ends(&self) -> bool {
        self.ends.load(Ordering::Relaxed)
    }

    /// The host, for a socket that connects.
    pub(super) fn host(&self) -> Host {
        self.lock_hosts().host.clone()
    }

    /// All hosts that have endpoints of sockets.
    pub(super) fn hosts(&self) -> Vec<Host> {
        let hosts = self.lock_hosts();
        hosts.former.iter().chain([&hosts.host]).cloned().collect()
    }

    /// The host on the wanted UDP port, for a socket that listens.
    pub(super) fn listening_host(&self) -> Result<Host, Error> {
        let mut hosts = self.lock_hosts();
        if let Some(builder) = &hosts.wanted {
            // The other program may have ended
            let host = Host::open(builder.clone())?;
            hosts.former = Some(std::mem::replace(&mut hosts.host, host));
            hosts.wanted = None;
        }
        Ok(hosts.host.clone())
    }

    /// Binds a port for a socket; 0 selects a free one.
    pub(super) fn bind(&self, owner: u64, port: u16, addresses: &[IpAddr]) -> Result<u16, Errno> {
        let mut bound = self.lock_bound();
        let port = match port {
            0 => free(&bound, owner, &self.host()).ok_or(Errno::EADDRINUSE)?,
            port if is_taken(&bound, owner, port, addresses) => return Err(Errno::EADDRINUSE),
            port => port,
        };
        bound.retain(|bound| bound.owner != owner);
        bound.push(Bound { owner, port, addresses: addresses.to_vec() });
        Ok(port)
    }

    /// Releases the port of a socket.
    pub(super) fn release(&self, owner: u64) {
        self.lock_bound().retain(|bound| bound.owner != owner);
    }

    fn lock_bound(&self) -> MutexGuard<'_, Vec<Bound>> {
        self.bound.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_hosts(&self) -> MutexGuard<'_, Hosts> {
        self.hosts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn is_taken(all: &[Bound], owner: u64, port: u16, addresses: &[IpAddr]) -> bool {
    all.iter().any(|bound| {
        let overlaps = bound.addresses.is_empty()
            || addresses.is_empty()
            || bound.addresses.iter().any(|address| addresses.contains(address));
        bound.owner != owner && bound.port == port && overlaps
    })
}

/// A free port of the dynamic range, which begins at a place that depends on the socket. RFC 6335 §6
fn free(all: &[Bound], owner: u64, host: &Host) -> Option<u16> {
    let start = owner.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 50;
    let mut is_bound = [false; DYNAMIC as usize];
    for bound in all.iter().filter(|bound| bound.owner != owner) {
        if let Some(place) = bound.port.checked_sub(Host::FIRST_DYNAMIC) {
            is_bound[usize::from(place)] = true;
        }
    }
    let offsets = (0..DYNAMIC).map(|number| ((start + number) % DYNAMIC) as u16);
    let unbound = offsets.filter(|offset| !is_bound[usize::from(*offset)]);
    // Associations of sockets that are closed may still have the port
    unbound.map(|offset| Host::FIRST_DYNAMIC + offset).find(|port| !host.has_port(*port))
}

/// Number of dynamic ports.
const DYNAMIC: u64 = 1 << 14;

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::limits::Limits;
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
        let ports = ports();
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
        let ports = ports();
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
