//! The configuration of an endpoint: every policy that the papers or their simulator leave open is a switch here.

mod presets;

use manypath_cc::Profile;
use manypath_core::{Address, RtoLimits, Span, Tsn};

/// Settings of an endpoint; every association that it opens or accepts takes them over.
///
/// [`Config::default`] is for simulations, [`Config::for_real_networks`] for unknown peers on open networks.
#[derive(Clone, Debug)]
pub struct Config {
    /// SCTP port of this endpoint.
    pub port: u16,
    /// Addresses of this endpoint, in the order in which the peer learns them.
    pub local: Vec<Address>,
    /// MTU of a path until another one is found, in bytes of an IP packet.
    pub mtu: u16,
    /// Probe each path for larger packets, beginning with `mtu` (BASE_PLPMTU), which then must pass nearly everywhere.
    pub mtu_discovery: Option<MtuDiscovery>,
    /// Packets travel inside UDP, whose header takes 8 bytes of each. RFC 6951
    pub udp_encapsulation: bool,
    /// Streams that the endpoint wants to send on.
    pub outbound_streams: u16,
    /// Streams that the endpoint accepts.
    pub inbound_streams: u16,
    /// TSN of the first DATA chunk; a random one where there is none. RFC 9260 §3.3.2
    pub initial_tsn: Option<Tsn>,
    /// Bytes of user data that wait or are outstanding at most.
    pub send_buffer: usize,
    /// Chunks that are outstanding at most, for peers whose map of received TSNs is small; never more than 32,768.
    pub max_outstanding: usize,
    /// Bytes of user data that wait for the application at most.
    pub receive_buffer: usize,
    /// Bytes that each chunk in the receive buffer counts beside its payload, until its message is complete, and each
    /// message until it is read. With 0 payload alone counts, as in the papers. An endpoint on an open network sets what
    /// such an entry takes in memory, at most 256: else its peer fills the window with chunks of one byte.
    pub chunk_overhead: usize,
    /// Payloads of fewer bytes are copied out of the datagram that brought them, so that they do not keep it in memory;
    /// with 0 none is. What waits then keeps at most `datagram / copy_payloads_below` times its payload.
    pub copy_payloads_below: usize,
    /// Cut messages that do not fit a packet into fragments; else they are refused. RFC 9260 §6.9
    pub fragmentation: bool,
    /// Hand over part by part a message that is larger than the receive buffer: else it never arrives. RFC 9260 §6.9
    pub partial_delivery: bool,
    /// Name of the congestion control, as `manypath_cc::algorithms` lists it.
    pub congestion: String,
    /// How the congestion control counts and rounds.
    pub profile: Profile,
    /// Send new data on all paths at once; else on the primary path only.
    pub concurrent: bool,
    /// How the growth of a window is tied to its path. Reference: CUC of Iyengar, Amer, Stewart 2006
    pub cumack: CumAck,
    /// Count a chunk as missing only by news of its own path (SFR). Iyengar, Amer, Stewart 2006
    pub split_fast_retransmit: bool,
    /// Acknowledge gaps without haste, and say how many packets a SACK stands for (DAC). Iyengar, Amer, Stewart 2006
    pub delayed_ack_for_cmt: bool,
    /// Enter and leave Fast Recovery path by path; else the whole association shares the exit point.
    pub path_fast_recovery: bool,
    /// A chunk that a timeout moved tells nothing about losses on the path that it moved to. \[D10] IV-D
    pub smart_fast_retransmit: bool,
    /// Offer NR-SACK.
    pub nr_sack: bool,
    /// With NR-SACK, promise to keep whatever arrived; else only what the application has been offered. Without NR-SACK
    /// nothing is promised.
    pub never_renege: bool,
    /// Offer packet drop reports: what arrives damaged is named to its sender, who sends it again.
    pub packet_drop_reports: bool,
    /// How the buffers are divided among the paths.
    pub buffer_split: BufferSplit,
    /// What fills a path's share of a divided buffer.
    pub split_by: SplitBy,
    /// Whether a path may send the chunk of another path that blocks its buffer.
    pub rescheduling: Rescheduling,
    /// Whether a path whose window would fall below one packet pauses.
    pub path_blocking: PathBlocking,
    /// Which path a SACK takes.
    pub sack_path: SackPath,
    /// Ask for a SACK with the last packet that a window admits. RFC 9260 §3.3.1, I bit
    pub sack_immediately: bool,
    /// Which window that is.
    pub sack_immediately_at: LimitingWindow,
    /// With `sack_immediately`, ask only where a delayed SACK would stop the sender: with a packet that fills a window and
    /// is alone in flight on its path, and with the last packet in SHUTDOWN-PENDING. The peer acknowledges every second
    /// packet at once anyway. If false, as in INET, every packet that fills a window asks, and the last packet of all data
    /// that the application has handed over. RFC 7053 §4.2
    pub sack_immediately_sparingly: bool,
    /// Send a SACK for every so many DATA packets.
    pub sack_every: u32,
    /// Send a SACK at the latest so long after the first unacknowledged DATA packet.
    pub sack_delay: Span,
    /// What limits a burst on one path.
    pub burst: Burst,
    /// Packets in one burst (Max.Burst).
    pub max_burst: u32,
    /// Spread the packets with DATA of each path over its round trip, at the rate of its window: twice that in slow start
    /// and 1.25 times otherwise. It replaces `burst` on a path from the first RTT sample on. RFC 9002 §7.7
    pub pacing: bool,
    /// In which order the paths are served.
    pub send_order: SendOrder,
    /// What restarts a path's retransmission timer.
    pub t3_reset: T3Reset,
    /// Where chunks go whose timer expired.
    pub t3_path: T3Path,
    /// Such chunks take another path only among those that share fewest addresses with the path before. RFC 9260 §6.4.1
    pub t3_divergent: bool,
    /// Hold a packet that is not full while data is outstanding.
    pub nagle: bool,
    /// Bytes of the peer's receive window below which it counts as full (the sender avoids silly windows).
    pub peer_window_threshold: u32,
    /// Who may send one chunk into a full window of the peer.
    pub window_probe: WindowProbe,
    /// The first probe of a window that has closed waits for one RTO, and each further one that the peer takes twice as long
    /// as the one before it; else a probe leaves as soon as nothing is in flight. RFC 9260 §6.1 A
    pub window_probe_waits: bool,
    /// Whether new data may overrun the peer's window.
    pub window_overrun: WindowOverrun,
    /// Which SACKs time a path.
    pub rtt_sample: RttSample,
    /// No chunk times its path if one with the same or a lower TSN was sent again since it left; else each chunk does that
    /// was itself sent once. RFC 9260 §6.3.1 C5
    pub strict_rtt_sample: bool,
    /// How the retransmission timeout is computed and bounded.
    pub rto: RtoLimits,
    /// Pause between the probes of an idle path, beside one RTO.
    pub heartbeat_interval: Span,
    /// Addresses that are yet to be confirmed and that are probed in one RTO at most (HB.Max.Burst). RFC 9260 §5.4
    ///
    /// `u32::MAX` probes all at once, so that every path carries data one round trip after the association stands. So do
    /// simulations, whose peers list no addresses of others.
    pub heartbeat_burst: u32,
    /// Errors in a row after which a path counts as failed (Path.Max.Retrans).
    pub path_max_retransmissions: u32,
    /// Errors in a row after which a path counts as potentially failed (PFMR); never without a number, or if it is not
    /// below `path_max_retransmissions`. RFC 7829 §3.2
    pub potentially_failed_after: Option<u32>,
    /// Errors in a row after which the peer counts as gone (Association.Max.Retrans).
    pub association_max_retransmissions: u32,
    /// The peer counts as gone only once every confirmed path, too, has left so much unanswered in a row. If false, the
    /// errors of all paths add up, so that an association with more paths ends sooner if all of them fall silent together.
    /// Unlike RFC 9260 §8.1 if true.
    pub every_path_must_fail: bool,
    /// Attempts to open an association (Max.Init.Retransmits).
    pub init_max_retransmissions: u32,
    /// Each address of the peer has its own timer T1, which doubles after each attempt at that address. If false, one timer
    /// doubles after each attempt. RFC 9260 §5.1
    pub setup_timer_per_address: bool,
    /// How long a state cookie is good (Valid.Cookie.Life).
    pub cookie_life: Span,
    /// Whether peers may open associations; else INIT is answered with ABORT.
    pub listens: bool,
    /// Associations that peers opened and that may wait for [`Endpoint::accept`](crate::Endpoint::accept) at once. No
    /// number: they count as accepted, and [`Event::Connected`](crate::Event::Connected) announces them.
    pub backlog: Option<usize>,
    /// Whether the application hears more than simulations need: [`Event::PeerShutdown`](crate::Event::PeerShutdown),
    /// [`Event::SendFailed`](crate::Event::SendFailed), [`Event::SenderDry`](crate::Event::SenderDry),
    /// [`Event::RemoteError`](crate::Event::RemoteError) and
    /// [`Event::PartialDeliveryAborted`](crate::Event::PartialDeliveryAborted).
    pub detailed_events: bool,
    /// Associations up to which peers may open further ones, closed ones included that are not forgotten.
    pub max_associations: usize,
}

