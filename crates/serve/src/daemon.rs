//! The daemon: accepts connections of programs and knows their sockets.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use manypath_net::socket::register;
use manypath_net::{Association, Endpoint, Error};
use manypath_posix::abi::constants::IPPROTO_SCTP;
use manypath_posix::record::{Answer, Request};
use nix::errno::Errno;
use nix::libc;
use rustix::net::{
    AddressFamily, SocketAddrUnix, SocketFlags, SocketType, accept_with, connect, socket_with,
    sockopt,
};
use tokio::io::unix::AsyncFd;
use tokio::sync::{Semaphore, oneshot};
use tokio::time::timeout;

use super::Settings;
use super::access::{self, Peer, SocketFile};
use super::calls;
use super::connection::{Connection, Record, send_now};
use super::draining::Draining;
use super::errors::of_setting;
use super::limits::{Place, Refusal, Usage};
use super::ports::Ports;
use super::socket::{Inherited, Socket, Style};

/// The daemon. Clones are handles of the same one.
#[derive(Clone, Debug)]
pub struct Daemon {
    pub(super) shared: Arc<Shared>,
}

/// The state that all tasks of the daemon share.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) settings: Settings,
    known: Mutex<Known>,
    pub(super) ports: Mutex<Ports>,
    next_association: AtomicI32,
    /// The sockets and calls in use, by user.
    pub(super) usage: Arc<Usage>,
    /// Sockets that were opened, accepted or peeled off.
    opened: AtomicU64,
    /// Refused connections whose first record is awaited.
    refusing: Arc<Semaphore>,
    /// No socket and no association is opened any more.
    ends: AtomicBool,
    /// Associations that are shut down after their program has closed them.
    pub(super) draining: Draining,
    /// The file of the Unix socket.
    _file: SocketFile,
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
struct Adoption {
    inherited: Inherited,
    place: Place,
    /// The association that was accepted.
    accepted: Option<(Association, Endpoint)>,
    done: oneshot::Sender<Arc<Socket>>,
}

impl Daemon {
    /// Creates the Unix socket, opens the UDP port or the raw sockets, and serves programs until the last handle and all
    /// sockets are gone. Needs a tokio runtime. If another program has the UDP port, programs can connect from another
    /// one, but not listen.
    ///
    /// # Errors
    /// If a setting is invalid, or a socket cannot be created.
    pub fn start(settings: Settings) -> Result<Self, Error> {
        let ports = Ports::open(&settings).map_err(of_setting)?;
        let refused = |error| {
            let expected = format!("a path for a Unix socket: {error}");
            Error::Setting { field: "socket", value: settings.path.display().to_string(), expected }
        };
        let (listener, file) = access::listener(&settings.path).map_err(refused)?;
        let listener = register(listener).map_err(refused)?;
        let shared = Arc::new(Shared {
            known: Mutex::default(),
            ports: Mutex::new(ports),
            // The first numbers have a meaning of their own: SCTP_FUTURE_ASSOC and others
            next_association: AtomicI32::new(3),
            usage: Arc::new(Usage::new(settings.most_sockets, &settings.limits)),
            opened: AtomicU64::new(0),
            refusing: Arc::new(Semaphore::new(REFUSALS)),
            ends: AtomicBool::new(false),
            draining: Draining::default(),
            _file: file,
            settings,
        });
        tokio::spawn(serve(Arc::clone(&shared), listener));
        Ok(Self { shared })
    }

    /// The number of sockets.
    #[must_use]
    pub fn sockets(&self) -> usize {
        self.shared.known().sockets.len()
    }

    /// Refuses new sockets, as if there were no daemon, and new associations.
    pub fn open_no_more(&self) {
        self.shared.ends.store(true, Ordering::Relaxed);
        for socket in self.shared.sockets() {
            socket.admit_no_more();
        }
    }

    /// Waits until all associations have ended, at most for `limit`. Other associations are aborted then. A program that
    /// has ended may have left records that are not read yet.
    pub async fn drain(&self, limit: Duration) {
        if timeout(limit, self.shared.wait_until_idle()).await.is_err() {
            self.shared.draining.hurry();
            // The drivers send the ABORTs
            let _ = timeout(FAREWELL, self.abort_all()).await;
        }
    }

