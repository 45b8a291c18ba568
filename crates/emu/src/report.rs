//! What an emulation says of itself: when it is ready, while it runs, and at the end.

use indexmap::IndexMap;
use manypath_link::Counters;
use serde::Serialize;

use crate::plan::{Plan, Port, Side};

/// One line of a report.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Report {
    /// The hosts are there, and packets travel.
    Ready(Ready),
    /// How it is going.
    Counters(Snapshot),
    /// It is over.
    End(Ending),
}

/// Who can be reached how.
#[derive(Clone, Debug, Serialize)]
pub struct Ready {
    /// The emulation.
    pub name: String,
    /// Its interfaces, the left and the right end of a path in turn.
    pub interfaces: Vec<Interface>,
    /// What the system refused, one line each.
    pub refused: Vec<String>,
}

/// One end of a path.
#[derive(Clone, Debug, Serialize)]
pub struct Interface {
    /// The pair of hosts.
    pub pair: String,
    /// `left` or `right`.
    pub side: &'static str,
    /// The path by its name in the document.
    pub path: String,
    /// The namespace of the host.
    pub namespace: String,
    /// The name of the interface there.
    pub interface: String,
    /// Its addresses.
    pub addresses: [String; 2],
}

/// What happened so far.
#[derive(Clone, Debug, Serialize)]
pub struct Snapshot {
    /// Seconds since the emulation began.
    pub at: f64,
    /// Links of the core, by name.
    pub links: IndexMap<String, LinkReport>,
    /// Interfaces, in the order of [`Ready`].
    pub interfaces: Vec<InterfaceReport>,
    /// How late packets left.
    pub lateness: LatenessReport,
    /// Packets on their way.
    pub travelling: u64,
    /// Packets that links of hosts dropped or lost.
    pub lost_at_hosts: u64,
}

/// One direction of a link. Bytes are network-layer bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct LinkReport {
    /// Packets offered.
    pub arrived: u64,
    /// Packets handed out at the far end.
    pub delivered: u64,
    /// Of these, packets with a bit that is wrong.
    pub damaged: u64,
    /// Packets dropped before their transmission.
    pub dropped: u64,
    /// Of these, packets dropped although there was room.
    pub dropped_early: u64,
    /// Packets lost after they had used the link, or when it went down.
    pub lost: u64,
    /// Bytes offered.
    pub bytes_arrived: u64,
    /// Bytes handed out at the far end.
    pub bytes_delivered: u64,
    /// Packets that wait for the transmitter.
    pub waiting: u64,
}

/// One interface of a host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct InterfaceReport {
    /// Packets that the host sent.
    pub sent: u64,
    /// Packets that the host received.
    pub received: u64,
    /// Packets that were due and that the host did not take: its interface is down, or their header is damaged.
    pub refused: u64,
    /// Packets that the host dropped because the router did not fetch them in time; known at the end.
    pub overrun: u64,
}

/// How long after they were due packets were handed to their hosts. Seconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct LatenessReport {
    /// Packets.
    pub packets: u64,
    /// Packets later than `bound`.
    pub late: u64,
    /// From when on a packet is late.
    pub bound: f64,
    /// Half of the packets were not later.
    pub median: f64,
    /// 99 % were not later.
    pub p99: f64,
    /// 99.9 % were not later.
    pub p999: f64,
    /// The latest.
    pub max: f64,
}

/// The whole run.
#[derive(Clone, Debug, Serialize)]
pub struct Ending {
    /// What happened.
    #[serde(flatten)]
    pub snapshot: Snapshot,
    /// Why the run is not to be trusted, one line each; none if it is.
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
