//! Who is next: one pending event for each component, in the order (time, arrival number).

use std::array;
use std::hint::select_unpredictable;

use manypath_core::Time;

/// The pending events of a world.
///
/// A tournament: each component enters one event, events play in groups, the winner of a group enters the next round,
/// and the last round is a final. A change plays the matches of its own groups, whoever wins: who does is as hard to
/// foretell as a coin, and a branch that is foretold wrong costs more than a match. The final is played when somebody
/// asks for the next event, for several events change before that.
#[derive(Debug)]
pub struct Schedule {
    /// When each component is due.
    due: Vec<Time>,
    /// All rounds but the final, from the first one on: the winner of group `g` has place `entrants + g`.
    groups: Vec<[Event; GROUP]>,
    /// Who plays for being next: of groups there are [`FINALISTS`] winners, or as many components without a round before.
    finalists: [[Event; GROUP]; 2],
    /// How many events play in the first round: [`FINALISTS`] times a power of [`GROUP`].
    entrants: usize,
    /// How many events were scheduled so far.
    arrivals: u64,
}

/// An entrant of the schedule: somebody who has at most one pending event.
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
        let nobody = |place| Event::none(Component(place as u32));
        let finalists = [array::from_fn(nobody), array::from_fn(|place| nobody(GROUP + place))];
        Self { due: Vec::new(), groups: Vec::new(), finalists, entrants: FINALISTS, arrivals: 0 }
    }
}

impl Schedule {
    /// A new component without an event.
    ///
    /// # Panics
    /// If there are more than a million of them.
    pub fn add(&mut self) -> Component {
        if self.due.len() == self.entrants {
            self.grow();
        }
        assert!(self.due.len() < 1 << COMPONENT_BITS, "too many components in one world");
        let component = Component(self.due.len() as u32);
        self.due.push(Time::NEVER);
        component
    }

    /// `component` is due at `at`, and at no other time; [`Time::NEVER`] takes its event away.
    ///
    /// It queues behind all events of that instant, unless it was scheduled for just that instant before.
    #[inline]
    pub fn set(&mut self, component: Component, at: Time) {
        let due = &mut self.due[component.index()];
        if *due != at {
            *due = at;
            self.play(component, at);
        }
    }

    /// The event of `component` has changed: it plays in its group, and the winners in theirs, up to the final.
    #[inline(never)]
    fn play(&mut self, component: Component, at: Time) {
        self.arrivals += 1;
        let mut event = Event::new(at, self.arrivals, component);
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

    /// The next event and its component; it stays until [`set`](Self::set) moves it. `None` if nothing is pending.
    #[inline]
    #[must_use]
    pub fn first(&self) -> Option<(Time, Component)> {
        let [some, others] = &self.finalists;
        let first = winner(some).or_earlier(winner(others));
        (!first.is_none()).then(|| (first.at, first.component()))
    }

    /// One more round before the others.
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
        let at = if at == Time::NEVER { Self::none(component).at } else { at };
        Self { at, rank: arrival << COMPONENT_BITS | u64::from(component.0) }
    }

    /// The event of a component that has none: at an instant that nobody else has, so that only events tie.
    #[inline]
    fn none(component: Component) -> Self {
        let at = Time::from_nanos(u64::MAX - u64::from(component.0));
        Self { at, rank: u64::from(component.0) }
    }

    #[inline]
    fn is_none(self) -> bool {
        self.at >= FIRST_NONE
    }

    /// The earlier one of two, chosen without a branch unless both are due at the same instant.
    #[inline]
    fn or_earlier(self, other: Self) -> Self {
        if other.at == self.at {
            return if other.rank < self.rank { other } else { self };
        }
        let is_later = other.at < self.at;
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

/// So many events fill one cache line.
const GROUP: usize = 4;
/// A network of up to four times as many components plays one round before the final.
const FINALISTS: usize = 2 * GROUP;
/// Leaves 44 bits to the arrival number: 17 million million events.
const COMPONENT_BITS: u32 = 20;
/// From here on times stand for no event: 584 years from now, less two milliseconds. The first round has room for up to
/// twice as many as there may be components.
const FIRST_NONE: Time = Time::from_nanos(u64::MAX - ((2 << COMPONENT_BITS) - 1));

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
