//! Observers of a running world. A run without an observer has no cost for them.

use manypath_core::{SansIo, Time, Via};
use manypath_link::{DropReason, LossCause};

use crate::host::HostId;
use crate::routes::LinkId;

/// An observer of packets and hosts. Without an observer the cost is one branch at each place where it could be called.
///
/// An observer does not change packets, hosts or their behaviour.
pub trait Observer<N: SansIo> {
    /// Called after an event of a packet.
    fn see_packet(&mut self, sight: &Sight<'_, N::Packet>);

    /// Called after a host has handled a packet or a timer and before it sends, and after it has sent all its packets.
    fn see_host(&mut self, now: Time, host: HostId, protocol: &N);
}

/// An event of a packet.
#[derive(Debug, Clone, Copy)]
pub struct Sight<'a, P> {
    /// When the event happened.
    pub now: Time,
    /// The event.
    pub event: PacketEvent,
    /// The addresses of the packet as its sender sees them.
    pub via: Via,
    /// The packet as it was sent.
    pub packet: &'a P,
    /// Network-layer size in bytes.
    pub size: u32,
    /// Offset of the damaged byte from the beginning of the network header, if the packet has been damaged.
    pub damaged_byte: Option<u32>,
}

/// An event of a packet. For an event at a link, `waiting` is the number of packets that wait there after the event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PacketEvent {
    /// A host sent the packet on a route.
    Sent {
        /// The host.
        host: HostId,
    },
    /// A link accepted the packet.
    Queued {
        /// The link.
        link: LinkId,
        /// Packets that wait.
        waiting: usize,
    },
    /// A link refused the packet.
    Dropped {
        /// The link.
        link: LinkId,
        /// The reason.
        reason: DropReason,
        /// Packets that wait.
        waiting: usize,
    },
    /// A link lost the packet after it had accepted it.
    Lost {
        /// The link.
        link: LinkId,
        /// The cause of the loss.
        cause: LossCause,
        /// Packets that wait.
        waiting: usize,
    },
    /// The packet left a link at its far end.
    Delivered {
        /// The link.
        link: LinkId,
        /// Offset of the byte that this link damaged, from the beginning of the network header.
        damage: Option<u32>,
        /// Packets that wait.
        waiting: usize,
    },
    /// The packet reached the host at the end of its route, which handles it next.
    Received {
        /// The host.
        host: HostId,
    },
}

impl PacketEvent {
    /// The link of the event, and the number of packets that wait there after the event.
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
