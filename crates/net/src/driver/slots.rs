//! The endpoints of a host, for its driver: by port, by pending work and by their next timer.

use std::collections::BTreeSet;

use manypath_core::{Address, Time};

use super::membership::Member;

/// The endpoints of a host, by their slots. No operation of the driver visits idle endpoints.
#[derive(Debug, Default)]
pub(crate) struct Slots {
    entries: Vec<Option<Slot>>,
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
struct Slot {
    member: Member,
    is_ready: bool,
    /// The next timer.
    alarm: Time,
}

impl Slots {
    /// Number of endpoints.
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// Adds an endpoint. It gets the packets of an ended endpoint that still has its port and address.
    pub(crate) fn add(&mut self, member: Member) {
        let (slot, port) = (member.slot, member.port);
        let entries = &self.entries;
        let is_replaced = |slot: usize| {
            let entry = entries.get(slot).and_then(Option::as_ref);
            entry.is_none_or(|entry| entry.member.overlaps(port, &member.addresses))
        };
        self.ports.retain(|&(known, slot)| known != port || !is_replaced(slot));
        let place = self.ports.partition_point(|known| *known < (port, slot));
        self.ports.insert(place, (port, slot));
        if slot >= self.entries.len() {
            self.entries.resize_with(slot + 1, || None);
        }
        self.count += 1;
        self.entries[slot] = Some(Slot { member, is_ready: false, alarm: Time::NEVER });
        self.make_ready(slot);
    }

    /// Removes an endpoint.
    pub(crate) fn remove(&mut self, slot: usize) -> Option<Member> {
        let entry = self.entries.get_mut(slot)?.take()?;
        self.count -= 1;
        self.timers.remove(&(entry.alarm, slot));
        self.ready.retain(|ready| *ready != slot);
        self.ports.retain(|(_, known)| *known != slot);
        Some(entry.member)
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
        Some(&self.entries.get(slot)?.as_ref()?.member)
    }

    /// The slots of all endpoints.
    pub(crate) fn taken(&self) -> impl Iterator<Item = usize> {
        let occupied = self.entries.iter().enumerate();
        occupied.filter_map(|(slot, entry)| entry.is_some().then_some(slot))
    }

    /// Records that an endpoint has work.
    #[inline]
    pub(crate) fn make_ready(&mut self, slot: usize) {
        if let Some(Some(entry)) = self.entries.get_mut(slot)
            && !std::mem::replace(&mut entry.is_ready, true)
        {
            self.ready.push(slot);
        }
    }

    /// Records that the endpoints with expired timers have work.
    pub(crate) fn expire(&mut self, now: Time) {
        while let Some(&(alarm, slot)) = self.timers.first().filter(|(alarm, _)| *alarm <= now) {
            self.timers.remove(&(alarm, slot));
            if let Some(Some(entry)) = self.entries.get_mut(slot) {
                entry.alarm = Time::NEVER;
            }
            self.make_ready(slot);
        }
    }

    /// An endpoint with work, which counts as done.
    pub(crate) fn next_ready(&mut self) -> Option<usize> {
        let slot = self.ready.pop()?;
        if let Some(Some(entry)) = self.entries.get_mut(slot) {
            entry.is_ready = false;
        }
        Some(slot)
    }

    /// Sets the next timer of an endpoint.
    pub(crate) fn set_alarm(&mut self, slot: usize, alarm: Time) {
        let Some(Some(entry)) = self.entries.get_mut(slot) else { return };
        let before = std::mem::replace(&mut entry.alarm, alarm);
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
        let mut entries = Slots::default();
        for (slot, port, addresses) in
            [(0, 7, &ADDRESSES[..1]), (2, 9, &ADDRESSES[..]), (1, 7, &ADDRESSES[1..])]
        {
            entries.add(member(slot, port, addresses));
        }
        let owners = |port| [first, second].map(|local| entries.owner(port, local));
        assert_eq!(owners(7), [Some(0), Some(1)]);
        assert_eq!(owners(9), [Some(2), Some(2)]);
        assert_eq!(owners(8), [None, None]);
        assert_eq!(owners(u16::MAX), [None, None]);
        assert!(entries.remove(1).is_some());
        assert_eq!(entries.owner(7, second), None);
        assert_eq!(entries.owner(7, first), Some(0), "the other one stays");
        assert_eq!(entries.len(), 2);
    }

    #[test]
    fn a_new_endpoint_replaces_an_ended_one_with_its_port() {
        let mut entries = Slots::default();
        entries.add(member(0, 7, &ADDRESSES));
        entries.add(member(1, 7, &ADDRESSES[1..]));
        assert_eq!(entries.owner(7, ADDRESSES[1]), Some(1));
        // The ended one is removed later
        let removed = entries.remove(0).expect("it is there");
        assert_eq!(Arc::strong_count(&removed.shared), 1);
        assert_eq!(entries.owner(7, ADDRESSES[1]), Some(1));
    }

    #[test]
    fn each_endpoint_with_work_is_visited_once() {
        let mut entries = Slots::default();
        (0..3).for_each(|slot| entries.add(member(slot, slot as u16, &ADDRESSES)));
        let mut visited: Vec<_> = std::iter::from_fn(|| entries.next_ready()).collect();
        visited.sort_unstable();
        assert_eq!(visited, [0, 1, 2], "new endpoints have work");
        [1, 1, 7].into_iter().for_each(|slot| entries.make_ready(slot));
        assert_eq!(entries.next_ready(), Some(1));
        assert_eq!(entries.next_ready(), None, "there is no endpoint 7");
    }

    #[test]
    fn expired_timers_are_work() {
        let at = Time::from_nanos;
        let mut entries = Slots::default();
        (0..3).for_each(|slot| entries.add(member(slot, slot as u16, &ADDRESSES)));
        while entries.next_ready().is_some() {}
        assert_eq!(entries.alarm(), Time::NEVER);
        entries.set_alarm(0, at(30));
        entries.set_alarm(1, at(20));
        entries.set_alarm(2, at(20));
        entries.set_alarm(2, at(40));
        assert_eq!(entries.alarm(), at(20));
        entries.expire(at(30));
        let mut due: Vec<_> = std::iter::from_fn(|| entries.next_ready()).collect();
        due.sort_unstable();
        assert_eq!(due, [0, 1]);
        entries.remove(2);
        assert_eq!(entries.alarm(), Time::NEVER);
    }
}
