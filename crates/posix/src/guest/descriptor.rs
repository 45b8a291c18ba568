//! Recognises descriptors of SCTP sockets.

use super::lock;
use super::system::{self, errno, set_errno};
use crate::record::ENVIRONMENT;
use libc::c_int;
use std::os::unix::ffi::OsStrExt;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// A Unix address: its family, its path and a zero.
struct Daemon {
    address: [u8; LARGEST],
    length: usize,
}

/// The length of `struct sockaddr_un`.
pub(super) const LARGEST: usize = size_of::<libc::sockaddr_un>();
/// The offset of the path in `struct sockaddr_un`.
const PATH: usize = 2;

/// The daemon of the environment, then those of [`attach`]. Entries stay, because their sockets may be open.
static DAEMONS: [OnceLock<Option<Daemon>>; MOST_DAEMONS] =
    [const { OnceLock::new() }; MOST_DAEMONS];
/// Place of the daemon of the environment.
const ENVIRONMENT_PLACE: usize = 0;
/// Largest number of daemons of a process.
const MOST_DAEMONS: usize = 16;
/// Place of the daemon that creates new sockets.
static CURRENT: AtomicUsize = AtomicUsize::new(ENVIRONMENT_PLACE);
static MAY_HAVE: AtomicBool = AtomicBool::new(false);

/// Reads the environment, and looks for descriptors that the program inherited.
///
/// The first call should precede all other threads of the program.
pub fn start() {
    if of_environment().is_none() {
        return;
    }
    let Ok(entries) = std::fs::read_dir("/proc/self/fd") else {
        // Without /proc every descriptor is looked at
        set_may_have();
        return;
    };
    let inherited = entries.flatten().any(|entry| {
        entry.file_name().to_str().and_then(|fd| fd.parse().ok()).is_some_and(is_connected)
    });
    if inherited {
        set_may_have();
    }
}

/// Lets the daemon at `path` create the sockets that follow, instead of that of the environment.
///
/// # Errors
/// `EINVAL` if the path is empty or has a zero, `ENAMETOOLONG`, or `ENOBUFS` if the process had too many daemons.
pub fn attach(path: &[u8]) -> system::Result<()> {
    if path.is_empty() || path.contains(&0) {
        return Err(libc::EINVAL);
    }
    let wanted = Daemon::at(path).ok_or(libc::ENAMETOOLONG)?;
    let places = DAEMONS.iter().enumerate().skip(ENVIRONMENT_PLACE + 1);
    for (place, daemon) in places {
        let known = daemon.get_or_init(|| Daemon::at(path));
        if known.as_ref().is_some_and(|known| known.bytes() == wanted.bytes()) {
            CURRENT.store(place, Ordering::Release);
            set_may_have();
            return Ok(());
        }
    }
    Err(libc::ENOBUFS)
}

/// Undoes [`attach`]. Sockets that are open stay recognised.
pub fn detach() {
    CURRENT.store(ENVIRONMENT_PLACE, Ordering::Release);
}

impl Daemon {
    /// None if the path is empty or too long.
    fn at(path: &[u8]) -> Option<Self> {
        if path.is_empty() || path.len() >= LARGEST - PATH {
            return None;
        }
        let mut address = [0; LARGEST];
        address[..PATH].copy_from_slice(&(libc::AF_UNIX as u16).to_ne_bytes());
        address[PATH..PATH + path.len()].copy_from_slice(path);
        Some(Self { address, length: PATH + path.len() + 1 })
    }

    fn bytes(&self) -> &[u8] {
        &self.address[..self.length]
    }
}

/// The Unix address of the daemon that creates sockets, if there is one.
pub(super) fn daemon() -> Option<&'static [u8]> {
    match CURRENT.load(Ordering::Acquire) {
        ENVIRONMENT_PLACE => of_environment(),
        place => DAEMONS[place].get()?.as_ref().map(Daemon::bytes),
    }
}

/// The daemon that the environment names.
fn of_environment() -> Option<&'static [u8]> {
    let daemon = DAEMONS[ENVIRONMENT_PLACE]
        .get_or_init(|| Daemon::at(std::env::var_os(ENVIRONMENT)?.as_bytes()));
    daemon.as_ref().map(Daemon::bytes)
}

/// Whether the process may have a descriptor of an SCTP socket. If not, no other function of this module is needed.
#[must_use]
pub fn may_have() -> bool {
    MAY_HAVE.load(Ordering::Relaxed)
}

/// Records that the process may have a descriptor of an SCTP socket. To be called for descriptors that other processes
/// pass.
pub fn set_may_have() {
    if !MAY_HAVE.swap(true, Ordering::Relaxed) {
        lock::survive_fork();
    }
}

/// Whether `fd` is an SCTP socket. Leaves `errno` as it is.
#[must_use]
pub fn is_ours(fd: c_int) -> bool {
    may_have() && is_connected(fd)
}

/// Whether `fd` is connected to a daemon.
fn is_connected(fd: c_int) -> bool {
    let saved = errno();
    let mut address = [0; LARGEST];
    let length = system::peer(fd, &mut address);
    set_errno(saved);
    let Some(peer) = length.ok().and_then(|length| address.get(..length)) else {
        return false;
    };
    let mut attached = DAEMONS[ENVIRONMENT_PLACE + 1..].iter().map_while(OnceLock::get).flatten();
    of_environment() == Some(peer) || attached.any(|daemon| daemon.bytes() == peer)
}
