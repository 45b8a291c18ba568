//! Routes: the links that a packet crosses, and the host that receives it.

use manypath_core::Via;

use crate::host::HostId;

/// Identifies a link of a world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinkId(pub(crate) u32);

impl LinkId {
    /// The link's number: 0 for the first that was added.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// All routes of a world in one list. A packet carries one index, which increases by one at each hop.
#[derive(Debug, Default)]
pub(crate) struct Routes {
    steps: Vec<Step>,
    /// For each step over a computed link, where the packet goes from there.
    next_hops: Vec<NextHop>,
    ends: Vec<End>,
}

/// One step of a route.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Step {
    /// The packet crosses this link.
    Link {
        /// The link.
        link: LinkId,
        /// Number of the route. For a link, the packets of one route, that is of one direction between two interfaces,
        /// are a flow.
        flow: u32,
    },
    /// The packet has arrived; index of the end.
    End(u32),
}

/// Where a packet goes from a computed link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NextHop {
    /// Its arrival is an event: a host or a link with events of its own is next.
    Event,
    /// Into this computed link, which no other link or host feeds: packets enter it in the order in which they enter
    /// the link before it, so they may enter ahead of time.
    Ahead(LinkId),
    /// Into this computed link, which others feed, too: packets enter it in the order of time.
    Wait(LinkId),
}

/// Where a route ends.
#[derive(Debug, Clone, Copy)]
pub(crate) struct End {
    /// The host that receives.
    pub(crate) host: HostId,
    /// The addresses as the receiver sees them: the reverse of the sender's.
    pub(crate) via: Via,
}

/// What feeds a link.
#[derive(Debug, Clone, Copy)]
enum Feeder {
    /// Nothing so far.
    None,
    /// One link, and no host.
    Only(LinkId),
    /// A host, or several links.
    Several,
}

impl Routes {
    /// Adds a route over `links` and returns the index of its first step.
    pub(crate) fn add(&mut self, links: &[LinkId], end: End) -> u32 {
        let first = u32::try_from(self.steps.len()).expect("fewer than 2^32 steps");
        let flow = u32::try_from(self.ends.len()).expect("fewer than 2^32 routes");
        self.steps.extend(links.iter().map(|&link| Step::Link { link, flow }));
        self.steps.push(Step::End(flow));
        self.ends.push(end);
        first
    }

    /// Decides where packets go from each computed link. `is_computed` tells which of the `links` links are.
    pub(crate) fn plan(&mut self, links: usize, is_computed: impl Fn(LinkId) -> bool) {
        let feeders = self.feeders(links);
        let next_hop = |pair: &[Step]| match pair {
            &[Step::Link { link, .. }, Step::Link { link: next, .. }]
                if is_computed(link) && is_computed(next) =>
            {
                match feeders[next.index()] {
                    Feeder::Only(_) => NextHop::Ahead(next),
                    _ => NextHop::Wait(next),
                }
            }
            _ => NextHop::Event,
        };
        self.next_hops = self.steps.windows(2).map(next_hop).collect();
    }

    /// What feeds each link.
    fn feeders(&self, links: usize) -> Vec<Feeder> {
        let mut feeders = vec![Feeder::None; links];
        let mut before = None;
        for step in &self.steps {
            let Step::Link { link, .. } = *step else {
                before = None;
                continue;
            };
            let feeder = &mut feeders[link.index()];
            *feeder = match (*feeder, before) {
                (Feeder::None, Some(before)) => Feeder::Only(before),
                (Feeder::Only(known), Some(before)) if known == before => Feeder::Only(known),
                _ => Feeder::Several,
            };
            before = Some(link);
        }
        feeders
    }

    /// Where a packet goes from the computed link of this step.
    #[inline]
    pub(crate) fn next_hop(&self, index: u32) -> NextHop {
        self.next_hops[index as usize]
    }

    #[inline]
    pub(crate) fn step(&self, index: u32) -> Step {
        self.steps[index as usize]
    }

    #[inline]
    pub(crate) fn end(&self, index: u32) -> End {
        self.ends[index as usize]
    }

    /// The end of the route that contains this step.
    pub(crate) fn end_after(&self, index: u32) -> End {
        self.ends[self.number_of(index)]
    }

    /// The number of the route that contains this step. The step with its end follows the route's last link.
    pub(crate) fn number_of(&self, index: u32) -> usize {
        match self.steps[index as usize] {
            Step::Link { flow, .. } => flow as usize,
            Step::End(end) => end as usize,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_go_ahead_wait_or_arrive_by_an_event() {
        let [access, other, shared, last, piped] = [0, 1, 2, 3, 4].map(LinkId);
        let mut routes = Routes::default();
        let end = || End { host: HostId(0), via: Via::default() };
        let first = routes.add(&[access, shared, last], end());
        let second = routes.add(&[other, shared, last], end());
        let third = routes.add(&[piped, access, piped], end());
        routes.plan(5, |link| link != piped);
        let hops = |from: u32| [from, from + 1, from + 2].map(|step| routes.next_hop(step));
        let merged = [NextHop::Wait(shared), NextHop::Ahead(last), NextHop::Event];
        assert_eq!(hops(first), merged);
        assert_eq!(hops(second), merged);
        // The first entry is not used, because a pipe has events.
        assert_eq!(hops(third)[1..], [NextHop::Event, NextHop::Event]);
    }
}
