//! The search for the largest packet size of a path, with probes that carry no data. RFC 8899 §5
//!
//! ```text
//!              probe answered             nothing left to try
//!   ┌──────┐ ───────────────▶ ┌───────────┐ ───────────────▶ ┌──────────┐
//!   │ BASE │                  │ SEARCHING │                  │ COMPLETE │
//!   └──────┘ ◀─────────────── └───────────┘ ◀─────────────── └──────────┘
//!       │      black hole           ▲         time to raise
//!       │ three probes lost         │ probe answered
//!       ▼                           │
//!   ┌───────┐ ──────────────────────┘
//!   │ ERROR │
//!   └───────┘
//! ```
//!
//! All sizes are bytes of a whole IP packet. The caller stores the size in use and passes it as an argument.

use manypath_core::Time;

use crate::config::MtuDiscovery;

/// The state of the search, without the size in use.
#[derive(Clone, Debug)]
pub(crate) struct MtuSearch {
    settings: MtuDiscovery,
    /// BASE_PLPMTU: the size that a path begins with.
    base: u16,
    phase: Phase,
    /// Larger packets are known or assumed not to pass.
    ceiling: u16,
    /// The ceiling was set by a link, a router or the settings, and no probe of that size was lost.
    ceiling_may_pass: bool,
    /// The outstanding probe; there is at most one.
    probe: Option<MtuProbe>,
    /// Consecutive losses of probes of one size.
    losses: u8,
    /// The time of the next action.
    due: Time,
    /// Largest packet with DATA since the last timeout.
    largest_sent: u16,
    /// Consecutive timeouts of packets larger than the base.
    timeouts: u8,
}

/// The phase of the search. RFC 8899 §5.2
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Phase {
    /// It is not known yet whether the base size passes.
    Base,
    /// Larger sizes are probed.
    Searching,
    /// The largest one has been found.
    Complete,
    /// The base size does not pass; smaller ones are probed.
    Error,
}

/// An outstanding probe.
#[derive(Clone, Copy, Debug)]
struct MtuProbe {
    size: u16,
    nonce: u64,
}

impl MtuSearch {
    /// A search that has not begun, on a path with the base size `base`.
    pub(crate) fn new(settings: MtuDiscovery, base: u16) -> Self {
        Self {
            settings,
            base,
            phase: Phase::Base,
            ceiling: settings.max,
            ceiling_may_pass: true,
            probe: None,
            losses: 0,
            due: Time::NEVER,
            largest_sent: 0,
            timeouts: 0,
        }
    }

    /// The time of the next action.
    pub(crate) fn due(&self) -> Time {
        self.due
    }

    /// Begins or continues the search at this time.
    pub(crate) fn begin(&mut self, at: Time) {
        self.due = self.due.min(at);
    }

    /// Pauses the search until then, because the path does not work: losses in this time say nothing about sizes.
    pub(crate) fn wait_until(&mut self, at: Time) {
        self.search_from(Phase::Base, self.settings.max);
        (self.probe, self.due) = (None, at);
    }

    /// Restarts the search as on a new path; returns the new size in use.
    pub(crate) fn restart(&mut self, now: Time) -> u16 {
        *self = Self { due: now, ..Self::new(self.settings, self.base) };
        self.base
    }

    /// Handles the timer: a probe without an answer counts as lost. Returns the new size in use.
    pub(crate) fn time_out(&mut self, mtu: u16) -> u16 {
        if self.phase == Phase::Complete {
            // PMTU_RAISE_TIMER
            self.search_from(Phase::Searching, self.settings.max);
            return mtu;
        }
        let Some(probe) = self.probe.take() else { return mtu };
        self.losses += 1;
        if self.losses < MAX_PROBES {
            return mtu;
        }
        (self.losses, self.ceiling_may_pass) = (0, false);
        // The packet size is a multiple of four bytes
        self.ceiling = (probe.size & !3) - 1;
        if self.phase == Phase::Base {
            self.phase = Phase::Error;
            return self.settings.min.min(mtu);
        }
        mtu
    }

    /// The size of the next probe; `None` if the search is over for now.
    pub(crate) fn next_size(&mut self, now: Time, mtu: u16) -> Option<u16> {
        let size = match self.phase {
            Phase::Base => Some(self.base.min(self.ceiling)),
            Phase::Searching | Phase::Error => self.candidate(mtu),
            Phase::Complete => None,
        };
        if size.is_none() {
            self.complete(now);
        }
        size
    }

