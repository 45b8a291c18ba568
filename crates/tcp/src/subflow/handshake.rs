//! The handshake of a subflow: SYN, SYN with ACK, ACK. RFC 9293 §3.5

use manypath_cc::Controller;
use manypath_core::{PathId, Time};

use super::{Expired, Opening, Sending, State, Subflow};
use crate::config::Config;
use crate::segment::{Flags, Segment};

/// The data of a subflow that is not yet established.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Handshake {
    /// SYN, or SYN with ACK, must be sent now.
    syn_due: bool,
    /// When it was first sent.
    sent_at: Time,
    /// It was sent more than once.
    is_repeated: bool,
    /// Number of timeouts.
    retries: u32,
    /// The peer's SYN has the window scale option. RFC 7323 §2.2
    window_scale: bool,
}

impl Handshake {
    fn new(syn: Option<&Segment>) -> Self {
        Self {
            syn_due: true,
            sent_at: Time::ZERO,
            is_repeated: false,
            retries: 0,
            window_scale: syn.is_some_and(|syn| syn.options.window_scale.is_some()),
        }
    }

    /// Handles the retransmission timer if it is due. RFC 6298 §5.5
    pub(super) fn handle_timeout(
        &mut self,
        now: Time,
        sending: &mut Sending,
        config: &Config,
    ) -> Option<Expired> {
        sending.expired(now)?;
        self.retries += 1;
        self.syn_due = self.retries <= config.max_syn_retransmissions;
        if !self.syn_due {
            return Some(Expired::GaveUp);
        }
        sending.back_off();
        Some(Expired::Handled)
    }
}

impl Subflow {
    /// A subflow that this side opens with a SYN.
    pub(crate) fn connect(opening: Opening, path: PathId, config: &Config) -> Self {
        Self::new(opening, path, State::SynSent(Handshake::new(None)), config)
    }

    /// A subflow that answers the SYN of a peer.
    pub(crate) fn accept(opening: Opening, path: PathId, config: &Config, syn: &Segment) -> Self {
        let state = State::SynReceived(Handshake::new(Some(syn)));
        let mut subflow = Self::new(opening, path, state, config);
        subflow.take_syn(syn, config);
        subflow
    }

    /// Whether SYN is due.
    #[inline]
    pub(crate) fn syn_due(&self) -> bool {
        match &self.state {
            State::SynSent(handshake) | State::SynReceived(handshake) => handshake.syn_due,
            _ => false,
        }
    }

    /// Fills the segment with the SYN that is due.
    #[cold]
    pub(crate) fn write_syn(&mut self, now: Time, segment: &mut Segment, config: &Config) {
        self.put_ports(segment);
        segment.seq = self.sending.seq(0).wrapping_sub(1);
        segment.window = config.receive_buffer.min(usize::from(u16::MAX)) as u16;
        segment.options.mss = Some(config.mss);
        (segment.flags, segment.ack) = (Flags::SYN, 0);
        segment.options.sack_permitted = config.sack;
        segment.options.window_scale = Some(config.window_shift());
        if let State::SynReceived(handshake) = &self.state {
            (segment.flags, segment.ack) = (Flags::SYN.with(Flags::ACK), self.receiving.ack());
            segment.options.sack_permitted = self.sending.uses_sack();
            segment.options.window_scale = handshake.window_scale.then(|| config.window_shift());
        }
        if let State::SynSent(handshake) | State::SynReceived(handshake) = &mut self.state {
            handshake.syn_due = false;
            handshake.is_repeated |= handshake.retries > 0;
            if handshake.retries == 0 {
                handshake.sent_at = now;
            }
        }
        self.sending.start_timer(now);
    }

    /// Whether a segment may be an answer to the SYN that was sent. RFC 9293 §3.10.7.3
    pub(crate) fn answers_syn(&self, segment: &Segment) -> bool {
        !segment.flags.contains(Flags::ACK) || segment.ack == self.sending.seq(0)
    }

    /// Handles a SYN of the peer that crossed the own one (simultaneous open). RFC 9293 §3.5, figure 8
    pub(crate) fn answer_crossing_syn(&mut self, syn: &Segment, config: &Config) {
        self.take_syn(syn, config);
        if let State::SynSent(handshake) = self.state {
            let Handshake { sent_at, is_repeated, retries, .. } = handshake;
            let answer = Handshake::new(Some(syn));
            self.state = State::SynReceived(Handshake { sent_at, is_repeated, retries, ..answer });
        }
    }

    /// Repeats the answer, because the peer's SYN arrived again.
    pub(crate) fn repeat_syn(&mut self) {
        if let State::SynReceived(handshake) = &mut self.state {
            handshake.syn_due = true;
            handshake.is_repeated = true;
        }
    }

    /// Reads the options of the peer's SYN. RFC 9293 §3.7.1, RFC 7323 §2.2, RFC 2018 §2
    pub(crate) fn take_syn(&mut self, syn: &Segment, config: &Config) {
        self.sending.take_syn(syn, config);
        self.receiving.take_syn(syn, config);
    }

    /// Establishes the subflow after the peer has acknowledged the SYN: its path in the congestion control is active.
    pub(crate) fn open(&mut self, now: Time, control: &mut Controller, config: &Config) {
        let (State::SynSent(handshake) | State::SynReceived(handshake)) = self.state else {
            return;
        };
        self.state = State::Established;
        let round_trip = (!handshake.is_repeated).then(|| now - handshake.sent_at);
        self.sending.open(round_trip, control, config);
    }
}
