//! A lock around the system calls that read one record. It is never held while a call waits for the network. `peel_off`
//! holds it while the daemon answers.

#![expect(unsafe_code, reason = "pthread_atfork takes functions")]

use super::held;
use super::system;
use std::sync::atomic::{AtomicU32, Ordering};

/// The thread that holds the lock, or 0.
static HOLDER: AtomicU32 = AtomicU32::new(0);
/// The thread that holds the lock because it forks, or 0.
static FORKS: AtomicU32 = AtomicU32::new(0);

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

/// Lets no thread fork while another one holds the lock: the child would have half of its work. So a `fork` during
/// `peel_off` waits for the answer of the daemon.
pub(super) fn survive_fork() {
    extern "C" fn before() {
        // The signal handler of a thread that holds the lock may fork
        if let Ok(guard) = take() {
            FORKS.store(system::thread(), Ordering::Relaxed);
            std::mem::forget(guard);
        }
    }
    extern "C" fn parent() {
        if FORKS.load(Ordering::Relaxed) == system::thread() {
            FORKS.store(0, Ordering::Relaxed);
            HOLDER.store(0, Ordering::Release);
        }
    }
    extern "C" fn child() {
        FORKS.store(0, Ordering::Relaxed);
        HOLDER.store(0, Ordering::Relaxed);
        held::close_all();
    }
    // SAFETY: the functions use atomic numbers and system calls alone
    unsafe { libc::pthread_atfork(Some(before), Some(parent), Some(child)) };
}
