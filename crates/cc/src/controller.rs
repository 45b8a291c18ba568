//! The windows of one connection: the only place that changes them.

use manypath_core::{PathId, Span, Time};

use crate::rounding::ceil;
use crate::{
    Adjustment, Algorithm, Cut, Idle, IpVersion, Loss, PartialAfterStep, PathState, Paths, Profile,
    Segment, Stepping,
};

/// The congestion windows of one connection, all paths together.
///
/// The protocol says what happened (a SACK, a timeout, a round-trip time); the algorithm says how much; the controller
/// rounds, bounds and writes.
#[derive(Debug)]
pub struct Controller {
    paths: Paths,
    algorithm: Box<dyn Algorithm>,
    is_coupled: bool,
    hears_acks: bool,
    /// Whether the algorithm has seen the group in this event.
    observed: bool,
    /// The peer's window, once the connection has started.
    peer_window: Option<u64>,
    /// What the protocol wants instead of the profile's initial window, in units.
    initial_units: Option<u64>,
    /// What the protocol wants instead of the profile's initial slow-start threshold, in units.
    threshold_units: Option<u64>,
}

/// What one SACK acknowledges on one path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathAck {
    /// The path on which the bytes were sent last.
    pub path: PathId,
    /// Newly acknowledged bytes as the profile counts them: see [`Profile::count`].
    pub bytes: u64,
    /// Whether the outstanding bytes of the path, before this SACK, reached its window: TCP, which does not overbook,
    /// says yes if one more full segment would not have fitted.
    pub was_full: bool,
    /// Whether the protocol lets the window grow: the path's (pseudo-)cumulative acknowledgement advanced.
    pub may_grow: bool,
}

/// What the formulas say of one path at this moment, neither rounded nor bounded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Formulas {
    /// Bytes that slow start adds for one acknowledged unit.
    pub slow_start: f64,
    /// Bytes that congestion avoidance adds for one acknowledged window.
    pub growth: f64,
    /// Bytes that a fast retransmission takes away.
    pub cut: f64,
}

impl Controller {
    /// A connection without a path.
    #[must_use]
    pub fn new(algorithm: Box<dyn Algorithm>, profile: Profile) -> Self {
        Self {
            paths: Paths::new(profile),
            is_coupled: algorithm.is_coupled(),
            hears_acks: algorithm.hears_acks(),
            algorithm,
            observed: false,
            peer_window: None,
            initial_units: None,
            threshold_units: None,
        }
    }

    /// The same with an initial window of `units` segments on every path, whatever the profile says.
    #[must_use]
    pub fn with_initial_window(self, units: u64) -> Self {
        Self { initial_units: Some(units), ..self }
    }

    /// The same with an initial slow-start threshold of `units` segments on every path; `None` leaves the profile's.
    #[must_use]
    pub fn with_initial_threshold(self, units: Option<u64>) -> Self {
        Self { threshold_units: units, ..self }
    }

    /// Opens an IPv4 path whose packets have up to `mtu` bytes.
    pub fn open_path(&mut self, mtu: u64) -> PathId {
        self.open_path_over(IpVersion::V4, mtu)
    }

    /// Opens a path over `ip` whose packets have up to `mtu` bytes, IP header included.
    pub fn open_path_over(&mut self, ip: IpVersion, mtu: u64) -> PathId {
        self.open(self.profile().segment(mtu, ip))
    }

    /// Opens a path whose segments have up to `unit` bytes as the profile counts them: the protocol knows, not the MTU.
    pub fn open_path_with_unit(&mut self, unit: u64) -> PathId {
        self.open(Segment { unit, ip: IpVersion::V4 })
    }

    /// Packets of `path` have up to `mtu` bytes from now on, the header of `ip` included. Its window stays, but has at least
    /// one segment.
    pub fn set_mtu(&mut self, path: PathId, ip: IpVersion, mtu: u64) {
        let segment = self.profile().segment(mtu, ip);
        let path = &mut self.paths[path];
        path.segment = segment;
        path.window = path.window.max(segment.unit);
    }

