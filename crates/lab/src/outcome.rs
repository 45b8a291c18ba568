//! What a run measured, as the document that Python reads.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

/// The outcome of one run. Rates in bit/s, times in seconds, sizes in bytes; counters cover the measured time alone
/// where nothing else is said.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// Flows by name.
    pub flows: IndexMap<String, FlowOutcome>,
    /// Core links by name.
    pub links: IndexMap<String, LinkOutcome>,
    /// Names everything that happened in the run: 16 hexadecimal digits.
    pub digest: String,
    /// Deliveries of packets by links, warm-up and access links included.
    pub packet_hops: u64,
    /// Packets with data that all sources sent, warm-up included.
    pub data_packets: u64,
    /// Simulated time, warm-up included.
    pub simulated_seconds: f64,
    /// Processor time that it took.
    pub cpu_seconds: f64,
}

/// What a flow achieved.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FlowOutcome {
    /// Payload delivered to the application per second.
    pub goodput: f64,
    /// Packets with data that the source sent per second, whole and with retransmissions, on the network layer.
    pub throughput: f64,
    /// Payload delivered to the application.
    pub delivered_bytes: u64,
    /// Messages delivered to the application.
    pub delivered_messages: u64,
    /// Packets with data that the source sent.
    pub data_packets: u64,
    /// Packets of the source that links dropped, lost or damaged, as part of those with data; null if it sent none.
    pub loss_rate: Option<f64>,
    /// Times that fast retransmission cut a window, or that a window was cut as by one.
    pub window_cuts: u64,
    /// DATA chunks that fast retransmission marked; segments of TCP that it sent again.
    pub fast_retransmissions: u64,
    /// Expiries of the retransmission timer.
    pub timeouts: u64,
    /// DATA chunks sent again, for whatever reason; segments of TCP.
    pub retransmitted_chunks: u64,
    /// DATA chunks that arrived although they had arrived before; segments of TCP.
    pub duplicate_chunks: u64,
    /// Those fast retransmissions whose chunks had arrived.
    pub spurious_fast_retransmissions: u64,
    /// SACKs that made the source retransmit two such chunks or more at once.
    pub spurious_bursts: u64,
    /// DATA chunks that another path took over because they blocked its buffer.
    pub rescheduled_chunks: u64,
    /// Packets that arrived damaged, at either end.
    pub damaged_packets: u64,
    /// Packet drop reports that arrived at the source.
    pub drop_reports: u64,
    /// DATA chunks sent again because of them.
    pub reported_chunks: u64,
    /// DATA chunks that the sink had no room for; segments of TCP.
    pub refused_chunks: u64,
    /// DATA chunks that had arrived and that the sink gave up again to make room for others.
    pub given_up_chunks: u64,
    /// From the hand-over of a message by the sending application to its delivery to the receiving one.
    pub latency: Latency,
    /// What of the sink's receive buffer held payload that the application could not read yet.
    pub reorder_buffer: ReorderBuffer,
    /// Head-of-line blocking, all streams added up.
    pub head_of_line: HeadOfLine,
    /// Head-of-line blocking on each stream, by its number, as far as streams have carried ordered messages.
    pub streams: Vec<HeadOfLine>,
    /// Why the association or connection ended, where it did: the flow is silent from then on.
    pub closed: Option<String>,
    /// When it ended, seconds since the run began, warm-up included.
    pub closed_at: Option<f64>,
    /// Paths by name.
    pub paths: IndexMap<String, PathOutcome>,
}

/// How long the messages took that were delivered in the measured time; null if none was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Latency {
    /// Mean over the messages.
    pub mean: Option<f64>,
    /// Half of the messages took no longer, to 0.1 % or a microsecond; the same holds for the other percentiles.
    pub p50: Option<f64>,
    /// 95 % of the messages took no longer.
    pub p95: Option<f64>,
    /// 99 % of the messages took no longer.
    pub p99: Option<f64>,
    /// No message took longer.
    pub max: Option<f64>,
}

/// Bytes of messages that are not complete, and of complete ones that wait for an earlier one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ReorderBuffer {
    /// Mean over time.
    pub mean: f64,
    /// At most, after any packet.
    pub max: u64,
}

/// What ordered messages wait for others although they are complete.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HeadOfLine {
    /// Ordered messages that the application was offered.
    pub messages: u64,
    /// Those among them that had to wait.
    pub waited: u64,
    /// How long these waited, all together.
    pub waiting: f64,
    /// Time during which at least one message of the stream waited.
    pub blocked: f64,
}

/// What a path of a flow carried.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PathOutcome {
    /// New payload that arrived over the path per second.
    pub goodput: f64,
    /// Packets with data that were sent on the path per second, whole and with retransmissions, on the network layer.
    pub throughput: f64,
    /// Congestion window, mean over time.
    pub cwnd: f64,
    /// Slow-start threshold, mean over time.
    pub ssthresh: f64,
    /// Smoothed RTT, mean over time.
    pub srtt: f64,
    /// Outstanding bytes, mean over time.
    pub outstanding: f64,
    /// Packets with data sent on the path.
    pub data_packets: u64,
    /// Packets of the source that links dropped, lost or damaged.
    pub lost_packets: u64,
    /// The same as part of the packets with data; null if none was sent.
    pub loss_rate: Option<f64>,
    /// Times that fast retransmission cut the window, or that the window was cut as by one.
    pub window_cuts: u64,
    /// DATA chunks of the path that fast retransmission marked; segments of TCP that it sent again.
    pub fast_retransmissions: u64,
    /// Expiries of the retransmission timer.
    pub timeouts: u64,
    /// DATA chunks that the path took over from another one because they blocked its buffer.
    pub rescheduled_chunks: u64,
    /// How long the path could not send new data, by what stopped it first; null for TCP, which is not asked.
    pub blocked: Blocked,
}

/// Seconds of the measured time, each counted for one reason alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Blocked {
    /// The path paused, was not confirmed, or had failed.
    pub path: Option<f64>,
    /// The congestion window was full.
    pub window: Option<f64>,
    /// The path had used up its share of a divided buffer.
    pub split_share: Option<f64>,
    /// The peer's receive window was full.
    pub receive_window: Option<f64>,
    /// Nothing waited, and the send buffer was full.
    pub send_buffer: Option<f64>,
    /// The next packet was not due yet (pacing).
    pub pacing: Option<f64>,
}

/// What happened on a link.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LinkOutcome {
    /// Packets offered.
    pub arrived: u64,
    /// Packets delivered, damaged ones included.
    pub delivered: u64,
    /// Of these, packets that the link damaged.
    pub damaged: u64,
    /// Packets dropped by the queue or by a link that was down.
    pub dropped: u64,
    /// Packets lost on the way.
    pub lost: u64,
    /// Bytes delivered, framing excluded.
    pub bytes: u64,
    /// Bytes on the wire, framing included, as part of what the rate at the beginning of the run allows.
    pub utilisation: f64,
    /// Packets waiting, mean over time.
    pub mean_queue: f64,
}
