//! The configuration of an endpoint. Every policy that the papers or their simulator do not define is a setting.

mod presets;
mod switches;

use manypath_cc::Profile;
use manypath_core::{Address, RtoLimits, Span, Tsn};

pub use switches::{
    BufferSplit, Burst, CumAck, LimitingWindow, PathBlocking, Rescheduling, RttSample, SackPath,
    SackRequest, SendOrder, SplitBy, T3Path, T3Reset, WindowOverrun, WindowProbe,
};

/// The settings of an endpoint. Each association begins with them.
///
/// [`Config::default`] is for simulations, [`Config::for_real_networks`] for unknown peers on open networks.
#[derive(Clone, Debug)]
pub struct Config {
    /// SCTP port of this endpoint.
    pub port: u16,
    /// Addresses of this endpoint, in the order in which they are announced to the peer.
    pub local: Vec<Address>,
    /// Initial path MTU, in bytes of an IP packet.
    pub mtu: u16,
    /// Path MTU discovery, which begins with `mtu` (BASE_PLPMTU); nearly all paths must support packets of this size.
    pub mtu_discovery: Option<MtuDiscovery>,
    /// Use UDP encapsulation, whose header takes 8 bytes per packet. RFC 6951
    pub udp_encapsulation: bool,
    /// Number of outbound streams that the endpoint requests.
    pub outbound_streams: u16,
    /// Largest number of inbound streams.
    pub inbound_streams: u16,
    /// TSN of the first DATA chunk; random if `None`. RFC 9260 §3.3.2
    pub initial_tsn: Option<Tsn>,
    /// Size of the send buffer: largest amount of waiting and outstanding user data, in bytes.
    pub send_buffer: usize,
    /// Largest number of outstanding chunks, for peers that track few received TSNs; at most 32,768.
    pub max_outstanding: usize,
    /// Size of the receive buffer: largest amount of user data that waits for the application, in bytes.
    pub receive_buffer: usize,
    /// Bytes that each chunk in the receive buffer counts in addition to its payload until its message is complete, and
    /// each message until it is read. With 0, as in the papers, only payload counts. On an open network this should be
    /// the memory of such an entry, at most 256 bytes; otherwise a peer could exhaust memory with chunks of one byte.
    pub chunk_overhead: usize,
    /// Payloads of fewer bytes are copied out of their datagram, so that the datagram can be freed; 0 disables this.
    /// Waiting data then keeps at most `datagram / copy_payloads_below` times its payload in memory.
    pub copy_payloads_below: usize,
    /// Fragment messages that do not fit into a packet; if false, such messages are refused. RFC 9260 §6.9
    pub fragmentation: bool,
    /// Deliver messages larger than the receive buffer in parts. If false, such messages are never delivered.
    /// RFC 9260 §6.9
    pub partial_delivery: bool,
    /// Name of the congestion control; `manypath_cc::algorithms` lists the names.
    pub cc: String,
    /// Units, rounding and limits of the congestion control.
    pub profile: Profile,
    /// Send new data on all paths at once (CMT); if false, only on the primary path.
    pub concurrent: bool,
    /// Congestion window update for CMT (CUC): which acknowledgements let the window of a path grow. Iyengar, Amer,
    /// Stewart 2006
    pub cuc: CumAck,
    /// Split fast retransmit (SFR): count a chunk as missing only if a SACK acknowledges a later chunk of the same path.
    /// Iyengar, Amer, Stewart 2006
    pub sfr: bool,
    /// Delayed acknowledgement for CMT (DAC): delay SACKs also if there are gaps, and report the number of packets in each
    /// SACK. Iyengar, Amer, Stewart 2006
    pub dac: bool,
    /// Fast Recovery per path; if false, all paths share one Fast Recovery with one exit point.
    pub path_fast_recovery: bool,
    /// Chunks that a timeout moved to another path do not indicate losses on that path. \[D10] IV-D
    pub smart_fast_rtx: bool,
    /// Offer NR-SACK.
    pub nr_sack: bool,
    /// With NR-SACK, report all arrived data as non-renegable; if false, only messages that the application can read. No
    /// effect without NR-SACK.
    pub never_renege: bool,
    /// Offer packet drop reports: damaged packets are reported to their sender, which retransmits them.
    pub packet_drop_reports: bool,
    /// The buffers that are divided among the paths.
    pub buffer_split: BufferSplit,
    /// What fills a path's share of a divided buffer.
    pub split_by: SplitBy,
    /// Whether a path may retransmit the chunk of another path that blocks its buffer.
    pub rescheduling: Rescheduling,
    /// Whether a path whose window would fall below one packet pauses.
    pub path_blocking: PathBlocking,
    /// The path of a SACK.
    pub sack_path: SackPath,
    /// Which packets request an immediate SACK. RFC 9260 §3.3.1, I bit
    pub sack_immediately: SackRequest,
    /// The window whose last packet requests the SACK of `sack_immediately`.
    pub sack_immediately_at: LimitingWindow,
    /// Number of DATA packets per SACK.
    pub sack_every: u32,
    /// Largest delay of a SACK after the first unacknowledged DATA packet.
    pub sack_delay: Span,
    /// The limit of bursts on a path.
    pub burst: Burst,
    /// Packets in one burst (Max.Burst).
    pub max_burst: u32,
    /// Pace the DATA packets of each path, at twice the rate of its window in slow start and 1.25 times that rate
    /// otherwise. Pacing replaces `burst` on a path from its first RTT sample on. RFC 9002 §7.7
    pub pacing: bool,
    /// The order in which paths may send.
    pub send_order: SendOrder,
    /// The events that restart the retransmission timer of a path.
    pub t3_reset: T3Reset,
    /// The path of retransmissions after a timeout.
    pub t3_path: T3Path,
    /// Retransmissions after a timeout use only paths with the fewest addresses in common with the previous path.
    /// RFC 9260 §6.4.1
    pub t3_divergent: bool,
    /// Nagle's algorithm: hold a packet that is not full while data is outstanding.
    pub nagle: bool,
    /// The peer's receive window counts as full below this number of bytes (silly window avoidance of the sender).
    pub peer_window_threshold: u32,
    /// Which paths may send one chunk into a full receive window of the peer.
    pub window_probe: WindowProbe,
    /// Delay the first probe of a closed window by one RTO, and each further one by twice the previous delay as long as
    /// the peer accepts them. If false, a probe is sent as soon as nothing is in flight. RFC 9260 §6.1 A
    pub window_probe_waits: bool,
    /// Whether new data may exceed the peer's receive window.
    pub window_overrun: WindowOverrun,
    /// The SACKs and chunks that give RTT samples of a path.
    pub rtt_sample: RttSample,
    /// Computation and limits of the retransmission timeout.
    pub rto: RtoLimits,
    /// Interval between heartbeats of an idle path, to which one RTO is added (HB.interval). [`Span::MAX`] disables them.
    /// Unconfirmed addresses and potentially failed paths are probed in any case.
    pub heartbeat_interval: Span,
    /// Largest number of unconfirmed addresses that are probed per RTO (HB.Max.Burst). RFC 9260 §5.4
    ///
    /// `u32::MAX` probes all addresses at once, so that every path carries data one round trip after the association is
    /// established. Simulations use this, because their peers do not list addresses of other hosts.
    pub heartbeat_burst: u32,
    /// A path fails when its number of consecutive errors exceeds this (Path.Max.Retrans).
    pub path_max_retransmissions: u32,
    /// A path becomes potentially failed when its number of consecutive errors exceeds this (PFMR). Disabled if `None`,
    /// or if not below `path_max_retransmissions`. RFC 7829 §3.2
    pub potentially_failed_after: Option<u32>,
    /// The peer counts as unreachable when the number of consecutive errors exceeds this (Association.Max.Retrans).
    pub association_max_retransmissions: u32,
    /// The peer counts as unreachable only if each confirmed path has more consecutive errors than
    /// `association_max_retransmissions`, or as many as the counter of a path can count. If false, the errors of all
    /// paths are added, so an association with more paths ends sooner if all of them fail together. Unlike RFC 9260 §8.1
    /// if true.
    pub every_path_must_fail: bool,
    /// Largest number of retransmissions of INIT and of COOKIE ECHO (Max.Init.Retransmits).
    pub init_max_retransmissions: u32,
    /// Each address of the peer has its own timer T1, which doubles after each attempt at that address. If false, there
    /// is one timer, which doubles after each attempt. RFC 9260 §5.1
    pub setup_timer_per_address: bool,
    /// Lifetime of a state cookie (Valid.Cookie.Life).
    pub cookie_life: Span,
    /// Whether peers may open associations; if false, INIT is answered with ABORT.
    pub listens: bool,
    /// Largest number of associations opened by peers that wait for [`Endpoint::accept`](crate::Endpoint::accept). If
    /// `None`, associations need no acceptance, and [`Event::Connected`](crate::Event::Connected) announces them.
    pub backlog: Option<usize>,
    /// Report events that simulations do not need: [`Event::PeerShutdown`](crate::Event::PeerShutdown),
    /// [`Event::SendFailed`](crate::Event::SendFailed), [`Event::SenderDry`](crate::Event::SenderDry),
    /// [`Event::RemoteError`](crate::Event::RemoteError) and
    /// [`Event::PartialDeliveryAborted`](crate::Event::PartialDeliveryAborted).
    pub detailed_events: bool,
    /// Number of associations, including closed ones that are not forgotten, at which peers cannot open further ones.
    pub max_associations: usize,
}

