//! Who is next: one pending event for each component, in the order (time, arrival number).

use std::hint::select_unpredictable;

use manypath_core::Time;

/// The pending events of a world.
///
/// A tournament: each component is a leaf with its one event, pairs of events play, the winner of the last match is the
/// next event. A change plays the matches from its leaf on, as many as the logarithm of the number of components,
/// whoever wins: who does is as hard to foretell as a coin, and a branch that is foretold wrong costs more than a match.
#[derive(Debug)]
pub struct Schedule {
    /// First the leaves, then the winners: that of the events `2 i` and `2 i + 1` is event `leaves + i`.
    tree: Vec<Event>,
    /// Who wins the last match.
    first: Event,
    /// How many leaves there are: 0 or a power of two from 2 on.
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

impl Default for Schedule {
    fn default() -> Self {
        let first = Event::none(Component(0));
        Self { tree: Vec::new(), first, leaves: 0, components: 0, arrivals: 0 }
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
        let at = if at == Time::NEVER { Event::none(component).at } else { at };
        let tree = self.tree.as_mut_slice();
        let mut node = component.index();
        if tree[node].at == at {
            return;
        }
        self.arrivals += 1;
        let mut earliest = Event::new(at, self.arrivals, component);
        while let Some(place) = tree.get_mut(node) {
            *place = earliest;
            earliest = earliest.or_earlier(tree[node ^ 1]);
            node = self.leaves + node / 2;
        }
        self.first = earliest;
    }

    /// When `component` is due.
    #[inline]
    #[must_use]
    pub fn at(&self, component: Component) -> Time {
        let event = self.tree[component.index()];
        if event.is_none() { Time::NEVER } else { event.at }
    }

    /// The next event and its component; it stays until [`set`](Self::set) moves it. `None` if nothing is pending.
    #[inline]
    #[must_use]
    pub fn first(&self) -> Option<(Time, Component)> {
        (!self.first.is_none()).then(|| (self.first.at, self.first.component()))
    }

    /// Twice the leaves; the events of the old ones are played again.
    fn grow(&mut self) {
        let leaves = (2 * self.leaves).max(2);
        self.tree.truncate(self.leaves);
        self.tree.extend((self.leaves..leaves).map(|leaf| Event::none(Component(leaf as u32))));
        for pair in 0..leaves - 1 {
            self.first = self.tree[2 * pair].or_earlier(self.tree[2 * pair + 1]);
            self.tree.push(self.first);
        }
        // The last winner has no further match to play
        self.tree.pop();
        self.leaves = leaves;
    }
}

/// When somebody is due, and in which order among all that are due then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Event {
    at: Time,
    /// Arrival number and component: orders the events of an instant.
    rank: u64,
}

impl Event {
    #[inline]
    fn new(at: Time, arrival: u64, component: Component) -> Self {
        Self { at, rank: arrival << COMPONENT_BITS | u64::from(component.0) }
    }

    /// The event of a component that has none: at an instant that nobody else has, so that only events tie.
    #[inline]
    fn none(component: Component) -> Self {
        Self::new(Time::from_nanos(u64::MAX - u64::from(component.0)), 0, component)
    }

    #[inline]
    fn is_none(self) -> bool {
        self.at >= FIRST_NONE
    }

    /// The earlier one of two, chosen without a branch unless both are due at the same instant.
    #[inline]
    fn or_earlier(self, other: Self) -> Self {
        if other.at == self.at {
            return self.or_lower_rank(other);
        }
        let is_later = other.at < self.at;
        Self {
            at: select_unpredictable(is_later, other.at, self.at),
            rank: select_unpredictable(is_later, other.rank, self.rank),
        }
    }

    #[cold]
    #[inline(never)]
    fn or_lower_rank(self, other: Self) -> Self {
        if other.rank < self.rank { other } else { self }
    }

    #[inline]
    fn component(self) -> Component {
        Component(self.rank as u32 & ((1 << COMPONENT_BITS) - 1))
    }
}

/// Leaves 44 bits to the arrival number: 17 million million events.
const COMPONENT_BITS: u32 = 20;
/// From here on times stand for no event: 584 years from now, less a millisecond.
const FIRST_NONE: Time = Time::from_nanos(u64::MAX - ((1 << COMPONENT_BITS) - 1));

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
