//! One path of an association in one direction, by its addresses.

use std::net::IpAddr;

use manypath_core::Tsn;
use manypath_sctp::Sack;
use serde::Serialize;

use super::Seen;

/// Counters of the packets from one address to another.
#[derive(Debug, Serialize)]
pub(super) struct Path {
    /// The sending side, 0 or 1.
    side: usize,
    source: IpAddr,
    destination: IpAddr,
    /// Whether the packets are encapsulated in UDP.
    udp: bool,
    #[serde(flatten)]
    pub(super) counts: Counts,
    /// The chunk whose round trip is measured, and when it was seen.
    #[serde(skip)]
    pub(super) timed: Option<(Tsn, u64)>,
}

/// Counters of the content of packets.
#[derive(Debug, Default, Serialize)]
pub(super) struct Counts {
    packets: u64,
    /// Bytes of the IP packets.
    bytes: u64,
    damaged: u64,
    pub(super) data_chunks: u64,
    /// Bytes of user data, including retransmissions.
    pub(super) data_bytes: u64,
    /// DATA chunks with a TSN that was seen before.
    pub(super) retransmissions: u64,
    /// TSNs of this path that a SACK reported missing and that were seen again.
    pub(super) losses: u64,
    /// TSNs that were first seen on this path after a SACK had reported them missing.
    pub(super) late: u64,
    sacks: u64,
    gap_blocks: u64,
    duplicates: u64,
    pub(super) heartbeats: u64,
    pub(super) heartbeat_acks: u64,
    /// From HEARTBEAT to HEARTBEAT ACK.
    pub(super) rtt_heartbeat: RoundTrips,
    /// From DATA to the first SACK that covers it, for one chunk at a time that was sent once.
    pub(super) rtt_data: RoundTrips,
}

/// Round-trip times in nanoseconds.
#[derive(Debug, Default, Serialize)]
pub(super) struct RoundTrips {
    count: u64,
    min: Option<u64>,
    max: Option<u64>,
    mean: Option<u64>,
    #[serde(skip)]
    sum: u128,
}

impl RoundTrips {
    pub(super) fn add(&mut self, nanoseconds: u64) {
        self.count += 1;
        self.sum += u128::from(nanoseconds);
        self.min = Some(self.min.map_or(nanoseconds, |min| min.min(nanoseconds)));
        self.max = Some(self.max.map_or(nanoseconds, |max| max.max(nanoseconds)));
        self.mean = u64::try_from(self.sum / u128::from(self.count)).ok();
    }
}

impl Path {
    pub(super) fn new(side: usize, seen: &Seen<'_>) -> Self {
        let [source, destination] = seen.via;
        Self {
            side,
            source,
            destination,
            udp: seen.is_encapsulated,
            counts: Counts::default(),
            timed: None,
        }
    }

    pub(super) fn is(&self, side: usize, via: [IpAddr; 2]) -> bool {
        self.side == side && [self.source, self.destination] == via
    }

    pub(super) fn is_of(&self, side: usize) -> bool {
        self.side == side
    }

    pub(super) fn count(&mut self, seen: &Seen<'_>) {
        self.counts.packets += 1;
        self.counts.bytes += seen.length as u64;
        self.counts.damaged += u64::from(seen.checksum == Some(false));
    }

    pub(super) fn sack(&mut self, sack: &Sack) {
        self.counts.sacks += 1;
        self.counts.gap_blocks += (sack.gaps.len() + sack.kept_gaps.len()) as u64;
        self.counts.duplicates += sack.duplicates.len() as u64;
    }
}
