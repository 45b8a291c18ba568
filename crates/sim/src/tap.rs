//! Sees packets as they come out of links: the price is paid by who asks.

use manypath_core::{Time, Via};

use crate::routes::LinkId;

/// Somebody who looks at packets. Where nobody does, the price is one branch for each packet that a link delivers.
///
/// Looking changes nothing: neither a packet nor what happens to it.
pub trait Tap<P> {
    /// Whether packets that come out of `link` are to be shown.
    fn watches(&self, link: LinkId) -> bool;

    /// A packet came out of a link that is watched.
    fn see(&mut self, sight: Sight<'_, P>);
}

/// A packet that has just come out of a link.
#[derive(Debug, Clone, Copy)]
pub struct Sight<'a, P> {
    /// When.
    pub now: Time,
    /// Out of which link.
    pub link: LinkId,
    /// Between which interfaces it travels, as its sender sees them.
    pub via: Via,
    /// The packet, as it was sent.
    pub packet: &'a P,
    /// The byte of it that is wrong by now, counted from the network header on.
    pub damaged_byte: Option<u32>,
}
