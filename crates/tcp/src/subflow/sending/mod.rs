//! The sending direction of a subflow: its sequence space, what is outstanding, and the peer's window. RFC 9293 §3.3.1

mod acknowledge;
mod opportunity;
mod peer_window;
mod persist;
mod recovery;

pub(crate) use acknowledge::AckNews;
pub(crate) use opportunity::{NewData, Step};
pub(crate) use recovery::Phase;

use manypath_cc::Controller;
use manypath_core::{PathId, RtoLimits, RttEstimator, Span, Time, TimerTable};

use super::Expired;
use crate::config::{Config, Recovery};
use crate::mptcp::DataRange;
use crate::segment::Segment;
use crate::send::{Scoreboard, Sent, SentFlags};
use crate::stats::PathStats;
use peer_window::PeerWindow;
use persist::Persist;

/// The send sequence space and its acknowledgement. Offset 0 is the first byte after SYN.
#[derive(Debug)]
pub(crate) struct Sending {
    /// Its path in the congestion control, which has the number of the subflow.
    path: PathId,
    /// Payload bytes of a full segment.
    mss: u64,
    rtt: RttEstimator,
    /// The offset that ends the current round of round-trip time measurements.
    round_end: u64,
    /// Initial send sequence number: ISS.
    iss: u32,
    /// Everything below is acknowledged: SND.UNA.
    una: u64,
    /// The offset of the next new byte: SND.NXT.
    nxt: u64,
    board: Scoreboard,
    /// FIN was sent at least once.
    fin_sent: bool,
    /// When data was last sent.
    last_sent: Time,
    /// Number of consecutive timeouts.
    retries: u32,
    window: PeerWindow,
    persist: Persist,
    /// The kind of fast recovery without SACK; `None` if both sides use SACK.
    without_sack: Option<Recovery>,
    phase: Phase,
    /// The offset that ends the current or last recovery: RecoveryPoint. RFC 6675 §2
    recover: u64,
    pub(super) timers: TimerTable<2>,
}

impl Sending {
    pub(super) fn new(path: PathId, iss: u32, config: &Config) -> Self {
        Self {
            path,
            mss: config.payload(config.mss),
            rtt: RttEstimator::new(config.rto),
            round_end: 0,
            iss,
            una: 0,
            nxt: 0,
            board: Scoreboard::default(),
            fin_sent: false,
            last_sent: Time::ZERO,
            retries: 0,
            window: PeerWindow::default(),
            persist: Persist::default(),
            without_sack: Some(config.recovery),
            phase: Phase::default(),
            recover: 0,
            timers: TimerTable::new(),
        }
    }

    /// Reads the options of the peer's SYN. RFC 9293 §3.7.1, RFC 2018 §2
    pub(super) fn take_syn(&mut self, syn: &Segment, config: &Config) {
        self.mss = config.payload(config.mss.min(syn.options.mss.unwrap_or(DEFAULT_MSS)));
        let has_sack = config.sack && syn.options.sack_permitted;
        self.without_sack = (!has_sack).then_some(config.recovery);
        self.window.open(syn);
    }

    /// Begins after the handshake with an active path in the congestion control. `round_trip` is the time that the
    /// handshake took; `None` if SYN was sent more than once.
    pub(super) fn open(
        &mut self,
        round_trip: Option<Span>,
        control: &mut Controller,
        config: &Config,
    ) {
        self.timers.cancel(RETRANSMISSION);
        if self.path.index() < control.paths().len() {
            control.set_active(self.path, true);
        } else {
            let path = control.open_path_with_unit(self.mss);
            debug_assert_eq!(path, self.path);
        }
        if let Some(round_trip) = round_trip {
            self.measure(control, round_trip, round_trip);
        } else {
            // RFC 6298 §5.7
            let initial = config.rto.initial.max(AFTER_LOST_SYN);
            self.rtt = RttEstimator::new(RtoLimits { initial, ..config.rto });
            // RFC 5681 §3.1
            control.limit_window(self.path, self.mss);
        }
    }

    /// Leaves the peer's window to the connection. RFC 8684 §3.3.1
    pub(super) fn share_window(&mut self) {
        self.window.is_shared = true;
    }

    /// Sets the number of bytes within the shared window that this subflow may use.
    #[inline]
    pub(crate) fn share_room(&mut self, room: u64) {
        if self.window.grant(self.nxt, room) {
            self.timers.cancel(PERSIST);
        }
    }

    /// The window of the whole connection that the window field of a segment announces.
    #[inline]
    pub(crate) fn shared_window(&mut self, field: u16) -> u64 {
        self.window.announced(field)
    }

    /// The announced window of the peer.
    pub(crate) fn peer_window(&self) -> u64 {
        self.window.room(self.una)
    }

    /// Stops the timers; no probe is sent.
    pub(super) fn stop(&mut self) {
        self.persist = Persist::default();
        self.timers = TimerTable::new();
    }

