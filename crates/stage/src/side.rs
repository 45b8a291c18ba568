//! The two endpoints of a story.

use manypath_core::{Address, Via};

/// One of the two endpoints.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Side {
    /// Opens the association or connection in most stories.
    A,
    /// Responds.
    Z,
}

pub use Side::{A, Z};

impl Side {
    /// The peer.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            A => Z,
            Z => A,
        }
    }

    /// The address of this side on a path.
    #[must_use]
    pub fn address(self, path: usize) -> Address {
        Address::v4(10, path as u8, 0, if self == A { 1 } else { 2 })
    }

    /// The two ends of a path as this side sees them.
    #[must_use]
    pub fn via(self, path: usize) -> Via {
        Via { local: self.address(path), remote: self.other().address(path) }
    }

    /// The port of this side.
    #[must_use]
    pub fn port(self) -> u16 {
        if self == A { 1001 } else { 2002 }
    }
}
