//! The two endpoints of a story.

use manypath_core::{Address, Via};

/// One of the two endpoints.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Side {
    /// Opens the connection in most stories.
    A,
    /// Accepts it.
    Z,
}

pub(crate) use Side::{A, Z};

impl Side {
    pub(crate) fn other(self) -> Self {
        match self {
            A => Z,
            Z => A,
        }
    }

    /// The two ends of a path as this side sees them.
    pub(crate) fn via(self, path: usize) -> Via {
        let end = |side: Self| Address::v4(10, path as u8, 0, if side == A { 1 } else { 2 });
        Via { local: end(self), remote: end(self.other()) }
    }

    pub(crate) fn port(self) -> u16 {
        if self == A { 1001 } else { 2002 }
    }
}
