//! Descriptors that wake tasks.

use std::io;
use std::os::fd::{AsFd, AsRawFd};

use tokio::io::unix::AsyncFd;

/// Registers a descriptor with tokio.
///
/// # Errors
/// If the system refuses it.
///
/// # Panics
/// Outside a tokio runtime with I/O.
pub fn register<T: AsFd + AsRawFd + Send + 'static>(owner: T) -> io::Result<AsyncFd<T>> {
    #[expect(unsafe_code, reason = "tokio asks for the promise that the descriptor stays open")]
    // SAFETY: an owner with `AsFd` owns its descriptor or borrows one that outlives it, and the owner is not replaced
    let registered = unsafe { AsyncFd::register(owner) };
    Ok(registered?)
}
