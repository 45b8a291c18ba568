//! The timers of a subflow, in one table, and their expiry. RFC 6298 §5, RFC 9293 §3.8

use manypath_cc::Controller;
use manypath_core::{Time, TimerTable};

use super::{State, Subflow};
use crate::config::Config;

/// A timer of a subflow.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Timer {
    /// SYN, data or FIN without an acknowledgement. RFC 6298 §5
    Retransmission,
    /// Nothing is outstanding, and the peer's window is closed. RFC 9293 §3.8.6.1
    Persist,
    /// An acknowledgement is delayed. RFC 5681 §4.2
    DelayedAck,
    /// This side has ended. The peer's FIN is missing or may arrive again. RFC 9293 §3.6.1
    TimeWait,
}

/// Deadlines of all timers.
#[derive(Debug, Default)]
pub(super) struct Timers(TimerTable<4>);

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

    /// When the next timer is due. For so few timers this is faster than [`TimerTable::next`].
    #[inline]
    pub(super) fn next(&self) -> Time {
        ALL.iter().fold(Time::NEVER, |next, timer| next.min(self.0.at(*timer as usize)))
    }

    /// Takes the earliest timer that is due.
    fn expired(&mut self, now: Time) -> Option<Timer> {
        let slot = self.0.expired(now)?;
        self.0.cancel(slot);
        Some(ALL[slot])
    }
}

/// All timers by their slots in the table.
const ALL: [Timer; 4] = [Timer::Retransmission, Timer::Persist, Timer::DelayedAck, Timer::TimeWait];

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
        let Self { state, sending, receiving, timers, stats, .. } = self;
        let next = |may_retry, next| if may_retry { next } else { Expired::GaveUp };
        Some(match timers.expired(now)? {
            Timer::Retransmission => match state {
                State::SynSent(handshake) | State::SynReceived(handshake) => {
                    next(handshake.time_out(sending, config), Expired::Handled)
                }
                _ => next(sending.time_out(now, control, config, timers, stats), Expired::TimedOut),
            },
            Timer::Persist => {
                let may_retry = sending.persist_timeout(now, config, timers);
                if sending.probe_due() {
                    receiving.acknowledge_now();
                }
                next(may_retry, Expired::Handled)
            }
            Timer::DelayedAck => {
                receiving.acknowledge_now();
                Expired::Handled
            }
            Timer::TimeWait => Expired::Over,
        })
    }
}
