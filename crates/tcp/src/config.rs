//! How an endpoint behaves: every policy that standards or papers leave open is a switch here.

use manypath_core::{Address, RtoLimits, RtoRule, Span};

/// Settings of an endpoint; every connection that it opens or accepts takes them over.
#[derive(Clone, Debug)]
pub struct Config {
    /// TCP port of this endpoint.
    pub port: u16,
    /// Addresses of this endpoint.
    pub local: Vec<Address>,
    /// Largest segment in bytes, options included: what the MSS option announces. RFC 9293 §3.7.1
    pub mss: u16,
    /// Bytes that wait or are outstanding at most.
    pub send_buffer: usize,
    /// Bytes that wait for the application, or for bytes before them, at most.
    pub receive_buffer: usize,
    /// Name of the congestion control, as `manypath_cc::algorithms` lists it.
    pub congestion: String,
    /// First congestion window, in segments. RFC 6928 §2
    pub initial_window: u32,
    /// First slow-start threshold of each path, in segments; without it slow start goes on until the first loss, as RFC
    /// 5681 §3.1 advises.
    pub initial_threshold: Option<u32>,
    /// The threshold, and the window that a fast retransmission leaves, are not smaller, in segments. RFC 5681 §3.1
    /// equation 4 has 2; an algorithm whose source has a floor of its own keeps it.
    pub smallest_window: u32,
    /// Offer selective acknowledgements; without them losses are repaired as `recovery` says.
    pub selective_acks: bool,
    /// How fast recovery goes on without selective acknowledgements.
    pub recovery: Recovery,
    /// Send new data for the first two duplicate acknowledgements. RFC 3042
    pub limited_transmit: bool,
    /// Acknowledge every so many data segments, 1 or 2. RFC 5681 §4.2
    pub ack_every: u32,
    /// Acknowledge at the latest so long after the first unacknowledged segment. RFC 5681 §4.2
    pub ack_delay: Span,
    /// The most that one acknowledgement adds to the window in slow start, in segments (L). RFC 3465 §2.3
    pub abc_limit: u32,
    /// Hold a segment that is not full while data is outstanding. RFC 9293 §3.7.4
    pub nagle: bool,
    /// Bytes of options in every data segment beyond those that are modelled, within the MSS.
    pub data_option_bytes: u8,
    /// Bytes of options in every pure acknowledgement beyond those that are modelled.
    pub ack_option_bytes: u8,
    /// How the retransmission timeout is computed and bounded.
    pub rto: RtoLimits,
    /// Timeouts in a row after which the peer counts as gone. RFC 9293 §3.8.3
    pub max_retransmissions: u32,
    /// The same while the connection is opened.
    pub max_syn_retransmissions: u32,
    /// How long the side that closed first answers a repeated FIN. RFC 9293 §3.6.1
    pub time_wait: Span,
    /// First sequence number; a random one where there is none. RFC 9293 §3.4.1
    pub initial_sequence: Option<u32>,
    /// Several paths at once; plain TCP without it.
    pub multipath: Option<Multipath>,
}

/// How a connection uses several paths. RFC 8684
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Multipath {
    /// Which subflow takes the next bytes.
    pub scheduler: Scheduler,
    /// Send the bytes that block the receive window once more on a subflow that has room.
    pub opportunistic_retransmission: bool,
    /// Halve the window of a subflow whose bytes block the receive window.
    pub penalisation: bool,
}

/// How fast recovery goes on without selective acknowledgements.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Recovery {
    /// An acknowledgement of a part shows the next loss, until all that was outstanding has arrived. RFC 6582
    NewReno,
    /// The first new acknowledgement ends it: a second loss in the same flight waits for the timer. RFC 5681 §3.2
    Reno,
}

/// Which subflow takes the next bytes.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Scheduler {
    /// The one with the smallest smoothed RTT that has room in its window.
    LowestRtt,
    /// All that have room in turn.
    RoundRobin,
    /// Each carries everything.
    Redundant,
}

impl Config {
    /// Payload bytes of a full data segment.
    pub(crate) fn payload(&self, mss: u16) -> u64 {
        u64::from(mss.saturating_sub(u16::from(self.data_option_bytes)).max(1))
    }

    /// How far the window field must be shifted to show the whole receive buffer. RFC 7323 §2.3
    pub(crate) fn window_shift(&self) -> u8 {
        let fits = |shift: &u8| self.receive_buffer >> shift <= usize::from(u16::MAX);
        (0..MOST_SHIFT).find(fits).unwrap_or(MOST_SHIFT)
    }

    /// How many SACK blocks fit beside the other options of an acknowledgement.
    pub(crate) fn sack_blocks(&self, other_options: u8) -> usize {
        usize::from(MOST_OPTION_BYTES.saturating_sub(other_options).saturating_sub(2) / 8)
    }
}

impl Default for Config {
    /// The standards' constants with the shorter timers of today's systems.
    fn default() -> Self {
        Self {
            port: 5001,
            local: Vec::new(),
            mss: 1460,
            send_buffer: 1_000_000,
            receive_buffer: 1_000_000,
            congestion: "newreno".to_owned(),
            initial_window: 10,
            initial_threshold: None,
            smallest_window: 2,
            selective_acks: true,
            recovery: Recovery::NewReno,
            limited_transmit: true,
            ack_every: 2,
            ack_delay: Span::from_millis(40),
            abc_limit: 2,
            nagle: false,
            data_option_bytes: 0,
            ack_option_bytes: 0,
            rto: RtoLimits {
                initial: Span::from_secs(1),
                min: Span::from_millis(200),
                max: Span::from_secs(120),
                rule: RtoRule::Linux,
            },
            max_retransmissions: 15,
            max_syn_retransmissions: 6,
            time_wait: Span::from_secs(10),
            initial_sequence: None,
            multipath: None,
        }
    }
}

/// The largest shift. RFC 7323 §2.3
const MOST_SHIFT: u8 = 14;

/// What the data offset leaves for options. RFC 9293 §3.1
const MOST_OPTION_BYTES: u8 = 40;
