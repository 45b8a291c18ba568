//! Counters of flows and paths: read from either protocol, and chosen for the outcome by the tables of both.

use std::ops::Sub;
use std::sync::LazyLock;

use indexmap::IndexMap;
use manypath_core::{Counter, counters};
use manypath_events::PathView;
use manypath_sctp as sctp;
use manypath_tcp as tcp;

/// Counters by name. All flows have the same names, and so have all paths; a counter that the protocol does not have is
/// 0.
pub type Counts = IndexMap<&'static str, u64>;

/// Names with their meanings, each in one line.
pub type Meanings = IndexMap<&'static str, &'static str>;

/// The counters of flows in an outcome.
#[must_use]
pub fn flow_counters() -> &'static Meanings {
    &FLOWS.meanings
}

/// The counters of paths in an outcome.
#[must_use]
pub fn path_counters() -> &'static Meanings {
    &PATHS.meanings
}

static FLOWS: LazyLock<Table> = LazyLock::new(|| {
    let tcp = [rows(tcp::Stats::COUNTERS), rows(HostStats::COUNTERS)].concat();
    Table::new(&rows(sctp::Stats::COUNTERS), &tcp)
});

static PATHS: LazyLock<Table> =
    LazyLock::new(|| Table::new(&rows(sctp::PathStats::COUNTERS), &rows(tcp::PathStats::COUNTERS)));

/// Counters in an outcome: those of both protocols.
struct Table {
    meanings: Meanings,
    /// All of them with the value 0.
    zeros: Counts,
    /// The places of the counters of SCTP in the table, in the order in which SCTP has them.
    sctp: Vec<usize>,
    /// The same for TCP.
    tcp: Vec<usize>,
}

impl Table {
    /// A counter that both protocols have has the meaning that it has with SCTP.
    fn new(sctp: &[Row], tcp: &[Row]) -> Self {
        let mut meanings = Meanings::new();
        let mut places = |rows: &[Row]| {
            let add = |&(name, doc): &Row| {
                let entry = meanings.entry(name);
                let place = entry.index();
                entry.or_insert(doc);
                place
            };
            rows.iter().map(add).collect()
        };
        let (sctp, tcp) = (places(sctp), places(tcp));
        let zeros = meanings.keys().map(|&name| (name, 0)).collect();
        Self { meanings, zeros, sctp, tcp }
    }

    /// Counters with these values at these places, and 0 elsewhere.
    fn counts(&self, places: &[usize], values: impl Iterator<Item = u64>) -> Counts {
        let mut counts = self.zeros.clone();
        for (&place, value) in places.iter().zip(values) {
            counts[place] = value;
        }
        counts
    }
}

/// Name and meaning of a counter in an outcome.
type Row = (&'static str, &'static str);

/// The counters that an outcome has.
fn rows<T>(counters: &[Counter<T>]) -> Vec<Row> {
    counters.iter().filter_map(|it| Some((it.result?.name, it.doc))).collect()
}

/// The values of these counters for a flow whose ends have the counters `source` and `sink`.
fn values<'a, T>(
    counters: &'a [Counter<T>],
    source: &'a T,
    sink: &'a T,
) -> impl Iterator<Item = u64> + 'a {
    counters.iter().filter_map(|it| it.of_flow(source, sink)).map(|(_, value)| value)
}

counters! {
    /// Counters of a host of TCP, outside its endpoint.
    HostStats {
        /// Packets that arrived damaged. The host drops them.
        damaged_packets: Both,
    }
}

/// Counters of a connection of TCP at one end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TcpEnd {
    pub(crate) connection: tcp::Stats,
    pub(crate) host: HostStats,
}

/// The counters since an earlier reading.
impl Sub for TcpEnd {
    type Output = Self;

    fn sub(self, earlier: Self) -> Self {
        Self { connection: self.connection - earlier.connection, host: self.host - earlier.host }
    }
}

/// Counters of one end, in the form that its protocol has.
#[derive(Clone, Copy, Debug)]
pub(crate) enum OfProtocol<S, T> {
    Sctp(S),
    Tcp(T),
}

/// Counters of an association or connection at one end.
pub(crate) type EndStats = OfProtocol<sctp::Stats, TcpEnd>;

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
}

