//! One association: what it consists of, and which conversation an event belongs to. Decides nothing itself.

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
mod local_address;
mod mtu_discovery;
mod opportunity;
mod pacing;
mod pause;
mod potentially_failed;
mod reachability;
mod rescheduling;
mod retransmission_timeout;
mod settings;
mod setup;
mod shutdown;
mod state;
mod timers;
mod transmit;
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
pub(crate) use timers::MAX_PATHS;
use timers::{Timer, Timers};
use window_probe::ProbePace;

use crate::config::Config;
use crate::entropy::Entropy;
use crate::event::{CloseReason, Message, Received, SendError};
use crate::packet::{Cause, Control, Packet};
use crate::path::Path;
use crate::receive::Receiver;
use crate::send::Sender;
use crate::stats::{Blocked, PathStats, ReorderStats, Stats, StreamStats};

/// An association between two endpoints.
#[derive(Debug)]
pub(crate) struct Association {
    config: Arc<Config>,
    state: State,
    /// Tag that the peer must put into its packets.
    local_tag: u32,
    /// Tag that the peer wants to see, 0 while unknown.
    peer_tag: u32,
    /// Names this association in cookies without betraying its tags. RFC 9260 §5.2.2
    tie_tag: u64,
    peer_port: u16,
    paths: Vec<Path>,
    /// The path that the application prefers. RFC 9260 §6.4
    primary: PathId,
    /// Errors in a row on all paths together. RFC 9260 §8.1
    errors: u32,
    /// How many paths are in Fast Recovery.
    recovering: usize,
    /// How many paths divide the buffers among them.
    sharers: u64,
    control: Controller,
    sender: Sender,
    receiver: Receiver,
    timers: Timers,
    opportunity: Opportunity,
    probe_turns: ProbeTurns,
    probe_pace: ProbePace,
    /// What the SACK in hand tells the congestion control; kept for its memory.
    sack_news: SackNews,
    /// Control chunks that wait for a packet, with the path they take.
    outbox: VecDeque<(PathId, Control)>,
    notices: VecDeque<Notice>,
    random: Entropy,
    /// The application has not yet heard that there is room: one word of it is enough.
    writable_queued: bool,
    /// Both sides understand packet drop reports.
    drop_reports: bool,
    /// Largest payload of a chunk that suits the peer's receive buffer, in bytes.
    suitable_payload: usize,
    /// Streams to send and to receive on, once they are agreed.
    streams: (u16, u16),
    /// What the peer's ABORT said.
    abort_causes: Vec<Cause>,
    stats: Stats,
}

/// An event before the endpoint has put the association's name on it.
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
    /// Takes a packet that carried the right tag.
    pub(crate) fn handle_packet(&mut self, now: Time, via: Via, packet: &mut Packet) {
        self.stats.packets_received += 1;
        self.opportunity.expect_lifted_limits();
        let path = self.path_to(via);
        if !packet.control.is_empty() {
            for control in packet.control.drain(..) {
                self.handle_control(now, path, &control);
            }
        }
        let Some(path) = path else { return };
        if packet.has_sack {
            if packet.sack.non_renegable_chunk && !self.receiver.speaks_nr_sack() {
                // A chunk of this type that is not known ends the packet without a word. RFC 9260 §3.2
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

    /// The path that leads to where a packet came from.
    pub(crate) fn path_to(&self, via: Via) -> Option<PathId> {
        // The first two paths are told apart without a branch, which no processor could predict
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

    /// Hands a message to the association.
    ///
    /// If its first transmission has not begun before `expires`, it is dropped. It takes `path` if one is named.
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

    /// Drops messages that nothing was sent of in time. RFC 9260 §11.1.5
    #[inline]
    pub(super) fn drop_expired(&mut self, now: Time) {
        if self.sender.next_expiry() <= now {
            self.drop_expired_messages(now);
        }
    }

    /// Some message may have expired, and others of its stream may leave now.
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

    /// Hands the next message to the application.
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

    /// Whether the association is closed and has no message to read, no packet to send and nothing to tell.
    pub(crate) fn is_spent(&self) -> bool {
        self.is_closed()
            && self.outbox.is_empty()
            && self.notices.is_empty()
            && !self.receiver.is_readable()
    }

    /// Queues a chunk that answers one of the peer's. Where a socket blocks, so many wait that a peer could fill the
    /// memory: those that come then are lost, as they might be on the way.
    pub(super) fn answer(&mut self, path: PathId, chunk: Control) {
        if self.outbox.len() < MOST_ANSWERS {
            self.outbox.push_back((path, chunk));
        }
    }

    /// Whether the association still counts as opening.
    pub(crate) fn is_opening(&self) -> bool {
        matches!(self.state, State::CookieWait(_) | State::CookieEchoed { .. })
    }

    /// Whether a packet with this tag from that port of the peer belongs here. RFC 9260 §8.5
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

    /// The addresses of the peer, one for each path.
    pub(crate) fn peer_addresses(&self) -> impl Iterator<Item = Address> {
        self.paths.iter().map(|path| path.via.remote)
    }

    pub(crate) fn path_count(&self) -> usize {
        self.paths.len()
    }

    pub(crate) fn via(&self, path: PathId) -> Option<Via> {
        Some(self.paths.get(path.index())?.via)
    }

    /// Bytes of user data that wait or are outstanding at most.
    pub(crate) fn send_buffer(&self) -> usize {
        self.config.send_buffer
    }

    /// The path that the application prefers.
    pub(crate) fn primary_path(&self) -> PathId {
        self.primary
    }

    /// The path to an address of the peer.
    pub(crate) fn path_to_remote(&self, remote: Address) -> Option<PathId> {
        let index = self.paths.iter().position(|path| path.via.remote == remote)?;
        Some(PathId(index as u8))
    }

    /// Largest IP packet that a path takes as far as known, in bytes.
    pub(crate) fn path_mtu(&self, path: PathId) -> Option<u16> {
        Some(self.paths.get(path.index())?.network.mtu())
    }

    /// Streams to send and to receive on; none before they are agreed.
    pub(crate) fn streams(&self) -> (u16, u16) {
        self.streams
    }

    /// What the peer's ABORT said.
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

    /// How long a path could not send new data, and why.
    pub(crate) fn blocked(&self, now: Time, path: PathId) -> Blocked {
        self.paths[path.index()].waiting.until(now)
    }

    /// How many standard TCPs a path is worth, where the congestion control has weights.
    pub(crate) fn weight(&self, path: PathId) -> Option<f64> {
        self.control.weight(path)
    }

    /// Counters of a path together with its state now.
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
            in_recovery: known.recovers(),
            ..known.stats
        }
    }
}

/// Chunks in the outbox from which on a peer's chunks are not answered.
const MOST_ANSWERS: usize = 64;
