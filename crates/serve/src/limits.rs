//! Limits of sockets and calls, and their numbers in use. A user cannot use up the places of other users.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use manypath_posix::record::LARGEST_MESSAGE;
use nix::errno::Errno;

use super::access::Peer;

/// Limits of the resources of programs.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Sockets of one user; `None` for as many as all users may have. Accepted sockets count for the user of the
    /// listening socket. An association of a one-to-many socket counts like a socket.
    pub sockets_per_user: Option<usize>,
    /// Size of the send buffer and of the receive buffer of an association, in bytes. A larger `SO_SNDBUF` or
    /// `SO_RCVBUF` is reduced to it, as Linux does with `net.core.wmem_max` and `net.core.rmem_max`.
    pub buffer: usize,
}

impl Limits {
    /// The least value of [`buffer`](Self::buffer) in bytes: the largest message must fit.
    pub const LEAST_BUFFER: usize = LARGEST_MESSAGE;
    /// The default of [`buffer`](Self::buffer) in bytes.
    pub const DEFAULT_BUFFER: usize = 64 << 20;
    /// The largest value of [`buffer`](Self::buffer) in bytes.
    pub const LARGEST_BUFFER: usize = 1 << 30;
}

impl Default for Limits {
    fn default() -> Self {
        Self { sockets_per_user: None, buffer: Self::DEFAULT_BUFFER }
    }
}

/// Why the daemon refuses a program.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Refusal {
    /// All sockets of the daemon are in use.
    Sockets,
    /// All sockets of the user are in use.
    UserSockets,
    /// Too many calls wait.
    Calls,
    /// The user may not open sockets.
    Rights,
    /// The daemon ends.
    Ending,
}

impl Refusal {
    /// All reasons, with their names in metrics.
    pub(super) const ALL: [(Self, &str); 5] = [
        (Self::Sockets, "sockets"),
        (Self::UserSockets, "user_sockets"),
        (Self::Calls, "calls"),
        (Self::Rights, "rights"),
        (Self::Ending, "ending"),
    ];

    /// The error number for the program. socket(2) has ENFILE, ENOBUFS and EACCES; EMFILE for a limit of a user is as in
    /// inotify_init(2). A daemon that ends is like one that is missing.
    pub(super) fn errno(self) -> Errno {
        match self {
            Self::Sockets => Errno::ENFILE,
            Self::UserSockets => Errno::EMFILE,
            Self::Calls => Errno::ENOBUFS,
            Self::Rights => Errno::EACCES,
            Self::Ending => Errno::EPROTONOSUPPORT,
        }
    }

    /// The error number for a program that opens an association. connect(2) and send(2) have these.
    pub(super) fn errno_of_association(self) -> Errno {
        if self == Self::Ending { Errno::ENETDOWN } else { Errno::ENOBUFS }
    }
}

/// The sockets and calls of all users.
#[derive(Debug)]
pub(super) struct Usage {
    most: Counts,
    most_of_user: Counts,
    used: Mutex<Used>,
    /// By the place in [`Refusal::ALL`].
    refusals: [AtomicU64; Refusal::ALL.len()],
    /// No socket and no association is opened any more.
    ends: AtomicBool,
}

#[derive(Debug, Default)]
struct Used {
    all: Counts,
    /// By user ID; users without sockets and calls have no entry.
    users: BTreeMap<u32, Counts>,
}

/// Numbers of sockets with associations of one-to-many sockets, and of connections without a socket: calls, and
/// connections that have sent nothing.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(super) struct Counts {
    pub(super) sockets: usize,
    pub(super) calls: usize,
}

/// The kind of a place.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Socket,
    Call,
}

/// A place of a socket or call, which is free again when the value is dropped.
#[derive(Debug)]
pub(super) struct Place {
    usage: Arc<Usage>,
    user: u32,
    kind: Kind,
}

impl Counts {
    fn of(&mut self, kind: Kind) -> &mut usize {
        match kind {
            Kind::Socket => &mut self.sockets,
            Kind::Call => &mut self.calls,
        }
    }
}

impl Usage {
    pub(super) fn new(most_sockets: usize, limits: &Limits) -> Self {
        let of_user = limits.sockets_per_user.unwrap_or(most_sockets).min(most_sockets);
        // Each socket may wait in a call
        let calls = most_sockets + SPARE_CALLS;
        Self {
            most: Counts { sockets: most_sockets, calls },
            most_of_user: Counts {
                sockets: of_user,
                calls: if of_user < most_sockets { of_user + SPARE_CALLS_OF_USER } else { calls },
            },
            used: Mutex::default(),
            refusals: Default::default(),
            ends: AtomicBool::new(false),
        }
    }

    /// Refuses all further sockets and associations.
    pub(super) fn end(&self) {
        self.ends.store(true, Ordering::Relaxed);
    }

    /// Whether no socket and no association is opened any more.
    pub(super) fn ends(&self) -> bool {
        self.ends.load(Ordering::Relaxed)
    }

    /// A place for a socket that a program opens.
    pub(super) fn socket_for(self: &Arc<Self>, peer: Peer) -> Result<Place, Refusal> {
        if !peer.may_open {
            return Err(self.note(Refusal::Rights));
        }
        self.socket(peer.user)
    }