    async fn abort_all(&self) {
        let open: Vec<_> =
            self.shared.known().sockets.values().flat_map(|socket| socket.associations()).collect();
        for connected in &open {
            connected.association.abort("");
        }
        for connected in open {
            let _ = connected.association.closed().await;
        }
        self.shared.draining.wait().await;
    }
}

impl Shared {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn ports(&self) -> MutexGuard<'_, Ports> {
        self.ports.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// All sockets.
    pub(super) fn sockets(&self) -> Vec<Arc<Socket>> {
        self.known().sockets.values().map(Arc::clone).collect()
    }

    /// The number of sockets that were opened, accepted or peeled off.
    pub(super) fn opened(&self) -> u64 {
        self.opened.load(Ordering::Relaxed)
    }

    /// A place for a socket of a user, or for an association of a one-to-many socket.
    pub(super) fn place(&self, user: u32) -> Result<Place, Refusal> {
        if self.ends() {
            return Err(self.usage.note(Refusal::Ending));
        }
        self.usage.socket(user)
    }

    /// A place for a socket that a program opens.
    fn place_for(&self, peer: Peer) -> Result<Place, Refusal> {
        if !peer.may_open {
            return Err(self.usage.note(Refusal::Rights));
        }
        self.place(peer.user)
    }

    /// Enters a new socket; returns whether its descriptor has no other one.
    fn enter(&self, socket: &Arc<Socket>) -> bool {
        match self.known().sockets.entry(socket.cookie) {
            Entry::Occupied(_) => return false,
            Entry::Vacant(entry) => entry.insert(Arc::clone(socket)),
        };
        self.opened.fetch_add(1, Ordering::Relaxed);
        true
    }

    /// Whether no socket and no association is opened any more.
    pub(super) fn ends(&self) -> bool {
        self.ends.load(Ordering::Relaxed)
    }

    /// The socket that belongs to a program's descriptor.
    pub(super) fn find(&self, descriptor: &OwnedFd) -> Option<Arc<Socket>> {
        let cookie = sockopt::socket_cookie(descriptor).ok()?;
        self.known().sockets.get(&cookie).map(Arc::clone)
    }

    /// Waits until no socket is open, or none that may have an association, and no association drains.
    async fn wait_until_idle(&self) {
        loop {
            let changed = self.draining.changed();
            let sockets = self.sockets();
            // Programs that run on keep their sockets, which open no association
            if sockets.is_empty() || self.ends() && sockets.iter().all(|it| it.is_idle()) {
                return self.draining.wait().await;
            }
            // A change of phase does not notify
            let _ = timeout(GLANCE, changed).await;
        }
    }

