//! Who is next: one pending event for each component, in the order (time, arrival number).

use std::hint::select_unpredictable;

use manypath_core::Time;

/// The pending events of a world.
///
/// A tournament: each component is a leaf with its one event, each inner node holds the earlier event of its two
/// children, the root is the next event. A change plays the matches from its leaf to the root, as many as the logarithm
/// of the number of components, whoever wins: who does is as hard to foretell as a coin, and a branch that is foretold
/// wrong costs more than a match.
#[derive(Debug, Default)]
pub struct Schedule {
    /// A binary tree by index: the root is 1, the children of `i` are `2 i` and `2 i + 1`, the leaves come last.
    tree: Vec<Event>,
    /// How many leaves there are: 0 or a power of two.
    leaves: usize,
    /// How many of them belong to a component.
    components: usize,
    /// How many events were scheduled so far.
    arrivals: u64,
}

/// A leaf of the schedule: somebody who has at most one pending event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Component(u32);

impl Component {
    /// Its number: 0 for the first that was added.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl Schedule {
    /// A new component without an event.
    ///
    /// # Panics
    /// If there are more than a million of them.
    pub fn add(&mut self) -> Component {
        if self.components == self.leaves {
            self.grow();
        }
        assert!(self.components < 1 << COMPONENT_BITS, "too many components in one world");
        let component = Component(self.components as u32);
        self.components += 1;
        component
    }

    /// `component` is due at `at`, and at no other time; [`Time::NEVER`] takes its event away.
    ///
    /// It queues behind all events of that instant, unless it was scheduled for just that instant before.
    #[inline]
    pub fn set(&mut self, component: Component, at: Time) {
        let tree = self.tree.as_mut_slice();
        let mut node = self.leaves + component.index();
        if tree[node].at == at {
            return;
        }
        self.arrivals += 1;
        let mut earliest = Event::new(at, self.arrivals, component);
        tree[node] = earliest;
        while node > 1 {
            earliest = earliest.or_earlier(tree[node ^ 1]);
            node /= 2;
            tree[node] = earliest;
        }
    }

    /// When `component` is due.
    #[inline]
    #[must_use]
    pub fn at(&self, component: Component) -> Time {
        self.tree[self.leaves + component.index()].at
    }

    /// The next event and its component; it stays until [`set`](Self::set) moves it. `None` if nothing is pending.
    #[inline]
    #[must_use]
    pub fn first(&self) -> Option<(Time, Component)> {
        let root = self.tree.get(1)?;
        (root.at != Time::NEVER).then(|| (root.at, root.component()))
    }

    /// Twice the leaves; the events of the old ones are played again.
    fn grow(&mut self) {
        let leaves = (2 * self.leaves).max(1);
        let mut tree = vec![Event::NONE; 2 * leaves];
        tree[leaves..leaves + self.leaves].copy_from_slice(&self.tree[self.leaves..]);
        for node in (1..leaves).rev() {
            tree[node] = tree[2 * node].or_earlier(tree[2 * node + 1]);
        }
        (self.tree, self.leaves) = (tree, leaves);
    }
}

/// When somebody is due, and in which order among all that are due then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Event {
    at: Time,
    /// Arrival number and component: one comparison orders the events of an instant.
    rank: u64,
}

impl Event {
    const NONE: Self = Self { at: Time::NEVER, rank: u64::MAX };

    #[inline]
    fn new(at: Time, arrival: u64, component: Component) -> Self {
        Self { at, rank: arrival << COMPONENT_BITS | u64::from(component.0) }
    }

    /// The earlier one of two, chosen without a branch.
    #[inline]
    fn or_earlier(self, other: Self) -> Self {
        let is_later = (other.at < self.at) | ((other.at == self.at) & (other.rank < self.rank));
        Self {
            at: select_unpredictable(is_later, other.at, self.at),
            rank: select_unpredictable(is_later, other.rank, self.rank),
        }
    }

    #[inline]
    fn component(self) -> Component {
        Component(self.rank as u32 & ((1 << COMPONENT_BITS) - 1))
    }
}

/// Leaves 44 bits to the arrival number: 17 million million events.
const COMPONENT_BITS: u32 = 20;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn schedule_of(components: usize) -> (Schedule, Vec<Component>) {
        let mut schedule = Schedule::default();
        let components = (0..components).map(|_| schedule.add()).collect();
        (schedule, components)
    }

    #[test]
    fn equal_times_come_in_the_order_of_scheduling() {
        let (mut schedule, who) = schedule_of(5);
        let noon = Time::from_nanos(12);
        for index in [3, 0, 4, 1, 2] {
            schedule.set(who[index], noon);
        }
        // Saying the same again keeps the place, another time and back again loses it.
        schedule.set(who[3], noon);
        schedule.set(who[0], Time::NEVER);
        schedule.set(who[0], noon);
        let mut order = Vec::new();
        while let Some((at, component)) = schedule.first() {
            assert_eq!(at, noon);
            order.push(component.index());
            schedule.set(component, Time::NEVER);
        }
        assert_eq!(order, [3, 4, 1, 2, 0]);
    }

    #[test]
    fn nothing_is_pending_without_components_or_events() {
        assert_eq!(Schedule::default().first(), None);
        assert_eq!(schedule_of(3).0.first(), None);
    }

    proptest! {
        /// Truth: a list that is searched from end to end.
        #[test]
        fn the_first_event_is_the_first_of_all(
            size in 1_usize..40,
            changes in prop::collection::vec((0_usize..40, 0_u64..20), 1..300),
        ) {
            let (mut schedule, mut who) = schedule_of(size / 2);
            let mut truth: Vec<Option<(u64, usize)>> = vec![None; size];
            for (number, (index, at)) in changes.into_iter().enumerate() {
                // The other half of the components joins on the way.
                while who.len() < size && who.len() <= index % size {
                    who.push(schedule.add());
                }
                let index = index % size;
                let known = truth[index].map(|(at, _)| at);
                if at == 0 {
                    schedule.set(who[index], Time::NEVER);
                    truth[index] = None;
                } else {
                    schedule.set(who[index], Time::from_nanos(at));
                    if known != Some(at) {
                        truth[index] = Some((at, number));
                    }
                }
                let first = truth.iter().enumerate().filter_map(|(i, e)| Some((e.as_ref()?, i))).min();
                let expected = first.map(|(&(at, _), index)| (Time::from_nanos(at), who[index]));
                prop_assert_eq!(schedule.first(), expected);
            }
        }
    }
}