    /// A place for a socket of a user, or for an association of a one-to-many socket.
    pub(super) fn socket(self: &Arc<Self>, user: u32) -> Result<Place, Refusal> {
        if self.ends() {
            return Err(self.note(Refusal::Ending));
        }
        let most = self.most_of_user.sockets;
        self.take((user, most), Kind::Socket, Refusal::Sockets, Refusal::UserSockets)
    }

    /// A place for a connection that has sent nothing. A user without permission to open sockets has few of them.
    pub(super) fn connection(self: &Arc<Self>, peer: Peer) -> Result<Place, Refusal> {
        let most = if peer.may_open { self.most_of_user.calls } else { SPARE_CALLS_OF_USER };
        self.take((peer.user, most), Kind::Call, Refusal::Calls, Refusal::Calls)
    }

    /// A place for a call of a socket of a user.
    pub(super) fn call(self: &Arc<Self>, user: u32) -> Result<Place, Refusal> {
        let most = self.most_of_user.calls;
        self.take((user, most), Kind::Call, Refusal::Calls, Refusal::Calls)
    }

    fn take(
        self: &Arc<Self>,
        (user, most_of_user): (u32, usize),
        kind: Kind,
        full: Refusal,
        full_for_user: Refusal,
    ) -> Result<Place, Refusal> {
        let mut most = self.most;
        let mut used = self.used();
        let of_user = used.users.get_mut(&user).map_or(0, |counts| *counts.of(kind));
        let refusal = if *used.all.of(kind) >= *most.of(kind) {
            full
        } else if of_user >= most_of_user {
            full_for_user
        } else {
            *used.all.of(kind) += 1;
            *used.users.entry(user).or_default().of(kind) += 1;
            return Ok(Place { usage: Arc::clone(self), user, kind });
        };
        drop(used);
        Err(self.note(refusal))
    }

    /// Counts a refusal, and returns it.
    fn note(&self, refusal: Refusal) -> Refusal {
        if let Some(place) = Refusal::ALL.iter().position(|(known, _)| *known == refusal) {
            self.refusals[place].fetch_add(1, Ordering::Relaxed);
        }
        refusal
    }

    /// The number of refusals by reason.
    pub(super) fn refusals(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let counts = self.refusals.iter().map(|count| count.load(Ordering::Relaxed));
        Refusal::ALL.iter().map(|(_, name)| *name).zip(counts)
    }

    /// The counts of all users together.
    pub(super) fn all(&self) -> Counts {
        self.used().all
    }

    fn used(&self) -> MutexGuard<'_, Used> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut used = self.usage.used();
        *used.all.of(self.kind) -= 1;
        if let Some(counts) = used.users.get_mut(&self.user) {
            *counts.of(self.kind) -= 1;
            if *counts == Counts::default() {
                used.users.remove(&self.user);
            }
        }
    }
}

/// Connections of all users that may wait, beside one of each socket.
const SPARE_CALLS: usize = 1024;
/// The same of one user, if the sockets of a user are limited; all connections of a user that may open no sockets.
const SPARE_CALLS_OF_USER: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_user_at_its_limit_leaves_places_for_others() {
        let limits = Limits { sockets_per_user: Some(2), ..Limits::default() };
        let usage = Arc::new(Usage::new(3, &limits));
        let mut places = vec![usage.socket(1).unwrap(), usage.socket(1).unwrap()];
        assert_eq!(usage.socket(1).unwrap_err(), Refusal::UserSockets);
        places.push(usage.socket(2).unwrap());
        assert_eq!(usage.socket(2).unwrap_err(), Refusal::Sockets);
        places.remove(0);
        places.push(usage.socket(2).unwrap());
        drop(places);
        assert_eq!(usage.all(), Counts::default());
        assert!(usage.used().users.is_empty());
        let refused: Vec<_> = usage.refusals().filter(|(_, count)| *count > 0).collect();
        assert_eq!(refused, [("sockets", 1), ("user_sockets", 1)]);
    }

    #[test]
    fn calls_have_places_of_their_own() {
        let limits = Limits { sockets_per_user: Some(1), ..Limits::default() };
        let usage = Arc::new(Usage::new(2, &limits));
        let _socket = usage.socket(1).unwrap();
        let owner = Peer { user: 1, may_open: true };
        let calls: Vec<_> =
            (0..=SPARE_CALLS_OF_USER).map(|_| usage.connection(owner).unwrap()).collect();
        assert_eq!(usage.connection(owner).unwrap_err(), Refusal::Calls);
        assert_eq!(usage.call(1).unwrap_err(), Refusal::Calls);
        assert!(usage.call(2).is_ok());
        drop(calls);
        assert!(usage.call(1).is_ok());
    }

    #[test]
    fn a_user_without_rights_has_few_connections() {
        let usage = Arc::new(Usage::new(100, &Limits::default()));
        let other = Peer { user: 1, may_open: false };
        let few: Vec<_> =
            (0..SPARE_CALLS_OF_USER).map(|_| usage.connection(other).unwrap()).collect();
        assert_eq!(usage.connection(other).unwrap_err(), Refusal::Calls);
        assert!(usage.connection(Peer { user: 1, may_open: true }).is_ok());
        drop(few);
        assert!(usage.connection(other).is_ok());
    }
}
