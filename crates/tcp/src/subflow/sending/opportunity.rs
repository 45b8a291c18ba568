//! Selection of the next data segment: a lost segment, new data, or none. RFC 6675 §4 NextSeg

use manypath_cc::Controller;
use manypath_core::{SendLimit, Time};

use super::{PERSIST, Phase, Sending};
use crate::config::Config;

/// The next data segment.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Step {
    /// A retransmission.
    Resend {
        /// Its serial number on the scoreboard.
        serial: u64,
        /// Whether it is the rescue retransmission of RFC 6675 §4 NextSeg 4.
        is_rescue: bool,
    },
    /// New data, with FIN if it is the last; without any bytes for FIN alone.
    New(NewData),
}

/// New data that may be sent.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct NewData {
    /// Bytes.
    pub(crate) length: u64,
    /// No bytes follow on this subflow.
    pub(crate) is_last: bool,
}

impl Sending {
    /// Whether lost segments may wait for retransmission.
    #[inline]
    pub(crate) fn repairs(&self) -> bool {
        !matches!(self.phase, Phase::Open { .. })
    }

    /// A cheap check whether no new data can be sent: no recovery is in progress, and there is no data or the window is
    /// full.
    #[inline]
    pub(crate) fn is_exhausted(&self, unsent: u64, closing: bool, control: &Controller) -> bool {
        let Phase::Open { dup_acks } = self.phase else { return false };
        if self.timers.is_set(PERSIST) {
            return false;
        }
        if unsent == 0 {
            return !closing;
        }
        unsent >= self.mss
            && dup_acks == 0
            && self.board.pipe() + self.mss > control.window(self.path)
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
        let Phase::Open { dup_acks } = self.phase else {
            return self.next_repair(now, waiting, control, config);
        };
        if waiting.length > 0 && self.board.is_empty() && now - self.last_sent > self.rtt.rto() {
            // RFC 5681 §4.1: the window may be out of date
            control.on_idle(self.path);
        }
        let free = self.open_window(dup_acks, control, config);
        self.new_step(now, waiting, free, config)
    }

    /// Bytes of the window that are free for new data while no recovery is in progress.
    #[inline]
    fn open_window(&self, dup_acks: u64, control: &Controller, config: &Config) -> u64 {
        let (mut used, mut extra) = (self.nxt - self.una, 0);
        if config.limited_transmit {
            if self.uses_sack() {
                used = self.board.pipe();
            } else {
                extra = dup_acks.min(LIMITED_TRANSMIT) * self.mss;
            }
        }
        (control.window(self.path) + extra).saturating_sub(used)
    }

    /// Bytes of the window that are free for new data.
    fn free_window(&self, control: &Controller, config: &Config) -> u64 {
        let window = control.window(self.path);
        match &self.phase {
            Phase::Open { dup_acks } => self.open_window(*dup_acks, control, config),
            Phase::FastRecovery(recovery) if self.without_sack.is_some() => {
                (window + recovery.inflation).saturating_sub(self.nxt - self.una)
            }
            _ => window.saturating_sub(self.board.pipe()),
        }
    }

    /// The limit that stops new data, for which the peer has `room`; `None` if nothing does.
    #[inline]
    pub(crate) fn limit(
        &self,
        waiting: NewData,
        room: u64,
        control: &Controller,
        config: &Config,
    ) -> Option<SendLimit> {
        if self.board.is_empty() && waiting.length == 0 {
            // The receiver of a transfer: nothing is outstanding, so the window has room
            return Some(SendLimit::Application);
        }
        let free = self.free_window(control, config);
        if self.repairs_with_full_segments() && free < self.mss {
            return Some(SendLimit::Window);
        }
        self.new_data(waiting, room, free, config).err()
    }

    /// Whether each segment, also a small one, needs the window of a full segment: in recovery with SACK, and after a
    /// timeout.
    fn repairs_with_full_segments(&self) -> bool {
        match &self.phase {
            Phase::Open { .. } => false,
            Phase::FastRecovery(_) => self.uses_sack(),
            Phase::AfterTimeout => true,
        }
    }

