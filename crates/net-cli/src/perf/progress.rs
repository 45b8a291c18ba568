//! The progress of a test, which distinguishes a stopped peer from a slow one.

use std::time::{Duration, Instant};

use manypath_core::Span;
use manypath_net::{BlockedTime, Path, PathStats};

/// Payload that a peer has sent or accepted.
#[derive(Debug)]
pub(super) struct Progress {
    at: Instant,
    waited: Span,
    acknowledged: u64,
    taken: u64,
}

/// The part of a path that counts.
#[derive(Clone, Copy, Debug)]
struct Carried {
    mtu: u16,
    stats: PathStats,
    blocked: BlockedTime,
}

impl From<&Path> for Carried {
    fn from(path: &Path) -> Self {
        Self { mtu: path.mtu, stats: path.stats, blocked: path.blocked }
    }
}

impl Progress {
    pub(super) fn new() -> Self {
        Self { at: Instant::now(), waited: Span::ZERO, acknowledged: 0, taken: 0 }
    }

    /// Number of bytes so far. Window probes are not counted, because the peer's SCTP accepts them even if its program
    /// has stopped: while the receive window blocks a path, acknowledged bytes count only if probes cannot carry as many.
    pub(super) fn read(&mut self, now: Instant, paths: &[Path]) -> u64 {
        let carried: Vec<_> = paths.iter().map(Carried::from).collect();
        self.count(now, &carried)
    }

    fn count(&mut self, now: Instant, paths: &[Carried]) -> u64 {
        let received: u64 = paths.iter().map(|path| path.stats.bytes_received).sum();
        let acknowledged = paths.iter().map(|path| path.stats.bytes_acked).sum();
        let waited = paths.iter().map(|path| path.blocked.receive_window).max().unwrap_or_default();
        let (elapsed, waits) = (now - self.at, waited.as_secs_f64() - self.waited.as_secs_f64());
        let new = acknowledged - self.acknowledged;
        let is_limited = waits >= 0.8 * elapsed.as_secs_f64();
        if !is_limited || new > probes(elapsed, paths) {
            self.taken += new;
        }
        (self.at, self.waited, self.acknowledged) = (now, waited, acknowledged);
        received + self.taken
    }
}

/// The largest number of bytes that window probes carry within a time: a packet per retransmission timeout on each path.
/// RFC 9260 §6.1 A
fn probes(time: Duration, paths: &[Carried]) -> u64 {
    let packets = |path: &Carried| {
        let timeout = path.stats.rto.as_nanos().max(1);
        1_u64.saturating_add(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX) / timeout)
    };
    paths
        .iter()
        .map(|path| packets(path).saturating_mul(path.mtu.into()))
        .fold(0, u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    /// A path that the receive window blocked for `blocked` seconds, on which `acked` bytes were acknowledged.
    fn path(acked: u64, blocked: u64) -> Carried {
        let (stats, limits) = (PathStats::default(), BlockedTime::default());
        let mut path = Carried { mtu: 1500, stats, blocked: limits };
        path.stats.bytes_acked = acked;
        path.stats.rto = Span::from_secs(1);
        path.blocked.receive_window = Span::from_secs(blocked);
        path
    }

    /// The progress after each of some readings, one second apart.
    fn read(readings: &[Carried]) -> Vec<u64> {
        let mut progress = Progress::new();
        let start = progress.at;
        (1..)
            .zip(readings)
            .map(|(second, path)| {
                progress.count(start + second * SECOND, std::slice::from_ref(path))
            })
            .collect()
    }

    #[test]
    fn data_counts_while_the_receive_window_limits_it() {
        let acked = [1_000_000, 2_000_000, 3_000_000];
        assert_eq!(read(&[path(acked[0], 1), path(acked[1], 2), path(acked[2], 3)]), acked);
    }

    #[test]
    fn window_probes_do_not_count() {
        assert_eq!(read(&[path(5000, 0), path(6452, 1), path(7904, 2)]), [5000, 5000, 5000]);
    }

    #[test]
    fn data_of_a_slow_path_counts_if_no_window_blocks_it() {
        assert_eq!(read(&[path(1452, 0), path(2904, 0)]), [1452, 2904]);
    }
}
