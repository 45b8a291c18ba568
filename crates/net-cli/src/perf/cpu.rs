//! CPU time of this process.

use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use serde::{Deserialize, Serialize};

/// CPU time of a process during a test, in percent of one CPU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cpu {
    /// In user mode.
    pub user: f64,
    /// In the kernel.
    pub system: f64,
}

/// Measures the CPU time from its creation on.
#[derive(Debug)]
pub(super) struct CpuMeter {
    start: Instant,
    before: [Duration; 2],
}

impl CpuMeter {
    pub(super) fn new() -> Self {
        Self { start: Instant::now(), before: used() }
    }

    pub(super) fn read(&self) -> Cpu {
        let elapsed = self.start.elapsed().as_secs_f64().max(1e-9);
        let now = used();
        let percent =
            |i: usize| now[i].saturating_sub(self.before[i]).as_secs_f64() * 100.0 / elapsed;
        Cpu { user: percent(0), system: percent(1) }
    }
}

/// User and system time so far; zero if the system does not report it.
fn used() -> [Duration; 2] {
    let Ok(usage) = getrusage(UsageWho::RUSAGE_SELF) else { return [Duration::ZERO; 2] };
    [usage.user_time(), usage.system_time()]
        .map(|time| Duration::from_micros(time.num_microseconds().unsigned_abs()))
}
