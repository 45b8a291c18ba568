//! One association: its parts, and the dispatch of events to them. Most decisions are in other modules.

mod acknowledge;
#[cfg(debug_assertions)]
mod check;
mod collision;
mod control;
mod cookie;
mod deliver;
mod drop_report;
mod heartbeat;
mod icmp;
mod immediate_sack;
mod limits;
mod local_address;
mod mtu_discovery;
mod opportunity;
mod pacing;
mod path_mtu;
mod pause;
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

use std::collections::VecDeque;
use std::sync::Arc;

use manypath_cc::Controller;
use manypath_core::{Address, PathId, Ssn, Time, Tsn, Via};

use acknowledge::SackNews;
pub(crate) use collision::{CookieVerdict, InitAnswer};
pub(crate) use cookie::{Cookie, CookieJar, Terms};
use heartbeat::ProbeTurns;
use opportunity::Opportunity;
pub(crate) use setup::{acceptable, check_init, first_tsn, own_init};
use state::State;
pub use status::{AssociationState, Status};
pub(crate) use timers::MAX_PATHS;
use timers::{Timer, Timers};
use window_probe::ProbePace;

use crate::config::Config;
use crate::entropy::Entropy;
use crate::event::{CloseReason, Message, Received, SendError};
use crate::packet::{Cause, Control, Packet};
use crate::path::{BlockedTime, Path, PathStats};
use crate::receive::Receiver;
use crate::send::Sender;
use crate::stats::{ReorderStats, Stats, StreamStats};

/// An association between two endpoints.
#[derive(Debug)]
pub(crate) struct Association {
    config: Arc<Config>,
    state: State,
    /// Verification tag of received packets.
    local_tag: u32,
    /// Verification tag of sent packets; 0 while unknown.
    peer_tag: u32,
    /// Identifies this association in cookies without revealing its tags. RFC 9260 §5.2.2
    tie_tag: u64,
    peer_port: u16,
    paths: Vec<Path>,
    /// The primary path. RFC 9260 §6.4
    primary: PathId,
    /// Consecutive errors on all paths together. RFC 9260 §8.1
    errors: u32,
    /// Number of paths that share the buffers.
    sharers: u64,
    control: Controller,
    sender: Sender,
    receiver: Receiver,
    timers: Timers,
    opportunity: Opportunity,
    probe_turns: ProbeTurns,
    probe_pace: ProbePace,
    /// The information of the current SACK for the congestion control; kept to reuse its memory.
    sack_news: SackNews,
    /// Control chunks that wait for a packet, each with its path.
    outbox: VecDeque<(PathId, Control)>,
    notices: VecDeque<Notice>,
    random: Entropy,
    /// An event about free send buffer is queued; one is enough.
    writable_queued: bool,
    /// The application has requested an immediate SACK of the last packet of all data.
    sack_requested: bool,
    /// Both sides support packet drop reports.
    drop_reports: bool,
    /// Largest payload of a chunk that is suitable for the peer's receive buffer, in bytes.
    suitable_payload: usize,
    /// Outbound and inbound streams, once they are agreed on.
    streams: (u16, u16),
    /// The error causes in the peer's ABORT.
    abort_causes: Vec<Cause>,
    stats: Stats,
}

/// An event to which the endpoint has not yet added the association's identifier.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Notice {
    Connected,
    Incoming,
    Readable,
    Writable,
    PathPotentiallyFailed(PathId),
    PathDown(PathId),
    PathUp(PathId),
    Restarted,
    PeerShutdown,
    SendFailed { message: Box<Message>, sent: bool },
    SenderDry,
    RemoteError(Box<Cause>),
    PartialDeliveryAborted { message: Tsn, stream: u16, ssn: Option<Ssn> },
    Closed(CloseReason),
}

