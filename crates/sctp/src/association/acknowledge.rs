//! Handling of a SACK: freed chunks, round-trip time, changes of the windows. RFC 9260 §6.2.1, §7.2

use std::hint::select_unpredictable;

use manypath_cc::PathAck;
use manypath_core::{PathId, Time};

use super::Association;
use super::timers::Timer;
use crate::config::{CumAck, RttSample, T3Reset};
use crate::packet::Sack;
use crate::send::{LossDetectionState, Progress, WindowProbeAnswer};

/// The information of a SACK for the congestion control.
#[derive(Debug, Default)]
pub(crate) struct SackNews {
    acks: Vec<PathAck>,
    pub(super) losses: Vec<PathId>,
}

impl Association {
    /// Handles a SACK that arrived on `path`.
    pub(super) fn handle_sack(&mut self, now: Time, path: PathId, sack: &Sack) {
        self.stats.sacks_received += 1;
        if !self.state.has_data_outstanding() || self.sender.is_impossible(sack) {
            return;
        }
        if !sack.duplicates.is_empty() {
            let revealed = self.sender.reveal_spurious(sack);
            self.stats.spurious_fast_retransmissions += revealed.chunks;
            self.stats.spurious_bursts += revealed.bursts;
        }
        if self.sender.is_stale(sack) {
            self.stats.stale_sacks += 1;
            return;
        }
        let space_before = self.sender.space();
        let progress = self.sender.acknowledge(sack, path);
        if self.sender.probes() {
            self.hear_of_probes(path);
        }
        self.note_peer_window();
        if self.recovery.any() {
            self.leave_recoveries(sack);
        }
        if progress.anything_new {
            match self.config.rtt_sample {
                RttSample::SamePath => self.take_rtt_sample(now, path),
                RttSample::AnySack => self.take_all_rtt_samples(now),
            }
            self.count_missing(now, sack, &progress);
        }
        self.tell_congestion_control(now, &progress);
        self.adjust_timers(now);
        if self.sender.space() > space_before {
            self.notices.push_writable();
        }
        self.open_opportunity(now, path);
    }

    /// Handles the answer to a probe of the peer's window. If the peer did not accept the probe, this is no error of
    /// the path of the answer.
    #[cold]
    fn hear_of_probes(&mut self, arrived_on: PathId) {
        for path in self.paths.ids() {
            match self.sender.answer_to_probe(path) {
                Some(WindowProbeAnswer::Closed) => {
                    self.paths[path].answers_probes |= path == arrived_on;
                }
                Some(WindowProbeAnswer::Open) => {
                    self.stats.probe_retransmissions += 1;
                    self.paths[path].retransmission_due = true;
                }
                None => {}
            }
        }
    }

    /// Ends Fast Recovery when everything up to its exit point has arrived. RFC 9260 §7.2.4 item 6
    #[inline(never)]
    fn leave_recoveries(&mut self, sack: &Sack) {
        for path in self.paths.ids() {
            let Some(exit) = self.recovery.exit(path) else { continue };
            let path_recovered = self.config.path_fast_recovery
                && self.sender.lowest_unacked(path).is_none_or(|lowest| lowest.is_after(exit));
            if sack.cumulative.is_at_or_after(exit) || path_recovered {
                self.recovery.leave(path);
            }
        }
    }

    fn take_all_rtt_samples(&mut self, now: Time) {
        for path in self.paths.ids() {
            self.take_rtt_sample(now, path);
        }
    }

    /// Takes at most one sample per round trip, from a chunk that was sent once. RFC 9260 §6.3.1 C4, C5
    fn take_rtt_sample(&mut self, now: Time, path: PathId) {
        let Some(sent_at) = self.sender.news(path).sample else { return };
        let known = &mut self.paths[path];
        if now < known.next_sample {
            return;
        }
        let sample = now - sent_at;
        known.rtt.sample(sample);
        let srtt = known.rtt.srtt().unwrap_or(sample);
        known.next_sample = now + srtt;
        self.control.on_rtt(path, srtt, sample);
    }

    fn count_missing(&mut self, now: Time, sack: &Sack, progress: &Progress) {
        let (paths, config, recovery) = (&self.paths, &self.config, &self.recovery);
        self.sender.count_missing(sack, progress, |path| {
            let known = &paths[path];
            let one_round_trip = Time::ZERO + known.srtt_or_initial(config);
            LossDetectionState {
                in_recovery: recovery.covers(path, config),
                round_trip_ago: Time::ZERO + now.saturating_since(one_round_trip),
            }
        });
    }

