//! A path of one association or connection: its number, and how much it may carry.

use crate::time::Span;

/// Index of a path in its association or connection; the first one opened is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(transparent))]
pub struct PathId(pub u8);

impl PathId {
    /// The number as an index into an array of paths.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// How much a path may carry, and how much it carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathWindow {
    /// Congestion window in bytes.
    pub window: u64,
    /// Slow-start threshold in bytes.
    pub ssthresh: u64,
    /// Outstanding bytes as the congestion control counts them.
    pub outstanding: u64,
    /// Smoothed RTT; zero before the first sample.
    pub srtt: Span,
}

impl std::fmt::Display for PathId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "path {}", self.0)
    }
}