impl EndStats {
    /// The counters of a flow in an outcome, of the source `self` and of this sink.
    pub(crate) fn of_flow(&self, sink: &Self) -> Counts {
        match (self, sink) {
            (Self::Sctp(source), Self::Sctp(sink)) => {
                FLOWS.counts(&FLOWS.sctp, values(sctp::Stats::COUNTERS, source, sink))
            }
            (Self::Tcp(source), Self::Tcp(sink)) => {
                let (one, other) = (&source.connection, &sink.connection);
                let of_connection = values(tcp::Stats::COUNTERS, one, other);
                let of_hosts = values(HostStats::COUNTERS, &source.host, &sink.host);
                FLOWS.counts(&FLOWS.tcp, of_connection.chain(of_hosts))
            }
            _ => unreachable!("both ends of a flow have the same protocol"),
        }
    }

    /// Packets with data sent.
    pub(crate) fn data_packets(&self) -> u64 {
        match self {
            Self::Sctp(stats) => stats.data_packets,
            Self::Tcp(end) => end.connection.data_packets,
        }
    }
}

impl PathEndStats {
    /// The counters of a path in an outcome, of the source `self` and of this sink.
    pub(crate) fn of_path(&self, sink: &Self) -> Counts {
        match (self, sink) {
            (Self::Sctp(source), Self::Sctp(sink)) => {
                PATHS.counts(&PATHS.sctp, values(sctp::PathStats::COUNTERS, source, sink))
            }
            (Self::Tcp(source), Self::Tcp(sink)) => {
                PATHS.counts(&PATHS.tcp, values(tcp::PathStats::COUNTERS, source, sink))
            }
            _ => unreachable!("both ends of a flow have the same protocol"),
        }
    }

    /// Window cuts without a timeout.
    pub(crate) fn window_cuts(&self) -> u64 {
        match self {
            Self::Sctp(stats) => stats.window_cuts,
            Self::Tcp(stats) => stats.window_cuts,
        }
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

    /// The counters that are not 0.
    fn counted(counts: Counts) -> Vec<(&'static str, u64)> {
        counts.into_iter().filter(|&(_, count)| count > 0).collect()
    }

    #[test]
    fn counters_of_flows_have_the_values_of_their_ends() {
        let sctp = |timeouts, damaged_packets| {
            EndStats::Sctp(sctp::Stats { timeouts, damaged_packets, ..sctp::Stats::default() })
        };
        let tcp = |count| {
            let connection = tcp::Stats {
                fast_retransmissions: 10 * count,
                timer_retransmissions: 20 * count,
                duplicate_segments: 30 * count,
                ..tcp::Stats::default()
            };
            EndStats::Tcp(TcpEnd { connection, host: HostStats { damaged_packets: count } })
        };
        let of_sctp = counted(sctp(3, 1).of_flow(&sctp(4, 5)));
        assert_eq!(of_sctp, [("timeouts", 3), ("damaged_packets", 6)]);
        let of_tcp = [
            ("fast_retransmissions", 10),
            ("retransmitted_chunks", 30),
            ("duplicate_chunks", 60),
            ("damaged_packets", 3),
        ];
        assert_eq!(counted(tcp(1).of_flow(&tcp(2))), of_tcp);
    }

    #[test]
    fn counters_of_paths_have_the_values_of_the_source() {
        let sctp = |timeouts, rescheduled_chunks| {
            let none = sctp::PathStats::default();
            PathEndStats::Sctp(sctp::PathStats { timeouts, rescheduled_chunks, ..none })
        };
        let tcp = |timeouts, window_cuts| {
            let none = tcp::PathStats::default();
            PathEndStats::Tcp(tcp::PathStats { timeouts, window_cuts, ..none })
        };
        let of_sctp = counted(sctp(1, 2).of_path(&sctp(3, 4)));
        assert_eq!(of_sctp, [("timeouts", 1), ("rescheduled_chunks", 2)]);
        let of_tcp = counted(tcp(1, 2).of_path(&tcp(3, 4)));
        assert_eq!(of_tcp, [("window_cuts", 2), ("timeouts", 1)]);
    }

    #[test]
    fn counters_of_tcp_have_the_names_and_ends_of_sctp() {
        // Chunks of SCTP and segments of TCP are the same quantities of a flow
        let in_sctp = |result| sctp::Stats::COUNTERS.iter().any(|it| it.result == Some(result));
        assert!(tcp::Stats::COUNTERS.iter().filter_map(|it| it.result).all(in_sctp));
        assert!(HostStats::COUNTERS.iter().filter_map(|it| it.result).all(in_sctp));
    }
}
