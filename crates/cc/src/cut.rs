//! The result of a back-off formula.

/// The reduction of a window after a loss. Profiles round the two variants differently.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cut {
    /// Half of this many bytes.
    HalfOf(u64),
    /// This many bytes.
    Bytes(f64),
}

impl Cut {
    /// The reduction in bytes, not rounded.
    #[must_use]
    pub fn bytes(self) -> f64 {
        match self {
            Self::HalfOf(whole) => whole as f64 / 2.0,
            Self::Bytes(bytes) => bytes,
        }
    }
}
