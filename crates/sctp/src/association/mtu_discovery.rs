//! Path MTU discovery: a HEARTBEAT and a PAD chunk probe the largest packet of each path. RFC 8899 §6.2, RFC 4820
//!
//! A lost probe is no error of its path and no loss for the congestion control. It is not retransmitted unchanged.

use manypath_core::{PathId, Span, Time};

use super::Association;
use super::state::State;
use super::timers::Timer;
use crate::packet::{CHUNK_HEADER, Control, HeartbeatInfo, PARAMETER_HEADER};
use crate::path::MtuSearch;

impl Association {
    /// Starts or continues the search on a path.
    pub(super) fn start_mtu_search(&mut self, now: Time, path: PathId) {
        if let Some(search) = &mut self.paths[path].mtu_search {
            search.begin(now);
            self.set_mtu_timer();
        }
    }

    /// Handles the timer of the search on at least one path.
    pub(super) fn mtu_timeout(&mut self, now: Time) {
        for path in self.paths.ids() {
            let known = &self.paths[path];
            if known.mtu_search.as_ref().is_some_and(|search| search.due() <= now) {
                self.continue_mtu_search(now, path);
            }
        }
        self.set_mtu_timer();
    }

    fn continue_mtu_search(&mut self, now: Time, path: PathId) {
        let known = &mut self.paths[path];
        let works = known.works();
        let deadline = now + known.rto().max(LEAST_PROBE_TIMER);
        let Some(search) = &mut known.mtu_search else { return };
        if !works {
            return search.wait_until(deadline);
        }
        let mtu = search.time_out(known.network.mtu());
        let size = search.next_size(now, mtu);
        if let Some(size) = size {
            let nonce = self.random.next_u64();
            search.sent(size, nonce, deadline);
            self.send_mtu_probe(now, path, size, nonce);
        }
        self.use_mtu(path, mtu);
    }

    /// Queues the probe. [`Association::send_control`] sends it in a packet of its own.
    fn send_mtu_probe(&mut self, now: Time, path: PathId, size: u16, nonce: u64) {
        let known = &mut self.paths[path];
        known.stats.mtu_probes += 1;
        let info = HeartbeatInfo { nonce, sent_at: now.as_nanos(), address: known.via.remote };
        let heartbeat = CHUNK_HEADER + PARAMETER_HEADER + HeartbeatInfo::LENGTH;
        let padding = known.network.room_of(size).saturating_sub(heartbeat + CHUNK_HEADER);
        self.outbox.push(path, Control::Heartbeat(info.into()));
        self.outbox.push(path, Control::Padding(padding as u16));
    }

    /// Whether a HEARTBEAT ACK answers a probe of the packet size; such an answer is handled here.
    pub(super) fn take_mtu_answer(&mut self, now: Time, info: &HeartbeatInfo) -> bool {
        let answers = |search: &MtuSearch| search.expects(info.nonce);
        let path = self.paths.find(|path| path.mtu_search.as_deref().is_some_and(answers));
        let Some(path) = path.filter(|path| self.paths[*path].via.remote == info.address) else {
            return false;
        };
        self.change_mtu_search(path, |search, mtu| search.answered(now, mtu));
        true
    }

    /// Handles the report of a link or a router that packets of more than `mtu` bytes do not pass. RFC 8899 §4.6
    pub(crate) fn packet_too_big(&mut self, now: Time, path: PathId, mtu: u16) {
        let Some(known) = self.paths.get(path) else { return };
        if known.mtu_search.is_some() {
            self.change_mtu_search(path, |search, used| search.too_big(now, mtu, used));
        } else if mtu < known.network.mtu() {
            self.set_path_mtu(path, mtu);
        }
    }

    /// The retransmission timer of a path ran out.
    pub(super) fn suspect_black_hole(&mut self, now: Time, path: PathId) {
        self.change_mtu_search(path, |search, mtu| search.data_timed_out(now, mtu));
    }

    /// Restarts the search after a change of the route, which makes the earlier result invalid.
    pub(super) fn restart_mtu_search(&mut self, now: Time, path: PathId) {
        self.change_mtu_search(path, |search, _| search.restart(now));
    }

    fn change_mtu_search(&mut self, path: PathId, change: impl FnOnce(&mut MtuSearch, u16) -> u16) {
        let known = &mut self.paths[path];
        let mtu = known.network.mtu();
        if let Some(search) = &mut known.mtu_search {
            let mtu = change(search, mtu);
            self.use_mtu(path, mtu);
            self.set_mtu_timer();
        }
    }

    fn use_mtu(&mut self, path: PathId, mtu: u16) {
        if mtu != self.paths[path].network.mtu() {
            self.set_path_mtu(path, mtu);
        }
    }

    /// Sets the one timer of all paths.
    fn set_mtu_timer(&mut self) {
        let searches = self.paths.iter().filter_map(|path| path.mtu_search.as_deref());
        let due = searches.map(MtuSearch::due).min().unwrap_or(Time::NEVER);
        let due = if matches!(self.state, State::Established) { due } else { Time::NEVER };
        if due == Time::NEVER {
            self.timers.cancel(Timer::MtuSearch);
        } else {
            self.timers.set(Timer::MtuSearch, due);
        }
    }
}

/// Minimum time to wait for the answer to a probe (PROBE_TIMER). RFC 8899 §5.1.1 requires at least 1 s and recommends
/// more than 15 s for transports without an estimate of the round-trip time; here the RTO is such an estimate.
const LEAST_PROBE_TIMER: Span = Span::from_secs(1);
