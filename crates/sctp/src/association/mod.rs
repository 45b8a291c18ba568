//! One association: its parts, and the dispatch of events to them. Most decisions are in other modules.

mod acknowledge;
#[cfg(debug_assertions)]
mod check;
mod collision;
mod control;
mod cookie;
mod deliver;
mod drop_report;
mod fast_recovery;
mod heartbeat;
mod icmp;
mod immediate_sack;
mod limits;
mod local_address;
mod mtu_discovery;
mod notices;
mod opportunity;
mod outbox;
mod pacing;
mod path_mtu;
mod paths;
mod pause;
mod peer;
mod potentially_failed;
mod reachability;
mod rescheduling;
mod retransmission_timeout;
mod settings;
mod setup;
mod shutdown;
mod state;
mod status;
mod timers;
mod transmit;
mod unlisted;
mod window_probe;

use std::sync::Arc;

use manypath_cc::Controller;
use manypath_core::{BlockedTime, PathId, PathWindow, Time, Via};

use acknowledge::SackNews;
pub(crate) use collision::{CookieVerdict, InitAnswer};
pub(crate) use cookie::{Cookie, CookieJar, Terms};
use fast_recovery::FastRecovery;
pub(crate) use notices::Notice;
use notices::Notices;
use opportunity::Opportunity;
use outbox::Outbox;
pub(crate) use paths::Paths;
pub(crate) use peer::Peer;
pub(crate) use setup::{acceptable, check_init, first_tsn, own_init};
use state::State;
pub use status::{AssociationState, Status};
pub(crate) use timers::MAX_PATHS;
use timers::{Timer, Timers};
use window_probe::ProbePace;

use crate::config::Config;
use crate::entropy::Entropy;
use crate::event::{Message, Received, SendError};
use crate::packet::{Cause, Control, Packet};
use crate::path::PathStats;
use crate::receive::Receiver;
use crate::send::Sender;
use crate::stats::{ReorderStats, Stats, StreamStats};

/// An association between two endpoints.
#[derive(Debug)]
pub(crate) struct Association {
    config: Arc<Config>,
    state: State,
    peer: Peer,
    paths: Paths,
    control: Controller,
    recovery: FastRecovery,
    sender: Sender,
    receiver: Receiver,
    timers: Timers,
    opportunity: Opportunity,
    probe_pace: ProbePace,
    /// The information of the current SACK for the congestion control; kept to reuse its memory.
    sack_news: SackNews,
    outbox: Outbox,
    notices: Notices,
    random: Entropy,
    stats: Stats,
}

impl Association {
    /// Handles a packet with the right verification tag.
    pub(crate) fn handle_packet(&mut self, now: Time, via: Via, packet: &mut Packet) {
        self.stats.packets_received += 1;
        self.opportunity.expect_lifted_limits();
        let mut path = self.paths.of(via);
        if !packet.control.is_empty() {
            for control in packet.control.drain(..) {
                self.handle_control(now, via, path, &control);
                if matches!(control, Control::InitAck(_)) {
                    // Paths may have other numbers
                    path = self.paths.of(via);
                }
            }
        }
        let Some(path) = path else { return };
        self.paths[path].has_no_sctp = false;
        if packet.has_sack {
            if packet.sack.non_renegable_chunk && !self.receiver.speaks_nr_sack() {
                // An unrecognised chunk of this type ends the processing of the packet without a report. RFC 9260 §3.2
                packet.data.clear();
            } else {
                let had_data = self.config.detailed_events && !self.sender.is_idle();
                self.handle_sack(now, path, &packet.sack);
                if had_data && self.sender.is_idle() {
                    self.notices.push(Notice::SenderDry);
                }
            }
        }
        if !packet.data.is_empty() {
            self.handle_data(now, path, &mut packet.data);
        }
        if !matches!(self.state, State::Established) {
            self.continue_shutdown(now);
        }
        #[cfg(debug_assertions)]
        self.check();
    }

    /// Queues a message of the application.
    ///
    /// The message is dropped if its first transmission has not begun before `expires`. It uses `path` if that is
    /// given.
    pub(crate) fn send(
        &mut self,
        now: Time,
        message: Message,
        expires: Time,
        path: Option<PathId>,
    ) -> Result<(), SendError> {
        if !self.state.takes_data() {
            return Err(SendError::NotConnected);
        }
        if path.is_some_and(|path| self.paths.get(path).is_none()) {
            return Err(SendError::NoSuchPath);
        }
        self.drop_expired(now);
        let length = message.payload.len() as u64;
        self.sender.push(message, expires, path)?;
        if expires != Time::NEVER {
            self.timers.set(Timer::Lifetime, self.sender.next_expiry());
        }
        self.stats.messages_sent += 1;
        self.stats.bytes_sent += length;
        if self.state.may_send_data() && !self.opportunity.is_open() {
            if self.waits_for_peer() {
                #[cfg(debug_assertions)]
                self.check_wait_for_peer();
            } else {
                self.open_opportunity_to_all(now);
            }
        }
        Ok(())
    }

    /// Drops messages whose transmission did not begin in time. RFC 9260 §11.1.5
    #[inline]
    pub(super) fn drop_expired(&mut self, now: Time) {
        if self.sender.has_special() && self.sender.next_expiry() <= now {
            self.drop_expired_messages(now);
        }
    }

