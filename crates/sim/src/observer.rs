//! Sees what happens in a world while it runs: the price is paid by who asks.

use manypath_core::{SansIo, Time, Via};
use manypath_link::{DropReason, LossCause};

use crate::host::HostId;
use crate::routes::LinkId;

/// Somebody who looks at packets and hosts. Where nobody does, the price is a branch at each place where somebody might.
///
/// Looking changes nothing: neither a packet nor a host, nor what happens to them.
pub trait Observer<N: SansIo> {
    /// Something happened to a packet.
    fn see_packet(&mut self, sight: &Sight<'_, N::Packet>);

    /// A host has handled a packet or its timer and sends next, or it has sent all that it wanted to.
    fn see_host(&mut self, now: Time, host: HostId, protocol: &N);
}

/// A packet to which something has just happened.
#[derive(Debug, Clone, Copy)]
pub struct Sight<'a, P> {
    /// When.
    pub now: Time,
    /// What happened.
    pub event: PacketEvent,
    /// Between which interfaces the packet travels, as its sender sees them.
    pub via: Via,
    /// The packet, as it was sent.
    pub packet: &'a P,
    /// Its bytes on the network layer.
    pub size: u32,
    /// The byte of it that is wrong by now, counted from the network header on.
    pub damaged_byte: Option<u32>,
}

/// What happens to packets. Where it happens at a link, so many packets wait there afterwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PacketEvent {
    /// A host sent it on a route.
    Sent {
        /// The host.
        host: HostId,
    },
    /// A link took it.
    Queued {
        /// The link.
        link: LinkId,
        /// Packets that wait.
        waiting: usize,
    },
    /// A link refused it.
    Dropped {
        /// The link.
        link: LinkId,
        /// Why.
        reason: DropReason,
        /// Packets that wait.
        waiting: usize,
    },
    /// A link that had taken it lost it.
    Lost {
        /// The link.
        link: LinkId,
        /// What took it.
        cause: LossCause,
        /// Packets that wait.
        waiting: usize,
    },
    /// It came out of a link.
    Delivered {
        /// The link.
        link: LinkId,
        /// The byte of it that this link damaged, counted from the network header on.
        damage: Option<u32>,
        /// Packets that wait.
        waiting: usize,
    },
    /// It reached the host at the end of its route, which handles it next.
    Received {
        /// The host.
        host: HostId,
    },
}

impl PacketEvent {
    /// The link at which it happened, and how many packets wait there afterwards.
    #[must_use]
    pub const fn link(self) -> Option<(LinkId, usize)> {
        match self {
            Self::Queued { link, waiting }
            | Self::Dropped { link, waiting, .. }
            | Self::Lost { link, waiting, .. }
            | Self::Delivered { link, waiting, .. } => Some((link, waiting)),
            Self::Sent { .. } | Self::Received { .. } => None,
        }
    }
}