    /// Bytes of new data for which the peer has room on this subflow.
    #[inline]
    pub(crate) fn room(&self) -> u64 {
        self.window.room(self.nxt)
    }

    /// The next segment of a recovery.
    fn next_repair(
        &mut self,
        now: Time,
        waiting: NewData,
        control: &Controller,
        config: &Config,
    ) -> Option<Step> {
        let resend = |serial| Some(Step::Resend { serial, is_rescue: false });
        if let Phase::FastRecovery(recovery) = &mut self.phase {
            if std::mem::take(&mut recovery.resend_now)
                && let Some(serial) = self.board.next_lost()
            {
                return resend(serial);
            }
            if self.without_sack.is_some() {
                let free = self.free_window(control, config);
                return self.new_step(now, waiting, free, config);
            }
        }
        // From here on as in `repairs_with_full_segments`
        let free = self.free_window(control, config);
        if free < self.mss {
            return None;
        }
        if let Some(serial) = self.board.next_lost() {
            return resend(serial);
        }
        let step = self.new_step(now, waiting, free, config);
        if step.is_some() {
            return step;
        }
        let Phase::FastRecovery(recovery) = &mut self.phase else { return None };
        if let Some(serial) = self.board.next_doubtful() {
            return resend(serial);
        }
        if recovery.rescued {
            return None;
        }
        let serial = self.board.last_unreported()?;
        recovery.rescued = true;
        Some(Step::Resend { serial, is_rescue: true })
    }

    /// New data for `free` bytes of the window. If the peer's window stops them and nothing is outstanding, the persist
    /// timer starts.
    #[inline]
    fn new_step(
        &mut self,
        now: Time,
        waiting: NewData,
        free: u64,
        config: &Config,
    ) -> Option<Step> {
        match self.new_data(waiting, self.room(), free, config) {
            Ok(new) => Some(Step::New(new)),
            Err(limit) => {
                if limit == SendLimit::ReceiveWindow && self.board.is_empty() {
                    self.persist(now, config);
                }
                None
            }
        }
    }

    /// New data for `free` bytes of the window and `room` bytes of the peer's, or the limit that stops them.
    /// RFC 9293 §3.8.6.2.1
    #[inline]
    fn new_data(
        &self,
        waiting: NewData,
        room: u64,
        free: u64,
        config: &Config,
    ) -> Result<NewData, SendLimit> {
        let unsent = waiting.length;
        if self.fin_sent {
            return Err(SendLimit::Application);
        }
        if unsent == 0 && !waiting.is_last {
            let is_full = free < self.mss;
            return Err(if is_full { SendLimit::Window } else { SendLimit::Application });
        }
        let wanted = self.mss.min(unsent);
        let length = wanted.min(room);
        let is_too_much = length > free || length == 0;
        if unsent > 0 && (is_too_much || !self.is_worth_sending(length, waiting, config)) {
            return Err(if free < wanted {
                SendLimit::Window
            } else if self.waits_for_more(waiting, config) {
                SendLimit::Application
            } else {
                SendLimit::ReceiveWindow
            });
        }
        Ok(NewData { length, is_last: waiting.is_last && length == unsent })
    }

    /// Whether a segment is full, contains all waiting data, or is as large as the peer's window allows.
    /// RFC 9293 §3.8.6.2.1
    #[inline]
    fn is_worth_sending(&self, length: u64, waiting: NewData, config: &Config) -> bool {
        if length == self.mss || self.persist.small_segment_due {
            return true;
        }
        if length == waiting.length {
            return !self.waits_for_more(waiting, config);
        }
        length >= self.window.largest / 2
    }

    /// Nagle's algorithm: whether data that fill no segment wait for more. RFC 9293 §3.7.4
    #[inline]
    fn waits_for_more(&self, waiting: NewData, config: &Config) -> bool {
        config.nagle && waiting.length < self.mss && !waiting.is_last && !self.board.is_empty()
    }
}

/// Segments of new data that the first duplicate acknowledgements release. RFC 3042 §2
const LIMITED_TRANSMIT: u64 = 2;
