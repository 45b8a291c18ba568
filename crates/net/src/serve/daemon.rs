//! The daemon: accepts connections of programs and knows their sockets.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use manypath_posix::abi::constants::IPPROTO_SCTP;
use manypath_posix::record::{Answer, Request};
use nix::errno::Errno;
use nix::libc;
use rustix::net::{
    AddressFamily, SocketAddrUnix, SocketFlags, SocketType, accept_with, bind, connect, listen,
    socket_with, sockopt,
};
use tokio::io::unix::AsyncFd;
use tokio::sync::{Notify, Semaphore, oneshot};
use tokio::time::timeout;

use super::Settings;
use super::calls;
use super::connection::{Connection, Record, send_now};
use super::ports::Ports;
use super::socket::{Inherited, Socket, Style};
use crate::socket::register;
use crate::{Association, Endpoint, Error, Message};

/// The daemon. Clones are handles of the same one.
#[derive(Clone, Debug)]
pub struct Daemon {
    pub(super) shared: Arc<Shared>,
}

/// What all tasks of the daemon share.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) settings: Settings,
    known: Mutex<Known>,
    pub(super) ports: Mutex<Ports>,
    next_association: AtomicI32,
    /// Places for connections that have not sent their first record.
    places: Arc<Semaphore>,
    /// Associations that are shut down after their program has closed them.
    pub(super) draining: Draining,
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
    /// The association that was accepted.
    accepted: Option<(Association, Endpoint)>,
    done: oneshot::Sender<Arc<Socket>>,
}

/// Counts the associations that are shut down in the background.
#[derive(Debug, Default)]
pub(super) struct Draining {
    count: Mutex<usize>,
    changed: Notify,
    /// They must be aborted.
    hurry: Notify,
}

