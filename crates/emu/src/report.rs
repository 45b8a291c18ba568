//! The reports of an emulation: when it is ready, while it runs, and at its end.

use indexmap::IndexMap;
use manypath_link::Counters;
use serde::Serialize;

use crate::plan::{Plan, Port, Side};

/// One line of a report.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Report {
    /// The hosts are ready, and packets are forwarded.
    Ready(Ready),
    /// Periodic counters.
    Counters(Snapshot),
    /// The emulation has ended.
    End(Ending),
}

/// The addresses of the hosts.
#[derive(Clone, Debug, Serialize)]
pub struct Ready {
    /// Name of the emulation.
    pub name: String,
    /// Interfaces of its hosts, alternately the left and the right end of a path.
    pub interfaces: Vec<Interface>,
    /// Privileges that the system refused, one line each.
    pub refused: Vec<String>,
}

/// One end of a path.
#[derive(Clone, Debug, Serialize)]
pub struct Interface {
    /// The pair of hosts.
    pub pair: String,
    /// `left` or `right`.
    pub side: &'static str,
    /// Name of the path in the document.
    pub path: String,
    /// The namespace of the host.
    pub namespace: String,
    /// The name of the interface there.
    pub interface: String,
    /// Its addresses.
    pub addresses: [String; 2],
}

/// The counters so far.
#[derive(Clone, Debug, Serialize)]
pub struct Snapshot {
    /// Seconds since the start of the emulation.
    pub at: f64,
    /// Core links by name.
    pub links: IndexMap<String, LinkReport>,
    /// Interfaces, in the order of [`Ready`].
    pub interfaces: Vec<InterfaceReport>,
    /// The lateness of packets.
    pub lateness: LatenessReport,
    /// Packets in flight.
    pub travelling: u64,
    /// Packets that access links dropped or lost.
    pub lost_at_hosts: u64,
}

/// One direction of a link. Bytes are network-layer bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct LinkReport {
    /// Packets offered.
    pub arrived: u64,
    /// Packets delivered at the far end.
    pub delivered: u64,
    /// Delivered packets with a wrong bit.
    pub damaged: u64,
    /// Packets dropped before their transmission.
    pub dropped: u64,
    /// Dropped packets for which there was room.
    pub dropped_early: u64,
    /// Packets lost after their transmission, or when the link went down.
    pub lost: u64,
    /// Bytes offered.
    pub bytes_arrived: u64,
    /// Bytes delivered at the far end.
    pub bytes_delivered: u64,
    /// Packets in the queue.
    pub waiting: u64,
}

/// One interface of a host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct InterfaceReport {
    /// Packets that the host sent.
    pub sent: u64,
    /// Their bytes, with IP headers.
    pub bytes_sent: u64,
    /// Packets that the host received.
    pub received: u64,
    /// Due packets that the host refused, because its interface is down or the packet's header is damaged.
    pub refused: u64,
    /// Packets that the host dropped because the router did not read them in time; known at the end.
    pub overrun: u64,
}

/// The lateness of packets at their delivery to hosts, in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct LatenessReport {
    /// Number of packets.
    pub packets: u64,
    /// Number of packets later than `bound`.
    pub late: u64,
    /// A packet with a larger lateness is late.
    pub bound: f64,
    /// Median.
    pub median: f64,
    /// 99 % quantile.
    pub p99: f64,
    /// 99.9 % quantile.
    pub p999: f64,
    /// Maximum.
    pub max: f64,
}

/// The whole run.
#[derive(Clone, Debug, Serialize)]
pub struct Ending {
    /// The counters of the run.
    #[serde(flatten)]
    pub snapshot: Snapshot,
    /// The reasons why the run is not reliable, one line each; empty if it is.
    pub marks: Vec<String>,
}

impl LinkReport {
    pub(crate) fn new(counters: &Counters, waiting: usize) -> Self {
        Self {
            arrived: counters.arrived,
            delivered: counters.delivered,
            damaged: counters.damaged,
            dropped: counters.dropped(),
            dropped_early: counters.dropped_early,
            lost: counters.lost_in_all(),
            bytes_arrived: counters.bytes_arrived,
            bytes_delivered: counters.bytes_delivered,
            waiting: waiting as u64,
        }
    }
}

impl Interface {
    pub(crate) fn all(plan: &Plan, document: &crate::Document) -> Vec<Self> {
        let named = |port: &Port| {
            let (pair, fields) = document.pairs.get_index(port.pair)?;
            Some(Self {
                pair: pair.clone(),
                side: if port.side == Side::Left { "left" } else { "right" },
                path: fields.paths[port.path].clone(),
                namespace: port.namespace.clone(),
                interface: port.interface.clone(),
                addresses: [port.ipv4().to_string(), port.ipv6().to_string()],
            })
        };
        plan.ports.iter().filter_map(named).collect()
    }
}
