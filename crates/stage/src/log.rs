//! The log of sent packets, displayed as arrows.

use std::fmt;
use std::ops::Deref;

use manypath_core::Time;

use crate::{Protocol, Side};

/// A sent packet. It dereferences to what its protocol keeps of it.
#[derive(Clone, Debug)]
pub struct Sent<P> {
    /// When it was sent.
    pub at: Time,
    /// Its sender.
    pub from: Side,
    /// The number of its path.
    pub path: usize,
    /// Its kind, such as `COOKIE ECHO + DATA` or `SYN ACK`.
    pub label: String,
    /// Bytes of the IP packet.
    pub size: usize,
    /// Whether a fault of the network lost it.
    pub lost: bool,
    pub(crate) content: P,
}

impl<P: Protocol> Sent<P> {
    /// Whether it carries data of the application.
    pub fn has_data(&self) -> bool {
        self.content.has_data()
    }
}

impl<P> Deref for Sent<P> {
    type Target = P;

    fn deref(&self) -> &P {
        &self.content
    }
}

impl<P> fmt::Display for Sent<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let to = if self.lost { "lost" } else { ["A", "Z"][self.from.other() as usize] };
        write!(f, "{:?} -> {} -> {to}", self.from, self.label)
    }
}