impl Association {
    /// Handles a packet with the right verification tag.
    pub(crate) fn handle_packet(&mut self, now: Time, via: Via, packet: &mut Packet) {
        self.stats.packets_received += 1;
        self.opportunity.expect_lifted_limits();
        let mut path = self.path_to(via);
        if !packet.control.is_empty() {
            for control in packet.control.drain(..) {
                self.handle_control(now, via, path, &control);
                if matches!(control, Control::InitAck(_)) {
                    // Paths may have other numbers
                    path = self.path_to(via);
                }
            }
        }
        let Some(path) = path else { return };
        if packet.has_sack {
            if packet.sack.non_renegable_chunk && !self.receiver.speaks_nr_sack() {
                // An unrecognised chunk of this type ends the processing of the packet without a report. RFC 9260 §3.2
                packet.data.clear();
            } else {
                let had_data = self.config.detailed_events && !self.sender.is_idle();
                self.handle_sack(now, path, &packet.sack);
                if had_data && self.sender.is_idle() {
                    self.notices.push_back(Notice::SenderDry);
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

    /// The path on which a packet with these addresses arrived.
    pub(crate) fn path_to(&self, via: Via) -> Option<PathId> {
        // The first two paths are compared without a branch, because the branch would be unpredictable
        let first = self.paths.first()?;
        let guess = usize::from(first.via.remote != via.remote);
        if self.paths.get(guess).is_some_and(|path| path.via == via) {
            return Some(PathId(guess as u8));
        }
        self.find_path_to(via)
    }

    #[cold]
    fn find_path_to(&self, via: Via) -> Option<PathId> {
        let exactly = self.paths.iter().position(|path| path.via == via);
        let index =
            exactly.or_else(|| self.paths.iter().position(|path| path.via.remote == via.remote))?;
        Some(PathId(index as u8))
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
        if path.is_some_and(|path| path.index() >= self.paths.len()) {
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
                self.notices.push_back(Notice::SendFailed { message, sent: false });
            }
            if !std::mem::replace(&mut self.writable_queued, true) {
                self.notices.push_back(Notice::Writable);
            }
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
        let notice = self.notices.pop_front()?;
        if notice == Notice::Writable {
            self.writable_queued = false;
        }
        Some(notice)
    }

    pub(crate) fn is_closed(&self) -> bool {
        matches!(self.state, State::Closed)
    }

    /// Whether the association is closed and has no messages to read, packets to send or events.
    pub(crate) fn is_finished(&self) -> bool {
        self.is_closed()
            && self.outbox.is_empty()
            && self.notices.is_empty()
            && !self.receiver.is_readable()
    }

    /// Queues an answer to a chunk of the peer. The queue is limited, so that a peer cannot fill the memory while a
    /// socket blocks. Answers beyond the limit are dropped, like packets that are lost in the network.
    pub(super) fn answer(&mut self, path: PathId, chunk: Control) {
        if self.outbox.len() < MOST_ANSWERS {
            self.outbox.push_back((path, chunk));
        }
    }

    /// Whether the association still counts as opening.
    pub(crate) fn is_opening(&self) -> bool {
        matches!(self.state, State::CookieWait(_) | State::CookieEchoed { .. })
    }

    /// Whether a packet with this tag from this port of the peer belongs to the association. RFC 9260 §8.5
    pub(crate) fn owns(&self, tag: u32, peer_port: u16) -> bool {
        self.local_tag == tag && self.peer_port == peer_port && !self.is_closed()
    }

    pub(crate) fn local_tag(&self) -> u32 {
        self.local_tag
    }

    pub(crate) fn peer_tag(&self) -> u32 {
        self.peer_tag
    }

    pub(crate) fn peer_port(&self) -> u16 {
        self.peer_port
    }

    /// The addresses of the peer, one per path.
    pub(crate) fn peer_addresses(&self) -> impl Iterator<Item = Address> {
        self.paths.iter().map(|path| path.via.remote)
    }

    pub(crate) fn path_count(&self) -> usize {
        self.paths.len()
    }

    pub(crate) fn via(&self, path: PathId) -> Option<Via> {
        Some(self.paths.get(path.index())?.via)
    }

    /// Capacity of the send buffer in bytes of user data, waiting and outstanding.
    pub(crate) fn send_buffer(&self) -> usize {
        self.config.send_buffer
    }

    /// The primary path.
    pub(crate) fn primary_path(&self) -> PathId {
        self.primary
    }

    /// The path to an address of the peer.
    pub(crate) fn path_to_remote(&self, remote: Address) -> Option<PathId> {
        let index = self.paths.iter().position(|path| path.via.remote == remote)?;
        Some(PathId(index as u8))
    }

    /// Path MTU in bytes, as far as known.
    pub(crate) fn path_mtu(&self, path: PathId) -> Option<u16> {
        Some(self.paths.get(path.index())?.network.mtu())
    }

    /// Outbound and inbound streams; 0 before they are agreed on.
    pub(crate) fn streams(&self) -> (u16, u16) {
        self.streams
    }

    /// The error causes in the peer's ABORT.
    pub(crate) fn abort_causes(&self) -> &[Cause] {
        &self.abort_causes
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

    /// The time for which a path could not send new data, by reason.
    pub(crate) fn blocked(&self, now: Time, path: PathId) -> BlockedTime {
        self.paths[path.index()].waiting.until(now)
    }

    /// Weight of a path in standard TCPs; `None` if the congestion control has no weights.
    pub(crate) fn weight(&self, path: PathId) -> Option<f64> {
        self.control.weight(path)
    }

    /// Counters of a path with its current state.
    pub(crate) fn path_stats(&self, path: PathId) -> PathStats {
        let known = &self.paths[path.index()];
        PathStats {
            window: self.control.window(path),
            ssthresh: self.control.ssthresh(path),
            outstanding: self.sender.flight(path),
            srtt: known.rtt.srtt().unwrap_or_default(),
            rto: known.rto(),
            usable: self.usable(path),
            state: known.state,
            confirmed: known.confirmed,
            in_slow_start: self.control.paths().is_slow_start(path),
            in_recovery: self.control.in_recovery(path),
            ..known.stats
        }
    }
}

/// Number of chunks in the outbox beyond which chunks of the peer are not answered.
const MOST_ANSWERS: usize = 64;
