//! Recognises descriptors of SCTP sockets.

use super::lock;
use super::system::{self, errno, set_errno};
use crate::record::ENVIRONMENT;
use libc::c_int;
use std::os::unix::ffi::OsStrExt;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// A Unix address: its family, its path and a zero.
struct Daemon {
    address: [u8; LARGEST],
    length: usize,
}

/// The length of `struct sockaddr_un`.
const LARGEST: usize = size_of::<libc::sockaddr_un>();
/// The offset of the path in `struct sockaddr_un`.
const PATH: usize = 2;

static DAEMON: OnceLock<Option<Daemon>> = OnceLock::new();
static MAY_HAVE: AtomicBool = AtomicBool::new(false);

/// Reads the environment, and looks for descriptors that the program inherited.
///
/// The first call should precede all other threads of the program.
pub fn start() {
    if daemon().is_none() {
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

/// The Unix address of the daemon, if the environment has one.
pub(super) fn daemon() -> Option<&'static [u8]> {
    let daemon = DAEMON.get_or_init(|| {
        let path = std::env::var_os(ENVIRONMENT)?;
        let path = path.as_bytes();
        if path.is_empty() || path.len() >= LARGEST - PATH {
            return None;
        }
        let mut address = [0; LARGEST];
        address[..PATH].copy_from_slice(&(libc::AF_UNIX as u16).to_ne_bytes());
        address[PATH..PATH + path.len()].copy_from_slice(path);
        Some(Daemon { address, length: PATH + path.len() + 1 })
    });
    daemon.as_ref().map(|daemon| &daemon.address[..daemon.length])
}

/// Whether the process may have a descriptor of an SCTP socket. If not, no other function of this module is needed.
#[must_use]
pub fn may_have() -> bool {
    MAY_HAVE.load(Ordering::Relaxed)
}

/// Remembers that the process may have a descriptor of an SCTP socket. To be called for descriptors that other processes
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

/// Whether `fd` is connected to the daemon.
fn is_connected(fd: c_int) -> bool {
    let Some(daemon) = daemon() else {
        return false;
    };
    let saved = errno();
    let mut address = [0; LARGEST];
    let length = system::peer(fd, &mut address);
    set_errno(saved);
    length.is_ok_and(|length| address.get(..length) == Some(daemon))
}