    /// A number for a new association.
    pub(super) fn association_number(&self) -> i32 {
        self.next_association.fetch_add(1, Ordering::Relaxed)
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
            let address = SocketAddrUnix::new(&self.settings.path)?;
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

/// Accepts connections.
async fn serve(shared: Arc<Shared>, listener: AsyncFd<OwnedFd>) {
    let shared = Arc::downgrade(&shared);
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    while let Ok(mut guard) = listener.readable().await {
        let Ok(accepted) = guard.try_io(|it| Ok(accept_with(it.get_ref(), flags)?)) else {
            continue;
        };
        let Some(shared) = shared.upgrade() else { return };
        let Ok(socket) = accepted else {
            // No descriptors are left: those of programs that end make room
            tokio::time::sleep(Duration::from_millis(10)).await;
            continue;
        };
        let Ok(peer) = Peer::of(&socket, shared.settings.group) else { continue };
        match shared.usage.connection(peer) {
            Ok(place) => {
                tokio::spawn(async move {
                    // A program that sends something else is cut off
                    let _ = welcome(shared, socket, peer, place).await;
                });
            }
            Err(refusal) => refuse(&shared, socket, refusal),
        }
    }
}

/// Refuses the request of a connection.
fn refuse(shared: &Shared, socket: OwnedFd, refusal: Refusal) {
    // Further ones are closed, which is refusal enough
    let Ok(place) = Arc::clone(&shared.refusing).try_acquire_owned() else { return };
    tokio::spawn(async move {
        let connection = Connection::new(socket)?;
        // The kernel drops answers of a connection that is closed with unread records
        if let Some(Record { passed, .. }) = timeout(SHORT, connection.receive()).await?? {
            passed.close().await;
        }
        calls::refuse(&connection, refusal.errno()).await?;
        drop(place);
        io::Result::Ok(())
    });
}

/// Handles a connection until its program closes it.
async fn welcome(shared: Arc<Shared>, socket: OwnedFd, peer: Peer, place: Place) -> io::Result<()> {
    let connection = Connection::new(socket)?;
    let first = timeout(FIRST_RECORD, connection.receive()).await??;
    let Some(Record { bytes, mut passed }) = first else { return Ok(()) };
    if passed.has_foreign() {
        if matches!(Request::decode(&bytes), Ok(Request::Call(_))) {
            // It may be a socket of an earlier daemon
            calls::refuse(&connection, Errno::ENOTCONN).await?;
        }
        passed.close().await;
        return Ok(());
    }
    // The call or the socket takes a place of its own
    drop(place);
    let Some(descriptor) = passed.take_own() else { return Ok(()) };
    match Request::decode(&bytes).map_err(io::Error::other)? {
        Request::Open { domain, kind, protocol } => {
            let cookie = sockopt::socket_cookie(&descriptor)?;
            drop(descriptor);
            let adoption = shared.known().adopted.remove(&cookie);
            match adoption {
                Some(adoption) => adopted(&shared, connection, cookie, adoption).await,
                None => open(&shared, connection, cookie, (domain, kind, protocol), peer).await,
            }
        }
        Request::Call(call) => calls::answer(&shared, &connection, descriptor, &call).await,
        _ => Ok(()),
    }
}

/// Creates a socket and serves it until the program closes it.
async fn open(
    shared: &Arc<Shared>,
    connection: Connection,
    cookie: u64,
    (domain, kind, protocol): (i32, i32, i32),
    peer: Peer,
) -> io::Result<()> {
    let style = if kind == libc::SOCK_SEQPACKET { Style::Many } else { Style::One };
    let place = match (domain, kind, protocol) {
        (
            libc::AF_INET | libc::AF_INET6,
            libc::SOCK_STREAM | libc::SOCK_SEQPACKET,
            0 | IPPROTO_SCTP,
        ) => shared.place_for(peer).map_err(Refusal::errno),
        (libc::AF_INET | libc::AF_INET6, ..) => Err(Errno::EPROTONOSUPPORT),
        _ => Err(Errno::EAFNOSUPPORT),
    };
    let place = match place {
        Ok(place) => place,
        Err(errno) => return connection.send(&Answer::Opened { errno: errno as i32 }, None).await,
    };
    let inherited = Inherited::new(domain as u16, style, peer.user, &shared.settings);
    let socket = Arc::new(Socket::new(cookie, connection, inherited));
    if shared.enter(&socket) {
        // Fails if the program has ended, which the socket's own task handles
        let _ = socket.connection.send(&Answer::Opened { errno: 0 }, None).await;
        keep(shared, &socket, place).await;
    }
    Ok(())
}

/// Creates a socket that the daemon makes for a program, and serves it until the program closes it.
async fn adopted(
    shared: &Arc<Shared>,
    connection: Connection,
    cookie: u64,
    adoption: Adoption,
) -> io::Result<()> {
    let Adoption { inherited, place, accepted, done } = adoption;
    let socket = Arc::new(Socket::new(cookie, connection, inherited));
    if shared.enter(&socket) {
        if let Some((association, endpoint)) = accepted {
            socket.becomes_connected(shared, association, endpoint);
        }
        // Fails only if the other socket was closed
        let _ = done.send(Arc::clone(&socket));
        keep(shared, &socket, place).await;
    }
    Ok(())
}

/// Serves a socket until the program closes it.
async fn keep(shared: &Arc<Shared>, socket: &Arc<Socket>, place: Place) {
    socket.serve(shared).await;
    drop(place);
    shared.known().sockets.remove(&socket.cookie);
    shared.draining.notify();
}

/// Refused connections at once whose first record is awaited.
const REFUSALS: usize = 64;
/// Time limit for such a record.
const SHORT: Duration = Duration::from_secs(1);
/// Interval of checks of the phases of sockets.
const GLANCE: Duration = Duration::from_millis(20);
/// Time in which a connection must send its first record.
const FIRST_RECORD: Duration = Duration::from_secs(10);
/// Time for sending ABORTs at the end.
const FAREWELL: Duration = Duration::from_millis(500);
