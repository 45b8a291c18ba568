//! One association: its two sides, its begin and end, and its paths.

use std::net::IpAddr;

use manypath_sctp::{Control, Heartbeat};
use serde::Serialize;

use super::Seen;
use super::data::Sender;
use super::path::Path;
use crate::cause::CauseView;

/// A side of an association.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Side {
    /// The side that sent INIT, or else the first captured packet.
    First = 0,
    Second = 1,
}

impl Side {
    pub(super) fn other(self) -> Self {
        if self == Self::First { Self::Second } else { Self::First }
    }
}

/// The state of an association.
#[derive(Debug, Serialize)]
pub(super) struct Association {
    sides: [Endpoint; 2],
    /// Time from the first frame of the file to the first packet of the association, in nanoseconds; negative if the
    /// packet is older.
    began: i64,
    /// Whether its INIT was captured.
    with_init: bool,
    /// Whether the capture shows a complete handshake.
    established: bool,
    /// Its end; `None` if the capture ends earlier.
    end: Option<End>,
    /// Number of packets on paths beyond the limit.
    others: u64,
    paths: Vec<Path>,
    #[serde(skip)]
    senders: [Sender; 2],
    /// Unanswered heartbeats.
    #[serde(skip)]
    probes: Vec<Probe>,
}

/// One end of an association.
#[derive(Debug, Default, Serialize)]
struct Endpoint {
    port: u16,
    /// The verification tag of packets to this end.
    tag: Option<u32>,
    addresses: Vec<IpAddr>,
}

/// The end of an association.
#[derive(Debug, Serialize)]
struct End {
    /// The chunk that ended it.
    chunk: &'static str,
    /// The side that sent it, 0 or 1.
    by: usize,
    causes: Vec<CauseView>,
}

#[derive(Debug)]
struct Probe {
    info: Heartbeat,
    path: usize,
    at: u64,
}

impl Association {
    pub(super) fn new([source, destination]: [u16; 2], began: i64, with_init: bool) -> Self {
        let side = |port| Endpoint { port, ..Endpoint::default() };
        Self {
            sides: [side(source), side(destination)],
            began,
            with_init,
            established: false,
            end: None,
            others: 0,
            paths: Vec::new(),
            senders: [Sender::default(), Sender::default()],
            probes: Vec::new(),
        }
    }

    /// The verification tag of packets to a side.
    pub(super) fn tag(&self, side: Side) -> Option<u32> {
        self.sides[side as usize].tag
    }

    pub(super) fn set_tag(&mut self, side: Side, tag: u32) {
        self.sides[side as usize].tag = Some(tag);
    }

    /// Counts a packet from a side.
    pub(super) fn count(&mut self, side: Side, seen: &Seen<'_>) {
        let [source, destination] = seen.via;
        self.know(side, source);
        self.know(side.other(), destination);
        let Some(index) = self.path(side, seen) else {
            self.others += 1;
            return;
        };
        self.paths[index].count(seen);
        for chunk in &seen.packet.control {
            self.control(side, index, chunk, seen.at);
        }
        if seen.packet.has_sack {
            self.established = true;
            let sack = &seen.packet.sack;
            self.paths[index].sack(sack);
            let other = side.other() as usize;
            self.senders[other].acknowledged(other, sack, seen.at, &mut self.paths);
        }
        for chunk in &seen.packet.data {
            self.senders[side as usize].sent(chunk, index, seen.at, &mut self.paths);
        }
    }

    /// Records an address of a side.
    fn know(&mut self, side: Side, address: IpAddr) {
        let addresses = &mut self.sides[side as usize].addresses;
        if addresses.len() < MOST_ADDRESSES && !addresses.contains(&address) {
            addresses.push(address);
        }
    }

    /// The path of a packet; `None` beyond the limit.
    fn path(&mut self, side: Side, seen: &Seen<'_>) -> Option<usize> {
        let known = self.paths.iter().position(|path| path.is(side as usize, seen.via));
        known.or_else(|| {
            let index = self.paths.len();
            (index < MOST_PATHS).then(|| {
                self.paths.push(Path::new(side as usize, seen));
                index
            })
        })
    }

    fn control(&mut self, side: Side, path: usize, chunk: &Control, at: u64) {
        match chunk {
            Control::Init(init) | Control::InitAck(init) => {
                init.addresses.iter().for_each(|address| self.know(side, (*address).into()));
            }
            Control::CookieAck => self.established = true,
            Control::Heartbeat(info) => {
                self.paths[path].counts.heartbeats += 1;
                if self.probes.len() >= MOST_PROBES {
                    self.probes.remove(0);
                }
                self.probes.push(Probe { info: info.clone(), path, at });
            }
            Control::HeartbeatAck(info) => {
                self.paths[path].counts.heartbeat_acks += 1;
                if let Some(found) = self.probes.iter().position(|probe| probe.info == *info) {
                    let probe = self.probes.remove(found);
                    self.paths[probe.path].counts.rtt_heartbeat.add(at.saturating_sub(probe.at));
                }
            }
            Control::ShutdownComplete { .. } => self.ended("SHUTDOWN COMPLETE", side, Vec::new()),
            Control::Abort { causes, .. } => {
                self.ended("ABORT", side, causes.iter().map(CauseView::of).collect());
            }
            _ => {}
        }
    }

    /// Records the end; only the first one counts.
    fn ended(&mut self, chunk: &'static str, side: Side, causes: Vec<CauseView>) {
        self.end.get_or_insert(End { chunk, by: side as usize, causes });
    }
}

/// Largest numbers of addresses per side, paths, and outstanding heartbeats.
const MOST_ADDRESSES: usize = 64;
const MOST_PATHS: usize = 256;
const MOST_PROBES: usize = 64;
