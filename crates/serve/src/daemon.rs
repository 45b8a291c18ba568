//! The daemon: accepts connections of programs, and serves their sockets and calls.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::Duration;

use manypath_net::Error;
use manypath_net::socket::register;
use manypath_posix::abi::constants::IPPROTO_SCTP;
use manypath_posix::record::{Answer, Request};
use nix::errno::Errno;
use nix::libc;
use rustix::net::{SocketFlags, accept_with, sockopt};
use tokio::io::unix::AsyncFd;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use super::access::{self, Peer, SocketFile};
use super::associations::Associations;
use super::calls;
use super::connection::{Connection, Record};
use super::errors::of_setting;
use super::limits::{Place, Refusal, Usage};
use super::parts::Parts;
use super::ports::Ports;
use super::reading;
use super::settings::Settings;
use super::socket::{Inherited, Socket, Style};
use super::table::{Adoption, FIRST_RECORD, Table};

/// The daemon. Clones are handles of the same one.
#[derive(Clone, Debug)]
pub struct Daemon {
    shared: Arc<Shared>,
}

/// The state that all tasks of the daemon share.
#[derive(Debug)]
struct Shared {
    settings: Settings,
    parts: Parts,
    /// Refused connections whose first record is awaited.
    refusing: Arc<Semaphore>,
    /// The file of the Unix socket.
    _file: SocketFile,
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
        let parts = Parts {
            table: Arc::new(Table::new(settings.path.clone())),
            ports: Arc::new(ports),
            usage: Arc::new(Usage::new(settings.most_sockets, &settings.limits)),
            associations: Arc::default(),
        };
        let refusing = Arc::new(Semaphore::new(REFUSALS));
        let shared = Arc::new(Shared { settings, parts, refusing, _file: file });
        tokio::spawn(serve(Arc::clone(&shared), listener));
        Ok(Self { shared })
    }

    /// The parts that its sockets use.
    pub(super) fn parts(&self) -> &Parts {
        &self.shared.parts
    }

    /// The number of sockets.
    #[must_use]
    pub fn sockets(&self) -> usize {
        self.parts().table.count()
    }

    /// Refuses new sockets, as if there were no daemon, and new associations.
    pub fn open_no_more(&self) {
        let Parts { table, ports, usage, .. } = self.parts();
        usage.end();
        ports.end();
        for socket in table.sockets() {
            socket.admit_no_more();
        }
    }

    /// Waits until all associations have ended, at most for `limit`. Other associations are aborted then. A program that
    /// has ended may have left records that are not read yet.
    pub async fn drain(&self, limit: Duration) {
        let Parts { table, usage, associations, .. } = self.parts();
        if timeout(limit, wait_until_idle(table, usage, associations)).await.is_err() {
            associations.hurry();
            // The drivers send the ABORTs
            let _ = timeout(FAREWELL, abort_all(table, associations)).await;
        }
    }
}

/// Waits until no socket is open, or none that may have an association, and no association drains.
async fn wait_until_idle(table: &Table, usage: &Usage, associations: &Associations) {
    loop {
        let changed = associations.changed();
        let sockets = table.sockets();
        // Programs that run on keep their sockets, which open no association
        if sockets.is_empty() || usage.ends() && sockets.iter().all(|it| it.is_idle()) {
            return associations.drained().await;
        }
        // A change of phase does not notify
        let _ = timeout(GLANCE, changed).await;
    }
}

async fn abort_all(table: &Table, associations: &Associations) {
    let open: Vec<_> = table.sockets().iter().flat_map(|socket| socket.associations()).collect();
    for connected in &open {
        connected.association.abort("");
    }
    for connected in open {
        let _ = connected.association.closed().await;
    }
    associations.drained().await;
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
        match shared.parts.usage.connection(peer) {
            Ok(place) => {
                tokio::spawn(async move {
                    // A program that sends something else is cut off
                    let _ = welcome(shared, socket, peer, place).await;
                });
            }
            Err(refusal) => refuse(&shared.refusing, socket, refusal),
        }
    }
}

/// Refuses the request of a connection.
fn refuse(refusing: &Arc<Semaphore>, socket: OwnedFd, refusal: Refusal) {
    // Further ones are closed, which is refusal enough
    let Ok(place) = Arc::clone(refusing).try_acquire_owned() else { return };
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
            match shared.parts.table.adoption(cookie) {
                Some(adoption) => adopted(&shared.parts, connection, cookie, adoption).await,
                None => {
                    let Shared { settings, parts, .. } = &*shared;
                    open(settings, parts, connection, cookie, (domain, kind, protocol), peer).await
                }
            }
        }
        Request::Call(call) => calls::answer(&shared.parts, &connection, descriptor, &call).await,
        _ => Ok(()),
    }
}

/// Creates a socket and serves it until the program closes it.
async fn open(
    settings: &Settings,
    parts: &Parts,
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
        ) => parts.usage.socket_for(peer).map_err(Refusal::errno),
        (libc::AF_INET | libc::AF_INET6, ..) => Err(Errno::EPROTONOSUPPORT),
        _ => Err(Errno::EAFNOSUPPORT),
    };
    let place = match place {
        Ok(place) => place,
        Err(errno) => return connection.send(&Answer::Opened { errno: errno as i32 }, None).await,
    };
    let inherited = Inherited::new(domain as u16, style, peer.user, settings);
    let socket = Arc::new(Socket::new(cookie, connection, inherited));
    if parts.table.enter(&socket) {
        // Fails if the program has ended, which the socket's own task handles
        let _ = socket.connection.send(&Answer::Opened { errno: 0 }, None).await;
        keep(parts, &socket, place).await;
    }
    Ok(())
}

/// Creates a socket that the daemon makes for a program, and serves it until the program closes it.
async fn adopted(
    parts: &Parts,
    connection: Connection,
    cookie: u64,
    adoption: Adoption,
) -> io::Result<()> {
    let Adoption { inherited, place, accepted, done } = adoption;
    let socket = Arc::new(Socket::new(cookie, connection, inherited));
    if parts.table.enter(&socket) {
        if let Some((association, endpoint)) = accepted {
            socket.becomes_connected(&parts.associations, association, endpoint);
        }
        // Fails only if the other socket was closed
        let _ = done.send(Arc::clone(&socket));
        keep(parts, &socket, place).await;
    }
    Ok(())
}

/// Serves a socket until the program closes it.
async fn keep(parts: &Parts, socket: &Arc<Socket>, place: Place) {
    let Parts { table, ports, associations, .. } = parts;
    reading::serve(socket, ports, associations).await;
    drop(place);
    table.remove(socket);
    associations.notify();
}

/// Refused connections at once whose first record is awaited.
const REFUSALS: usize = 64;
/// Time limit for such a record, which a program sends at once unless it is stopped.
const SHORT: Duration = Duration::from_secs(10);
/// Interval of checks of the phases of sockets.
const GLANCE: Duration = Duration::from_millis(20);
/// Time limit for sending ABORTs at the end. They leave at once unless the process is stopped, and a peer that gets none
/// waits for minutes.
const FAREWELL: Duration = Duration::from_secs(10);
