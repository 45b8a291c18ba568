//! Descriptors that programs pass to the daemon. Each call comes with the program's end of its own connection; a program
//! may pass anything else.
//!
//! Closing the last descriptor of a file may block: a TCP socket lingers, and the server of a network file system does not
//! answer. So foreign descriptors are closed in threads that may block.

use std::mem::take;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};

use nix::sys::socket::{getsockopt, sockopt};
use rustix::net::{RecvFlags, Shutdown, recv, shutdown};
use tokio::sync::Semaphore;
use tokio::task::{JoinHandle, spawn_blocking};

/// The descriptors of a record.
#[derive(Debug, Default)]
pub(super) struct Passed {
    /// The only one, if it is the program's end of a connection to this daemon.
    own: Option<OwnedFd>,
    /// All others.
    foreign: Vec<OwnedFd>,
}

impl Passed {
    pub(super) fn new(mut all: Vec<OwnedFd>) -> Self {
        match &all[..] {
            [one] if is_of_daemon(one) => Self { own: all.pop(), foreign: all },
            _ => Self { own: None, foreign: all },
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.own.is_none() && self.foreign.is_empty()
    }

    /// The program's end of a connection to this daemon. Closing it does not block, because only the daemon sends to it.
    pub(super) fn take_own(&mut self) -> Option<OwnedFd> {
        self.own.take()
    }

    pub(super) fn has_foreign(&self) -> bool {
        !self.foreign.is_empty()
    }

    /// Closes all, and waits until that is done.
    pub(super) async fn close(mut self) {
        if self.has_foreign() {
            // Fails only if the runtime ends
            let _ = close_elsewhere(take(&mut self.foreign)).await;
        }
    }
}

impl Drop for Passed {
    fn drop(&mut self) {
        if self.has_foreign() {
            close_elsewhere(take(&mut self.foreign));
        }
    }
}

/// Whether a descriptor is the end of a Unix socket that is connected to one of this process. Its peer has the
/// credentials of the process that called `listen`. unix(7), `SO_PEERCRED`
fn is_of_daemon(descriptor: &OwnedFd) -> bool {
    let own = std::process::id().cast_signed();
    getsockopt(descriptor, sockopt::PeerCredentials).is_ok_and(|peer| peer.pid() == own)
}

/// Closes descriptors in a thread that may block.
fn close_elsewhere(descriptors: Vec<OwnedFd>) -> JoinHandle<()> {
    tokio::spawn(async move {
        // The semaphore is never closed
        let _permit = THREADS.acquire().await;
        let _ = spawn_blocking(move || drop(descriptors)).await;
    })
}

/// Threads that close descriptors at once.
static THREADS: Semaphore = Semaphore::const_new(MOST_THREADS);
const MOST_THREADS: usize = 16;

/// The daemon's end of a connection. Unread records may have descriptors, which are closed with it.
#[derive(Debug)]
pub(super) struct DaemonEnd(Option<OwnedFd>);

impl DaemonEnd {
    pub(super) fn new(socket: OwnedFd) -> Self {
        Self(Some(socket))
    }
}

impl AsFd for DaemonEnd {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_ref().expect("it is taken by drop alone").as_fd()
    }
}

impl AsRawFd for DaemonEnd {
    fn as_raw_fd(&self) -> RawFd {
        self.as_fd().as_raw_fd()
    }
}

impl Drop for DaemonEnd {
    fn drop(&mut self) {
        // The program can send no more
        let _ = shutdown(self.as_fd(), Shutdown::Read);
        let flags = RecvFlags::PEEK | RecvFlags::DONTWAIT;
        let is_read = !matches!(recv(self.as_fd(), &mut [0; 1], flags), Ok((1.., _)));
        if let Some(socket) = self.0.take().filter(|_| !is_read) {
            // Their number is limited by the descriptors that a user may have on the way. unix(7), ETOOMANYREFS
            close_elsewhere(vec![socket]);
        }
    }
}