impl Config {
    /// Whether a path can be potentially failed before it has failed. RFC 7829 §3.2 item 1
    pub(crate) fn fails_over_quickly(&self) -> bool {
        self.potentially_failed_after.is_some_and(|limit| limit < self.path_max_retransmissions)
    }

    /// Up to how many errors in a row a path counts. RFC 7829 §4.1: far beyond Path.Max.Retrans, so that the paths that
    /// have failed differ
    pub(crate) fn most_path_errors(&self) -> u32 {
        let failed = self.path_max_retransmissions.saturating_add(1);
        if self.fails_over_quickly() { failed.saturating_mul(10) } else { failed }
    }
}

/// How the largest packet of a path is sought by probes. RFC 8899
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct MtuDiscovery {
    /// Smallest packet that is tried, and used where the base does not pass, in bytes of an IP packet (MIN_PLPMTU). On
    /// IPv6 at least 1,280 count.
    pub min: u16,
    /// Largest packet that is tried, in bytes of an IP packet (MAX_PLPMTU).
    pub max: u16,
    /// After so long a larger size is tried again (PMTU_RAISE_TIMER). RFC 8899 §5.1.1
    pub raise_after: Span,
}

impl MtuDiscovery {
    /// RFC 8899's constants, and jumbo frames of Ethernet as the largest packets.
    pub const RFC8899: Self = Self { min: 576, max: 9216, raise_after: Span::from_secs(600) };
}

