//! One subflow: one pair of addresses with a handshake, two sequence spaces and timers. RFC 9293 §3

mod handshake;
mod receiving;
mod segments;
mod sending;
mod timers;

pub(crate) use receiving::{Place, Room, announce};
pub(crate) use sending::{AckNews, NewData, Phase, Step};
pub(crate) use timers::Expired;

use manypath_cc::Controller;
use manypath_core::{PathId, Time, Via};

use crate::config::Config;
use crate::mptcp::Join;
use crate::segment::{Flags, Segment};
use crate::stats::{PathStats, Stats};
use handshake::Handshake;
use receiving::{Arrived, Receiving};
use sending::Sending;
use timers::{Timer, Timers};

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

/// One TCP connection between two addresses, without the stream that it carries.
#[derive(Debug)]
pub(crate) struct Subflow {
    pub(crate) via: Via,
    pub(crate) local_port: u16,
    pub(crate) peer_port: u16,
    state: State,
    pub(crate) sending: Sending,
    pub(crate) receiving: Receiving,
    timers: Timers,
    pub(crate) stats: PathStats,
}

impl Subflow {
    fn new(join: Join, path: PathId, state: State, config: &Config) -> Self {
        Self {
            via: join.via,
            local_port: join.ports.0,
            peer_port: join.ports.1,
            state,
            sending: Sending::new(path, join.iss, config),
            receiving: Receiving::default(),
            timers: Timers::default(),
            stats: PathStats::default(),
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
        self.timers.next()
    }

    /// Leaves the windows of both sides to the connection. RFC 8684 §3.3.1
    pub(crate) fn share_window(&mut self) {
        self.sending.share_window();
        self.receiving.share_window();
    }

    /// Sets the number of bytes within the shared window that this subflow may use.
    #[inline]
    pub(crate) fn share_room(&mut self, room: u64) {
        self.sending.share_room(room, &mut self.timers);
    }

    /// Handles the acknowledgement of a segment at the offset `start` of the peer's sequence space.
    #[inline]
    pub(crate) fn handle_ack(
        &mut self,
        now: Time,
        start: i64,
        segment: &Segment,
        control: &mut Controller,
        stats: &mut Stats,
    ) -> AckNews {
        let (timers, counters) = (&mut self.timers, &mut self.stats);
        let news = self.sending.handle_ack(now, start, segment, control, timers, counters);
        stats.duplicate_acks_received += u64::from(news == AckNews::Duplicate);
        news
    }

    /// Records the sequence numbers of a segment within the window. If no acknowledgement is due, this starts the
    /// delayed acknowledgement, which [`acknowledge_full`](Receiving::acknowledge_full) may release earlier.
    #[inline]
    pub(crate) fn note_arrival(
        &mut self,
        now: Time,
        start: u64,
        payload: u64,
        flags: Flags,
        config: &Config,
    ) -> Arrived {
        self.stats.data_packets_received += u64::from(payload > 0);
        let arrived = self.receiving.note_arrival(start, payload, flags);
        if !self.receiving.ack_due() && !self.timers.is_set(Timer::DelayedAck) {
            self.timers.set(Timer::DelayedAck, now + config.ack_delay);
        }
        arrived
    }

    /// A cheap check whether no new data can be sent: no recovery is in progress, and there is no data or the window is
    /// full.
    #[inline]
    pub(crate) fn is_exhausted(&self, unsent: u64, closing: bool, control: &Controller) -> bool {
        self.is_established()
            && !self.timers.is_set(Timer::Persist)
            && self.sending.is_exhausted(unsent, closing, control)
    }

    /// The next data segment; `waiting` is the new data that waits.
    #[inline]
    pub(crate) fn next_step(
        &mut self,
        now: Time,
        waiting: NewData,
        control: &mut Controller,
        config: &Config,
    ) -> Option<Step> {
        if !self.is_established() {
            return None;
        }
        self.sending.next_step(now, waiting, control, config, &mut self.timers)
    }

    /// Starts the persist timer unless it is running: nothing is outstanding and the window is closed.
    pub(crate) fn persist(&mut self, now: Time, config: &Config) {
        self.sending.persist(now, config, &mut self.timers);
    }

    /// Enters TIME-WAIT: both directions have ended, and the peer may repeat its FIN. RFC 9293 §3.6
    pub(crate) fn enter_time_wait(&mut self, now: Time, config: &Config) {
        self.state = State::TimeWait;
        self.wait_for_fin(now, config);
    }

    /// Limits the time in which the peer's FIN may arrive, for the first time or again.
    pub(crate) fn wait_for_fin(&mut self, now: Time, config: &Config) {
        self.timers.set(Timer::TimeWait, now + config.time_wait);
    }

    /// Closes the subflow: nothing is sent and no timer is set.
    pub(crate) fn end(&mut self) {
        self.state = State::Closed;
        self.sending.stop();
        self.receiving.note_acknowledged(false);
        self.timers = Timers::default();
    }
}
