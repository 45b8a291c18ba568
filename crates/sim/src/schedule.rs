//! The schedule of events: one pending event for each component, ordered by (time, number of the component).

use std::array;
use std::hint::select_unpredictable;

use manypath_core::Time;

/// The pending events of a world.
///
/// A tournament tree. Each component has one leaf with its event. The leaves form groups, the earliest event of each
/// group enters the next round, and the final round contains the winners of all groups of the round before. A change
/// compares only the groups on its path through the tree. The comparisons are branch-free, because the winner is
/// unpredictable and a mispredicted branch costs more than a comparison. The final round is evaluated when the next
/// event is requested, because several events often change before that.
#[derive(Debug)]
pub struct Schedule {
    /// When each component is due.
    due: Vec<Time>,
    /// All rounds but the final, beginning with the first. The winner of group `g` has place `entrants + g` in the next
    /// round.
    groups: Vec<[Event; GROUP]>,
    /// The events of the final round: the winners of [`FINALISTS`] groups, or the events of all components if there is
    /// no other round.
    finalists: [[Event; GROUP]; 2],
    /// Number of leaves in the first round: [`FINALISTS`] times a power of [`GROUP`].
    entrants: usize,
}

/// Identifies a component of the schedule. A component has at most one pending event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Component(u32);

impl Component {
    /// The component's number: 0 for the first that was added.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The place of an event of this component in the order of all events.
    #[inline]
    pub(crate) fn key(self, at: Time) -> u128 {
        u128::from(at.as_nanos()) << 64 | u128::from(self.0) << 32
    }
}

impl Default for Schedule {
    fn default() -> Self {
        let empty = |place| Event::none(Component(place as u32));
        let finalists = [array::from_fn(empty), array::from_fn(|place| empty(GROUP + place))];
        Self { due: Vec::new(), groups: Vec::new(), finalists, entrants: FINALISTS }
    }
}

impl Schedule {
    /// A new component without an event.
    ///
    /// # Panics
    /// If there are 2^32 of them.
    pub fn add(&mut self) -> Component {
        if self.due.len() == self.entrants {
            self.grow();
        }
        let component =
            Component(u32::try_from(self.due.len()).expect("fewer than 2^32 components"));
        self.due.push(Time::NEVER);
        component
    }

    /// Sets the only event of `component` to `at`; [`Time::NEVER`] removes its event. Events of one instant happen in
    /// the order of the numbers of their components.
    #[inline]
    pub fn set(&mut self, component: Component, at: Time) {
        let due = &mut self.due[component.index()];
        if *due != at {
            *due = at;
            self.play(component, at);
        }
    }

    /// Writes the changed event of `component` and updates the winners of its groups up to the final round.
    #[inline(never)]
    fn play(&mut self, component: Component, at: Time) {
        let mut event = Event::new(at, component);
        let mut place = component.index();
        while let Some(group) = self.groups.get_mut(place / GROUP) {
            group[place % GROUP] = event;
            event = winner(group);
            place = self.entrants + place / GROUP;
        }
        self.finalists[place / GROUP % 2][place % GROUP] = event;
    }

    /// When `component` is due.
    #[inline]
    #[must_use]
    pub fn at(&self, component: Component) -> Time {
        self.due[component.index()]
    }

    /// The next event and its component; `None` if no event is pending. The event stays until [`set`](Self::set) moves
    /// it.
    #[inline]
    #[must_use]
    pub fn first(&self) -> Option<(Time, Component)> {
        let [some, others] = &self.finalists;
        let first = winner(some).or_earlier(winner(others));
        (!first.is_none()).then(|| (first.at(), first.component()))
    }

    /// Adds one round to the tree.
    fn grow(&mut self) {
        let mut round = match self.groups.get(..self.entrants / GROUP) {
            Some(first_round) => first_round.concat(),
            None => self.finalists.concat(),
        };
        self.entrants *= GROUP;
        round
            .extend((round.len()..self.entrants).map(|place| Event::none(Component(place as u32))));
        self.groups.clear();
        while round.len() > FINALISTS {
            let (groups, _) = round.as_chunks();
            self.groups.extend_from_slice(groups);
            round = groups.iter().map(winner).collect();
        }
        self.finalists.as_flattened_mut().copy_from_slice(&round);
    }
}

#[inline]
fn winner([a, b, c, d]: &[Event; GROUP]) -> Event {
    a.or_earlier(*b).or_earlier(c.or_earlier(*d))
}

/// When a component is due, in the high half, and its number. No two events are equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Event(u128);

impl Event {
    #[inline]
    fn new(at: Time, component: Component) -> Self {
        Self(component.key(at))
    }

    /// A placeholder for a component without an event.
    #[inline]
    fn none(component: Component) -> Self {
        Self::new(Time::NEVER, component)
    }

    #[inline]
    fn is_none(self) -> bool {
        self.at() == Time::NEVER
    }

    #[inline]
    fn at(self) -> Time {
        Time::from_nanos((self.0 >> 64) as u64)
    }

    #[inline]
    fn component(self) -> Component {
        Component((self.0 as u64 >> 32) as u32)
    }

    /// The earlier of two events, selected without a branch.
    #[inline]
    fn or_earlier(self, other: Self) -> Self {
        let is_later = other.0 < self.0;
        Self(select_unpredictable(is_later, other.0, self.0))
    }
}

/// Number of events in a group. An event has 16 bytes, so a group fills one cache line.
///
/// Pairs need a third fewer comparisons in twice as many rounds. A round also computes an address, loads a group and
/// stores an event, so pairs need more instructions in all (docs/log/simulator-speed.md, 2026-11-22).
const GROUP: usize = 4;
/// Number of events in the final round. A network with up to four times as many components, 32, needs only one round
/// before the final.
const FINALISTS: usize = 2 * GROUP;
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
    fn equal_times_come_in_the_order_of_the_components() {
        let (mut schedule, who) = schedule_of(5);
        let noon = Time::from_nanos(12);
        for index in [3, 0, 4, 1, 2] {
            schedule.set(who[index], noon);
        }
        let mut order = Vec::new();
        while let Some((at, component)) = schedule.first() {
            assert_eq!(at, noon);
            order.push(component.index());
            schedule.set(component, Time::NEVER);
        }
        assert_eq!(order, [0, 1, 2, 3, 4]);
    }

    #[test]
    fn nothing_is_pending_without_components_or_events() {
        assert_eq!(Schedule::default().first(), None);
        assert_eq!(schedule_of(3).0.first(), None);
    }

    proptest! {
        /// The reference is a linear search over a list.
        #[test]
        fn the_first_event_is_the_first_of_all(
            size in 1_usize..40,
            changes in prop::collection::vec((0_usize..40, 0_u64..20), 1..300),
        ) {
            let (mut schedule, mut who) = schedule_of(size / 2);
            let mut truth: Vec<Option<u64>> = vec![None; size];
            for (index, at) in changes {
                // The other half of the components is added while the test runs.
                while who.len() < size && who.len() <= index % size {
                    who.push(schedule.add());
                }
                let index = index % size;
                let due = if at == 0 { Time::NEVER } else { Time::from_nanos(at) };
                schedule.set(who[index], due);
                truth[index] = (at != 0).then_some(at);
                let first = truth.iter().enumerate().filter_map(|(i, at)| Some((at.as_ref()?, i))).min();
                let expected = first.map(|(&at, index)| (Time::from_nanos(at), who[index]));
                prop_assert_eq!(schedule.first(), expected);
            }
        }
    }
}
