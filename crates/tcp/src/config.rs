//! The configuration of an endpoint: every policy that standards or papers leave open is a switch here.

use manypath_core::{Address, RtoLimits, RtoRule, Span};

use crate::mptcp::Scheduler;

/// Settings of an endpoint. All its connections use them.
#[derive(Clone, Debug)]
pub struct Config {
    /// TCP port of this endpoint.
    pub port: u16,
    /// Addresses of this endpoint.
    pub local: Vec<Address>,
    /// Largest segment in bytes, options included: what the MSS option announces. RFC 9293 §3.7.1
    pub mss: u16,
    /// Capacity of the send buffer in bytes, waiting and outstanding data.
    pub send_buffer: usize,
    /// Capacity of the receive buffer in bytes, data for the application and data beyond gaps.
    pub receive_buffer: usize,
    /// Name of the congestion control, as `manypath_cc::algorithms` lists it.
    pub cc: String,
    /// Initial congestion window, in segments. RFC 6928 §2
    pub initial_window: u32,
    /// Initial slow-start threshold of each path, in segments. If `None`, slow start continues until the first loss, as
    /// RFC 5681 §3.1 advises.
    pub initial_threshold: Option<u32>,
    /// Lower bound, in segments, of the threshold and of the window after a fast retransmission.
    /// RFC 5681 §3.1 equation 4 has 2. An algorithm whose source has its own floor keeps that floor.
    pub smallest_window: u32,
    /// Whether to offer selective acknowledgements. Without them, `recovery` selects how losses are repaired.
    pub sack: bool,
    /// Fast recovery without selective acknowledgements.
    pub recovery: Recovery,
    /// Whether the first two duplicate acknowledgements release new data. RFC 3042
    pub limited_transmit: bool,
    /// Number of data segments per acknowledgement, 1 or 2. RFC 5681 §4.2
    pub ack_every: u32,
    /// Maximum delay of an acknowledgement after the first unacknowledged segment. RFC 5681 §4.2
    pub ack_delay: Span,
    /// Largest growth of the window by one acknowledgement in slow start, in segments (L). RFC 3465 §2.3
    pub abc_limit: u32,
    /// Whether to hold back a segment that is not full while data is outstanding (Nagle's algorithm). RFC 9293 §3.7.4
    pub nagle: bool,
    /// Bytes of options in every data segment in addition to the modelled options; they count in the MSS.
    pub data_option_bytes: u8,
    /// Bytes of options in every pure acknowledgement in addition to the modelled options.
    pub ack_option_bytes: u8,
    /// How the retransmission timeout is computed and bounded.
    pub rto: RtoLimits,
    /// Number of consecutive timeouts after which the connection fails. RFC 9293 §3.8.3
    pub max_retransmissions: u32,
    /// The same number while the connection is being opened.
    pub max_syn_retransmissions: u32,
    /// Time in TIME-WAIT, in which a repeated FIN is answered. RFC 9293 §3.6.1
    pub time_wait: Span,
    /// Initial sequence number; random if `None`. RFC 9293 §3.4.1
    pub initial_sequence: Option<u32>,
    /// Multipath TCP; plain TCP if `None`.
    pub multipath: Option<Multipath>,
}

/// The use of several paths by one connection. RFC 8684
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Multipath {
    /// The scheduler, which selects the subflow for the next bytes.
    pub scheduler: Scheduler,
    /// Whether to resend the bytes that block the receive window on a subflow that has room.
    pub opportunistic_retransmission: bool,
    /// Whether to halve the window of a subflow whose bytes block the receive window.
    pub penalisation: bool,
}

/// Fast recovery without selective acknowledgements.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "lowercase")
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Recovery {
    /// Each partial acknowledgement shows the next loss. RFC 6582
    NewReno,
    /// The first new acknowledgement ends fast recovery. RFC 5681 §3.2
    Reno,
}

impl Config {
    /// Payload bytes of a full data segment.
    pub(crate) fn payload(&self, mss: u16) -> u64 {
        u64::from(mss.saturating_sub(u16::from(self.data_option_bytes)).max(1))
    }

    /// The window shift that is necessary to announce the whole receive buffer. RFC 7323 §2.3
    pub(crate) fn window_shift(&self) -> u8 {
        let fits = |shift: &u8| self.receive_buffer >> shift <= usize::from(u16::MAX);
        (0..MOST_SHIFT).find(fits).unwrap_or(MOST_SHIFT)
    }

    /// The number of SACK blocks that fit beside the other options of an acknowledgement.
    pub(crate) fn sack_blocks(&self, other_options: u8) -> usize {
        usize::from(MOST_OPTION_BYTES.saturating_sub(other_options).saturating_sub(2) / 8)
    }
}

impl Default for Config {
    /// The constants of the standards, with the shorter timers of today's systems.
    fn default() -> Self {
        Self {
            port: 5001,
            local: Vec::new(),
            mss: 1460,
            send_buffer: 1_000_000,
            receive_buffer: 1_000_000,
            cc: "newreno".to_owned(),
            initial_window: 10,
            initial_threshold: None,
            smallest_window: 2,
            sack: true,
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
                granularity: Span::ZERO,
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

/// The largest shift of a window. RFC 7323 §2.3
pub(crate) const MOST_SHIFT: u8 = 14;

/// The space for options that the data offset allows. RFC 9293 §3.1
const MOST_OPTION_BYTES: u8 = 40;