impl Config {
    /// Whether paths can become potentially failed before they fail. RFC 7829 §3.2 item 1
    pub(crate) fn fails_over_quickly(&self) -> bool {
        self.potentially_failed_after.is_some_and(|limit| limit < self.path_max_retransmissions)
    }

    /// The error count of a path stops at this value. With quick failover it is far above Path.Max.Retrans, so that
    /// failed paths can be compared. RFC 7829 §4.1
    pub(crate) fn most_path_errors(&self) -> u32 {
        let failed = self.path_max_retransmissions.saturating_add(1);
        if self.fails_over_quickly() { failed.saturating_mul(10) } else { failed }
    }
}

/// Limits of the search for the path MTU. RFC 8899
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct MtuDiscovery {
    /// Smallest packet size, used if the base size does not pass, in bytes of an IP packet (MIN_PLPMTU). On IPv6 at
    /// least 1,280.
    pub min: u16,
    /// Largest packet size, in bytes of an IP packet (MAX_PLPMTU).
    pub max: u16,
    /// Delay before the search for a larger size is repeated (PMTU_RAISE_TIMER). RFC 8899 §5.1.1
    pub raise_after: Span,
}

impl MtuDiscovery {
    /// RFC 8899's constants, with jumbo frames of Ethernet as the largest packets.
    pub const RFC8899: Self = Self { min: 576, max: 9216, raise_after: Span::from_secs(600) };
}