    /// Reports all paths at once, so that every formula uses the windows as they were before the SACK.
    fn tell_congestion_control(&mut self, now: Time, progress: &Progress) {
        self.sack_news.acks.clear();
        self.sack_news.losses.clear();
        self.paths.errors = if progress.anything_new { 0 } else { self.paths.errors };
        for path in self.paths.ids() {
            let news = *self.sender.news(path);
            if news.is_empty() {
                continue;
            }
            self.paths[path].stats.bytes_acked += news.payload;
            if news.bytes > 0 {
                let may_grow = match self.config.cuc {
                    CumAck::Association => progress.cumulative_moved && news.advanced,
                    CumAck::PathV1 | CumAck::PathV2 => news.advanced,
                };
                let was_full = news.flight_before >= self.control.window(path)
                    || self.is_kept_from_full_window(path, news.flight_before);
                let in_recovery = self.recovery.contains(path);
                let ack = PathAck { path, bytes: news.bytes, was_full, may_grow, in_recovery };
                self.sack_news.acks.push(ack);
            }
            if news.answered {
                let known = &mut self.paths[path];
                (known.after_timeout, known.answers_probes) = (false, false);
                if let Some(search) = &mut known.mtu_search {
                    search.data_answered();
                }
            }
            if self.paths.is_answer(&self.config, path, &news) {
                // No opportunity is opened yet, because rescheduling could cut windows while the SACK is still being
                // processed
                self.path_alive(path);
            }
            if news.fast_retransmissions > 0 {
                self.book_fast_retransmission(path, u64::from(news.fast_retransmissions));
            }
        }
        self.apply_sack_news(now);
    }

    /// Grows and cuts windows. Paths whose windows were cut begin Fast Recovery and may pause.
    fn apply_sack_news(&mut self, now: Time) {
        if !self.sack_news.acks.is_empty() || !self.sack_news.losses.is_empty() {
            self.control.on_sack(now, &self.sack_news.acks, &self.sack_news.losses);
        }
        self.pause_where_little_is_left(now);
        self.enter_recoveries();
    }

    /// Cuts the window of `path` like a fast retransmission, without a SACK.
    pub(super) fn cut_window(&mut self, now: Time, path: PathId) {
        self.paths[path].stats.window_cuts += 1;
        self.sack_news.acks.clear();
        self.sack_news.losses.clear();
        self.sack_news.losses.push(path);
        self.apply_sack_news(now);
    }

    fn book_fast_retransmission(&mut self, path: PathId, chunks: u64) {
        self.stats.fast_retransmissions += chunks;
        let in_recovery = self.recovery.covers(path, &self.config);
        let known = &mut self.paths[path];
        known.stats.fast_retransmissions += chunks;
        known.retransmission_due = true;
        if !in_recovery {
            known.stats.window_cuts += 1;
            self.sack_news.losses.push(path);
        }
    }

    /// Begins Fast Recovery, which lasts until everything that is outstanding has arrived. RFC 9260 §7.2.4 item 2
    fn enter_recoveries(&mut self) {
        for index in 0..self.sack_news.losses.len() {
            let path = self.sack_news.losses[index];
            let last_sent = self.sender.next_tsn().previous();
            let exit = if self.config.path_fast_recovery {
                self.sender.highest_unacked(path)
            } else {
                Some(last_sent)
            };
            self.recovery.enter(path, exit.unwrap_or(last_sent));
        }
    }

    /// Stops, restarts or starts the retransmission timers. RFC 9260 §6.3.2 R2 to R4
    fn adjust_timers(&mut self, now: Time) {
        for path in self.paths.ids() {
            let timer = Timer::Retransmit(path);
            let Some((lowest, _)) = self.sender.extent(path) else {
                self.timers.cancel(timer);
                self.control.clear_partial(path);
                continue;
            };
            let restart = match self.config.t3_reset {
                T3Reset::Rfc9260 => {
                    self.sender.news(path).head_before.is_some_and(|before| lowest.is_after(before))
                }
                T3Reset::Smart => self.sender.note_oldest(path),
            };
            // Without a branch, because the paths with changes are unpredictable; setting a timer again is cheap
            let restart = restart || !self.timers.is_set(timer);
            let later = now + self.paths[path].rto();
            self.timers.set(timer, select_unpredictable(restart, later, self.timers.at(timer)));
        }
    }
}
