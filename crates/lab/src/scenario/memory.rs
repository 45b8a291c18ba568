//! How much memory the buffers and queues of a scenario may fill.

use manypath_core::Size;
use manypath_link::LinkConfig;

use super::{Flow, Scenario, ScenarioError};
use crate::app::PIECE;

impl Scenario {
    /// Bytes that a run may need when every buffer and every queue is full; an upper bound, roughly.
    #[must_use]
    pub fn memory(&self) -> u64 {
        self.demands().map(|demand| demand.bytes).fold(0, u64::saturating_add)
    }

    /// Says which field asks for more memory than there is, if `runs` runs at once share `available` bytes.
    ///
    /// # Errors
    /// The field that asks for most.
    pub fn check_memory(&self, available: u64, runs: usize) -> Result<(), ScenarioError> {
        let needed = self.memory().saturating_mul(runs as u64);
        if needed <= available {
            return Ok(());
        }
        let Some(largest) = self.demands().max_by_key(|demand| demand.bytes) else { return Ok(()) };
        let expected = format!(
            "less: {runs} run(s) at once could need {}, and there are {}",
            Size::from_bytes(needed),
            Size::from_bytes(available),
        );
        Err(ScenarioError::value(largest.field, largest.value, expected))
    }

    fn demands(&self) -> impl Iterator<Item = Demand> {
        let links = self
            .network
            .links
            .iter()
            .map(|(name, link)| queue(&format!("network.links.{name}"), link, 1));
        let interfaces: u64 = self.flows.values().map(|flow| 4 * flow.paths().len() as u64).sum();
        let access =
            self.network.access.iter().map(move |link| queue("network.access", link, interfaces));
        let flows = self.flows.iter().flat_map(|(name, flow)| {
            [
                buffer(format!("flows.{name}.send_buffer"), flow, flow.send_buffer()),
                buffer(format!("flows.{name}.receive_buffer"), flow, flow.receive_buffer()),
            ]
        });
        let count = self.flows.len() as u64;
        let hosts = Demand {
            field: "flows".to_owned(),
            value: format!("{count} flows"),
            bytes: count.saturating_mul(FLOW),
        };
        links.chain(access).chain(flows).chain([hosts])
    }
}

/// Bytes that this process may still take, as far as the system tells.
#[must_use]
pub fn available() -> Option<u64> {
    let meminfo = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kibibytes: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kibibytes * 1024)
}

/// What one field asks for.
struct Demand {
    field: String,
    value: String,
    bytes: u64,
}

fn queue(field: &str, link: &LinkConfig, links: u64) -> Demand {
    let limit = link.queue.limit();
    let packets = limit.packets.min(limit.bytes / SMALL_PACKET);
    let (leaf, value) =
        if packets == limit.packets { ("packets", packets) } else { ("bytes", limit.bytes) };
    let bytes = packets.saturating_mul(PACKET_IN_QUEUE).saturating_mul(links);
    Demand { field: format!("{field}.queue.{leaf}"), value: value.to_string(), bytes }
}

fn buffer(field: String, flow: &Flow, buffer: u64) -> Demand {
    let messages = buffer / u64::from(flow.app().message().min.max(1));
    let is_copied = flow.app().message().max as usize > PIECE;
    let payload = if is_copied { buffer } else { 0 };
    Demand {
        field,
        value: format!("{buffer} bytes"),
        bytes: messages.saturating_mul(MESSAGE_IN_BUFFER).saturating_add(payload),
    }
}

/// Bytes for two hosts with nothing in their buffers, and for the latencies of a flow.
const FLOW: u64 = 100_000;
/// Bytes for a handle and its place in a ring.
const PACKET_IN_QUEUE: u64 = 48;
/// Bytes for a message, its chunk, its place in every order, and the packet around it. Payload costs nothing up to a
/// certain length.
const MESSAGE_IN_BUFFER: u64 = 768;
/// Bytes of the smallest packet that fills a queue, a SACK.
const SMALL_PACKET: u64 = 48;