    /// `path` takes another route from now on, and nothing is known of it: window and threshold get their initial values.
    /// RFC 9260 §7.2.5.2
    pub fn restart(&mut self, path: PathId) {
        self.paths[path].in_recovery = false;
        self.initialise(path);
    }

    /// `path` leaves the connection for good, and with it all sums; its number is not used again.
    pub fn close_path(&mut self, path: PathId) {
        if self.paths[path].is_open {
            self.paths[path].is_open = false;
            self.algorithm.on_path_closed(&self.paths, path);
        }
    }

    /// The connection is established and the peer has room for `peer_window` bytes: all paths get initial values.
    pub fn start(&mut self, peer_window: u64) {
        self.peer_window = Some(peer_window);
        for path in self.paths.ids() {
            self.initialise(path);
        }
    }

    /// Takes in one SACK: growth on every path that it acknowledges, then a cut on every path that it shows a loss on.
    ///
    /// The algorithm sees sums over the group as they were before the SACK. Both kinds are skipped on a path in fast
    /// recovery; the protocol enters it after the cut, by [`enter_recovery`](Self::enter_recovery).
    #[inline]
    pub fn on_sack(&mut self, now: Time, acks: &[PathAck], losses: &[PathId]) {
        self.observed = false;
        if self.hears_acks {
            for ack in acks {
                self.tell(now, ack);
            }
        }
        for ack in acks {
            self.acknowledge(now, ack);
        }
        for &path in losses {
            if !self.paths[path].in_recovery {
                self.cut(now, path, Loss::FastRetransmit);
            }
        }
    }

    /// The same for one path that shows no loss.
    #[inline]
    pub fn on_ack(&mut self, now: Time, ack: &PathAck) {
        self.observed = false;
        if self.hears_acks {
            self.tell(now, ack);
        }
        self.acknowledge(now, ack);
    }

    /// The retransmission timer of `path` ran out: the threshold falls by the formula, the window to one unit, and recovery is over.
    pub fn on_timeout(&mut self, now: Time, path: PathId) {
        self.observed = false;
        self.cut(now, path, Loss::Timeout);
        let path = &mut self.paths[path];
        path.window = path.unit();
        path.in_recovery = false;
    }

    /// Fast recovery of `path` begins: its window neither grows nor is it cut until it ends.
    pub fn enter_recovery(&mut self, path: PathId) {
        self.paths[path].in_recovery = true;
    }

    /// Fast recovery of `path` is over.
    pub fn leave_recovery(&mut self, path: PathId) {
        self.paths[path].in_recovery = false;
    }

    /// A round-trip time was measured on `path`: the new smoothed value and the sample.
    pub fn on_rtt(&mut self, path: PathId, srtt: Span, sample: Span) {
        let profile = *self.profile();
        self.paths[path].measure(&profile, srtt);
        self.algorithm.on_rtt_sample(path, sample);
    }

    /// Nothing was sent on `path` for one retransmission timeout.
    pub fn on_idle(&mut self, path: PathId) {
        let initial = self.initial_window(path);
        let rule = self.profile().idle;
        let path = &mut self.paths[path];
        if rule == Idle::HalveAndRemember && !path.was_idle {
            path.ssthresh = path.window;
        }
        path.was_idle = true;
        path.window = match rule {
            Idle::Restart => initial,
            Idle::LowerToInitial => path.window.min(initial),
            // Unlike RFC 9260 §7.2.1 to the letter, being idle never makes a window larger.
            Idle::Halve | Idle::HalveAndRemember => {
                (path.window / 2).max(4 * path.unit()).min(path.window)
            }
        };
    }

    /// Nothing is outstanding on `path` any more: its partial bytes are forgotten.
    #[inline]
    pub fn clear_partial(&mut self, path: PathId) {
        self.paths[path].partial = 0;
    }

    /// The window of `path` was not used up: it falls to `bytes`, but never below one unit.
    pub fn limit_window(&mut self, path: PathId, bytes: u64) {
        let path = &mut self.paths[path];
        path.window = path.window.min(bytes.max(path.unit()));
    }

    /// The bytes of `path` hold up those of others: its window falls to a half, and its threshold too unless slow start
    /// goes on; at least one and two units stay.
    pub fn penalise(&mut self, path: PathId) {
        let path = &mut self.paths[path];
        let unit = path.unit();
        if path.window >= path.ssthresh {
            path.ssthresh = (path.ssthresh / 2).max(2 * unit);
        }
        path.window = (path.window / 2).max(unit);
    }

