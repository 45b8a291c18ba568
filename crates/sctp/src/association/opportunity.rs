//! A chance to send: which paths may, in which order, until their own limits stop them.

use manypath_core::{PathId, Time};

use super::Association;
use super::timers::MAX_PATHS;
use crate::config::{Burst, SendOrder};

/// The paths that an event lets send, in order; used up as each path reaches a limit.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Opportunity {
    order: [PathId; MAX_PATHS],
    length: usize,
    next: usize,
}

impl Opportunity {
    /// Whether a path is left that may send.
    pub(crate) fn is_open(&self) -> bool {
        self.next < self.length
    }

    /// The path that may send now.
    pub(crate) fn path(&self) -> Option<PathId> {
        self.is_open().then(|| self.order[self.next])
    }

    /// The current path has reached a limit.
    pub(crate) fn pass(&mut self) {
        self.next += 1;
    }
}

impl Association {
    /// Something happened on `first` that may admit new packets: it sends first, then the others.
    pub(crate) fn open_opportunity(&mut self, now: Time, first: PathId) {
        if self.config.burst == Burst::MaxBurst {
            for path in &mut self.paths {
                path.burst_left = self.config.max_burst;
            }
        }
        self.rescue_lost();
        let paths = self.paths.len();
        let opportunity = &mut self.opportunity;
        *opportunity = Opportunity { length: paths, next: 0, order: opportunity.order };
        opportunity.order[0] = first;
        let mut length = 1;
        for index in 0..paths {
            let path = PathId(index as u8);
            if path != first {
                opportunity.order[length] = path;
                length += 1;
            }
        }
        if paths > 2 {
            self.sort_opportunity(first);
        }
        self.begin_path(now);
    }

    /// Chunks that wait to be sent again on a path that has failed take another one, if any works.
    fn rescue_lost(&mut self) {
        seeded!(LostChunksStayOnFailedPath => return);
        for path in (0..self.paths.len()).map(|index| PathId(index as u8)) {
            if self.sender.has_lost(path) && !self.paths[path.index()].usable() {
                let target = self.retransmission_path(path);
                if target != path {
                    self.sender.move_lost(path, target);
                }
            }
        }
    }

    /// Puts the paths after the first into the order of the policy. RFC 9260 leaves it open; reference: `SendOrder`.
    fn sort_opportunity(&mut self, first: PathId) {
        let paths = self.paths.len();
        let rest = &mut self.opportunity.order[1..paths];
        match self.config.send_order {
            SendOrder::Address => {}
            SendOrder::RoundRobin => {
                let after_first = rest.iter().position(|path| path.0 > first.0).unwrap_or(0);
                rest.rotate_left(after_first);
            }
            SendOrder::SmallestLastTransmission => {
                rest.sort_unstable_by_key(|path| (self.paths[path.index()].last_sent, *path));
            }
            SendOrder::LargestSpace => rest.sort_unstable_by_key(|path| {
                let space = self.control.window(*path).saturating_sub(self.sender.flight(*path));
                (std::cmp::Reverse(space), *path)
            }),
            SendOrder::LargestSsthresh => {
                rest.sort_unstable_by_key(|path| {
                    (std::cmp::Reverse(self.control.ssthresh(*path)), *path)
                });
            }
        }
    }

    /// The current path has reached a limit: the next one begins.
    pub(super) fn pass_opportunity(&mut self, now: Time) {
        self.opportunity.pass();
        self.begin_path(now);
    }

    /// What a path that takes its turn must know before it sends.
    fn begin_path(&mut self, now: Time) {
        let Some(path) = self.opportunity.path() else { return };
        let flight = self.sender.flight(path);
        if flight == 0 && self.sender.has_waiting() {
            self.pay_for_idleness(now, path);
        }
        if self.config.burst == Burst::UseItOrLoseIt {
            let limit = flight + u64::from(self.config.max_burst) * u64::from(self.config.mtu);
            self.control.limit_window(path, limit);
        }
    }

    /// A window that was not used is lost step by step, one for each RTO. RFC 9260 §7.2.1
    fn pay_for_idleness(&mut self, now: Time, path: PathId) {
        let known = &mut self.paths[path.index()];
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

/// After so many halvings the largest window there can be is the smallest that being idle leaves.
const MOST_IDLE_STEPS: u32 = 20;
