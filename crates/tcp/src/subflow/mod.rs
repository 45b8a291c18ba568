//! One subflow: one pair of addresses with two sequence spaces, acknowledgements and timers. RFC 9293 §3

mod acknowledge;
mod handshake;
mod opportunity;
mod receiving;
mod recovery;
mod segments;
mod timers;
mod window;

pub(crate) use acknowledge::AckNews;
pub(crate) use opportunity::{NewData, Step};
pub(crate) use receiving::{Place, Room, announce};
pub(crate) use timers::Expired;

use manypath_cc::Controller;
use manypath_core::{PathId, RttEstimator, Span, Time, Via};

use crate::config::{Config, Recovery};
use crate::mptcp::{Chunk, Join};
use crate::segment::Flags;
use crate::send::Scoreboard;
use crate::stats::PathStats;
use handshake::Handshake;
use receiving::{Arrived, Receiving};
use timers::{Timer, Timers};

/// The state of a subflow. RFC 9293 §3.3.2
#[derive(Debug)]
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

/// The state of loss recovery.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Phase {
    /// No loss is known.
    Open,
    /// Fast recovery. RFC 6675 §5, RFC 6582 §3.2
    FastRecovery,
    /// After a timeout: everything that was outstanding is retransmitted in slow start. RFC 5681 §3.1
    AfterTimeout,
}

/// One TCP connection between two addresses, without the stream that it carries.
#[derive(Debug)]
pub(crate) struct Subflow {
    pub(crate) via: Via,
    pub(crate) local_port: u16,
    pub(crate) peer_port: u16,
    pub(crate) state: State,
    /// Its number in the connection. Its path in the congestion control has the same number.
    pub(crate) path: PathId,
    /// Payload bytes of a full segment.
    pub(crate) mss: u64,
    pub(crate) rtt: RttEstimator,
    pub(crate) stats: PathStats,

    /// Initial send sequence number.
    iss: u32,
    /// Everything below is acknowledged: SND.UNA as an offset. Offset 0 is the first byte after SYN.
    una: u64,
    /// The offset of the next new byte: SND.NXT.
    nxt: u64,
    board: Scoreboard,
    pub(crate) phase: Phase,
    /// The offset that ends the current or last recovery: RecoveryPoint. RFC 6675 §2
    recover: u64,
    /// Number of consecutive duplicate acknowledgements.
    dup_acks: u64,
    /// Bytes by which duplicate acknowledgements inflate the window without SACK. RFC 6582 §3.2
    inflation: u64,
    /// The next retransmission is sent independently of the window. RFC 6675 §5 step 4.3, RFC 6582 §3.2
    resend_now: bool,
    /// This recovery has used its rescue retransmission. RFC 6675 §4 NextSeg 4
    rescued: bool,
    /// The timer was restarted by a partial acknowledgement of this recovery. RFC 6582 §4
    partial_seen: bool,
    /// When data was last sent.
    last_sent: Time,
    /// FIN was sent at least once.
    pub(crate) fin_sent: bool,

    /// Both sides use SACK.
    sack: bool,
    /// The kind of fast recovery without SACK.
    recovery: Recovery,
    /// The windows are those of the whole connection, which stores them.
    shares_window: bool,
    /// Shift of the window that the peer announces.
    peer_shift: u8,
    /// The first offset beyond the peer's receive window.
    peer_edge: u64,
    /// The largest window that the peer has announced.
    peer_most: u64,
    /// The sequence offset and the acknowledgement of the segment that last changed the window: SND.WL1 and SND.WL2.
    window_from: (i64, u64),

    pub(crate) receiving: Receiving,
    /// A probe of the peer's window must be sent now.
    probe_due: bool,
    /// The next segment is sent even if it is small. RFC 9293 §3.8.6.2.1
    small_due: bool,
    /// Probes since the window closed.
    probes: u32,
    /// Number of consecutive timeouts.
    retries: u32,
    /// The offset that ends the current round of round-trip time measurements.
    round_end: u64,
    timers: Timers,
}