    /// Whether `path` is confirmed and not failed; only then it enters the sums (profile `inet`: always).
    pub fn set_active(&mut self, path: PathId, is_active: bool) {
        self.paths[path].is_active = is_active;
    }

    /// Congestion window of `path`, bytes.
    #[inline]
    #[must_use]
    pub fn window(&self, path: PathId) -> u64 {
        self.paths[path].window
    }

    /// Slow-start threshold of `path`, bytes.
    #[must_use]
    pub fn ssthresh(&self, path: PathId) -> u64 {
        self.paths[path].ssthresh
    }

    /// What the profile takes for one segment of `path`, bytes.
    #[inline]
    #[must_use]
    pub fn unit(&self, path: PathId) -> u64 {
        self.paths[path].unit()
    }

    /// Whether the windows of the paths depend on each other.
    #[must_use]
    pub const fn is_coupled(&self) -> bool {
        self.is_coupled
    }

    /// How aggressive `path` is beside one standard TCP, which has 1; `None` where the algorithm knows no weights.
    #[must_use]
    pub fn weight(&self, path: PathId) -> Option<f64> {
        self.algorithm.weight(path)
    }

    /// Whether `path` is in fast recovery.
    #[inline]
    #[must_use]
    pub fn in_recovery(&self, path: PathId) -> bool {
        self.paths[path].in_recovery
    }

    /// The rules that are not the algorithm's.
    #[must_use]
    pub const fn profile(&self) -> &Profile {
        self.paths.profile()
    }

    /// All paths, for traces and schedulers.
    #[must_use]
    pub const fn paths(&self) -> &Paths {
        &self.paths
    }

    /// The three numbers in which `path` remembers its past.
    #[must_use]
    pub fn state(&self, path: PathId) -> PathState {
        let path = &self.paths[path];
        PathState { window: path.window, ssthresh: path.ssthresh, partial: path.partial }
    }

    /// Puts `path` into a state that it had before, or that a test begins with.
    pub fn restore(&mut self, path: PathId, state: PathState) {
        let path = &mut self.paths[path];
        PathState { window: path.window, ssthresh: path.ssthresh, partial: path.partial } = state;
        path.fraction = 0.0;
    }

    /// What the formulas would give on `path` at `now`; changes no window.
    pub fn formulas(&mut self, now: Time, path: PathId) -> Formulas {
        self.observed = false;
        self.observe(now);
        let unit = self.unit(path);
        Formulas {
            slow_start: self.algorithm.slow_start(&self.paths, path, unit),
            growth: self.algorithm.growth(&self.paths, path),
            cut: self.algorithm.back_off(&self.paths, path, Loss::FastRetransmit).bytes(),
        }
    }

    /// Lets the algorithm hear of acknowledged bytes.
    fn tell(&mut self, now: Time, ack: &PathAck) {
        self.observe(now);
        if let Some(adjustment) = self.algorithm.on_acked(now, &self.paths, ack) {
            self.adjust(ack.path, adjustment);
        }
    }

    fn adjust(&mut self, path: PathId, adjustment: Adjustment) {
        let path = &mut self.paths[path];
        path.window = adjustment.window.max(path.unit());
        path.ssthresh = adjustment.ssthresh;
        path.partial = 0;
        path.fraction = 0.0;
    }

    #[inline]
    fn acknowledge(&mut self, now: Time, ack: &PathAck) {
        let profile = self.paths.profile();
        let (rules, at_threshold, at_window) =
            (profile.partial, profile.slow_start_at_threshold, profile.step_at_window);
        let per_ack = profile.stepping == Stepping::PerAck;
        let path = &mut self.paths[ack.path];
        path.was_idle = false;
        if path.in_recovery {
            return;
        }
        if path.is_below_threshold(at_threshold) {
            if rules.cleared_in_slow_start {
                path.partial = 0;
            }
            if ack.was_full && ack.may_grow {
                self.grow_in_slow_start(now, ack);
            }
            return;
        }
        if per_ack {
            if ack.was_full && ack.may_grow {
                self.creep(now, ack);
            }
            return;
        }
        path.partial += ack.bytes;
        if path.partial < path.window || (!at_window && path.partial == path.window) {
            return;
        }
        if !ack.was_full {
            if rules.limited_when_unused {
                path.partial = path.window;
            }
        } else if ack.may_grow {
            self.step(now, ack.path);
        }
    }

