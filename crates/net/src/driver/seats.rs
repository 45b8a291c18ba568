//! The endpoints of a host as its driver sees them: by port, by pending work and by their next timer.

use std::collections::BTreeSet;

use manypath_core::{Address, Time};

use super::membership::Member;

/// The endpoints of a host, by their slots. No operation of the driver visits idle endpoints.
#[derive(Debug, Default)]
pub(crate) struct Seats {
    seats: Vec<Option<Seat>>,
    /// Number of endpoints.
    count: usize,
    /// Ports and slots in ascending order. Endpoints with the same port have different addresses.
    ports: Vec<(u16, usize)>,
    /// Slots of endpoints with work, without duplicates.
    ready: Vec<usize>,
    /// The next timer of every endpoint that has one.
    timers: BTreeSet<(Time, usize)>,
}

#[derive(Debug)]
struct Seat {
    member: Member,
    is_ready: bool,
    /// The next timer.
    alarm: Time,
}

impl Seats {
    /// Number of endpoints.
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// Adds an endpoint. It gets the packets of an ended endpoint that still has its port and address.
    pub(crate) fn add(&mut self, member: Member) {
        let (slot, port) = (member.slot, member.port);
        let seats = &self.seats;
        let is_replaced = |slot: usize| {
            let seat = seats.get(slot).and_then(Option::as_ref);
            seat.is_none_or(|seat| seat.member.overlaps(port, &member.addresses))
        };
        self.ports.retain(|&(known, slot)| known != port || !is_replaced(slot));
        let place = self.ports.partition_point(|known| *known < (port, slot));
        self.ports.insert(place, (port, slot));
        if slot >= self.seats.len() {
            self.seats.resize_with(slot + 1, || None);
        }
        self.count += 1;
        self.seats[slot] = Some(Seat { member, is_ready: false, alarm: Time::NEVER });
        self.make_ready(slot);
    }

    /// Removes an endpoint.
    pub(crate) fn remove(&mut self, slot: usize) -> Option<Member> {
        let seat = self.seats.get_mut(slot)?.take()?;
        self.count -= 1;
        self.timers.remove(&(seat.alarm, slot));
        self.ready.retain(|ready| *ready != slot);
        self.ports.retain(|(_, known)| *known != slot);
        Some(seat.member)
    }

    /// The slot of the endpoint with this port on a local address.
    #[inline]
    pub(crate) fn owner(&self, port: u16, local: Address) -> Option<usize> {
        let from = self.ports.partition_point(|(known, _)| *known < port);
        let same_port = self.ports[from..].iter().take_while(|(known, _)| *known == port);
        let mut slots = same_port.map(|(_, slot)| *slot);
        slots.find(|&slot| self.get(slot).is_some_and(|it| it.addresses.contains(&local)))
    }

    /// An endpoint.
    #[inline]
    pub(crate) fn get(&self, slot: usize) -> Option<&Member> {
        Some(&self.seats.get(slot)?.as_ref()?.member)
    }

    /// The slots of all endpoints.
    pub(crate) fn slots(&self) -> impl Iterator<Item = usize> {
        let occupied = self.seats.iter().enumerate();
        occupied.filter_map(|(slot, seat)| seat.is_some().then_some(slot))
    }

    /// Records that an endpoint has work.
    #[inline]
    pub(crate) fn make_ready(&mut self, slot: usize) {
        if let Some(Some(seat)) = self.seats.get_mut(slot)
            && !std::mem::replace(&mut seat.is_ready, true)
        {
            self.ready.push(slot);
        }
    }

    /// Records that the endpoints with expired timers have work.
    pub(crate) fn expire(&mut self, now: Time) {
        while let Some(&(alarm, slot)) = self.timers.first().filter(|(alarm, _)| *alarm <= now) {
            self.timers.remove(&(alarm, slot));
            if let Some(Some(seat)) = self.seats.get_mut(slot) {
                seat.alarm = Time::NEVER;
            }
            self.make_ready(slot);
        }
    }

    /// An endpoint with work, which counts as done.
    pub(crate) fn next_ready(&mut self) -> Option<usize> {
        let slot = self.ready.pop()?;
        if let Some(Some(seat)) = self.seats.get_mut(slot) {
            seat.is_ready = false;
        }
        Some(slot)
    }

