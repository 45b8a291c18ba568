//! The sockets of the daemon by descriptor.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use manypath_net::{Association, Endpoint};
use manypath_posix::abi::constants::IPPROTO_SCTP;
use manypath_posix::record::Request;
use rustix::net::{
    AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with, sockopt,
};
use tokio::sync::oneshot;
use tokio::time::timeout;

use super::connection::send_now;
use super::limits::Place;
use super::socket::{Inherited, Socket};

/// The sockets of all programs.
#[derive(Debug)]
pub(super) struct Table {
    /// Path of the daemon's Unix socket.
    path: PathBuf,
    known: Mutex<Known>,
    /// Sockets that were opened, accepted or peeled off.
    opened: AtomicU64,
}

/// Sockets by the cookie of the program's descriptor.
#[derive(Debug, Default)]
struct Known {
    sockets: HashMap<u64, Arc<Socket>>,
    /// Connections that the daemon itself makes for accepted associations.
    adopted: HashMap<u64, Adoption>,
}

/// A socket that the daemon makes for a program, before its connection exists.
#[derive(Debug)]
pub(super) struct Adoption {
    pub(super) inherited: Inherited,
    pub(super) place: Place,
    /// The association that was accepted.
    pub(super) accepted: Option<(Association, Endpoint)>,
    pub(super) done: oneshot::Sender<Arc<Socket>>,
}

impl Table {
    /// A table of a daemon whose Unix socket has this path.
    pub(super) fn new(path: PathBuf) -> Self {
        Self { path, known: Mutex::default(), opened: AtomicU64::new(0) }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// All sockets.
    pub(super) fn sockets(&self) -> Vec<Arc<Socket>> {
        self.known().sockets.values().map(Arc::clone).collect()
    }

    /// The number of sockets.
    pub(super) fn count(&self) -> usize {
        self.known().sockets.len()
    }

    /// The number of sockets that were opened, accepted or peeled off.
    pub(super) fn opened(&self) -> u64 {
        self.opened.load(Ordering::Relaxed)
    }

    /// Enters a new socket; returns whether its descriptor has no other one.
    pub(super) fn enter(&self, socket: &Arc<Socket>) -> bool {
        match self.known().sockets.entry(socket.cookie) {
            Entry::Occupied(_) => return false,
            Entry::Vacant(entry) => entry.insert(Arc::clone(socket)),
        };
        self.opened.fetch_add(1, Ordering::Relaxed);
        true
    }

    /// Removes a socket that its program has closed.
    pub(super) fn remove(&self, socket: &Socket) {
        self.known().sockets.remove(&socket.cookie);
    }

    /// The socket that belongs to a program's descriptor.
    pub(super) fn find(&self, descriptor: &OwnedFd) -> Option<Arc<Socket>> {
        let cookie = sockopt::socket_cookie(descriptor).ok()?;
        self.known().sockets.get(&cookie).map(Arc::clone)
    }

    /// The socket that the daemon makes for the program's end of a connection.
    pub(super) fn adoption(&self, cookie: u64) -> Option<Adoption> {
        self.known().adopted.remove(&cookie)
    }

    /// Makes a socket for a program, with an accepted association; returns the program's end too.
    pub(super) async fn adopt(
        &self,
        inherited: Inherited,
        place: Place,
        accepted: Option<(Association, Endpoint)>,
    ) -> io::Result<(OwnedFd, Arc<Socket>)> {
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        let program = socket_with(AddressFamily::UNIX, SocketType::SEQPACKET, flags, None)?;
        let (done, adopted) = oneshot::channel();
        let cookie = sockopt::socket_cookie(&program)?;
        let open = Request::Open {
            domain: i32::from(inherited.domain),
            kind: inherited.style.kind(),
            protocol: IPPROTO_SCTP,
        };
        let adoption = Adoption { inherited, place, accepted, done };
        self.known().adopted.insert(cookie, adoption);
        let joined = async {
            let address = SocketAddrUnix::new(&self.path)?;
            while let Err(error) = connect(&program, &address) {
                if error != rustix::io::Errno::AGAIN {
                    return Err(error.into());
                }
                // The daemon's own backlog is full
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            send_now(&program, &open.head(), &[], Some(&program))?;
            adopted.await.map_err(io::Error::other)
        };
        let joined = timeout(FIRST_RECORD, joined).await;
        self.known().adopted.remove(&cookie);
        let socket = joined??;
        // The flag belongs to the program
        rustix::io::ioctl_fionbio(&program, false)?;
        Ok((program, socket))
    }
}

/// Time in which a connection must send its first record.
pub(super) const FIRST_RECORD: Duration = Duration::from_secs(10);
