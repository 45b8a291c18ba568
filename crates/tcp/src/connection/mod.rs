//! One connection: the stream of the application and the subflows that carry it. Most decisions are in other modules.

mod close;
mod limits;
mod receive;
mod schedule;
mod signal;
mod subflows;
mod transmit;

use std::collections::VecDeque;
use std::sync::Arc;

use bytes::Bytes;
use manypath_cc::{Controller, Floors, Profile};
use manypath_core::{PathId, PathWindow, Time, Via};

use crate::config::Config;
use crate::event::{CloseReason, WriteError};
use crate::mptcp::Bundle;
use crate::receive::Assembly;
use crate::segment::Segment;
use crate::send::SendBuffer;
use crate::stats::{PathStats, Stats};
use crate::subflow::{Opening, Phase, Room, State, Subflow};

/// A connection between two endpoints.
#[derive(Debug)]
pub(crate) struct Connection {
    config: Arc<Config>,
    /// In the order in which they were opened. Plain TCP has one.
    subflows: Vec<Subflow>,
    /// One path for each subflow that is or was established.
    control: Controller,
    buffer: SendBuffer,
    assembly: Assembly,
    /// The state that the subflows share; `None` for plain TCP.
    bundle: Option<Box<Bundle>>,
    /// The application has been informed that the connection is established.
    connected: bool,
    /// The application has closed its direction.
    closing: bool,
    /// The application has been informed that the peer has closed its direction.
    peer_finished: bool,
    /// The peer's FIN arrived before this side sent its own: the peer enters TIME-WAIT, not this side.
    closed_second: bool,
    /// Subflows that must send RST, and its sequence offset if that is not the next own byte.
    resets: Vec<(usize, Option<u32>)>,
    /// The reason of the end, once the connection has ended.
    ended: Option<CloseReason>,
    /// The application has released the connection.
    pub(crate) forgotten: bool,
    /// Events for the application, except the frequent kinds below.
    notices: VecDeque<Notice>,
    /// Bytes can be read, and the application has not been informed.
    readable: bool,
    /// The send buffer has room, and the application has not been informed.
    writable: bool,
    stats: Stats,
    /// The connection is in the endpoint's list of those that may have something to send: see [`crate::Endpoint`].
    pub(crate) is_ready: bool,
    /// The connection is in the endpoint's list of those that may have events.
    pub(crate) is_talking: bool,
}

/// An event to which the endpoint has not yet added the connection's identifier.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Notice {
    Connected,
    Readable,
    Writable,
    PeerFinished,
    PathUp(PathId),
    PathDown(PathId),
    Closed(CloseReason),
}

impl Connection {
    /// A connection that this side opens with its first subflow.
    pub(crate) fn connect(
        first: Opening,
        bundle: Option<Box<Bundle>>,
        config: Arc<Config>,
    ) -> Self {
        let subflow = Subflow::connect(first, PathId(0), &config);
        Self::over(subflow, bundle, config)
    }

    /// A connection that the peer opens with `syn`.
    pub(crate) fn accept(
        first: Opening,
        bundle: Option<Box<Bundle>>,
        config: Arc<Config>,
        syn: &Segment,
    ) -> Self {
        let subflow = Subflow::accept(first, PathId(0), &config, syn);
        let mut connection = Self::over(subflow, bundle, config);
        connection.take_introduction(0, syn);
        connection
    }

    fn over(subflow: Subflow, bundle: Option<Box<Bundle>>, config: Arc<Config>) -> Self {
        let algorithm =
            manypath_cc::algorithm(&config.cc).unwrap_or_else(|unknown| panic!("{unknown}"));
        let profile = Profile {
            slow_start_limit: u64::from(config.abc_limit),
            floors: Floors::all(f64::from(config.smallest_window)),
            ..Profile::TCP
        };
        let control = Controller::new(algorithm, profile)
            .with_initial_window(u64::from(config.initial_window))
            .with_initial_threshold(config.initial_threshold.map(u64::from));
        Self {
            subflows: vec![subflow],
            control,
            buffer: SendBuffer::new(config.send_buffer),
            assembly: Assembly::default(),
            bundle,
            connected: false,
            closing: false,
            peer_finished: false,
            closed_second: false,
            resets: Vec::new(),
            ended: None,
            forgotten: false,
            notices: VecDeque::new(),
            readable: false,
            writable: false,
            stats: Stats::default(),
            is_ready: false,
            is_talking: false,
            config,
        }
    }

    /// Takes all of `bytes` or nothing. Returns whether a segment may be sent that could not be sent before.
    #[inline]
    pub(crate) fn write(&mut self, bytes: Bytes) -> Result<bool, WriteError> {
        if !self.connected || self.closing || self.ended.is_some() {
            return Err(WriteError::NotConnected);
        }
        let length = bytes.len() as u64;
        // If a full segment waits already, another condition holds it back
        let is_hungry = self.buffer.unsent() < u64::from(self.config.mss);
        self.buffer.push(bytes)?;
        self.stats.bytes_sent += length;
        Ok(is_hungry)
    }

    /// Free bytes of the send buffer.
    #[inline]
    pub(crate) fn write_space(&self) -> usize {
        self.buffer.space() as usize
    }