    /// Sets the next timer of an endpoint.
    pub(crate) fn set_alarm(&mut self, slot: usize, alarm: Time) {
        let Some(Some(seat)) = self.seats.get_mut(slot) else { return };
        let before = std::mem::replace(&mut seat.alarm, alarm);
        if before == alarm {
            return;
        }
        if before != Time::NEVER {
            self.timers.remove(&(before, slot));
        }
        if alarm != Time::NEVER {
            self.timers.insert((alarm, slot));
        }
    }

    /// The next timer of all endpoints; [`Time::NEVER`] if there is none.
    pub(crate) fn alarm(&self) -> Time {
        self.timers.first().map_or(Time::NEVER, |(alarm, _)| *alarm)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::driver::Shared;
    use crate::driver::pair::{ADDRESSES, Pair};

    fn member(slot: usize, port: u16, addresses: &[Address]) -> Member {
        let [state, _] = Pair::new().ends;
        Member { slot, port, addresses: addresses.into(), shared: Shared::new(state) }
    }

    #[test]
    fn a_packet_finds_the_endpoint_of_its_port_and_address() {
        let [first, second] = ADDRESSES;
        let mut seats = Seats::default();
        for (slot, port, addresses) in
            [(0, 7, &ADDRESSES[..1]), (2, 9, &ADDRESSES[..]), (1, 7, &ADDRESSES[1..])]
        {
            seats.add(member(slot, port, addresses));
        }
        let owners = |port| [first, second].map(|local| seats.owner(port, local));
        assert_eq!(owners(7), [Some(0), Some(1)]);
        assert_eq!(owners(9), [Some(2), Some(2)]);
        assert_eq!(owners(8), [None, None]);
        assert_eq!(owners(u16::MAX), [None, None]);
        assert!(seats.remove(1).is_some());
        assert_eq!(seats.owner(7, second), None);
        assert_eq!(seats.owner(7, first), Some(0), "the other one stays");
        assert_eq!(seats.len(), 2);
    }

    #[test]
    fn a_new_endpoint_replaces_an_ended_one_with_its_port() {
        let mut seats = Seats::default();
        seats.add(member(0, 7, &ADDRESSES));
        seats.add(member(1, 7, &ADDRESSES[1..]));
        assert_eq!(seats.owner(7, ADDRESSES[1]), Some(1));
        // The ended one is removed later
        let removed = seats.remove(0).expect("it is there");
        assert_eq!(Arc::strong_count(&removed.shared), 1);
        assert_eq!(seats.owner(7, ADDRESSES[1]), Some(1));
    }

    #[test]
    fn each_endpoint_with_work_is_visited_once() {
        let mut seats = Seats::default();
        (0..3).for_each(|slot| seats.add(member(slot, slot as u16, &ADDRESSES)));
        let mut visited: Vec<_> = std::iter::from_fn(|| seats.next_ready()).collect();
        visited.sort_unstable();
        assert_eq!(visited, [0, 1, 2], "new endpoints have work");
        [1, 1, 7].into_iter().for_each(|slot| seats.make_ready(slot));
        assert_eq!(seats.next_ready(), Some(1));
        assert_eq!(seats.next_ready(), None, "there is no endpoint 7");
    }

    #[test]
    fn expired_timers_are_work() {
        let at = Time::from_nanos;
        let mut seats = Seats::default();
        (0..3).for_each(|slot| seats.add(member(slot, slot as u16, &ADDRESSES)));
        while seats.next_ready().is_some() {}
        assert_eq!(seats.alarm(), Time::NEVER);
        seats.set_alarm(0, at(30));
        seats.set_alarm(1, at(20));
        seats.set_alarm(2, at(20));
        seats.set_alarm(2, at(40));
        assert_eq!(seats.alarm(), at(20));
        seats.expire(at(30));
        let mut due: Vec<_> = std::iter::from_fn(|| seats.next_ready()).collect();
        due.sort_unstable();
        assert_eq!(due, [0, 1]);
        seats.remove(2);
        assert_eq!(seats.alarm(), Time::NEVER);
    }
}
