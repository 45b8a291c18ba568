//! What a run needs memory for: its hosts, the data in send buffers, and the packets in the network.

use std::collections::HashMap;

use manypath_core::Time;
use manypath_link::LinkConfig;

use super::Bytes;
use crate::payload::PIECE;
use crate::scenario::{Application, Flow, Scenario};

/// A demand for memory, and the field that reduces it.
pub(super) struct Demand {
    pub(super) field: String,
    pub(super) value: String,
    /// Where the field counts several times.
    pub(super) share: &'static str,
    pub(super) bytes: u64,
}

impl Scenario {
    /// The demands of all hosts, of all send buffers, and of all packets.
    pub(super) fn demands(&self) -> [Demand; 3] {
        [self.hosts(), self.send_buffers(), self.packets()]
    }

    fn hosts(&self) -> Demand {
        let count = self.flows.len() as u64;
        Demand {
            field: "flows".to_owned(),
            value: format!("{count} flows"),
            share: "",
            bytes: self.flows.values().map(hosts_of).sum(),
        }
    }

    fn send_buffers(&self) -> Demand {
        let demands = self.flows.iter().map(|(name, flow)| (name, flow, self.sent_data(flow)));
        let all = demands.clone().fold(0, |sum, (_, _, bytes)| u64::saturating_add(sum, bytes));
        let largest = demands.max_by_key(|demand| demand.2);
        let (name, buffer) = largest.map_or(("", 0), |(name, flow, _)| (name, flow.send_buffer()));
        Demand {
            field: format!("flows.{name}.send_buffer"),
            value: Bytes(buffer).to_string(),
            share: if self.flows.len() > 1 { ", here and in the other flows" } else { "" },
            bytes: all,
        }
    }

    /// Memory for the messages in the send buffer of a flow.
    fn sent_data(&self, flow: &Flow) -> u64 {
        let message = flow.app().message();
        let buffered = self.buffered(flow);
        let mean = (u64::from(message.min) + u64::from(message.max)).div_ceil(2).max(1);
        let payload = if message.max as usize > PIECE { buffered } else { 0 };
        (buffered / mean).saturating_mul(MESSAGE).saturating_add(payload)
    }

    /// The most data that the send buffer of a flow has, in bytes.
    fn buffered(&self, flow: &Flow) -> u64 {
        let seconds = (self.end() - Time::ZERO).as_secs_f64();
        let offered = match flow.app() {
            Application::Cbr { rate, .. } | Application::OnOff { rate, .. } => {
                (rate.bits_per_second() as f64 * seconds / 8.0) as u64
            }
            Application::Saturated { .. } | Application::Transfer { .. } => flow.app().size(),
        };
        flow.send_buffer().min(offered)
    }

    /// The packets of all flows, as far as the links have room for them.
    fn packets(&self) -> Demand {
        let users = self.users();
        let (mut packets, mut bytes, mut in_access) = (0_u64, 0_u64, 0_u64);
        for flow in self.flows.values() {
            let outstanding = self.buffered(flow) / PACKET_SIZE + 1;
            let rooms = flow.paths().iter().map(|path| self.room(path, &users));
            let (core, access) = rooms.fold((0_u64, 0_u64), |sum, room| {
                (sum.0.saturating_add(room.0), sum.1.saturating_add(room.1))
            });
            let count = outstanding.min(core.saturating_add(access));
            let memory = match flow {
                Flow::Sctp(_) => SCTP_PACKET,
                Flow::Tcp(_) | Flow::Mptcp(_) => TCP_PACKET,
            };
            packets = packets.saturating_add(count);
            bytes = bytes.saturating_add(count.saturating_mul(memory));
            in_access = in_access.saturating_add(access.min(outstanding));
        }
        let links = self.network.links.iter();
        let core = links.clone().fold(0_u64, |sum, (_, link)| sum.saturating_add(room_of(link)));
        let room = core.saturating_add(in_access);
        if packets > room {
            bytes = (bytes as f64 * room as f64 / packets as f64) as u64;
        }
        let largest = links.max_by_key(|(_, link)| limit(link));
        let (leaf, value) = largest.map_or(("packets", "0".to_owned()), |(_, link)| told(link));
        let name = largest.map_or("", |(name, _)| name);
        Demand {
            field: format!("network.links.{name}.queue.{leaf}"),
            value,
            share: ", or smaller send buffers",
            bytes,
        }
    }

    /// The packets for which the links of a path have room: core links in both directions, and the access link of the
    /// source if no core link is slower than the access links of all flows that share it.
    fn room(&self, path: &str, users: &HashMap<&str, u64>) -> (u64, u64) {
        let Some(path) = self.network.paths.get(path) else { return (0, 0) };
        let links =
            || path.forward.iter().filter_map(|name| self.network.links.get_key_value(name));
        let back = path.reverse.iter().filter_map(|name| self.network.links.get(name));
        let core = links().map(|(_, link)| link).chain(back);
        let core = core.map(room_of).fold(0, u64::saturating_add);
        let access = self.network.access.iter().find(|access| {
            let is_slower = |(name, link): (&String, &LinkConfig)| {
                let all = access.rate.bits_per_second().saturating_mul(users[name.as_str()]);
                link.rate.bits_per_second() < all
            };
            !links().any(is_slower)
        });
        (core, access.map_or(0, limit))
    }

    /// How many flows send over each link, once for each of their paths.
    fn users(&self) -> HashMap<&str, u64> {
        let mut users = HashMap::new();
        let paths = self.flows.values().flat_map(Flow::paths);
        for path in paths.filter_map(|path| self.network.paths.get(path)) {
            for link in &path.forward {
                *users.entry(link.as_str()).or_default() += 1;
            }
        }
        users
    }
}

/// Memory for the hosts of a flow.
fn hosts_of(flow: &Flow) -> u64 {
    match flow.app() {
        Application::Saturated { .. } | Application::Transfer { .. } => HOSTS + LATENCIES,
        Application::Cbr { .. } | Application::OnOff { .. } => HOSTS,
    }
}

/// The packets in a link whose queue is full.
fn room_of(link: &LinkConfig) -> u64 {
    let bits = link.rate.bits_per_second() as f64 * link.delay.as_secs_f64();
    limit(link).saturating_add((bits / 8.0) as u64 / PACKET_SIZE + 1)
}

/// The field that limits the queue of a link, and its value.
fn told(link: &LinkConfig) -> (&'static str, String) {
    let limit = link.queue.limit();
    if limit.bytes == u64::MAX {
        ("packets", limit.packets.to_string())
    } else {
        ("bytes", Bytes(limit.bytes).to_string())
    }
}

/// The limit of a queue in packets.
fn limit(link: &LinkConfig) -> u64 {
    let limit = link.queue.limit();
    limit.packets.min(limit.bytes / PACKET_SIZE)
}

// The values are measured: tests/unit/test_memory.py compares estimates with runs.

/// Bytes for two hosts with empty buffers.
const HOSTS: u64 = 25_000;
/// Bytes for the latencies of messages that wait in a full buffer.
const LATENCIES: u64 = 35_000;
/// Bytes for a message in a send buffer: its chunk, and its index entries. Payload up to a certain length needs none.
const MESSAGE: u64 = 180;
/// Bytes for a packet. One of SCTP keeps the memory of the longest SACK that it has carried.
const SCTP_PACKET: u64 = 4_000;
const TCP_PACKET: u64 = 500;
/// Size of most packets, on the network.
const PACKET_SIZE: u64 = 1_500;
