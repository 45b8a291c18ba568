//! The handshake of a subflow: SYN, SYN with ACK, ACK. RFC 9293 §3.5

use manypath_cc::Controller;
use manypath_core::{RtoLimits, RttEstimator, Span, Time, Via};

use super::{State, Subflow, Timer};
use crate::config::Config;
use crate::segment::{Flags, Segment};

impl Subflow {
    /// A subflow that this side opens with a SYN.
    pub(crate) fn connect(via: Via, ports: (u16, u16), iss: u32, config: &Config) -> Self {
        Self::new(via, ports, State::SynSent, iss, config)
    }

    /// A subflow that answers the SYN of a peer.
    pub(crate) fn accept(
        via: Via,
        ports: (u16, u16),
        iss: u32,
        config: &Config,
        syn: &Segment,
    ) -> Self {
        let mut subflow = Self::new(via, ports, State::SynReceived, iss, config);
        subflow.take_syn(syn, config);
        subflow
    }

    /// Whether a segment may be an answer to the SYN that was sent. RFC 9293 §3.10.7.3
    pub(crate) fn answers_syn(&self, segment: &Segment) -> bool {
        !segment.flags.contains(Flags::ACK) || segment.ack == self.own_seq(0)
    }

    /// Whether a segment is a repetition of the received SYN.
    pub(crate) fn is_same_syn(&self, segment: &Segment) -> bool {
        segment.flags.contains(Flags::SYN) && segment.seq == self.irs
    }

    /// Handles a SYN of the peer that crossed the own one (simultaneous open). RFC 9293 §3.5, figure 8
    pub(crate) fn answer_crossing_syn(&mut self, syn: &Segment, config: &Config) {
        self.take_syn(syn, config);
        self.state = State::SynReceived;
        self.syn_due = true;
    }

    /// Repeats the answer, because the peer's SYN arrived again.
    pub(crate) fn repeat_syn(&mut self) {
        self.syn_due = true;
        self.syn_repeated = true;
    }

    /// Reads the options of the peer's SYN. RFC 9293 §3.7.1, RFC 7323 §2.2, RFC 2018 §2
    pub(crate) fn take_syn(&mut self, syn: &Segment, config: &Config) {
        let options = &syn.options;
        self.irs = syn.seq;
        self.mss = config.payload(config.mss.min(options.mss.unwrap_or(DEFAULT_MSS)));
        self.sack = config.selective_acks && options.sack_permitted;
        if let Some(shift) = options.window_scale {
            self.peer_shift = shift.min(MOST_SHIFT);
            self.own_shift = config.window_shift();
            self.scales = true;
        }
        self.peer_edge = u64::from(syn.window);
        self.peer_most = self.peer_edge;
        self.window_from = (-1, 0);
        self.own_edge = (config.receive_buffer as u64).min(u64::from(u16::MAX));
    }

    /// Establishes the subflow after the peer has acknowledged the SYN: it gets a path in the congestion control.
    pub(crate) fn open(&mut self, now: Time, control: &mut Controller, config: &Config) {
        self.state = State::Open;
        self.syn_due = false;
        self.timers.cancel(Timer::Retransmission);
        self.retries = 0;
        if self.has_path {
            control.set_active(self.path, true);
        } else {
            self.path = control.open_path_with_unit(self.mss);
            self.has_path = true;
        }
        if self.syn_repeated {
            // RFC 6298 §5.7
            let initial = config.rto.initial.max(AFTER_LOST_SYN);
            self.rtt = RttEstimator::new(RtoLimits { initial, ..config.rto });
            // RFC 5681 §3.1
            control.limit_window(self.path, self.mss);
        } else {
            self.measure(control, now - self.syn_sent_at, now - self.syn_sent_at);
        }
    }
}

/// The MSS of a peer without the MSS option. RFC 9293 §3.7.1
const DEFAULT_MSS: u16 = 536;

/// The largest shift that is accepted. RFC 7323 §2.3
const MOST_SHIFT: u8 = 14;

/// The initial timeout after a SYN was lost. RFC 6298 §5.7
const AFTER_LOST_SYN: Span = Span::from_secs(3);
