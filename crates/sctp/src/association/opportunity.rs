//! An opportunity to send: the paths that may send, in order, until their limits stop them.

use manypath_core::{PathId, SendLimit, Time};

use super::Association;
use super::limits::Window;
use super::timers::MAX_PATHS;
use crate::config::{Burst, Rescheduling, SendOrder, WindowOverrun};

/// The paths that may send after an event, in order. A path is removed when it reaches a limit.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Opportunity {
    order: [PathId; MAX_PATHS],
    length: usize,
    next: usize,
    /// Every turn so far ended at a limit that only the peer can lift.
    waits_for_peer: bool,
}

impl Opportunity {
    /// Whether a path is left that may send.
    pub(crate) fn is_open(&self) -> bool {
        self.next < self.length
    }

    /// The path that may send now.
    fn path(&self) -> Option<PathId> {
        self.is_open().then(|| self.order[self.next])
    }

    /// Ends the turn of the current path.
    fn pass(&mut self, waits_for_peer: bool) {
        self.waits_for_peer &= waits_for_peer;
        self.next += 1;
    }

    /// Records an event that may lift limits.
    #[inline]
    pub(super) fn expect_lifted_limits(&mut self) {
        self.waits_for_peer = false;
    }
}

impl Association {
    /// Opens an opportunity after an event on `first`: this path sends first, then the others.
    pub(crate) fn open_opportunity(&mut self, now: Time, first: PathId) {
        let order = &mut self.opportunity.order;
        order[0] = first;
        for (place, path) in order.iter_mut().enumerate().take(self.paths.len()).skip(1) {
            // Without a branch on the first path, because it would be unpredictable
            *path = PathId((place - usize::from(place <= first.index())) as u8);
        }
        if self.paths.len() > 2 {
            self.sort_paths(1);
        }
        self.begin_opportunity(now);
    }

    /// Opens an opportunity after an event that concerns no path, such as new data of the application. The policy sorts
    /// all paths.
    pub(crate) fn open_opportunity_to_all(&mut self, now: Time) {
        for (index, place) in self.opportunity.order[..self.paths.len()].iter_mut().enumerate() {
            *place = PathId(index as u8);
        }
        self.sort_paths(0);
        self.begin_opportunity(now);
    }

    fn begin_opportunity(&mut self, now: Time) {
        if self.config.burst == Burst::MaxBurst {
            for path in self.paths.iter_mut() {
                path.burst_left = self.config.max_burst;
            }
        }
        if self.sender.has_any_lost() {
            self.rescue_lost();
        }
        if self.sender.has_bound() {
            self.release_bound();
        }
        (self.opportunity.length, self.opportunity.next) = (self.paths.len(), 0);
        self.opportunity.waits_for_peer = true;
        self.begin_path(now);
    }

    /// Whether a further message could not be sent: all paths have just had their turn, their windows or their shares
    /// of the buffers were full, and they still are.
    #[inline]
    pub(super) fn waits_for_peer(&self) -> bool {
        let looks_at_limits_alone =
            self.config.burst != Burst::MaxBurst && self.config.rescheduling == Rescheduling::None;
        self.opportunity.waits_for_peer && looks_at_limits_alone
    }

    /// Moves lost chunks that wait on a failed path to another path, if any path works.
    #[cold]
    fn rescue_lost(&mut self) {
        seeded!(LostChunksStayOnFailedPath => return);
        for path in self.paths.ids() {
            if self.sender.has_lost(path) && !self.paths.usable(&self.config, path) {
                let target = self.paths.for_retransmission(&self.config, &self.control, path);
                if target != path {
                    self.sender.move_lost(path, target);
                }
            }
        }
    }

    /// Lets messages that name a path use any working path while their own path does not work. RFC 9260 §11.1.5
    #[cold]
    fn release_bound(&mut self) {
        for path in self.paths.ids() {
            if self.sender.has_bound_to(path) && !self.paths.usable(&self.config, path) {
                self.sender.unbind(path);
            }
        }
    }