/// Which acknowledgements let the window of a path grow.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum CumAck {
    /// The association's cumulative TSN moved over a chunk of the path.
    Association,
    /// CUCv1: the lowest TSN outstanding on the path was acknowledged, retransmissions included.
    PathV1,
    /// CUCv2: first transmissions and retransmissions are followed apart.
    PathV2,
}

/// The buffers that are divided among the paths. Each path may fill one share. \[D10] IV-B
///
/// There are as many shares as paths that may carry new data. A path that does not work has no share, and a path that
/// carries all data has the whole buffer.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum BufferSplit {
    /// All paths share both buffers.
    None,
    /// The send buffer is divided.
    Sender,
    /// The receive buffer is divided.
    Receiver,
    /// Both are divided.
    Both,
}

impl BufferSplit {
    /// Whether the send buffer is divided.
    pub const fn sender(self) -> bool {
        matches!(self, Self::Sender | Self::Both)
    }

    /// Whether the receive buffer is divided.
    pub const fn receiver(self) -> bool {
        matches!(self, Self::Receiver | Self::Both)
    }
}

/// What fills a path's share of a divided buffer.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum SplitBy {
    /// Bytes in flight; the receiver's share may be exceeded by one packet. \[D11] V, after Adhari et al. 2011
    Outstanding,
    /// Bytes of the path's chunks that still occupy the send buffer, acknowledged ones included. \[D10] eq. 1, 2
    Buffered,
}

