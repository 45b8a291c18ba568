//! What a run measured, as the document that Python reads.

use indexmap::IndexMap;
use manypath_core::ByLimit;
use manypath_events::Standing;
use serde::Serialize;

use crate::counters::Counts;

/// The outcome of one run. Rates in bit/s, times in seconds, sizes in bytes. Unless noted otherwise, counters cover the
/// measured time only.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Outcome {
    /// Flows by name.
    pub flows: IndexMap<String, FlowOutcome>,
    /// Core links by name.
    pub links: IndexMap<String, LinkOutcome>,
    /// Hash of what happened to each packet at each link: time, link, size and fate. 16 hexadecimal digits. Contents of
    /// packets and deliveries of messages are not in it.
    pub digest: String,
    /// Deliveries of packets by links, warm-up and access links included.
    pub packet_hops: u64,
    /// Packets with data that all sources sent, warm-up included.
    pub data_packets: u64,
    /// Simulated time, warm-up included.
    pub simulated_seconds: f64,
    /// Measured time, without the warm-up.
    pub measured_seconds: f64,
    /// Processor time of the run.
    pub cpu_seconds: f64,
}

/// The measurements of a flow.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct FlowOutcome {
    /// Payload delivered to the application per second.
    pub goodput: f64,
    /// Packets with data that the source sent per second, headers and retransmissions included, on the network layer.
    pub throughput: f64,
    /// Payload delivered to the application.
    pub delivered_bytes: u64,
    /// Messages delivered to the application.
    pub delivered_messages: u64,
    /// Packets with data that the source sent.
    pub data_packets: u64,
    /// Packets of the source that links dropped, lost or damaged, divided by those with data; null if it sent none.
    pub loss_rate: Option<f64>,
    /// Window reductions by fast retransmission, or by rescheduling as in INET.
    pub window_cuts: u64,
    /// Counters of its ends, each a field of the document. With TCP, chunks are segments.
    #[serde(flatten)]
    pub counters: Counts,
    /// Time from the hand-over of a message by the sending application to its delivery to the receiving one.
    pub latency: Latency,
    /// Payload in the sink's receive buffer that the application cannot read yet.
    pub reorder_buffer: ReorderBuffer,
    /// Head-of-line blocking, sum of all streams.
    pub head_of_line: HeadOfLine,
    /// Head-of-line blocking by number of the stream, for streams that have carried ordered messages.
    pub streams: Vec<HeadOfLine>,
    /// Why the association or connection ended; null if it did not. An ended flow sends nothing more.
    pub closed: Option<String>,
    /// When it ended, in seconds since the start of the run, warm-up included.
    pub closed_at: Option<f64>,
    /// Paths by name.
    pub paths: IndexMap<String, PathOutcome>,
}

/// Latency of the messages that were delivered in the measured time; null if there were none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Latency {
    /// Mean over the messages.
    pub mean: Option<f64>,
    /// Median. Percentiles are exact to 0.1 % or a microsecond.
    pub p50: Option<f64>,
    /// 95th percentile.
    pub p95: Option<f64>,
    /// 99th percentile.
    pub p99: Option<f64>,
    /// Maximum.
    pub max: Option<f64>,
}

/// Bytes of incomplete messages, and of complete ones that wait for an earlier one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct ReorderBuffer {
    /// Mean over time.
    pub mean: f64,
    /// Maximum after any packet.
    pub max: u64,
}

/// Waiting times of complete ordered messages for earlier ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct HeadOfLine {
    /// Ordered messages that were offered to the application.
    pub messages: u64,
    /// Those of them that had to wait for an earlier message.
    pub waited: u64,
    /// Sum of their waiting times.
    pub waiting: f64,
    /// Time during which at least one message of the stream waited.
    pub blocked: f64,
}

/// The measurements of a path of a flow.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PathOutcome {
    /// New payload that arrived over the path per second.
    pub goodput: f64,
    /// Packets with data that were sent on the path per second, headers and retransmissions included, on the network
    /// layer.
    pub throughput: f64,
    /// Congestion window, mean over time.
    pub cwnd: f64,
    /// Slow-start threshold, mean over the time for which the path had one; null if it never had one.
    pub ssthresh: Option<f64>,
    /// Smoothed RTT, mean over the time for which it was known; null without an RTT sample.
    pub srtt: Option<f64>,
    /// Outstanding bytes, mean over time.
    pub outstanding: f64,
    /// Packets with data sent on the path.
    pub data_packets: u64,
    /// Packets of the source that links dropped, lost or damaged.
    pub lost_packets: u64,
    /// The same divided by the packets with data; null if none was sent.
    pub loss_rate: Option<f64>,
    /// Counters of its ends, each a field of the document. With TCP, chunks are segments.
    #[serde(flatten)]
    pub counters: Counts,
    /// Seconds of the measured time in which the path could not send new data, each counted for the first limit only.
    pub blocked: ByLimit<f64>,
    /// State of the path at the source at the end of the run.
    pub path_state: Standing,
}

/// Counters of a link.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct LinkOutcome {
    /// Packets offered.
    pub arrived: u64,
    /// Packets delivered, damaged ones included.
    pub delivered: u64,
    /// Of these, packets that the link damaged.
    pub damaged: u64,
    /// Packets dropped by the queue or by a link that was down.
    pub dropped: u64,
    /// Packets lost in transmission.
    pub lost: u64,
    /// Bytes delivered, framing excluded.
    pub bytes: u64,
    /// The time for which the transmitter was busy, as a share of the measured time.
    pub utilisation: f64,
    /// Packets in the queue, mean over time.
    pub mean_queue: f64,
}
