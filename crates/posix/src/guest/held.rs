//! Keeps the socket of a call that waits open, as the kernel does: another thread may close the descriptor meanwhile, and
//! open another file with its number.
//!
//! The call uses a duplicate of the descriptor, which `fork` does not copy: a child closes those of its parent. A process
//! with one thread needs no duplicate.

#![cfg_attr(
    target_env = "gnu",
    expect(unsafe_code, reason = "libc tells by a variable whether there are several threads")
)]

use super::lock;
use super::system::{self, Owned, Result};
use libc::c_int;
use std::sync::atomic::{AtomicI32, Ordering};

/// The descriptor of a call that waits.
pub(super) struct Held {
    fd: c_int,
    /// The duplicate, and its place in [`PLACES`].
    duplicate: Option<(Owned, &'static AtomicI32)>,
}

/// Duplicates of calls that wait, or [`FREE`].
static PLACES: [AtomicI32; MOST] = [const { AtomicI32::new(FREE) }; MOST];
const FREE: c_int = -1;
/// Largest number of duplicates. Further calls use the descriptor of the program.
const MOST: usize = 64;
/// Least number of a duplicate. Programs may expect the lowest free one for themselves.
const LEAST_NUMBER: c_int = 512;

impl Held {
    /// Holds the socket of a call that waits. Without room for a duplicate, the call uses `fd`.
    ///
    /// # Errors
    /// `EAGAIN` if `fd` is non-blocking and the process may have several threads, `EBADF`.
    pub(super) fn to_wait(fd: c_int) -> Result<Self> {
        if !has_threads() {
            return Ok(Self { fd, duplicate: None });
        }
        match system::is_non_blocking(fd)? {
            true => Err(libc::EAGAIN),
            false => Ok(Self { fd, duplicate: duplicate(fd) }),
        }
    }

    /// The same for a call that may be non-blocking. It does not wait then, and needs no duplicate.
    pub(super) fn of(fd: c_int) -> Self {
        Self::to_wait(fd).unwrap_or(Self { fd, duplicate: None })
    }

    pub(super) fn fd(&self) -> c_int {
        self.duplicate.as_ref().map_or(self.fd, |(own, _)| own.fd())
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if let Some((own, place)) = self.duplicate.take() {
            // Another thread may fork between both steps
            let _guard = lock::DUPLICATES.take();
            if place.swap(FREE, Ordering::Relaxed) == own.fd() {
                drop(own);
            } else {
                // The child of a signal handler that forked has closed it
                own.release();
            }
        }
    }
}

fn duplicate(fd: c_int) -> Option<(Owned, &'static AtomicI32)> {
    // A signal handler within a call that reads has no lock
    let _guard = lock::DUPLICATES.take().ok()?;
    let place = PLACES.iter().find(|place| place.load(Ordering::Relaxed) == FREE)?;
    let own = system::duplicate(fd, LEAST_NUMBER).ok()?;
    place.store(own.fd(), Ordering::Relaxed);
    Some((own, place))
}

/// Closes the duplicates of the parent, in the child of a `fork`.
pub(super) fn close_all() {
    for place in &PLACES {
        let fd = place.swap(FREE, Ordering::Relaxed);
        if fd != FREE {
            system::close(fd);
        }
    }
}

/// Whether the process may have several threads.
#[cfg(target_env = "gnu")]
fn has_threads() -> bool {
    unsafe extern "C" {
        static __libc_single_threaded: libc::c_char;
    }
    // SAFETY: libc has the variable. It changes when this thread creates another one, or after the others have ended
    unsafe { (&raw const __libc_single_threaded).read_volatile() == 0 }
}

/// Whether the process may have several threads.
#[cfg(not(target_env = "gnu"))]
fn has_threads() -> bool {
    true
}