    fn grow_in_slow_start(&mut self, now: Time, ack: &PathAck) {
        self.observe(now);
        let limit = self.profile().slow_start_limit * self.unit(ack.path);
        let growth = self.algorithm.slow_start(&self.paths, ack.path, ack.bytes.min(limit));
        self.add(ack.path, growth);
    }

    /// Adds the part of a window's growth that `ack` is worth; not more than all of it.
    fn creep(&mut self, now: Time, ack: &PathAck) {
        self.observe(now);
        let growth = self.algorithm.growth(&self.paths, ack.path);
        let path = &mut self.paths[ack.path];
        // Signed numbers convert faster, and no window is near their end.
        let window = path.window as i64;
        let acked = (ack.bytes as i64).min(window) as f64;
        let grown = path.fraction + growth * acked / window as f64;
        let whole = grown as i64;
        path.fraction = grown - whole as f64;
        path.window = (window + whole).max(path.unit() as i64) as u64;
    }

    fn step(&mut self, now: Time, path: PathId) {
        self.observe(now);
        let before = self.window(path);
        let growth = self.algorithm.growth(&self.paths, path);
        self.add(path, growth);
        let rule = self.profile().partial.after_step;
        let path = &mut self.paths[path];
        path.partial = match rule {
            PartialAfterStep::LessOldWindow => path.partial - before,
            PartialAfterStep::BeyondNewWindow => path.partial.saturating_sub(path.window),
            PartialAfterStep::Zero => 0,
        };
    }

    fn cut(&mut self, now: Time, path: PathId, loss: Loss) {
        self.observe(now);
        let cut: Cut = self.algorithm.back_off(&self.paths, path, loss);
        let floor = self.algorithm.floor(&self.paths, path);
        self.algorithm.on_loss(now, &self.paths, path, loss);
        let taken = self.profile().whole_bytes(cut);
        let path = &mut self.paths[path];
        let unit = path.unit();
        path.asked = path.window as i64 - taken;
        path.ssthresh = path.asked.max(ceil(floor * unit as f64)).max(unit as i64) as u64;
        path.window = path.ssthresh;
        path.partial = 0;
        path.fraction = 0.0;
    }

    /// Lets a coupled algorithm see the group once per event, before the first change.
    fn observe(&mut self, now: Time) {
        if self.is_coupled && !self.observed {
            self.algorithm.observe(now, &self.paths);
            self.observed = true;
        }
    }

    fn add(&mut self, path: PathId, growth: f64) {
        let path = &mut self.paths[path];
        path.window = (path.window as i64 + ceil(growth)).max(path.unit() as i64) as u64;
    }

    fn open(&mut self, segment: Segment) -> PathId {
        let path = self.paths.open(segment);
        if self.peer_window.is_some() {
            self.initialise(path);
        }
        self.algorithm.on_path_opened(&self.paths, path);
        path
    }

    fn initialise(&mut self, path: PathId) {
        let window = self.initial_window(path);
        let ssthresh = match (self.threshold_units, self.peer_window) {
            (Some(units), _) => units * self.unit(path),
            (None, Some(peer_window)) if self.profile().threshold_from_peer => peer_window,
            _ => LARGEST_ADVERTISED_WINDOW,
        };
        self.restore(path, PathState { window, ssthresh, partial: 0 });
    }

    fn initial_window(&self, path: PathId) -> u64 {
        let segment = self.paths[path].segment;
        match self.initial_units {
            Some(units) => units * segment.unit,
            None => {
                let open = self.paths.open_count();
                self.profile().initial_window(segment, open, self.is_coupled)
            }
        }
    }
}

/// What the 32 bits of an advertised window can say.
const LARGEST_ADVERTISED_WINDOW: u64 = u32::MAX as u64;
