//! One subflow: one pair of addresses with a handshake, and two sequence spaces with their timers. RFC 9293 §3

mod handshake;
mod receiving;
mod segments;
mod sending;

pub(crate) use receiving::{Place, Room, announce};
pub(crate) use sending::{AckNews, NewData, Phase, Step};

use manypath_cc::Controller;
use manypath_core::{PathId, Time, Via, Waiting};

use crate::config::Config;
use crate::stats::PathStats;
use handshake::Handshake;
use receiving::Receiving;
use sending::Sending;

/// The state of a subflow. RFC 9293 §3.3.2
///
/// The state is read several times per packet, so the tag has its own field that needs no decoding.
#[derive(Debug)]
#[repr(u8)]
pub(crate) enum State {
    /// SYN was sent, nothing was received.
    SynSent(Handshake),
    /// SYN was received and acknowledged.
    SynReceived(Handshake),
    /// ESTABLISHED and the states between it and TIME-WAIT. `Sending` and `Receiving` have the state of their FIN.
    Established,
    /// Both directions have ended; a repeated FIN is still answered.
    TimeWait,
    /// Closed.
    Closed,
}

/// A subflow that is to be opened.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Opening {
    pub(crate) via: Via,
    /// The own port and the peer's.
    pub(crate) ports: (u16, u16),
    /// Initial sequence number.
    pub(crate) iss: u32,
}

/// The result of an expired timer for the connection.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Expired {
    /// The subflow has handled it.
    Handled,
    /// The retransmission timer ran out.
    TimedOut,
    /// The peer does not answer; the limit of retransmissions is reached.
    GaveUp,
    /// TIME-WAIT has ended, or the peer's FIN did not arrive in time.
    Over,
}

/// One TCP connection between two addresses, without the stream that it carries.
#[derive(Debug)]
pub(crate) struct Subflow {
    pub(crate) via: Via,
    pub(crate) local_port: u16,
    pub(crate) peer_port: u16,
    state: State,
    pub(crate) sending: Sending,
    pub(crate) receiving: Receiving,
    pub(crate) stats: PathStats,
    /// The limit for which new data waits on the subflow.
    pub(crate) waiting: Waiting,
}

impl Subflow {
    fn new(opening: Opening, path: PathId, state: State, config: &Config) -> Self {
        Self {
            via: opening.via,
            local_port: opening.ports.0,
            peer_port: opening.ports.1,
            state,
            sending: Sending::new(path, opening.iss, config),
            receiving: Receiving::default(),
            stats: PathStats::default(),
            waiting: Waiting::default(),
        }
    }

    pub(crate) fn state(&self) -> &State {
        &self.state
    }

    /// Whether SYN and its acknowledgement are not complete.
    pub(crate) fn is_opening(&self) -> bool {
        matches!(self.state, State::SynSent(_) | State::SynReceived(_))
    }

    #[inline]
    pub(crate) fn is_established(&self) -> bool {
        matches!(self.state, State::Established)
    }

    #[inline]
    pub(crate) fn is_closed(&self) -> bool {
        matches!(self.state, State::Closed)
    }

    /// Whether FIN was sent or has arrived, in order or not.
    #[inline]
    pub(crate) fn is_ending(&self) -> bool {
        self.sending.fin_sent() || self.receiving.has_fin()
    }

    /// Whether this side has not ended its direction of an established subflow.
    pub(crate) fn may_send(&self) -> bool {
        self.is_established() && !self.sending.fin_sent()
    }

    /// The earliest instant at which a timer is due.
    #[inline]
    pub(crate) fn poll_timeout(&self) -> Time {
        self.sending.timers.next().min(self.receiving.timers.next())
    }

    /// Handles a timer that is due; `None` if none is due.
    pub(crate) fn handle_timeout(
        &mut self,
        now: Time,
        control: &mut Controller,
        config: &Config,
    ) -> Option<Expired> {
        let expired = self.receiving.handle_timeout(now);
        if expired.is_some() {
            return expired;
        }
        if let State::SynSent(handshake) | State::SynReceived(handshake) = &mut self.state {
            return handshake.handle_timeout(now, &mut self.sending, config);
        }
        let expired = self.sending.handle_timeout(now, control, config, &mut self.stats);
        if self.sending.probe_due() {
            self.receiving.acknowledge_now();
        }
        expired
    }

    /// Leaves the windows of both sides to the connection. RFC 8684 §3.3.1
    pub(crate) fn share_window(&mut self) {
        self.sending.share_window();
        self.receiving.share_window();
    }

    /// Enters TIME-WAIT: both directions have ended, and the peer may repeat its FIN. RFC 9293 §3.6
    pub(crate) fn enter_time_wait(&mut self, now: Time, config: &Config) {
        self.state = State::TimeWait;
        self.receiving.wait_for_fin(now, config);
    }

    /// Closes the subflow: nothing is sent and no timer is set.
    pub(crate) fn end(&mut self) {
        self.state = State::Closed;
        self.sending.stop();
        self.receiving.stop();
    }
}
