//! Changes of interfaces and local addresses, reported by netlink.

use std::io::{self, ErrorKind};
use std::os::fd::{AsRawFd, OwnedFd};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use manypath_core::Address;
use nix::sys::socket::{
    AddressFamily, MsgFlags, NetlinkAddr, SockFlag, SockProtocol, SockType, bind, recv, socket,
};
use tokio::io::unix::AsyncFd;

use crate::socket::{LocalAddress, interface_addresses, register};

/// Watches the local addresses of a host.
#[derive(Debug)]
pub(crate) struct Watch {
    /// `None` if the system does not allow it: then paths fail only by their timers.
    netlink: Option<AsyncFd<OwnedFd>>,
    addresses: Vec<Watched>,
    /// Addresses that did not work at the beginning have not been reported yet.
    is_new: bool,
}

#[derive(Debug)]
struct Watched {
    address: Address,
    works: bool,
    /// An interface lists it. An address that no interface lists works as long as the system sends from it: 127.0.0.2,
    /// for example, belongs to the loopback interface by its prefix.
    is_listed: bool,
    /// When it returned, while probes of its paths are still due.
    back_since: Option<Instant>,
    /// Number of probes since then.
    probed: usize,
}

/// A change of a local address.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Change {
    /// No packet can be sent from it.
    Down(Address),
    /// Packets can be sent from it again: its failed paths should be probed.
    Up(Address),
}

impl Watch {
    pub(crate) fn new(addresses: &[Address]) -> Self {
        let addresses = addresses.iter().copied().map(Watched::new).collect();
        // Later changes are reported
        Self { netlink: open().ok(), addresses, is_new: true }
    }

    /// Watches another address.
    pub(crate) fn add(&mut self, address: Address) {
        if self.addresses.iter().all(|watched| watched.address != address) {
            self.addresses.push(Watched::new(address));
            self.is_new = true;
        }
    }

    /// The changes since the last call. The next change wakes the task.
    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> Vec<Change> {
        let has_news = self.netlink.as_ref().is_some_and(|netlink| drain(netlink, cx));
        let is_new = std::mem::take(&mut self.is_new);
        let mut changes = if has_news || is_new { self.compare() } else { Vec::new() };
        changes.extend(self.repeat(Instant::now()));
        changes
    }

    /// When [`poll`](Self::poll) has a result without a netlink message.
    pub(crate) fn due(&self) -> Option<Instant> {
        self.addresses.iter().filter_map(Watched::due).min()
    }

    /// Compares the addresses of the machine with the known ones.
    fn compare(&mut self) -> Vec<Change> {
        // After an error, the next netlink message repeats the comparison
        let Ok(present) = interface_addresses() else { return Vec::new() };
        let mut changes = Vec::new();
        for watched in &mut self.addresses {
            let is_own = |local: &&LocalAddress| Address::from(local.ip) == watched.address;
            watched.is_listed |= present.iter().any(|local| is_own(&local));
            let works = !watched.is_listed || present.iter().filter(is_own).any(|it| it.is_up);
            if std::mem::replace(&mut watched.works, works) == works {
                continue;
            }
            (watched.back_since, watched.probed) = (works.then(Instant::now), 0);
            if !works {
                changes.push(Change::Down(watched.address));
            }
        }
        changes
    }

    /// Addresses that returned some time ago: the first probe may be lost while neighbours are resolved and routes
    /// return.
    fn repeat(&mut self, now: Instant) -> Vec<Change> {
        let due = |watched: &&mut Watched| watched.due().is_some_and(|due| due <= now);
        let probe = |watched: &mut Watched| {
            watched.probed += 1;
            Change::Up(watched.address)
        };
        self.addresses.iter_mut().filter(due).map(probe).collect()
    }
}

impl Watched {
    fn new(address: Address) -> Self {
        Self { address, works: true, is_listed: false, back_since: None, probed: 0 }
    }

    fn due(&self) -> Option<Instant> {
        Some(self.back_since? + *PROBES.get(self.probed)?)
    }
}

/// A netlink socket for changes of links and addresses.
fn open() -> io::Result<AsyncFd<OwnedFd>> {
    let flags = SockFlag::SOCK_NONBLOCK | SockFlag::SOCK_CLOEXEC;
    let netlink = socket(AddressFamily::Netlink, SockType::Raw, flags, SockProtocol::NetlinkRoute)?;
    bind(netlink.as_raw_fd(), &NetlinkAddr::new(0, GROUPS))?;
    register(netlink)
}

/// Reads all messages; returns whether there were any. Their content is ignored, because all addresses are compared.
fn drain(netlink: &AsyncFd<OwnedFd>, cx: &mut Context<'_>) -> bool {
    let mut has_news = false;
    while let Poll::Ready(Ok(mut guard)) = netlink.poll_read_ready(cx) {
        let mut message = [0; 8192];
        let read = guard.try_io(|netlink| {
            recv(netlink.as_raw_fd(), &mut message, MsgFlags::empty()).map_err(io::Error::from)
        });
        // An overflow of the queue (ENOBUFS) indicates changes, too
        has_news |= match read {
            Ok(Ok(_)) => true,
            Ok(Err(error)) => error.kind() != ErrorKind::Interrupted,
            Err(_would_block) => false,
        };
    }
    has_news
}

/// `RTMGRP_LINK`, `RTMGRP_IPV4_IFADDR` and `RTMGRP_IPV6_IFADDR`. rtnetlink(7)
const GROUPS: u32 = 0x1 | 0x10 | 0x100;
/// When paths are probed after the return of their address.
const PROBES: [Duration; 5] = [
    Duration::ZERO,
    Duration::from_millis(200),
    Duration::from_secs(1),
    Duration::from_secs(3),
    Duration::from_secs(6),
];