    /// Handles the lifetime timer: messages may have expired, so that others of their streams can be sent.
    fn lifetime_timeout(&mut self, now: Time) {
        let expires = self.sender.next_expiry() <= now;
        self.drop_expired(now);
        if self.sender.next_expiry() != Time::NEVER {
            self.timers.set(Timer::Lifetime, self.sender.next_expiry());
        }
        if expires {
            self.open_opportunity_to_all(now);
        }
    }

    #[cold]
    fn drop_expired_messages(&mut self, now: Time) {
        if self.is_closed() {
            return;
        }
        while let Some(message) = self.sender.take_expired(now) {
            self.stats.messages_expired += 1;
            if self.config.detailed_events {
                let message = Box::new(message);
                self.notices.push(Notice::SendFailed { message, sent: false });
            }
            self.notices.push_writable();
        }
    }

    /// Free bytes of the send buffer.
    pub(crate) fn send_space(&self) -> usize {
        self.sender.space()
    }

    /// Returns the next message for the application.
    pub(crate) fn receive(&mut self, now: Time) -> Option<Received> {
        let received = self.receiver.read()?;
        let message = &received.message;
        let goes_on = message.part.is_some_and(|part| part.more_follows);
        self.stats.messages_received += u64::from(!goes_on);
        self.stats.bytes_received += message.payload.len() as u64;
        if self.state.may_receive_data() && self.receiver.window_opened() {
            self.timers.set(Timer::Sack, now);
        }
        Some(received)
    }

    pub(crate) fn poll_timeout(&self) -> Time {
        self.timers.next()
    }

    #[inline]
    pub(crate) fn may_time_out_before(&self, at: Time) -> bool {
        self.timers.may_expire_before(at)
    }

    pub(crate) fn poll_notice(&mut self) -> Option<Notice> {
        self.notices.pop()
    }

    pub(crate) fn is_closed(&self) -> bool {
        matches!(self.state, State::Closed(_))
    }

    /// Whether the association is closed and has no messages to read, packets to send or events.
    pub(crate) fn is_finished(&self) -> bool {
        self.is_closed()
            && self.outbox.is_empty()
            && self.notices.is_empty()
            && !self.receiver.is_readable()
    }

    /// Whether the association is not established yet.
    pub(crate) fn is_opening(&self) -> bool {
        matches!(self.state, State::CookieWait(_) | State::CookieEchoed { .. })
    }

    /// Whether a packet with this tag from this port of the peer belongs to the association. RFC 9260 §8.5
    pub(crate) fn owns(&self, tag: u32, peer_port: u16) -> bool {
        self.peer.local_tag == tag && self.peer.port == peer_port && !self.is_closed()
    }

    /// The peer, and what both sides have agreed on.
    pub(crate) fn peer(&self) -> &Peer {
        &self.peer
    }

    /// The paths to the addresses of the peer.
    pub(crate) fn paths(&self) -> &Paths {
        &self.paths
    }

    /// Capacity of the send buffer in bytes of user data, waiting and outstanding.
    pub(crate) fn send_buffer(&self) -> usize {
        self.config.send_buffer
    }

    /// The error causes in the peer's ABORT.
    pub(crate) fn abort_causes(&self) -> &[Cause] {
        if let State::Closed(causes) = &self.state { causes } else { &[] }
    }

    pub(crate) fn stats(&self) -> &Stats {
        &self.stats
    }

    pub(crate) fn inbound_streams(&self) -> usize {
        self.receiver.streams()
    }

    pub(crate) fn stream_stats(&self, now: Time, stream: u16) -> StreamStats {
        self.receiver.stream_stats(now, stream)
    }

    pub(crate) fn reorder_stats(&self, now: Time) -> ReorderStats {
        self.receiver.reorder_stats(now)
    }

    /// The time for which a path could not send new data, by limit.
    pub(crate) fn blocked(&self, now: Time, path: PathId) -> BlockedTime {
        self.paths[path].waiting.until(now)
    }

    /// Weight of a path in standard TCPs; `None` if the congestion control has no weights.
    pub(crate) fn weight(&self, path: PathId) -> Option<f64> {
        self.control.weight(path)
    }

    /// How much a path may carry, and how much it carries.
    #[inline]
    pub(crate) fn path_window(&self, path: PathId) -> PathWindow {
        PathWindow {
            window: self.control.window(path),
            ssthresh: self.control.ssthresh(path),
            outstanding: self.sender.flight(path),
            srtt: self.paths[path].rtt.srtt().unwrap_or_default(),
        }
    }

    /// Counters of a path with its current state.
    pub(crate) fn path_stats(&self, path: PathId) -> PathStats {
        let known = &self.paths[path];
        let PathWindow { window, ssthresh, outstanding, srtt } = self.path_window(path);
        PathStats {
            window,
            ssthresh,
            outstanding,
            srtt,
            rto: known.rto(),
            usable: self.paths.usable(&self.config, path),
            state: known.state,
            confirmed: known.confirmed,
            in_slow_start: self.control.paths().is_slow_start(path),
            in_recovery: self.recovery.contains(path),
            ..known.stats
        }
    }
}
