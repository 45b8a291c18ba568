//! Recognises descriptors of SCTP sockets.

use super::daemons::{self, Address};
use super::lock;
use super::system::{errno, set_errno};
use libc::c_int;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether the process may have a descriptor of an SCTP socket.
static MAY_HAVE: AtomicBool = AtomicBool::new(false);

/// Reads the environment, and looks for descriptors that the program inherited.
///
/// The first call should precede all other threads of the program.
pub fn start() {
    if daemons::of_environment().is_none() {
        return;
    }
    let Ok(entries) = std::fs::read_dir("/proc/self/fd") else {
        // Without /proc every descriptor is looked at
        return received_descriptors();
    };
    let number = |entry: std::fs::DirEntry| entry.file_name().to_str()?.parse::<c_int>().ok();
    let numbers = entries.flatten().filter_map(number);
    let candidates: Vec<Address> = numbers.filter_map(|fd| Address::of_peer(fd).ok()).collect();
    if candidates.is_empty() {
        return;
    }
    daemons::look_for_environment();
    if candidates.iter().any(|name| daemons::named(name).is_some()) {
        set_may_have();
    }
}

/// Records that the process may have a descriptor of an SCTP socket.
pub(super) fn set_may_have() {
    if !MAY_HAVE.swap(true, Ordering::Relaxed) {
        lock::survive_fork();
    }
}

/// To be called when another process has passed descriptors: they may be SCTP sockets. Leaves `errno` as it is.
pub fn received_descriptors() {
    if daemons::current().is_some() {
        let saved = errno();
        daemons::look_for_environment();
        set_may_have();
        set_errno(saved);
    }
}

/// Whether `fd` is an SCTP socket. Leaves `errno` as it is.
#[must_use]
pub fn is_ours(fd: c_int) -> bool {
    MAY_HAVE.load(Ordering::Relaxed) && is_connected(fd)
}

/// Whether `fd` is connected to a daemon.
fn is_connected(fd: c_int) -> bool {
    let saved = errno();
    let peer = Address::of_peer(fd);
    set_errno(saved);
    peer.is_ok_and(|name| daemons::named(&name).is_some())
}
