//! Locks of the process. A signal handler learns that its own thread has one, instead of waiting for itself.

#![expect(unsafe_code, reason = "pthread_atfork takes functions")]

use super::held;
use super::system;
use std::sync::atomic::{AtomicU32, Ordering};

/// Held around the system calls that read one record, and never while a call waits for the network. `peel_off` holds it
/// while the daemon answers. A `fork` does not wait for it: the calls of the other threads change only what the kernel
/// has, and end in the parent.
pub(super) static RECORDS: Lock = Lock::new();
/// Held around changes of the table of duplicates. A `fork` waits for it: the child must find each duplicate.
pub(super) static DUPLICATES: Lock = Lock::new();
/// The thread that holds [`DUPLICATES`] because it forks, or 0.
static FORKS: AtomicU32 = AtomicU32::new(0);

/// A lock.
pub(super) struct Lock {
    /// The thread that holds it, or 0.
    holder: AtomicU32,
}

/// Holds a lock.
pub(super) struct Guard(&'static Lock);

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.release();
    }
}

impl Lock {
    const fn new() -> Self {
        Self { holder: AtomicU32::new(0) }
    }

    /// Takes the lock.
    ///
    /// # Errors
    /// `EAGAIN` if the thread holds it: a signal handler interrupted it.
    pub(super) fn take(&'static self) -> system::Result<Guard> {
        let thread = system::thread();
        loop {
            match self.holder.compare_exchange(0, thread, Ordering::Acquire, Ordering::Relaxed) {
                Ok(_) => return Ok(Guard(self)),
                Err(holder) if holder == thread => return Err(libc::EAGAIN),
                Err(_) => system::yield_now(),
            }
        }
    }

    fn release(&self) {
        self.holder.store(0, Ordering::Release);
    }
}

/// Lets no thread fork while another one changes the table of duplicates, and gives the child free locks.
pub(super) fn survive_fork() {
    extern "C" fn before() {
        // The signal handler of a thread that holds the lock may fork
        if let Ok(guard) = DUPLICATES.take() {
            FORKS.store(system::thread(), Ordering::Relaxed);
            std::mem::forget(guard);
        }
    }
    extern "C" fn parent() {
        if FORKS.load(Ordering::Relaxed) == system::thread() {
            FORKS.store(0, Ordering::Relaxed);
            DUPLICATES.release();
        }
    }
    extern "C" fn child() {
        FORKS.store(0, Ordering::Relaxed);
        DUPLICATES.release();
        RECORDS.release();
        held::close_all();
    }
    // SAFETY: the functions use atomic numbers and system calls alone
    unsafe { libc::pthread_atfork(Some(before), Some(parent), Some(child)) };
}