    /// Records that a probe was sent; it counts as lost at `deadline`.
    pub(crate) fn sent(&mut self, size: u16, nonce: u64, deadline: Time) {
        (self.probe, self.due) = (Some(MtuProbe { size, nonce }), deadline);
    }

    /// Whether an answer with this nonce answers the probe.
    pub(crate) fn expects(&self, nonce: u64) -> bool {
        self.probe.is_some_and(|probe| probe.nonce == nonce)
    }

    /// Handles the answer to the probe; returns the new size in use.
    pub(crate) fn answered(&mut self, now: Time, mtu: u16) -> u16 {
        let Some(probe) = self.probe.take() else { return mtu };
        (self.phase, self.losses, self.due) = (Phase::Searching, 0, now);
        mtu.max(probe.size)
    }

    /// Handles a message "packet too big" from a router or from this host, which reports an MTU of `size` bytes.
    /// Returns the packet size in use from now on. RFC 8899 §4.6.2
    pub(crate) fn too_big(&mut self, now: Time, size: u16, mtu: u16) -> u16 {
        let probed = self.probe.map_or(mtu, |probe| probe.size);
        if size < self.settings.min || size >= probed.max(mtu) {
            return mtu;
        }
        (self.ceiling, self.ceiling_may_pass) = (size, true);
        (self.probe, self.losses, self.due) = (None, 0, now);
        if size >= mtu {
            return mtu;
        }
        if size < self.base {
            self.phase = Phase::Error;
            return self.settings.min;
        }
        self.phase = Phase::Searching;
        self.base
    }

    /// Records that a packet with DATA is sent.
    #[inline]
    pub(crate) fn note_sent(&mut self, size: usize) {
        self.largest_sent = self.largest_sent.max(u16::try_from(size).unwrap_or(u16::MAX));
    }

    /// Records that DATA of the path was acknowledged, so its packets pass.
    pub(crate) fn data_answered(&mut self) {
        self.timeouts = 0;
    }

    /// Handles a retransmission timeout; returns the new size in use. Packets that are lost repeatedly may be larger
    /// than the path allows since a change of its route. RFC 8899 §4.3
    pub(crate) fn data_timed_out(&mut self, now: Time, mtu: u16) -> u16 {
        if std::mem::take(&mut self.largest_sent) <= self.base || mtu <= self.base {
            return mtu;
        }
        self.timeouts += 1;
        if self.timeouts < BLACK_HOLE {
            return mtu;
        }
        self.timeouts = 0;
        self.search_from(Phase::Base, mtu);
        (self.probe, self.due) = (None, now);
        self.base
    }

    fn search_from(&mut self, phase: Phase, ceiling: u16) {
        (self.phase, self.losses) = (phase, 0);
        (self.ceiling, self.ceiling_may_pass) = (ceiling, true);
    }

    /// Completes the search. It restarts after a long time; earlier if not even the base size passes.
    fn complete(&mut self, now: Time) {
        if self.phase == Phase::Error {
            self.search_from(Phase::Base, self.settings.max);
            self.due = now + self.settings.raise_after / 10;
        } else {
            self.phase = Phase::Complete;
            self.due = now + self.settings.raise_after;
        }
    }

    /// A size between the size in use and the ceiling: first common sizes, then by bisection.
    fn candidate(&self, mtu: u16) -> Option<u16> {
        if self.ceiling <= mtu {
            return None;
        }
        if (self.base..ETHERNET).contains(&mtu) && ETHERNET <= self.ceiling {
            return Some(ETHERNET);
        }
        if self.ceiling_may_pass {
            return Some(self.ceiling);
        }
        let first = USUAL.partition_point(|&size| size <= mtu);
        let end = USUAL.partition_point(|&size| size <= self.ceiling);
        if first < end {
            return Some(USUAL[usize::midpoint(first, end - 1)]);
        }
        let gap = self.ceiling - mtu;
        (gap > mtu / PRECISION).then_some(mtu + gap.div_ceil(2))
    }
}

/// Number of lost probes of one size after which the size counts as too large. RFC 8899 §5.1.2
const MAX_PROBES: u8 = 3;
/// Number of consecutive timeouts that indicate a black hole.
const BLACK_HOLE: u8 = 2;
/// The MTU of Ethernet, the most common one.
const ETHERNET: u16 = 1500;
/// MTUs of common links and tunnels.
const USUAL: [u16; 10] = [576, 1006, 1280, 1400, 1420, 1450, 1480, 1492, 1500, 9000];
/// The search ends when the gap is less than this fraction of the size in use.
const PRECISION: u16 = 32;
