//! Conservation of packets: every packet of a world is counted exactly once, in release builds too.

use std::fmt;

use crate::routes::LinkId;

/// All packets of a world since the run began.
///
/// The numbers come from independent counters: hosts count the packets that they send and receive, links count drops
/// and losses, and the slab counts packets in flight. The sum is therefore a real check.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Totals {
    /// Packets that hosts sent, including those without a route.
    pub sent: u64,
    /// Packets handed to hosts, damaged ones included.
    pub delivered: u64,
    /// The packets among `delivered` with a wrong byte.
    pub damaged: u64,
    /// Packets dropped by links before their transmission.
    pub dropped: u64,
    /// Packets lost by links.
    pub lost: u64,
    /// Packets without a matching route.
    pub no_route: u64,
    /// Packets on a route, not yet delivered, dropped or lost.
    pub in_flight: u64,
    /// Deliveries by links. A packet that crosses three links counts three times.
    pub hops: u64,
}

/// The counters do not balance: the simulator itself lost or duplicated a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Violation {
    /// The packets that hosts sent do not equal the sum of the other counts: delivered, dropped, lost, without a route,
    /// in flight.
    World(Totals),
    /// The packets that a link was offered do not equal those that it settled or still holds. A computed link derives
    /// its deliveries from its arrivals, so only links with events can fail here; for the others there is
    /// [`Stray`](Self::Stray).
    Link {
        /// The link.
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
    /// The number of packets in flight does not equal the number of packets inside links.
    Stray {
        /// Packets in flight, as the slab counts them.
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