    /// Returns the next bytes for the application, and whether an acknowledgement is sent now, because it waited for
    /// the read or because the peer must learn about the free buffer.
    #[inline]
    pub(crate) fn read(&mut self) -> Option<(Bytes, bool)> {
        let bytes = self.assembly.read()?;
        self.stats.bytes_received += bytes.len() as u64;
        if self.bundle.is_some() {
            let is_news = self.note_shared_read();
            return Some((bytes, is_news));
        }
        let room = self.room();
        let subflow = &mut self.subflows[ONLY];
        let is_established = subflow.is_established();
        let (mss, receiving) = (subflow.sending.mss(), &mut subflow.receiving);
        let wants_more = is_established && !receiving.is_finished();
        let mut is_news = wants_more && receiving.note_read(receiving.known_room(), room, mss);
        if wants_more && self.assembly.ready_bytes() == 0 {
            is_news |= receiving.acknowledge_full(&self.config);
        }
        Some((bytes, is_news))
    }

    /// Handles all timers that are due.
    pub(crate) fn handle_timeout(&mut self, now: Time) {
        for index in 0..self.subflows.len() {
            while let Some(expired) =
                self.subflows[index].handle_timeout(now, &mut self.control, &self.config)
            {
                self.act_on(index, expired);
            }
        }
    }

    /// The earliest instant at which a timer is due.
    #[inline]
    pub(crate) fn poll_timeout(&self) -> Time {
        self.subflows.iter().map(Subflow::poll_timeout).min().unwrap_or(Time::NEVER)
    }

    #[inline]
    pub(crate) fn poll_notice(&mut self) -> Option<Notice> {
        if !self.notices.is_empty() {
            return self.notices.pop_front();
        }
        if std::mem::take(&mut self.readable) {
            return Some(Notice::Readable);
        }
        std::mem::take(&mut self.writable).then_some(Notice::Writable)
    }

    /// Whether segments with these addresses and ports, this side's port first, belong to the subflow.
    #[inline]
    pub(crate) fn owns(&self, subflow: usize, via: Via, ports: (u16, u16)) -> bool {
        let subflow = &self.subflows[subflow];
        (subflow.local_port, subflow.peer_port) == ports
            && subflow.via == via
            && !subflow.is_closed()
    }

    /// Whether any subflow has or had these addresses and ports.
    pub(crate) fn has_used(&self, via: Via, local_port: u16, peer_port: u16) -> bool {
        self.subflows.iter().any(|subflow| {
            subflow.peer_port == peer_port && subflow.local_port == local_port && subflow.via == via
        })
    }

    /// Whether no segment can belong to the connection any more.
    pub(crate) fn is_over(&self) -> bool {
        self.resets.is_empty() && self.subflows.iter().all(Subflow::is_closed)
    }

    /// Whether there are events for the application.
    #[inline]
    pub(crate) fn has_notices(&self) -> bool {
        self.readable || self.writable || !self.notices.is_empty()
    }

    /// Appends an event after all events that happened before.
    fn tell(&mut self, notice: Notice) {
        if std::mem::take(&mut self.readable) {
            self.notices.push_back(Notice::Readable);
        }
        if std::mem::take(&mut self.writable) {
            self.notices.push_back(Notice::Writable);
        }
        self.notices.push_back(notice);
    }

    /// Whether the application has been or will be informed of the end of the connection.
    pub(crate) fn has_ended(&self) -> bool {
        self.ended.is_some()
    }

    pub(crate) fn path_count(&self) -> usize {
        self.subflows.len()
    }

    /// The addresses of a subflow.
    #[inline]
    pub(crate) fn via(&self, index: usize) -> Via {
        self.subflows[index].via
    }

    pub(crate) fn stats(&self) -> &Stats {
        &self.stats
    }

    /// Bytes that arrived but cannot be read yet.
    #[inline]
    pub(crate) fn unread(&self) -> u64 {
        self.assembly.early_bytes()
    }

    /// How much a path may carry, and how much it carries.
    #[inline]
    pub(crate) fn path_window(&self, path: PathId) -> PathWindow {
        let sending = &self.subflows[path.index()].sending;
        let known = path.index() < self.control.paths().len();
        PathWindow {
            window: if known { self.control.window(path) } else { 0 },
            ssthresh: if known { self.control.ssthresh(path) } else { 0 },
            outstanding: sending.outstanding(),
            srtt: sending.rtt().srtt().unwrap_or_default(),
        }
    }

    /// Counters of a path with its current state.
    pub(crate) fn path_stats(&self, path: PathId) -> PathStats {
        let subflow = &self.subflows[path.index()];
        let known = path.index() < self.control.paths().len();
        let PathWindow { window, ssthresh, outstanding, srtt } = self.path_window(path);
        PathStats {
            window,
            ssthresh,
            outstanding,
            srtt,
            rto: subflow.sending.rtt().rto(),
            usable: subflow.is_established(),
            closed: matches!(subflow.state(), State::TimeWait | State::Closed),
            in_slow_start: known && self.control.paths().is_slow_start(path),
            in_recovery: matches!(subflow.sending.phase(), Phase::FastRecovery(_)),
            ..subflow.stats
        }
    }

    /// Weight of a path in standard TCPs; `None` if the congestion control has no weights or does not know the path.
    pub(crate) fn weight(&self, path: PathId) -> Option<f64> {
        let known = path.index() < self.control.paths().len();
        known.then(|| self.control.weight(path)).flatten()
    }

    /// The free space of the receive buffer beyond the data that has arrived in order.
    #[inline]
    fn room(&self) -> Room {
        let capacity = self.config.receive_buffer as u64;
        Room { free: capacity.saturating_sub(self.assembly.ready_bytes()), capacity, shared: None }
    }
}

/// The subflow of plain TCP.
const ONLY: usize = 0;
