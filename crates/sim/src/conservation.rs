//! No packet appears or disappears: the books of a world, kept in release builds too.

use std::fmt;

use crate::routes::LinkId;

/// All packets of a world since the run began.
///
/// Each number is kept by somebody else: hosts count what they send and receive, links what they drop and lose, the
/// slab what travels. So the sum proves something.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Totals {
    /// Packets that hosts wanted to send.
    pub sent: u64,
    /// Packets handed to hosts, damaged ones included.
    pub delivered: u64,
    /// Of these, packets with a byte that is wrong.
    pub damaged: u64,
    /// Packets dropped by links before their transmission.
    pub dropped: u64,
    /// Packets lost by links.
    pub lost: u64,
    /// Packets that no route fits.
    pub no_route: u64,
    /// Packets on their way.
    pub in_flight: u64,
    /// Deliveries by links: a packet over three links counts three times.
    pub hops: u64,
}

/// The books do not balance: a packet was lost or doubled by the machinery itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Violation {
    /// What hosts sent is not what became of it.
    World(Totals),
    /// What a link was offered is not what became of it.
    Link {
        /// Which link.
        link: LinkId,
        /// Packets offered.
        arrived: u64,
        /// Packets delivered, dropped or lost.
        settled: u64,
        /// Packets inside.
        in_flight: u64,
    },
    /// Hosts received more damaged packets than links damaged.
    Damage {
        /// Damaged packets that hosts received.
        received: u64,
        /// Packets that links damaged.
        damaged: u64,
    },
    /// Packets travel that no link holds, or the other way round.
    Stray {
        /// Packets that travel.
        travelling: u64,
        /// Packets inside links.
        in_links: u64,
    },
}

impl Totals {
    /// Whether every packet sent is accounted for.
    #[must_use]
    pub fn balance(&self) -> bool {
        self.sent == self.delivered + self.dropped + self.lost + self.no_route + self.in_flight
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::World(Totals { sent, delivered, dropped, lost, no_route, in_flight, .. }) => {
                write!(
                    f,
                    "hosts sent {sent} packets, but {delivered} delivered, {dropped} dropped, {lost} lost, \
                 {no_route} without a route and {in_flight} in flight make {}",
                    delivered + dropped + lost + no_route + in_flight
                )
            }
            Self::Link { link, arrived, settled, in_flight } => write!(
                f,
                "link {} was offered {arrived} packets, but {settled} settled and {in_flight} in flight make {}",
                link.index(),
                settled + in_flight
            ),
            Self::Damage { received, damaged } => {
                write!(f, "hosts received {received} damaged packets, but links damaged {damaged}")
            }
            Self::Stray { travelling, in_links } => {
                write!(f, "{travelling} packets travel, but the links hold {in_links}")
            }
        }
    }
}

impl std::error::Error for Violation {}
