//! The controller of one connection. It is the only component that changes windows.

use manypath_core::{PathId, Span, Time};

use crate::rounding::ceil;
use crate::{
    Adjustment, Algorithm, Cut, Idle, IpVersion, Loss, PartialAfterStep, PathAck, Paths, Profile,
    Segment, Stepping, WindowState,
};

/// The congestion windows of all paths of one connection.
///
/// The protocol reports an event (a SACK, a timeout, a round-trip time). The algorithm computes the change. The
/// controller rounds, bounds and writes it.
#[derive(Debug)]
pub struct Controller {
    paths: Paths,
    algorithm: Box<dyn Algorithm>,
    is_coupled: bool,
    uses_acks: bool,
    /// Whether the algorithm has computed its sums over the group in this event.
    observed: bool,
    /// The peer's receive window, once the connection has started.
    peer_window: Option<u64>,
    /// The initial window in units, if it replaces that of the profile.
    initial_units: Option<u64>,
    /// The initial slow-start threshold in units, if it replaces that of the profile.
    threshold_units: Option<u64>,
}

/// The current results of the formulas for one path, neither rounded nor bounded.
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
            uses_acks: algorithm.uses_acks(),
            algorithm,
            observed: false,
            peer_window: None,
            initial_units: None,
            threshold_units: None,
        }
    }

    /// Sets the initial window of every path to `units` segments instead of the value of the profile.
    #[must_use]
    pub fn with_initial_window(self, units: u64) -> Self {
        Self { initial_units: Some(units), ..self }
    }

    /// Sets the initial slow-start threshold of every path to `units` segments; `None` keeps the value of the profile.
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

    /// Opens a path whose segments have up to `unit` bytes as the profile counts them. The protocol gives this size
    /// instead of the MTU.
    pub fn open_path_with_unit(&mut self, unit: u64) -> PathId {
        self.open(Segment { unit, ip: IpVersion::V4 })
    }

    /// Sets the MTU of `path`: its packets have up to `mtu` bytes, the header of `ip` included. Its window stays, but
    /// has at least one segment.
    pub fn set_mtu(&mut self, path: PathId, ip: IpVersion, mtu: u64) {
        let segment = self.profile().segment(mtu, ip);
        let path = &mut self.paths[path];
        path.segment = segment;
        path.window = path.window.max(segment.unit);
    }

    /// Resets `path` after a change of its route: window and threshold get their initial values. RFC 9260 §7.2.5.2
    pub fn restart(&mut self, path: PathId) {
        self.initialise(path);
    }

    /// Removes `path` from the connection and from all sums. Its number is not used again.
    pub fn close_path(&mut self, path: PathId) {
        if self.paths[path].is_open {
            self.paths[path].is_open = false;
            self.algorithm.on_path_closed(&self.paths, path);
        }
    }

    /// Starts the connection: it is established and the peer's receive window is `peer_window` bytes. All paths get
    /// initial values.
    pub fn start(&mut self, peer_window: u64) {
        self.peer_window = Some(peer_window);
        for path in self.paths.ids() {
            self.initialise(path);
        }
    }

    /// Handles one SACK: growth on every path that it acknowledges, then a cut on every path on which it shows a loss.
    ///
    /// The algorithm uses sums over the group as they were before the SACK. The protocol reports no loss on a path in
    /// fast recovery.
    #[inline]
    pub fn on_sack(&mut self, now: Time, acks: &[PathAck], losses: &[PathId]) {
        self.observed = false;
        if self.uses_acks {
            for ack in acks {
                self.tell(now, ack);
            }
        }
        for ack in acks {
            self.acknowledge(now, ack);
        }
        for &path in losses {
            self.cut(now, path, Loss::FastRetransmit);
        }
    }

    /// Like [`on_sack`](Self::on_sack) with one path and without losses.
    #[inline]
    pub fn on_ack(&mut self, now: Time, ack: &PathAck) {
        self.observed = false;
        if self.uses_acks {
            self.tell(now, ack);
        }
        self.acknowledge(now, ack);
    }

    /// Handles an expiry of the retransmission timer of `path`: reduces the threshold by the formula, and sets the
    /// window to one unit.
    pub fn on_timeout(&mut self, now: Time, path: PathId) {
        self.observed = false;
        self.cut(now, path, Loss::Timeout);
        let path = &mut self.paths[path];
        path.window = path.unit();
    }

    /// Reports a round-trip time of `path`: the new smoothed value and the sample.
    pub fn on_rtt(&mut self, path: PathId, srtt: Span, sample: Span) {
        let profile = *self.profile();
        self.paths[path].measure(&profile, srtt);
        self.algorithm.on_rtt_sample(path, sample);
    }

    /// Reports that nothing was sent on `path` for one retransmission timeout.
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
            // Unlike the text of RFC 9260 §7.2.1, an idle path never gets a larger window.
            Idle::Halve | Idle::HalveAndRemember => {
                (path.window / 2).max(4 * path.unit()).min(path.window)
            }
        };
    }

    /// Resets the partial bytes of `path`, because nothing is outstanding on it.
    #[inline]
    pub fn clear_partial(&mut self, path: PathId) {
        self.paths[path].partial = 0;
    }

    /// Limits the window of `path`, which was not used up, to `bytes`, but at least one unit.
    pub fn limit_window(&mut self, path: PathId, bytes: u64) {
        let path = &mut self.paths[path];
        path.window = path.window.min(bytes.max(path.unit()));
    }

    /// Penalises `path`, because its bytes block those of others: halves its window, and its threshold unless the path
    /// is in slow start. The window stays at least one unit, the threshold at least two.
    pub fn penalise(&mut self, path: PathId) {
        let path = &mut self.paths[path];
        let unit = path.unit();
        if path.window >= path.ssthresh {
            path.ssthresh = (path.ssthresh / 2).max(2 * unit);
        }
        path.window = (path.window / 2).max(unit);
    }

    /// Sets whether `path` is confirmed and not failed. Only such paths are in the sums (profile `inet`: all paths).
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

    /// The segment size of `path` in the profile, bytes.
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

    /// Aggressiveness of `path` relative to one standard TCP, which has 1; `None` if the algorithm has no weights.
    #[must_use]
    pub fn weight(&self, path: PathId) -> Option<f64> {
        self.algorithm.weight(path)
    }

    /// The rules that all algorithms share.
    #[must_use]
    pub const fn profile(&self) -> &Profile {
        self.paths.profile()
    }

    /// All paths, for traces and schedulers.
    #[must_use]
    pub const fn paths(&self) -> &Paths {
        &self.paths
    }

    /// The window, the threshold and the partial bytes of `path`.
    #[must_use]
    pub fn state(&self, path: PathId) -> WindowState {
        let path = &self.paths[path];
        WindowState { window: path.window, ssthresh: path.ssthresh, partial: path.partial }
    }

    /// Restores a state of `path`, or sets the initial state of a test.
    pub fn restore(&mut self, path: PathId, state: WindowState) {
        let path = &mut self.paths[path];
        WindowState { window: path.window, ssthresh: path.ssthresh, partial: path.partial } = state;
        path.fraction = 0.0;
    }

    /// The results of the formulas on `path` at `now`; changes no window.
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

    /// Calls the algorithm's hook for acknowledged bytes and applies the adjustment that it returns.
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
        if ack.in_recovery {
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
                self.grow_per_ack(now, ack);
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

    /// Adds the part of a window's growth that corresponds to `ack`; at most all of it.
    fn grow_per_ack(&mut self, now: Time, ack: &PathAck) {
        self.observe(now);
        let growth = self.algorithm.growth(&self.paths, ack.path);
        let path = &mut self.paths[ack.path];
        // Signed integers convert faster, and no window comes near their limit.
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

    /// Lets a coupled algorithm compute its sums once per event, before the first change.
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
            _ => UNSET_THRESHOLD,
        };
        self.restore(path, WindowState { window, ssthresh, partial: 0 });
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

/// The slow-start threshold of a path without one: more than the largest advertised window, a field of 32 bits. TCP
/// begins with it, and keeps it until the first loss. RFC 5681 §3.1
pub const UNSET_THRESHOLD: u64 = 1 << 32;
