//! Interfaces that go down and come up, and addresses that come and go, as netlink tells.

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

/// Watches the local addresses of an endpoint.
#[derive(Debug)]
pub(crate) struct Watch {
    /// None where the system does not let us watch: then paths fail by their timers alone.
    netlink: Option<AsyncFd<OwnedFd>>,
    addresses: Vec<Watched>,
    /// Addresses that did not work at the beginning have not been told of yet.
    is_new: bool,
}

#[derive(Debug)]
struct Watched {
    address: Address,
    works: bool,
    /// An interface has listed it. The others work as long as the system sends from there: 127.0.0.2, for example, which
    /// belongs to the loopback interface because of its network.
    is_listed: bool,
    /// When it came back, while its paths are still to be probed again.
    back_since: Option<Instant>,
    /// How often they have been probed since.
    probed: usize,
}

/// What has happened to a local address.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Change {
    /// Nothing can leave from there.
    Down(Address),
    /// Packets can leave from there again: paths that have failed are worth a probe.
    Up(Address),
}

impl Watch {
    pub(crate) fn new(addresses: &[Address]) -> Self {
        let watched = |&address| Watched {
            address,
            works: true,
            is_listed: false,
            back_since: None,
            probed: 0,
        };
        let addresses = addresses.iter().map(watched).collect();
        // What changes from here on is news
        Self { netlink: open().ok(), addresses, is_new: true }
    }

    /// What has changed since the last call. The task is woken by the next change.
    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> Vec<Change> {
        let has_news = self.netlink.as_ref().is_some_and(|netlink| drain(netlink, cx));
        let is_new = std::mem::take(&mut self.is_new);
        let mut changes = if has_news || is_new { self.compare() } else { Vec::new() };
        changes.extend(self.repeat(Instant::now()));
        changes
    }

    /// When [`poll`](Self::poll) has something to say without news.
    pub(crate) fn due(&self) -> Option<Instant> {
        self.addresses.iter().filter_map(Watched::due).min()
    }

    /// Looks at all addresses of the machine.
    fn compare(&mut self) -> Vec<Change> {
        // If the system does not tell now, the next news will bring it up
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

    /// Addresses that came back a while ago: a first probe may be lost while neighbours are found and routes return.
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
    fn due(&self) -> Option<Instant> {
        Some(self.back_since? + *PROBES.get(self.probed)?)
    }
}

/// A netlink socket that hears of links and addresses.
fn open() -> io::Result<AsyncFd<OwnedFd>> {
    let flags = SockFlag::SOCK_NONBLOCK | SockFlag::SOCK_CLOEXEC;
    let netlink = socket(AddressFamily::Netlink, SockType::Raw, flags, SockProtocol::NetlinkRoute)?;
    bind(netlink.as_raw_fd(), &NetlinkAddr::new(0, GROUPS))?;
    register(netlink)
}

/// Reads all messages; whether there was one. What they say does not matter: the addresses are looked at anyway.
fn drain(netlink: &AsyncFd<OwnedFd>, cx: &mut Context<'_>) -> bool {
    let mut has_news = false;
    while let Poll::Ready(Ok(mut guard)) = netlink.poll_read_ready(cx) {
        let mut message = [0; 8192];
        let read = guard.try_io(|netlink| {
            recv(netlink.as_raw_fd(), &mut message, MsgFlags::empty()).map_err(io::Error::from)
        });
        // Messages that did not fit into the queue (ENOBUFS) are news, too
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
/// When paths are probed after their address came back.
const PROBES: [Duration; 5] = [
    Duration::ZERO,
    Duration::from_millis(200),
    Duration::from_secs(1),
    Duration::from_secs(3),
    Duration::from_secs(6),
];
