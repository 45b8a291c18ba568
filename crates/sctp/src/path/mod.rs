//! One path of an association: a pair of addresses and its state.

mod failover;
mod mtu_search;
mod network;
mod pacer;
mod stats;

pub use failover::PathState;
pub(crate) use failover::{HeartbeatProbe, Local};
pub(crate) use mtu_search::MtuSearch;
pub(crate) use network::{Network, header};
pub(crate) use pacer::{Pace, Pacer};
pub use stats::PathStats;

use manypath_core::{RttEstimator, Span, Time, Via, Waiting};

use crate::config::Config;

/// A path: its addresses, reachability, round-trip time and data in flight.
#[derive(Debug)]
pub(crate) struct Path {
    /// Local and remote address.
    pub(crate) via: Via,
    /// Its MTU and headers.
    pub(crate) network: Network,
    /// The search for a larger MTU, if there is one.
    pub(crate) mtu_search: Option<Box<MtuSearch>>,
    /// Whether the peer owns the address: data may go to confirmed paths only. RFC 9260 §5.4
    pub(crate) confirmed: bool,
    /// ICMP has reported since the last answer that the host at the end of the path does not support SCTP. RFC 9260 §10
    pub(crate) has_no_sctp: bool,
    /// Whether the path works as far as known. RFC 9260 §8.2
    pub(crate) state: PathState,
    /// The state of the local address.
    pub(crate) local: Local,
    /// When the path was last active, if it is not active now.
    pub(crate) last_active: Time,
    /// Consecutive errors. RFC 9260 §8.2
    pub(crate) errors: u32,
    /// The last HEARTBEAT on the path.
    pub(crate) probe: HeartbeatProbe,
    /// When this HEARTBEAT was sent.
    pub(crate) probed_at: Time,
    /// Round-trip time and retransmission timeout.
    pub(crate) rtt: RttEstimator,
    /// No RTT sample before this time: one per round trip is enough. RFC 9260 §6.3.1 C4
    pub(crate) next_sample: Time,
    /// When a packet with DATA was last sent on the path.
    pub(crate) last_sent: Time,
    /// The time up to which the decay of an idle window has been applied. RFC 9260 §7.2.1
    pub(crate) idle_until: Time,
    /// When a SACK was last sent on the path.
    pub(crate) last_sack: Time,
    /// End of the pause in which no new data may be sent, if the path pauses.
    pub(crate) paused_until: Option<Time>,
    /// The departure time of the next packet with DATA, with [`Config::pacing`].
    pub(crate) pacer: Pacer,
    /// Packets that the burst limit still allows.
    pub(crate) burst_left: u32,
    /// Whether the next packet of retransmissions may ignore the window. RFC 9260 §6.3.3 E3, §7.2.4 item 3
    pub(crate) retransmission_due: bool,
    /// T3 has expired on the path, and nothing was acknowledged since: one packet in flight is allowed. RFC 9260 §7.2.1
    pub(crate) after_timeout: bool,
    /// The peer has answered since T3 last expired, but did not accept the chunk that probes its window.
    pub(crate) answers_probes: bool,
    /// The limit that stops the path from sending new data.
    pub(crate) waiting: Waiting,
    /// The counters of this path.
    pub(crate) stats: PathStats,
}

impl Path {
    pub(crate) fn new(via: Via, config: &Config, confirmed: bool) -> Self {
        let network = Network::new(config, via.remote);
        Self {
            via,
            network,
            mtu_search: network.search(config),
            confirmed,
            has_no_sctp: false,
            state: PathState::Active,
            local: Local::Kept,
            last_active: Time::ZERO,
            errors: 0,
            probe: HeartbeatProbe::None,
            probed_at: Time::ZERO,
            rtt: RttEstimator::new(config.rto),
            next_sample: Time::ZERO,
            last_sent: Time::ZERO,
            idle_until: Time::ZERO,
            last_sack: Time::ZERO,
            paused_until: None,
            pacer: Pacer::default(),
            burst_left: config.max_burst,
            retransmission_due: false,
            after_timeout: false,
            answers_probes: false,
            waiting: Waiting::default(),
            stats: PathStats::default(),
        }
    }

    /// Whether the path is confirmed and active.
    pub(crate) fn works(&self) -> bool {
        self.state == PathState::Active && self.confirmed
    }

    /// Whether the path pauses before it sends new data.
    pub(crate) fn pauses(&self) -> bool {
        self.paused_until.is_some()
    }

    /// The retransmission timeout.
    pub(crate) fn rto(&self) -> Span {
        self.rtt.rto()
    }

    /// Smoothed RTT; the initial RTO before the first sample, so that an unknown path counts as slow.
    pub(crate) fn srtt_or_initial(&self, config: &Config) -> Span {
        self.rtt.srtt().unwrap_or(config.rto.initial)
    }
}
