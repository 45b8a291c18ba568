//! The input of an algorithm: the paths of one connection with their windows and round-trip times.

use std::ops::{Index, IndexMut};

use manypath_core::{PathId, Span};

use crate::{Profile, Segment};

/// All paths of one connection.
#[derive(Clone, Debug)]
pub struct Paths {
    list: Vec<Path>,
    profile: Profile,
}

/// The state of congestion control on one path.
#[derive(Clone, Copy, Debug)]
pub struct Path {
    pub(crate) window: u64,
    pub(crate) ssthresh: u64,
    pub(crate) partial: u64,
    pub(crate) asked: i64,
    pub(crate) segment: Segment,
    /// Smoothed round-trip time in the unit of the profile; zero before the first sample if the profile assumes no
    /// value.
    pub(crate) rtt: f64,
    /// The inverse of `rtt`; zero if `rtt` is zero.
    pub(crate) inverse_rtt: f64,
    pub(crate) is_active: bool,
    pub(crate) was_idle: bool,
    /// Whether the path is part of the connection, that is not closed.
    pub(crate) is_open: bool,
    /// Fraction of a byte that growth has left over: between -1 and 1.
    pub(crate) fraction: f64,
}

/// The three numbers that are the history of a path: for traces, and to start from a given state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowState {
    /// Congestion window c, bytes.
    pub window: u64,
    /// Slow-start threshold s, bytes.
    pub ssthresh: u64,
    /// Bytes acknowledged since the last step of congestion avoidance, p.
    pub partial: u64,
}

impl Paths {
    pub(crate) const fn new(profile: Profile) -> Self {
        Self { list: Vec::new(), profile }
    }

    pub(crate) fn open(&mut self, segment: Segment) -> PathId {
        let id = u8::try_from(self.list.len()).expect("a connection has at most 256 paths");
        self.list.push(Path::new(segment, self.profile.assumed_rtt()));
        PathId(id)
    }

    /// The rules that the windows follow.
    #[must_use]
    pub const fn profile(&self) -> &Profile {
        &self.profile
    }

    /// Number of all paths in any state, closed ones included.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether no path has been opened yet.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// All paths in the order of their numbers.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Path> {
        self.list.iter()
    }

    /// The numbers of all paths.
    pub fn ids(&self) -> impl Iterator<Item = PathId> + use<> {
        (0..self.list.len()).map(|index| PathId(index as u8))
    }

    /// Number of paths that are not closed.
    #[must_use]
    pub fn open_count(&self) -> usize {
        self.list.iter().filter(|path| path.is_open).count()
    }

    /// The paths in the sums: the active ones, or all open ones if the profile ignores the state.
    pub fn coupled(&self) -> impl Iterator<Item = &Path> {
        self.list.iter().filter(|path| self.couples(path))
    }

    /// The same paths with their numbers.
    pub fn coupled_ids(&self) -> impl Iterator<Item = (PathId, &Path)> {
        let numbered = self.list.iter().enumerate();
        numbered.map(|(i, path)| (PathId(i as u8), path)).filter(|(_, path)| self.couples(path))
    }

    fn couples(&self, path: &Path) -> bool {
        path.is_open && (path.is_active || self.profile.couples_inactive_paths)
    }

    /// Whether `path` is in slow start: below its threshold, or at it if the profile says so.
    #[must_use]
    pub fn is_slow_start(&self, path: PathId) -> bool {
        self[path].is_below_threshold(self.profile.slow_start_at_threshold)
    }

    /// Smoothed round-trip time of `path` in seconds, for every unit of the profile.
    #[must_use]
    pub fn rtt_seconds(&self, path: PathId) -> Option<f64> {
        self[path].rtt().map(|rtt| self.profile.rtt_unit.seconds(rtt))
    }

    /// 1/n for a group of n paths, used while no rate is known.
    #[must_use]
    pub fn equal_share(&self) -> f64 {
        1.0 / self.coupled().count().max(1) as f64
    }

    /// The share of `own` in `total`; at most 1, and an equal share if the total is zero.
    #[must_use]
    pub fn share(&self, own: f64, total: f64) -> f64 {
        if total > 0.0 { (own / total).min(1.0) } else { self.equal_share() }
    }
}

impl Index<PathId> for Paths {
    type Output = Path;
    fn index(&self, id: PathId) -> &Path {
        &self.list[id.index()]
    }
}

impl IndexMut<PathId> for Paths {
    fn index_mut(&mut self, id: PathId) -> &mut Path {
        &mut self.list[id.index()]
    }
}

impl Path {
    fn new(segment: Segment, assumed_rtt: f64) -> Self {
        Self {
            window: segment.unit,
            ssthresh: 0,
            partial: 0,
            asked: 0,
            segment,
            rtt: assumed_rtt,
            inverse_rtt: if assumed_rtt > 0.0 { 1.0 / assumed_rtt } else { 0.0 },
            is_active: true,
            was_idle: false,
            is_open: true,
            fraction: 0.0,
        }
    }

    /// Congestion window c, bytes.
    #[must_use]
    pub const fn window(&self) -> u64 {
        self.window
    }

    /// Slow-start threshold s, bytes.
    #[must_use]
    pub const fn ssthresh(&self) -> u64 {
        self.ssthresh
    }

    /// Bytes acknowledged since the last step of congestion avoidance, p.
    #[must_use]
    pub const fn partial(&self) -> u64 {
        self.partial
    }

    /// The segment size in the profile, bytes.
    #[must_use]
    pub const fn unit(&self) -> u64 {
        self.segment.unit
    }

    /// The window that the formula gave at the last loss, before the floor was applied, in bytes; negative if the
    /// reduction was larger than the window.
    #[must_use]
    pub const fn asked(&self) -> i64 {
        self.asked
    }

    /// Smoothed round-trip time in the unit of the profile; `None` before the first sample, unless the profile assumes
    /// a value.
    #[must_use]
    pub fn rtt(&self) -> Option<f64> {
        (self.rtt > 0.0).then_some(self.rtt)
    }

    /// The inverse of [`rtt`](Self::rtt), which avoids a division; zero if that is `None`.
    #[must_use]
    pub const fn inverse_rtt(&self) -> f64 {
        self.inverse_rtt
    }

    /// Window over round-trip time: bytes per unit of time of the profile.
    #[must_use]
    pub fn rate(&self) -> Option<f64> {
        self.rtt().map(|rtt| self.window as f64 / rtt)
    }

    /// Whether the path is confirmed and not failed.
    #[must_use]
    pub const fn is_active(&self) -> bool {
        self.is_active
    }

    /// Whether the path belongs to the connection; once closed, it stays closed.
    #[must_use]
    pub const fn is_open(&self) -> bool {
        self.is_open
    }

    #[inline]
    pub(crate) const fn is_below_threshold(&self, or_at_it: bool) -> bool {
        self.window < self.ssthresh || (or_at_it && self.window == self.ssthresh)
    }

    pub(crate) fn measure(&mut self, profile: &Profile, srtt: Span) {
        self.rtt = profile.rtt_unit.of(srtt);
        self.inverse_rtt = if self.rtt > 0.0 { 1.0 / self.rtt } else { 0.0 };
    }
}