/// Whether a path may send the chunk of another path that blocks its buffer. \[D10] IV-C
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Rescheduling {
    /// No path does.
    None,
    /// As in the paper: the window of the path that had the chunk shrinks by its size.
    Threshold,
    /// As in INET: the path that had the chunk reacts as to a loss.
    Inet,
}

/// Whether a path whose window a loss would bring below one packet pauses before it sends new data.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum PathBlocking {
    /// It goes on with a window of one packet.
    None,
    /// It pauses for one RTO.
    Rto,
    /// It pauses for one RTO times the number of paths.
    RtoTimesPaths,
}

/// Which path a SACK takes.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum SackPath {
    /// Back to the source of the first DATA packet since the last SACK.
    FirstData,
    /// Back to the source of the latest DATA packet. RFC 9260 §6.2
    LastData,
    /// The primary path.
    Primary,
    /// Among the paths that carried DATA since the last SACK the one whose own last SACK is oldest.
    RoundRobin,
    /// Among the paths that carried DATA since the last SACK the one with the smallest smoothed RTT.
    SmallestSrtt,
}

/// Which window makes the packet that fills it ask for a SACK.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum LimitingWindow {
    /// The congestion window of the path. INET does this.
    Congestion,
    /// That, or the receive window of the peer. RFC 7053 §4
    Any,
}

/// Who may send one chunk into a full window of the peer.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum WindowProbe {
    /// The association, while it has nothing in flight. RFC 9260 §6.1 A
    Association,
    /// Each path that has nothing in flight. INET does this.
    Path,
}

/// Whether new data may overrun the peer's window.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum WindowOverrun {
    /// What does not fit waits. RFC 9260 §6.1 A
    Never,
    /// As long as one byte is left a packet may leave, as with a congestion window.
    Packet,
    /// The same, and once a packet has overrun it the window limits nothing until the next SACK.
    ///
    /// INET counts the window down without a sign, so that it wraps around: an accident, kept to explain its numbers.
    Wraps,
}

/// Which SACKs time the path of the chunks that they acknowledge.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum RttSample {
    /// Those that come back on the same path: the sample is the round trip of one path.
    SamePath,
    /// Any, for peers that send all SACKs on one path, such as usrsctp: other paths would be timed by heartbeats alone. A
    /// sample then is the way there on one path and the way back on another.
    AnySack,
}

/// What limits a burst on one path.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Burst {
    /// Nothing but the window.
    None,
    /// At most `max_burst` packets for one SACK.
    MaxBurst,
    /// The window itself falls to what is in flight and `max_burst` packets.
    UseItOrLoseIt,
}

/// In which order the paths are served after the one that an event concerns; all of them where it concerns none, such as
/// data from the application.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum SendOrder {
    /// By their number.
    Address,
    /// By their number, beginning after the one that the event concerns.
    RoundRobin,
    /// The path that has been silent longest comes first.
    SmallestLastTransmission,
    /// The path with the most free window comes first.
    LargestSpace,
    /// The path with the largest slow-start threshold comes first.
    LargestSsthresh,
}

/// What restarts the retransmission timer of a path.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum T3Reset {
    /// The earliest outstanding TSN of the path was acknowledged. RFC 9260 §6.3.2 R3
    Rfc9260,
    /// The send time of the oldest outstanding chunk of the path changed.
    Smart,
}

/// Where chunks go whose retransmission timer expired.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum T3Path {
    /// Back onto the same path while it is active (RTX-SAME).
    Same,
    /// To the next active path in order.
    Next,
    /// To the active path with the largest window (RTX-CWND).
    LargestWindow,
    /// To the active path with the largest slow-start threshold (RTX-SSTHRESH).
    LargestSsthresh,
}
