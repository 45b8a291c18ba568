//! The daemons of the process: the addresses at which it reaches them, and the names of their sockets.
//!
//! The kernel knows a daemon's socket by the path that the daemon has bound. The path of a program may differ: it is
//! relative, leads through a link, or belongs to another mount or root. So the first connection to a daemon tells the name.

use super::control;
use super::system::{self, Result};
use crate::record::ENVIRONMENT;
use libc::c_int;
use std::env;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A Unix address: its family, its path and a zero.
#[derive(Clone, Copy)]
pub(super) struct Address {
    bytes: [u8; LARGEST],
    length: usize,
}

/// A daemon that the process has reached.
struct Daemon {
    /// What the process connects to.
    address: Address,
    /// What the peer of each socket of the daemon is called.
    name: Address,
}

/// The length of `struct sockaddr_un`.
const LARGEST: usize = size_of::<libc::sockaddr_un>();
/// The offset of the path in `struct sockaddr_un`.
const PATH: usize = 2;
/// Largest number of daemons of a process.
const MOST_DAEMONS: usize = 16;

/// Entries stay, because their sockets may be open.
static DAEMONS: [OnceLock<Daemon>; MOST_DAEMONS] = [const { OnceLock::new() }; MOST_DAEMONS];
/// The daemon that the environment names.
static OF_ENVIRONMENT: OnceLock<Option<Address>> = OnceLock::new();
/// Place of the daemon that creates new sockets, or [`NO_PLACE`] for that of the environment.
static CURRENT: AtomicUsize = AtomicUsize::new(NO_PLACE);
const NO_PLACE: usize = usize::MAX;

impl Address {
    /// The address of a path. A relative path counts from the present folder, which the program may leave later.
    ///
    /// # Errors
    /// `EINVAL` if the path is empty or has a zero, `ENAMETOOLONG`.
    fn at(path: &[u8]) -> Result<Self> {
        if path.is_empty() || path.contains(&0) {
            return Err(libc::EINVAL);
        }
        let given = Path::new(std::ffi::OsStr::from_bytes(path));
        let absolute = env::current_dir().map(|folder| folder.join(given));
        let fitting = absolute.ok().map(PathBuf::into_os_string);
        let fitting = fitting.as_ref().map(|path| path.as_bytes()).filter(|it| Self::has_room(it));
        let path = fitting.unwrap_or(path);
        if !Self::has_room(path) {
            return Err(libc::ENAMETOOLONG);
        }
        let mut bytes = [0; LARGEST];
        bytes[..PATH].copy_from_slice(&(libc::AF_UNIX as u16).to_ne_bytes());
        bytes[PATH..PATH + path.len()].copy_from_slice(path);
        Ok(Self { bytes, length: PATH + path.len() + 1 })
    }

    fn has_room(path: &[u8]) -> bool {
        PATH + path.len() < LARGEST
    }

    /// The address of the peer of `fd`.
    ///
    /// # Errors
    /// That of `getpeername`; `ENOTCONN` if `fd` is no Unix socket, or if its peer has no path.
    pub(super) fn of_peer(fd: c_int) -> Result<Self> {
        let mut bytes = [0; LARGEST];
        let length = system::peer(fd, &mut bytes)?;
        let is_path = bytes[..PATH] == (libc::AF_UNIX as u16).to_ne_bytes() && bytes[PATH] != 0;
        (is_path && length <= LARGEST).then_some(Self { bytes, length }).ok_or(libc::ENOTCONN)
    }

    /// The family, the path and its zero.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

/// Lets the daemon at `path` create the sockets that follow, instead of that of the environment.
///
/// # Errors
/// `EINVAL` if the path is empty or has a zero, `ENAMETOOLONG`, `ENOBUFS` if the process had too many daemons, or that of
/// `connect`.
pub fn attach(path: &[u8]) -> Result<()> {
    let address = Address::at(path)?;
    let place = reach(&address)?;
    CURRENT.store(place, Ordering::Release);
    super::descriptor::set_may_have();
    Ok(())
}

/// Undoes [`attach`]. Sockets that are open stay recognised.
pub fn detach() {
    CURRENT.store(NO_PLACE, Ordering::Release);
}

/// The address of the daemon that creates sockets, if there is one.
pub(super) fn current() -> Option<&'static Address> {
    match CURRENT.load(Ordering::Acquire) {
        NO_PLACE => of_environment(),
        place => DAEMONS[place].get().map(|daemon| &daemon.address),
    }
}

/// The address of the daemon that the environment names.
pub(super) fn of_environment() -> Option<&'static Address> {
    let read = || Address::at(env::var_os(ENVIRONMENT)?.as_bytes()).ok();
    OF_ENVIRONMENT.get_or_init(read).as_ref()
}

/// The address of the daemon whose sockets have this name.
pub(super) fn named(name: &Address) -> Option<&'static Address> {
    known().find(|daemon| daemon.name.bytes() == name.bytes()).map(|daemon| &daemon.address)
}

/// Learns the name of the environment's daemon before the process has opened a socket: it may have sockets of another
/// process. Those of a daemon that has ended are found if their name is the path of the environment.
pub(super) fn look_for_environment() {
    let Some(address) = of_environment() else { return };
    if known().all(|daemon| daemon.address.bytes() != address.bytes()) && reach(address).is_err() {
        // A full table has all daemons that the process has used
        let _ = enter(*address, *address);
    }
}

/// Connects to a daemon to learn its name; returns its place.
fn reach(address: &Address) -> Result<usize> {
    let connection = control::connection(address.bytes(), libc::SOCK_CLOEXEC)?;
    learn(address, connection.fd())
}

/// Learns the name of a daemon from a connection to it; returns its place.
///
/// # Errors
/// `ENOBUFS` if the process had too many daemons.
pub(super) fn learn(address: &Address, connection: c_int) -> Result<usize> {
    enter(*address, Address::of_peer(connection).unwrap_or(*address))
}

fn enter(address: Address, name: Address) -> Result<usize> {
    // Two daemons may have bound the same text, such as a relative path in two folders
    let is_same = |daemon: &OnceLock<Daemon>| {
        let known = daemon.get_or_init(|| Daemon { address, name });
        known.address.bytes() == address.bytes() && known.name.bytes() == name.bytes()
    };
    DAEMONS.iter().position(is_same).ok_or(libc::ENOBUFS)
}

fn known() -> impl Iterator<Item = &'static Daemon> {
    DAEMONS.iter().map_while(OnceLock::get)
}
