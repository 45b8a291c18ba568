//! What one side has counted by the end of a test.

use std::net::IpAddr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::Cpu;
use crate::blocked::blocked_by;
use crate::{Path, PathStats};

/// Totals of one side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Results {
    /// What it handed over, if it was to send.
    pub sent: Option<Total>,
    /// What it was handed, if it was to receive.
    pub received: Option<Total>,
    /// DATA chunks that it sent again.
    pub retransmits: u64,
    /// Congestion control of what it sends.
    pub congestion: String,
    /// Its processor time.
    pub cpu: Cpu,
    /// By the number of the path on this side.
    pub paths: Vec<PathTotal>,
}

/// One direction as one side counts it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Total {
    /// Payload bytes.
    pub bytes: u64,
    /// Whole messages.
    pub messages: u64,
    /// Seconds from the beginning of the test until the last of it was handed over.
    pub seconds: f64,
    /// Payload bytes by stream, from stream 1.
    pub streams: Vec<u64>,
}

/// What a path has carried during the test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PathTotal {
    /// Local address.
    pub local: IpAddr,
    /// The peer's address.
    pub remote: IpAddr,
    /// Payload bytes acknowledged whose last transmission took the path.
    pub bytes_acked: u64,
    /// New payload bytes received.
    pub bytes_received: u64,
    /// Packets with DATA sent.
    pub packets_sent: u64,
    /// Packets with DATA received.
    pub packets_received: u64,
    /// DATA chunks sent that had been sent before, on any path.
    pub retransmits: u64,
    /// DATA chunks that fast retransmission marked as lost.
    pub fast_retransmits: u64,
    /// Retransmission timers that expired.
    pub timeouts: u64,
    /// Seconds during which it could not send new data, by reason.
    pub blocked: Vec<(String, f64)>,
}

impl Results {
    /// Whether a peer can have counted so.
    pub(super) fn is_possible(&self) -> bool {
        let totals = [&self.sent, &self.received].into_iter().flatten();
        totals
            .map(|total| total.seconds)
            .all(|seconds| Duration::try_from_secs_f64(seconds).is_ok())
    }
}

impl PathTotal {
    /// The growth of a path's counters since `before`.
    pub(super) fn between(before: Option<&Path>, now: &Path) -> Self {
        let none = PathStats::default();
        let old = before.map_or(&none, |path| &path.stats);
        let new = &now.stats;
        let old_blocked = before.map(|path| path.blocked).unwrap_or_default();
        let blocked = blocked_by(&now.blocked).into_iter().zip(blocked_by(&old_blocked));
        Self {
            local: now.local,
            remote: now.remote,
            bytes_acked: new.bytes_acked - old.bytes_acked,
            bytes_received: new.bytes_received - old.bytes_received,
            packets_sent: new.data_packets_sent - old.data_packets_sent,
            packets_received: new.data_packets_received - old.data_packets_received,
            retransmits: new.data_chunks_sent_again - old.data_chunks_sent_again,
            fast_retransmits: new.fast_retransmissions - old.fast_retransmissions,
            timeouts: new.timeouts - old.timeouts,
            blocked: blocked.map(|((name, new), (_, old))| (name.to_owned(), new - old)).collect(),
        }
    }

    /// Payload that the path carried, in either direction.
    #[must_use]
    pub fn carried(&self) -> u64 {
        self.bytes_acked + self.bytes_received
    }
}