impl Subflow {
    fn new(join: Join, path: PathId, state: State, config: &Config) -> Self {
        Self {
            via: join.via,
            local_port: join.ports.0,
            peer_port: join.ports.1,
            state,
            path,
            mss: config.payload(config.mss),
            rtt: RttEstimator::new(config.rto),
            stats: PathStats::default(),
            iss: join.iss,
            una: 0,
            nxt: 0,
            board: Scoreboard::default(),
            phase: Phase::Open,
            recover: 0,
            dup_acks: 0,
            inflation: 0,
            resend_now: false,
            rescued: false,
            partial_seen: false,
            last_sent: Time::ZERO,
            fin_sent: false,
            sack: false,
            recovery: config.recovery,
            shares_window: false,
            peer_shift: 0,
            peer_edge: 0,
            peer_most: 0,
            window_from: (i64::MIN, 0),
            receiving: Receiving::default(),
            probe_due: false,
            small_due: false,
            probes: 0,
            retries: 0,
            round_end: 0,
            timers: Timers::default(),
        }
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

    /// The earliest instant at which a timer is due.
    #[inline]
    pub(crate) fn poll_timeout(&self) -> Time {
        self.timers.next()
    }

    /// Everything below this offset is acknowledged.
    #[inline]
    pub(crate) fn acknowledged(&self) -> u64 {
        self.una
    }

    /// The offset of the next new byte.
    #[inline]
    pub(crate) fn next(&self) -> u64 {
        self.nxt
    }

    /// The offset in the stream of the connection of the oldest outstanding segment.
    #[inline]
    pub(crate) fn head_data(&self) -> Option<u64> {
        self.board.head().map(|sent| sent.data)
    }

    /// If an outstanding segment contains the byte at `data` of the stream, the number of its bytes from there on.
    pub(crate) fn carries(&self, data: u64) -> Option<u64> {
        let mut below = self.board.iter().take_while(|sent| sent.data <= data);
        below.find_map(|sent| {
            (sent.data + sent.payload()).checked_sub(data).filter(|left| *left > 0)
        })
    }

    /// Calls `out` with the outstanding data that the peer has not reported, so that other subflows can carry it. Data
    /// of an earlier call is omitted unless `all` is true.
    pub(crate) fn hand_over(&mut self, all: bool, out: impl FnMut(Chunk)) {
        self.board.share(all, out);
    }

    /// Whether the window has room for a full segment of new data.
    #[inline]
    pub(crate) fn has_window(&self, control: &Controller) -> bool {
        let is_whole = self.is_established() && self.phase == Phase::Open;
        is_whole && self.board.pipe() + self.mss <= control.window(self.path)
    }

    /// Smoothed RTT; a substitute before the first sample.
    #[inline]
    pub(crate) fn srtt(&self) -> Span {
        self.rtt.srtt().unwrap_or_else(|| self.rtt.rto())
    }

    /// Outstanding bytes, as the congestion control counts them.
    pub(crate) fn outstanding(&self) -> u64 {
        self.board.pipe()
    }

    /// Whether the peer has acknowledged the FIN of this side.
    #[inline]
    pub(crate) fn fin_acked(&self) -> bool {
        self.fin_sent && self.una == self.nxt
    }

    /// Whether the peer has acknowledged everything, with the possible exception of this side's FIN.
    pub(crate) fn only_fin_is_missing(&self) -> bool {
        self.fin_sent && self.una + 1 >= self.nxt
    }

    /// Leaves the windows of both sides to the connection. RFC 8684 §3.3.1
    pub(crate) fn share_window(&mut self) {
        self.shares_window = true;
        self.receiving.share_window();
    }

    /// Records the sequence numbers of a segment within the window.
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
        self.receiving.note_arrival(now, start, payload, flags, config, &mut self.timers)
    }

    /// Whether FIN was sent or has arrived, in order or not.
    #[inline]
    pub(crate) fn is_ending(&self) -> bool {
        self.fin_sent || self.receiving.has_fin()
    }

    /// Enters TIME-WAIT: both directions have ended, and the peer may repeat its FIN. RFC 9293 §3.6
    pub(crate) fn enter_time_wait(&mut self, now: Time, config: &Config) {
        self.state = State::TimeWait;
        self.timers.cancel(Timer::FinWait2);
        self.timers.set(Timer::TimeWait, now + config.time_wait);
    }

    /// Starts a timer when both streams have ended and only the peer's FIN is missing, so that the wait is limited.
    pub(crate) fn wait_for_fin(&mut self, now: Time, config: &Config) {
        self.timers.set(Timer::FinWait2, now + config.time_wait);
    }

    /// Closes the subflow: nothing is sent and no timer is set.
    pub(crate) fn end(&mut self) {
        self.state = State::Closed;
        self.receiving.note_acknowledged(&mut self.timers);
        self.timers = Timers::default();
        self.probe_due = false;
    }

    /// The sequence number of an offset of this side.
    #[inline]
    fn own_seq(&self, offset: u64) -> u32 {
        self.iss.wrapping_add(1).wrapping_add(offset as u32)
    }

    /// The offset of a sequence number of this side, near the lowest unacknowledged offset.
    #[inline]
    fn own_offset(&self, seq: u32) -> i64 {
        self.una as i64 + i64::from(seq.wrapping_sub(self.own_seq(self.una)) as i32)
    }
}
