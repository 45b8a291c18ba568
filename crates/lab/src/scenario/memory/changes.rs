//! A lower bound of the number of recorded changes of a run.

use manypath_core::{Rate, Span, Time};
use manypath_link::{Change, DocumentError, LinkConfig};

use super::{BYTES_OF_NUMBER, Bytes, COPIES};
use crate::scenario::{Application, Flow, Path, Scenario};

impl Scenario {
    /// Checks that a row per change can fit into `available` bytes.
    ///
    /// The estimate is low: it only counts a part of the packets of saturated flows over paths without losses. The run
    /// itself detects if more changes do not fit.
    ///
    /// # Errors
    /// The memory that even this estimate needs.
    pub fn check_changes(&self, available: u64) -> Result<(), DocumentError> {
        let packets = self.flows.values().filter_map(|flow| self.sure_packets(flow)).max();
        let packets = packets.unwrap_or_default();
        let needed = packets.saturating_mul(NUMBERS_OF_PACKET * BYTES_OF_NUMBER * COPIES);
        if needed <= available {
            return Ok(());
        }
        let expected = format!(
            "an interval such as \"100 ms\", or a shorter run: the changes of {packets} packets or more need {}, and there are {}",
            Bytes(needed),
            Bytes(available),
        );
        Err(DocumentError::value("series", "\"event\"", expected))
    }

    /// A lower bound of the data packets of the flow; `None` if it is unknown.
    fn sure_packets(&self, flow: &Flow) -> Option<u64> {
        let Application::Saturated { .. } = flow.app() else { return None };
        let buffer = flow.send_buffer().min(flow.receive_buffer());
        // A slow path may block the other paths of its flow
        let rates =
            flow.paths().iter().map(|path| self.sure_rate(self.network.paths.get(path)?, buffer));
        let rate = rates.collect::<Option<Vec<_>>>()?.into_iter().min()?;
        let time = self.end() - (Time::ZERO + flow.start().latest);
        let bits = u128::from(rate.bits_per_second()) * u128::from(time.as_nanos()) / NANOS;
        let packets = bits / (8 * u128::from(largest_packet(flow))) / LOW;
        Some(u64::try_from(packets).unwrap_or(u64::MAX))
    }

    /// The rate at which a path without losses is used with windows of `buffer` bytes.
    fn sure_rate(&self, path: &Path, buffer: u64) -> Option<Rate> {
        let core =
            path.forward.iter().chain(&path.reverse).map(|name| self.network.links.get(name));
        let access = self.network.access.iter().flat_map(|link| [Some(link); ACCESS_LINKS]);
        let (mut slowest, mut round_trip) = (u64::MAX, Span::ZERO);
        for link in core.chain(access) {
            let (rate, delay) = worst(link?)?;
            slowest = slowest.min(rate.bits_per_second());
            round_trip += delay;
        }
        let window = 8 * u128::from(buffer) * NANOS / u128::from(round_trip.as_nanos().max(1));
        let window = u64::try_from(window).unwrap_or(u64::MAX);
        Some(Rate::from_bits_per_second(slowest.min(window)))
    }
}

/// The lowest rate and the longest delay of a link; `None` if it may lose packets outside its queue.
fn worst(link: &LinkConfig) -> Option<(Rate, Span)> {
    let mut loses = link.loss.harm(ANY_PACKET) > 0.0;
    let (mut rate, mut delay) = (link.rate, link.delay);
    for event in &link.events {
        match event.change {
            Change::Rate(changed) => rate = rate.min(changed),
            Change::Delay(changed) => delay = delay.max(changed),
            Change::Down | Change::Loss(_) => loses = true,
            Change::Up => {}
        }
    }
    (!loses).then_some((rate, delay + link.jitter))
}

/// Approximate size of the largest packet on a link in bytes, headers and framing included.
fn largest_packet(flow: &Flow) -> u64 {
    match flow {
        Flow::Sctp(flow) => u64::from(flow.mtu) + HEADERS,
        Flow::Tcp(flow) => u64::from(flow.mss) + HEADERS,
        Flow::Mptcp(flow) => u64::from(flow.mss) + HEADERS,
    }
}

/// A data packet causes two rows of three numbers at a link and one of four at its receiver, without other numbers.
const NUMBERS_OF_PACKET: u64 = 10;
/// A flow without losses outside queues sends more than this fraction of the packets that its path could carry.
const LOW: u128 = 4;
/// Access links on the way of a packet and of its acknowledgement.
const ACCESS_LINKS: usize = 4;
const HEADERS: u64 = 100;
const ANY_PACKET: u32 = 1500;
const NANOS: u128 = 1_000_000_000;
