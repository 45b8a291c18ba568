//! The conservation check detects packets that are removed from or duplicated in a world.

use manypath_core::{Rate, Span, Streams};
use manypath_link::{LinkConfig, Popped};

use super::*;
use crate::conservation::Violation;
use crate::slab::Handle;

/// Sends one packet of 100 bytes, once.
#[derive(Debug)]
struct OneShot {
    via: Via,
    is_loaded: bool,
}

#[derive(Debug, Default)]
struct Bullet;

impl Packet for Bullet {
    fn size(&self) -> usize {
        100
    }
    fn clear(&mut self) {}
}

impl SansIo for OneShot {
    type Packet = Bullet;
    type Event = ();
    fn handle_packet(&mut self, _now: Time, _via: Via, _packet: &mut Bullet) {}
    fn handle_timeout(&mut self, _now: Time) {}
    fn poll_transmit(&mut self, _now: Time, _packet: &mut Bullet) -> Option<Via> {
        std::mem::take(&mut self.is_loaded).then_some(self.via)
    }
    fn poll_timeout(&self) -> Time {
        Time::NEVER
    }
    fn poll_event(&mut self) -> Option<()> {
        None
    }
}

/// A world with one packet in flight on a link with events.
fn shot() -> World<OneShot> {
    shot_in(World::event_by_event())
}

/// A `world` with one packet in flight.
fn shot_in(mut world: World<OneShot>) -> World<OneShot> {
    let config = LinkConfig::new(Rate::from_bits_per_second(1_000_000), Span::ZERO);
    let link = world.add_link(&config, &Streams::new(1, 0), "link");
    let via = Via::default();
    let shooter = world.add_host(OneShot { via, is_loaded: true });
    let target = world.add_host(OneShot { via, is_loaded: false });
    world.add_route(shooter, via, &[link], target);
    world.run_until(Time::ZERO);
    assert_eq!(world.check_conservation(), Ok(()));
    world
}

/// Removes the packet from its link without updating the counters of the world.
fn steal(world: &mut World<OneShot>) -> Handle {
    let Link::Piped(link) = &mut world.links[0] else { panic!("a computed link") };
    let pipe = &mut link.pipe;
    match pipe.pop(pipe.poll_timeout()) {
        Some(Popped::Delivered(handle)) => handle,
        other => panic!("{other:?} instead of the packet"),
    }
}

#[test]
fn a_packet_removed_from_a_link_is_detected() {
    let mut world = shot();
    steal(&mut world);
    let violation = world.check_conservation().unwrap_err();
    assert_eq!(violation, Violation::Stray { travelling: 1, in_links: 0 });
    assert_eq!(violation.to_string(), "1 packets travel, but the links hold 0");
}

#[test]
fn a_packet_removed_from_a_computed_link_is_detected_after_its_arrival() {
    let mut world = shot_in(World::new());
    let Link::Computed(link) = &mut world.links[0] else { panic!("a link with events") };
    let arrives = link.computed.next_arrival();
    assert!(link.computed.pop(arrives).is_some());
    assert_eq!(world.check_conservation(), Ok(()), "it is still on its way");
    world.run_until(arrives);
    let violation = world.check_conservation().unwrap_err();
    assert_eq!(violation, Violation::Stray { travelling: 1, in_links: 0 });
}

#[test]
fn a_packet_of_a_computed_link_released_too_early_is_detected() {
    let mut world = shot_in(World::new());
    let Link::Computed(link) = &mut world.links[0] else { panic!("a link with events") };
    let arrives = link.computed.next_arrival();
    let handle = link.computed.pop(arrives).expect("the packet");
    world.packets.release(handle);
    assert!(matches!(world.check_conservation().unwrap_err(), Violation::World(_)));
}

#[test]
fn a_packet_removed_from_the_slab_is_detected() {
    let mut world = shot();
    let handle = steal(&mut world);
    world.packets.release(handle);
    let violation = world.check_conservation().unwrap_err();
    assert!(matches!(violation, Violation::World(_)));
    assert_eq!(
        violation.to_string(),
        "hosts sent 1 packets, but 0 delivered, 0 dropped, 0 lost, 0 without a route and 0 in flight make 0"
    );
}

#[test]
fn a_packet_delivered_twice_is_detected() {
    let mut world = shot();
    let handle = steal(&mut world);
    let Step::End(end) = world.routes.step(1) else { panic!("a route of one link") };
    world.arrive(end, handle, &mut None);
    assert_eq!(world.check_conservation(), Ok(()));
    world.arrive(end, handle, &mut None);
    assert!(world.check_conservation().is_err());
}

#[test]
fn a_damaged_packet_that_no_link_damaged_is_detected() {
    let mut world = shot();
    let handle = steal(&mut world);
    world.packets.journey_mut(handle).damaged_byte = Some(7);
    let Step::End(end) = world.routes.step(1) else { panic!("a route of one link") };
    world.arrive(end, handle, &mut None);
    let violation = world.check_conservation().unwrap_err();
    assert_eq!(violation, Violation::Damage { received: 1, damaged: 0 });
    assert_eq!(violation.to_string(), "hosts received 1 damaged packets, but links damaged 0");
}

#[test]
fn simple_links_are_computed_and_others_have_events() {
    let simple = LinkConfig::new(Rate::from_bits_per_second(1_000_000), Span::ZERO);
    let jittery = LinkConfig { jitter: Span::from_nanos(1), ..simple.clone() };
    let are_computed = |mut world: World<OneShot>| {
        [&simple, &jittery].map(|config| {
            let link = world.add_link(config, &Streams::new(1, 0), "link");
            matches!(world.links[link.index()], Link::Computed(_))
        })
    };
    assert_eq!(are_computed(World::new()), [true, false]);
    assert_eq!(are_computed(World::event_by_event()), [false, false]);
}