impl Daemon {
    /// Creates the Unix socket, opens the UDP port or the raw sockets, and serves programs until the last handle and all
    /// sockets are gone. Needs a tokio runtime. If another program has the UDP port, programs can connect from another
    /// one, but not listen.
    ///
    /// # Errors
    /// If a setting is invalid, or a socket cannot be created.
    pub fn start(settings: Settings) -> Result<Self, Error> {
        let ports = Ports::open(&settings)?;
        let listener = listener(&settings.path).map_err(|error| {
            let expected = format!("a path for a Unix socket: {error}");
            Error::Setting { field: "socket", value: settings.path.display().to_string(), expected }
        })?;
        let shared = Arc::new(Shared {
            known: Mutex::default(),
            ports: Mutex::new(ports),
            // The first numbers have a meaning of their own: SCTP_FUTURE_ASSOC and others
            next_association: AtomicI32::new(3),
            places: Arc::new(Semaphore::new(settings.most_sockets + CALLS)),
            draining: Draining::default(),
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

    /// Waits until all sockets are closed and their associations have ended, at most for `limit`. Other associations are
    /// aborted then. A program that has ended may have left records that are not read yet.
    pub async fn drain(&self, limit: Duration) {
        if timeout(limit, self.shared.wait_until_idle()).await.is_err() {
            self.shared.draining.hurry.notify_waiters();
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

    /// The socket that belongs to a program's descriptor.
    pub(super) fn find(&self, descriptor: &OwnedFd) -> Option<Arc<Socket>> {
        let cookie = sockopt::socket_cookie(descriptor).ok()?;
        self.known().sockets.get(&cookie).map(Arc::clone)
    }

    /// Waits until no socket is open and no association drains.
    async fn wait_until_idle(&self) {
        loop {
            let changed = self.draining.changed.notified();
            if self.known().sockets.is_empty() {
                return self.draining.wait().await;
            }
            changed.await;
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
        let adoption = Adoption { inherited, accepted, done };
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

/// The Unix socket to which programs connect.
fn listener(path: &Path) -> io::Result<AsyncFd<OwnedFd>> {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let listener = socket_with(AddressFamily::UNIX, SocketType::SEQPACKET, flags, None)?;
    bind(&listener, &SocketAddrUnix::new(path)?)?;
    listen(&listener, BACKLOG)?;
    register(listener)
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
        let Ok(place) = Arc::clone(&shared.places).try_acquire_owned() else { continue };
        tokio::spawn(async move {
            // A program that sends something else is cut off
            let _ = welcome(shared, socket).await;
            drop(place);
        });
    }
}

/// Handles a connection until its program closes it.
async fn welcome(shared: Arc<Shared>, socket: OwnedFd) -> io::Result<()> {
    let user = sockopt::socket_peercred(&socket)?.uid;
    if !user.is_root() && user != rustix::process::getuid() {
        return Ok(());
    }
    let connection = Connection::new(socket)?;
    let first = timeout(FIRST_RECORD, connection.receive()).await??;
    let Some(Record { bytes, descriptor: Some(descriptor) }) = first else { return Ok(()) };
    match Request::decode(&bytes).map_err(io::Error::other)? {
        Request::Open { domain, kind, protocol } => {
            open(shared, connection, descriptor, (domain, kind, protocol)).await
        }
        Request::Call(call) => calls::answer(&shared, &connection, descriptor, &call).await,
        _ => Ok(()),
    }
}

/// Creates a socket and serves it until the program closes it.
async fn open(
    shared: Arc<Shared>,
    connection: Connection,
    descriptor: OwnedFd,
    (domain, kind, protocol): (i32, i32, i32),
) -> io::Result<()> {
    let cookie = sockopt::socket_cookie(&descriptor)?;
    drop(descriptor);
    let style = if kind == libc::SOCK_SEQPACKET { Style::Many } else { Style::One };
    let refusal = match (domain, kind, protocol) {
        (
            libc::AF_INET | libc::AF_INET6,
            libc::SOCK_STREAM | libc::SOCK_SEQPACKET,
            0 | IPPROTO_SCTP,
        ) => None,
        (libc::AF_INET | libc::AF_INET6, ..) => Some(Errno::EPROTONOSUPPORT),
        _ => Some(Errno::EAFNOSUPPORT),
    };
    if let Some(errno) = refusal {
        return connection.send(&Answer::Opened { errno: errno as i32 }, None).await;
    }
    let adoption = shared.known().adopted.remove(&cookie);
    let inherited = adoption.as_ref().map(|adoption| adoption.inherited.clone());
    let is_adopted = inherited.is_some();
    let inherited = inherited.unwrap_or_else(|| Inherited::new(domain as u16, style));
    let socket = Arc::new(Socket::new(cookie, connection, inherited));
    let refusal = {
        let mut known = shared.known();
        let is_full = known.sockets.len() >= shared.settings.most_sockets;
        match known.sockets.entry(cookie) {
            // A second connection for the same descriptor
            Entry::Occupied(_) => return Ok(()),
            Entry::Vacant(_) if is_full => Some(Errno::ENFILE),
            Entry::Vacant(place) => {
                place.insert(Arc::clone(&socket));
                None
            }
        }
    };
    if let Some(Adoption { accepted, done, .. }) = adoption
        && refusal.is_none()
    {
        if let Some((association, endpoint)) = accepted {
            socket.becomes_connected(&shared, association, endpoint);
        }
        // Fails only if the listening socket was closed
        let _ = done.send(Arc::clone(&socket));
    }
    let errno = refusal.map_or(0, |errno| errno as i32);
    if !is_adopted {
        // Fails if the program has ended, which the socket's own task handles
        let _ = socket.connection.send(&Answer::Opened { errno }, None).await;
    }
    if refusal.is_none() {
        socket.serve(&shared).await;
        shared.known().sockets.remove(&cookie);
        shared.draining.changed.notify_waiters();
    }
    Ok(())
}

impl Draining {
    /// Shuts an association down in the background, behind its last messages, or aborts it when the daemon must end.
    pub(super) fn add(
        shared: &Arc<Shared>,
        association: Association,
        endpoint: Endpoint,
        rest: Vec<Message>,
    ) {
        shared.draining.change(|count| *count += 1);
        let shared = Arc::clone(shared);
        tokio::spawn(async move {
            let hurry = shared.draining.hurry.notified();
            let end = async {
                for message in rest {
                    association.send(message).await?;
                }
                association.close().await
            };
            tokio::select! {
                // The peer may lack data; no program can be told
                _ = end => {}
                () = hurry => {
                    association.abort("");
                    let _ = association.closed().await;
                }
            }
            drop((association, endpoint));
            shared.draining.change(|count| *count -= 1);
        });
    }

    fn change(&self, change: impl FnOnce(&mut usize)) {
        change(&mut self.count.lock().unwrap_or_else(PoisonError::into_inner));
        self.changed.notify_waiters();
    }

    async fn wait(&self) {
        loop {
            let changed = self.changed.notified();
            if *self.count.lock().unwrap_or_else(PoisonError::into_inner) == 0 {
                return;
            }
            changed.await;
        }
    }
}

/// The socket's file is removed with the daemon.
impl Drop for Shared {
    fn drop(&mut self) {
        // Its folder may have been removed already
        let _ = std::fs::remove_file(&self.settings.path);
    }
}

/// Connections that wait to be accepted.
const BACKLOG: i32 = 1024;
/// Connections beside those of sockets: calls that are in progress.
const CALLS: usize = 1024;
/// Time in which a connection must send its first record.
const FIRST_RECORD: Duration = Duration::from_secs(10);
/// Time for sending ABORTs at the end.
const FAREWELL: Duration = Duration::from_millis(500);
