//! A lock around the system calls that read one record. It is never held while a call waits for the network.

#![expect(unsafe_code, reason = "pthread_atfork takes a function")]

use super::system;
use std::sync::atomic::{AtomicU32, Ordering};

/// The thread that holds the lock, or 0.
static HOLDER: AtomicU32 = AtomicU32::new(0);

/// Holds the lock.
pub(super) struct Guard(());

impl Drop for Guard {
    fn drop(&mut self) {
        HOLDER.store(0, Ordering::Release);
    }
}

/// Takes the lock.
///
/// # Errors
/// `EAGAIN` if the thread holds it: a signal handler interrupted it.
pub(super) fn take() -> system::Result<Guard> {
    let thread = system::thread();
    loop {
        match HOLDER.compare_exchange(0, thread, Ordering::Acquire, Ordering::Relaxed) {
            Ok(_) => return Ok(Guard(())),
            Err(holder) if holder == thread => return Err(libc::EAGAIN),
            Err(_) => system::yield_now(),
        }
    }
}

/// Frees the lock in a child whose parent forked while another thread held it.
pub(super) fn survive_fork() {
    extern "C" fn release() {
        HOLDER.store(0, Ordering::Relaxed);
    }
    // SAFETY: the function has no effect but a store
    unsafe { libc::pthread_atfork(None, None, Some(release)) };
}