    /// Sorts the paths from the index `from` on by the policy. RFC 9260 does not specify the order; reference:
    /// `SendOrder`.
    fn sort_paths(&mut self, from: usize) {
        let (before, rest) = self.opportunity.order[..self.paths.len()].split_at_mut(from);
        match self.config.send_order {
            SendOrder::Address => {}
            SendOrder::RoundRobin => {
                let after = |path: &PathId| before.last().is_none_or(|first| path > first);
                rest.rotate_left(rest.iter().position(after).unwrap_or(0));
            }
            SendOrder::SmallestLastTransmission => {
                sort_by_key(rest, |path| (self.paths[*path].last_sent, *path));
            }
            SendOrder::LargestSpace => sort_by_key(rest, |path| {
                let space = self.control.window(*path).saturating_sub(self.sender.flight(*path));
                (std::cmp::Reverse(space), *path)
            }),
            SendOrder::LargestSsthresh => {
                sort_by_key(rest, |path| (std::cmp::Reverse(self.control.ssthresh(*path)), *path));
            }
        }
    }

    /// The next path whose window lets it send. The turns of the paths before it end.
    #[inline]
    pub(super) fn next_turn(&mut self, now: Time) -> Option<(PathId, Window)> {
        while let Some(path) = self.opportunity.path() {
            if !self.state.may_send_data() {
                self.pass_opportunity(now, false);
                continue;
            }
            match self.window(path) {
                Ok(window) => return Some((path, window)),
                Err(limit) => self.end_turn(now, path, Some(limit)),
            }
        }
        None
    }

    /// Ends the turn of the current path, which has reached this limit, if any.
    #[inline(never)]
    pub(super) fn end_turn(&mut self, now: Time, path: PathId, limit: Option<SendLimit>) {
        self.paths[path].waiting.note(now, limit);
        match limit {
            Some(SendLimit::ReceiveWindow) => self.wait_for_probe(now, path),
            Some(SendLimit::Pacing) => self.wait_for_departure(path),
            _ => {}
        }
        let waits_for_peer = match limit {
            Some(SendLimit::Window) => true,
            // If nothing is outstanding, the decay for idleness is applied when there is data to send. If the peer's
            // window is exceeded, the shares become larger
            Some(SendLimit::SplitShare | SendLimit::ReceiveWindow) => {
                self.sender.flight(path) > 0 && self.config.window_overrun == WindowOverrun::Never
            }
            _ => false,
        };
        self.pass_opportunity(now, waits_for_peer);
    }

    #[inline]
    fn pass_opportunity(&mut self, now: Time, waits_for_peer: bool) {
        self.opportunity.pass(waits_for_peer);
        self.begin_path(now);
    }

    /// Updates a path at the start of its turn, before it sends.
    #[inline]
    fn begin_path(&mut self, now: Time) {
        let Some(path) = self.opportunity.path() else { return };
        if self.config.rescheduling != Rescheduling::None {
            self.reschedule_blocking_chunk(now, path);
        }
        let flight = self.sender.flight(path);
        if flight == 0 && self.sender.has_waiting() {
            self.pay_for_idleness(now, path);
        }
        if self.config.burst == Burst::UseItOrLoseIt && !self.is_paced(path) {
            let limit = flight
                + u64::from(self.config.max_burst) * u64::from(self.paths[path].network.mtu());
            self.control.limit_window(path, limit);
        }
    }

    /// Reduces an unused window once per RTO. RFC 9260 §7.2.1
    #[cold]
    fn pay_for_idleness(&mut self, now: Time, path: PathId) {
        let known = &mut self.paths[path];
        if known.last_sent == Time::ZERO {
            return;
        }
        let rto = known.rto();
        let mut since = known.last_sent.max(known.idle_until);
        for _ in 0..MOST_IDLE_STEPS {
            if now.saturating_since(since) <= rto {
                break;
            }
            since += rto;
            self.control.on_idle(path);
        }
        known.idle_until = since;
    }
}

/// Two paths, the most frequent case, need no sorting algorithm.
#[inline]
fn sort_by_key<K: Ord>(paths: &mut [PathId], key: impl Fn(&PathId) -> K) {
    match paths {
        [first, second] if key(second) < key(first) => std::mem::swap(first, second),
        [_, _] => {}
        _ => paths.sort_unstable_by_key(key),
    }
}

/// After this number of halvings, the largest possible window is at its minimum for idle paths.
const MOST_IDLE_STEPS: u32 = 20;
