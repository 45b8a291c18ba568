//! The progress of a test, which distinguishes a stopped peer from a slow one.

use std::time::{Duration, Instant};

use manypath_core::Span;

use crate::Path;

/// Payload that a peer has sent or accepted.
#[derive(Debug)]
pub(super) struct Progress {
    at: Instant,
    waited: Span,
    acknowledged: u64,
    taken: u64,
}

impl Progress {
    pub(super) fn new() -> Self {
        Self { at: Instant::now(), waited: Span::ZERO, acknowledged: 0, taken: 0 }
    }

    /// Number of bytes so far. Window probes are not counted, because the peer's SCTP accepts them even if its program
    /// has stopped: while the receive window blocks a path, acknowledged bytes count only if probes cannot carry as many.
    pub(super) fn read(&mut self, now: Instant, paths: &[Path]) -> u64 {
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
fn probes(time: Duration, paths: &[Path]) -> u64 {
    let packets = |path: &Path| {
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
    use std::net::{IpAddr, Ipv4Addr};

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    /// A path that the receive window blocked for `blocked` seconds, on which `acked` bytes were acknowledged.
    fn path(acked: u64, blocked: u64) -> Path {
        let mut path = Path {
            local: IpAddr::V4(Ipv4Addr::LOCALHOST),
            remote: IpAddr::V4(Ipv4Addr::LOCALHOST),
            mtu: 1500,
            is_primary: true,
            stats: Default::default(),
            blocked: Default::default(),
        };
        path.stats.bytes_acked = acked;
        path.stats.rto = Span::from_secs(1);
        path.blocked.receive_window = Span::from_secs(blocked);
        path
    }

    /// The progress after each of some readings, one second apart.
    fn read(readings: &[Path]) -> Vec<u64> {
        let mut progress = Progress::new();
        let start = progress.at;
        (1..)
            .zip(readings)
            .map(|(second, path)| {
                progress.read(start + second * SECOND, std::slice::from_ref(path))
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
