//! Counters of flows and paths: read from either protocol, and chosen for the outcome by the tables of both.

use std::ops::Sub;

use indexmap::IndexMap;
use manypath_core::Counter;
use manypath_events::{Marks, PathView};
use manypath_sctp as sctp;
use manypath_tcp as tcp;

/// Counters by name. All flows have the same names, and so have all paths; a counter that the protocol does not have is
/// 0.
pub type Counts = IndexMap<&'static str, u64>;

/// Names with their meanings, each in one line.
pub type Meanings = IndexMap<&'static str, &'static str>;

/// The counters of flows in an outcome.
#[must_use]
pub fn flow_counters() -> Meanings {
    meanings(sctp::Stats::COUNTERS, tcp::Stats::COUNTERS)
}

/// The counters of paths in an outcome.
#[must_use]
pub fn path_counters() -> Meanings {
    meanings(sctp::PathStats::COUNTERS, tcp::PathStats::COUNTERS)
}

/// The counters of both tables. A counter that both have has the meaning that it has with SCTP.
fn meanings<S, T>(sctp: &[Counter<S>], tcp: &[Counter<T>]) -> Meanings {
    let sctp = sctp.iter().map(|it| (it.result, it.doc));
    let tcp = tcp.iter().map(|it| (it.result, it.doc));
    let mut meanings = Meanings::new();
    for (result, doc) in sctp.chain(tcp) {
        if let Some(result) = result {
            meanings.entry(result.name).or_insert(doc);
        }
    }
    meanings
}

/// Counters of one end, in the form that its protocol has.
#[derive(Clone, Copy, Debug)]
pub(crate) enum OfProtocol<S, T> {
    Sctp(S),
    Tcp(T),
}

/// Counters of an association or connection at one end.
pub(crate) type EndStats = OfProtocol<sctp::Stats, tcp::Stats>;

/// Counters of a path at one end, and its state as seen from there.
pub(crate) type PathEndStats = OfProtocol<sctp::PathStats, tcp::PathStats>;

impl<S: Copy + Sub<Output = S>, T: Copy + Sub<Output = T>> OfProtocol<S, T> {
    /// The counters since an earlier reading of this end, with the state of this reading.
    pub(crate) fn since(&self, earlier: &Self) -> Self {
        match (self, earlier) {
            (&Self::Sctp(now), &Self::Sctp(before)) => Self::Sctp(now - before),
            (&Self::Tcp(now), &Self::Tcp(before)) => Self::Tcp(now - before),
            _ => unreachable!("an end keeps its protocol"),
        }
    }

    /// The counters in an outcome, of the source `self` and of this sink.
    fn with_sink(&self, sink: &Self, sctp: &[Counter<S>], tcp: &[Counter<T>]) -> Counts {
        let mut counts: Counts = meanings(sctp, tcp).keys().map(|&name| (name, 0)).collect();
        match (self, sink) {
            (Self::Sctp(source), Self::Sctp(sink)) => {
                counts.extend(sctp.iter().filter_map(|counter| counter.of_flow(source, sink)));
            }
            (Self::Tcp(source), Self::Tcp(sink)) => {
                counts.extend(tcp.iter().filter_map(|counter| counter.of_flow(source, sink)));
            }
            _ => unreachable!("both ends of a flow have the same protocol"),
        }
        counts
    }
}

impl EndStats {
    /// The counters of a flow in an outcome, of the source `self` and of this sink.
    pub(crate) fn of_flow(&self, sink: &Self) -> Counts {
        self.with_sink(sink, sctp::Stats::COUNTERS, tcp::Stats::COUNTERS)
    }

    /// Packets with data sent.
    pub(crate) fn data_packets(&self) -> u64 {
        match self {
            Self::Sctp(stats) => stats.data_packets,
            Self::Tcp(stats) => stats.data_packets,
        }
    }

    /// Retransmissions by cause.
    pub(crate) fn marks(&self) -> Marks {
        match self {
            Self::Sctp(stats) => stats.into(),
            Self::Tcp(stats) => stats.into(),
        }
    }
}

impl PathEndStats {
    /// The counters of a path in an outcome, of the source `self` and of this sink.
    pub(crate) fn of_path(&self, sink: &Self) -> Counts {
        self.with_sink(sink, sctp::PathStats::COUNTERS, tcp::PathStats::COUNTERS)
    }

    /// The state of the path, and the counters that events report.
    pub(crate) fn view(&self) -> PathView {
        match self {
            Self::Sctp(stats) => stats.into(),
            Self::Tcp(stats) => stats.into(),
        }
    }

    /// Packets with data sent.
    pub(crate) fn data_packets(&self) -> u64 {
        match self {
            Self::Sctp(stats) => stats.data_packets,
            Self::Tcp(stats) => stats.data_packets,
        }
    }

    /// Bytes of these packets on the network layer.
    pub(crate) fn wire_bytes_sent(&self) -> u64 {
        match self {
            Self::Sctp(stats) => stats.wire_bytes_sent,
            Self::Tcp(stats) => stats.wire_bytes_sent,
        }
    }

    /// New payload bytes received.
    pub(crate) fn bytes_received(&self) -> u64 {
        match self {
            Self::Sctp(stats) => stats.bytes_received,
            Self::Tcp(stats) => stats.bytes_received,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flows_of_both_protocols_have_the_same_counters() {
        let sctp = |timeouts| EndStats::Sctp(sctp::Stats { timeouts, ..sctp::Stats::default() });
        let tcp = |duplicate_segments, damaged_packets| {
            let none = tcp::Stats::default();
            EndStats::Tcp(tcp::Stats { duplicate_segments, damaged_packets, ..none })
        };
        let (sctp, tcp) = (sctp(3).of_flow(&sctp(4)), tcp(5, 1).of_flow(&tcp(6, 2)));
        assert!(sctp.keys().eq(tcp.keys()) && sctp.keys().eq(flow_counters().keys()));
        let counted = |of: Counts| of.into_iter().filter(|&(_, n)| n > 0).collect::<Vec<_>>();
        assert_eq!(counted(sctp), [("timeouts", 3)]);
        assert_eq!(counted(tcp), [("duplicate_chunks", 6), ("damaged_packets", 3)]);
    }

    #[test]
    fn counters_of_tcp_have_the_names_and_ends_of_sctp() {
        // Chunks of SCTP and segments of TCP are the same quantities of a flow
        let in_sctp = |result| sctp::Stats::COUNTERS.iter().any(|it| it.result == Some(result));
        assert!(tcp::Stats::COUNTERS.iter().filter_map(|it| it.result).all(in_sctp));
    }
}
