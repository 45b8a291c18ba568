//! Real-time settings of the router: priority, exact timers, locked memory.

use std::num::NonZeroU64;

use rustix::mm::{MlockAllFlags, mlockall};
use rustix::thread::set_current_timer_slack;

use crate::system::become_fifo;

/// Prepares the calling thread; with `priority`, it gets real-time priority and its memory is locked. Returns the
/// refusals of the system, one line each.
pub(crate) fn prepare(priority: bool) -> Vec<String> {
    let mut refused = Vec::new();
    if let Err(error) = set_current_timer_slack(NonZeroU64::new(1)) {
        refused.push(format!("timers are not exact: {error}"));
    }
    if priority {
        if let Err(error) = become_fifo(PRIORITY) {
            refused.push(format!("no real-time priority (SCHED_FIFO): {error}"));
        }
        if let Err(error) = mlockall(MlockAllFlags::CURRENT | MlockAllFlags::FUTURE) {
            refused.push(format!("memory may be swapped out: {error}"));
        }
    }
    refused
}

/// Above ordinary threads, below kernel threads.
const PRIORITY: i32 = 10;
