//! Timers of a subflow: retransmission or persistence, delayed acknowledgement, end of TIME-WAIT. RFC 6298

use manypath_cc::Controller;
use manypath_core::Time;

use super::{State, Subflow};
use crate::config::Config;

/// The result of an expired timer for the connection.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Expired {
    /// The subflow has handled it.
    Handled,
    /// The retransmission timer ran out.
    TimedOut,
    /// The peer does not answer; the limit of retransmissions is reached.
    GaveUp,
    /// TIME-WAIT has ended.
    Over,
}

impl Subflow {
    /// Handles all timers that are due.
    pub(crate) fn handle_timeout(
        &mut self,
        now: Time,
        control: &mut Controller,
        config: &Config,
    ) -> Expired {
        if self.ack_timer <= now {
            self.ack_timer = Time::NEVER;
            self.ack_due = true;
        }
        if self.timer > now {
            return Expired::Handled;
        }
        self.timer = Time::NEVER;
        match self.state {
            State::SynSent | State::SynReceived => self.repeat_handshake(config),
            State::Open => self.repeat_data(now, control, config),
            State::TimeWait => Expired::Over,
            State::Closed => Expired::Handled,
        }
    }

    fn repeat_handshake(&mut self, config: &Config) -> Expired {
        self.retries += 1;
        if self.retries > config.max_syn_retransmissions {
            return Expired::GaveUp;
        }
        self.rtt.back_off();
        self.syn_due = true;
        Expired::Handled
    }

    fn repeat_data(&mut self, now: Time, control: &mut Controller, config: &Config) -> Expired {
        if self.fin_acked() {
            return Expired::Over;
        }
        self.retries += 1;
        if self.retries > config.max_retransmissions {
            return Expired::GaveUp;
        }
        if self.persists {
            self.probes += 1;
            let has_room = self.peer_room() > 0;
            self.small_due = has_room;
            self.probe_due = !has_room;
            self.start_persist_timer(now, config);
            return Expired::Handled;
        }
        self.time_out(now, control);
        Expired::TimedOut
    }

    /// Starts the retransmission timer at `now`. RFC 6298 §5
    #[inline]
    pub(super) fn start_timer(&mut self, now: Time) {
        self.timer = now + self.rtt.rto();
        self.persists = false;
    }

    /// Starts the retransmission timer at `now` unless it is running. RFC 6298 §5.1
    #[inline]
    pub(super) fn keep_timer(&mut self, now: Time) {
        if self.timer == Time::NEVER || self.persists {
            self.start_timer(now);
        }
    }

    #[inline]
    pub(super) fn stop_timer(&mut self) {
        self.timer = Time::NEVER;
        self.persists = false;
        self.probes = 0;
    }

    /// Starts the persist timer: nothing is outstanding and the window is closed. The intervals of the probes grow.
    /// RFC 9293 §3.8.6.1
    pub(crate) fn persist(&mut self, now: Time, config: &Config) {
        if self.timer == Time::NEVER {
            self.persists = true;
            self.probes = 0;
            self.start_persist_timer(now, config);
        }
    }

    fn start_persist_timer(&mut self, now: Time, config: &Config) {
        let pause = self.rtt.rto().saturating_mul(1 << self.probes.min(MOST_DOUBLINGS));
        self.timer = now + pause.min(config.rto.max);
    }
}

/// With more doublings the maximum timeout applies.
const MOST_DOUBLINGS: u32 = 20;
