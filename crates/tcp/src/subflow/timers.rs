//! The timers of a subflow, in one table, and their expiry. RFC 6298 §5, RFC 9293 §3.8

use manypath_cc::Controller;
use manypath_core::{Time, TimerTable};

use super::{State, Subflow};
use crate::config::Config;

/// A timer of a subflow.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Timer {
    /// SYN, data or FIN without an acknowledgement. RFC 6298 §5
    Retransmission,
    /// Nothing is outstanding, and the peer's window is closed. RFC 9293 §3.8.6.1
    Persist,
    /// An acknowledgement is delayed. RFC 5681 §4.2
    DelayedAck,
    /// Both streams of the connection have ended, and only the peer's FIN is missing.
    FinWait2,
    /// Both directions have ended. RFC 9293 §3.6.1
    TimeWait,
}

/// Deadlines of all timers.
#[derive(Debug, Default)]
pub(crate) struct Timers(TimerTable<5>);

impl Timers {
    #[inline]
    pub(super) fn set(&mut self, timer: Timer, at: Time) {
        self.0.set(timer as usize, at);
    }

    #[inline]
    pub(super) fn cancel(&mut self, timer: Timer) {
        self.0.cancel(timer as usize);
    }

    #[inline]
    pub(super) fn is_set(&self, timer: Timer) -> bool {
        self.0.is_set(timer as usize)
    }

    /// When the next timer is due.
    #[inline]
    pub(super) fn next(&self) -> Time {
        self.0.next()
    }

    /// Takes the earliest timer that is due.
    fn expired(&mut self, now: Time) -> Option<Timer> {
        let slot = self.0.expired(now)?;
        self.0.cancel(slot);
        Some(ALL[slot])
    }
}

/// All timers by their slots in the table.
const ALL: [Timer; 5] =
    [Timer::Retransmission, Timer::Persist, Timer::DelayedAck, Timer::FinWait2, Timer::TimeWait];

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

impl Subflow {
    /// Handles the earliest timer that is due; `None` if none is due.
    pub(crate) fn handle_timeout(
        &mut self,
        now: Time,
        control: &mut Controller,
        config: &Config,
    ) -> Option<Expired> {
        Some(match self.timers.expired(now)? {
            Timer::Retransmission => self.retransmission_timeout(now, control, config),
            Timer::Persist => self.persist_timeout(now, config),
            Timer::DelayedAck => {
                self.receiving.acknowledge_now();
                Expired::Handled
            }
            Timer::FinWait2 | Timer::TimeWait => Expired::Over,
        })
    }

    fn retransmission_timeout(
        &mut self,
        now: Time,
        control: &mut Controller,
        config: &Config,
    ) -> Expired {
        if let State::SynSent(handshake) | State::SynReceived(handshake) = &mut self.state {
            if !handshake.time_out(config) {
                return Expired::GaveUp;
            }
            self.rtt.back_off();
            return Expired::Handled;
        }
        self.retries += 1;
        if self.retries > config.max_retransmissions {
            return Expired::GaveUp;
        }
        self.time_out(now, control);
        Expired::TimedOut
    }

    fn persist_timeout(&mut self, now: Time, config: &Config) -> Expired {
        self.retries += 1;
        if self.retries > config.max_retransmissions {
            return Expired::GaveUp;
        }
        self.probes += 1;
        let has_room = self.peer_room() > 0;
        self.small_due = has_room;
        self.probe_due = !has_room;
        self.start_persist_timer(now, config);
        Expired::Handled
    }

    /// Starts the retransmission timer at `now`. RFC 6298 §5
    #[inline]
    pub(super) fn start_timer(&mut self, now: Time) {
        self.timers.set(Timer::Retransmission, now + self.rtt.rto());
    }

    /// Starts the retransmission timer at `now` unless it is running. RFC 6298 §5.1
    #[inline]
    pub(super) fn keep_timer(&mut self, now: Time) {
        if !self.timers.is_set(Timer::Retransmission) {
            self.start_timer(now);
            self.timers.cancel(Timer::Persist);
        }
    }

    /// Starts the persist timer unless it is running: nothing is outstanding and the window is closed. The intervals of
    /// the probes grow. RFC 9293 §3.8.6.1
    pub(crate) fn persist(&mut self, now: Time, config: &Config) {
        if !self.timers.is_set(Timer::Persist) {
            self.probes = 0;
            self.start_persist_timer(now, config);
        }
    }

    fn start_persist_timer(&mut self, now: Time, config: &Config) {
        let pause = self.rtt.rto().saturating_mul(1 << self.probes.min(MOST_DOUBLINGS));
        self.timers.set(Timer::Persist, now + pause.min(config.rto.max));
    }
}

/// With more doublings the maximum timeout applies.
const MOST_DOUBLINGS: u32 = 20;