    /// Payload bytes of a full segment.
    #[inline]
    pub(crate) fn mss(&self) -> u64 {
        self.mss
    }

    #[inline]
    pub(crate) fn rtt(&self) -> &RttEstimator {
        &self.rtt
    }

    /// Smoothed RTT; a substitute before the first sample.
    #[inline]
    pub(crate) fn srtt(&self) -> Span {
        self.rtt.srtt().unwrap_or_else(|| self.rtt.rto())
    }

    /// The state of loss recovery.
    #[inline]
    pub(crate) fn phase(&self) -> &Phase {
        &self.phase
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

    /// Whether the window has room for a full segment of new data.
    #[inline]
    pub(crate) fn has_window(&self, control: &Controller) -> bool {
        !self.repairs() && self.board.pipe() + self.mss <= control.window(self.path)
    }

    /// Outstanding bytes, as the congestion control counts them.
    pub(crate) fn outstanding(&self) -> u64 {
        self.board.pipe()
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
    pub(crate) fn hand_over(&mut self, all: bool, out: impl FnMut(DataRange)) {
        self.board.share(all, out);
    }

    /// Whether FIN was sent.
    #[inline]
    pub(crate) fn fin_sent(&self) -> bool {
        self.fin_sent
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

    /// Records a segment with new data from `data` on, which is sent now.
    #[inline]
    pub(super) fn push(&mut self, now: Time, new: NewData, data: u64) {
        self.fin_sent |= new.is_last;
        let flags = if new.is_last { SentFlags::FIN } else { SentFlags::default() };
        let length = (new.length + u64::from(new.is_last)) as u16;
        self.board.push(Sent { offset: self.nxt, data, sent_at: now, length, flags });
        self.nxt += u64::from(length);
        self.last_sent = now;
        self.persist.small_segment_due = false;
        self.keep_timer(now);
    }

    /// Starts the retransmission timer at `now`. RFC 6298 §5
    #[inline]
    pub(super) fn start_timer(&mut self, now: Time) {
        self.timers.set(RETRANSMISSION, now + self.rtt.rto());
    }

    /// Starts the retransmission timer at `now` unless it is running. RFC 6298 §5.1
    #[inline]
    fn keep_timer(&mut self, now: Time) {
        if !self.timers.is_set(RETRANSMISSION) {
            self.start_timer(now);
            self.timers.cancel(PERSIST);
        }
    }

    /// Takes a timer that is due.
    pub(super) fn expired(&mut self, now: Time) -> Option<usize> {
        let timer = self.timers.expired(now)?;
        self.timers.cancel(timer);
        Some(timer)
    }

    /// Handles a timer that is due in an established subflow; `None` if none is due. RFC 9293 §3.8.3
    pub(super) fn handle_timeout(
        &mut self,
        now: Time,
        control: &mut Controller,
        config: &Config,
        stats: &mut PathStats,
    ) -> Option<Expired> {
        let timer = self.expired(now)?;
        self.retries += 1;
        if self.retries > config.max_retransmissions {
            return Some(Expired::GaveUp);
        }
        if timer == PERSIST {
            self.probe(now, config);
            return Some(Expired::Handled);
        }
        stats.timeouts += 1;
        self.time_out(now, control);
        Some(Expired::TimedOut)
    }

    /// Doubles the retransmission timeout. RFC 6298 §5.5
    pub(super) fn back_off(&mut self) {
        self.rtt.back_off();
    }

    /// Takes a round-trip time sample. The retransmission timer uses the oldest acknowledged segment, which may include
    /// the delay of a delayed acknowledgement. The congestion control uses the newest.
    #[inline]
    fn measure(&mut self, control: &mut Controller, oldest: Span, newest: Span) {
        self.rtt.sample(oldest);
        control.on_rtt(self.path, self.rtt.srtt().unwrap_or(oldest), newest);
    }

    /// The sequence number of an offset.
    #[inline]
    pub(super) fn seq(&self, offset: u64) -> u32 {
        self.iss.wrapping_add(1).wrapping_add(offset as u32)
    }

    /// The offset of a sequence number, near the lowest unacknowledged offset.
    #[inline]
    fn offset(&self, seq: u32) -> i64 {
        self.una as i64 + i64::from(seq.wrapping_sub(self.seq(self.una)) as i32)
    }
}

/// The timer of SYN, data or FIN without an acknowledgement. RFC 6298 §5
const RETRANSMISSION: usize = 0;

/// The timer of a closed window of the peer while nothing is outstanding. RFC 9293 §3.8.6.1
const PERSIST: usize = 1;

/// The MSS of a peer without the MSS option. RFC 9293 §3.7.1
const DEFAULT_MSS: u16 = 536;

/// The initial timeout after a SYN was lost. RFC 6298 §5.7
const AFTER_LOST_SYN: Span = Span::from_secs(3);
