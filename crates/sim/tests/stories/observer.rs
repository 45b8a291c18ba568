//! An observer receives all events of packets and hosts, and does not change the run.

use crate::toy::{Ball, Dumbbell, PING, Player, lossy_core};
use manypath_core::{Address, Span, Streams, Time, Via};
use manypath_link::{DropReason, LossCause};
use manypath_sim::{HostId, LinkId, Observer, PacketEvent, Sight, World};

/// Records all events.
#[derive(Default)]
struct Notebook {
    notes: Vec<(Time, PacketEvent, Via, Ball)>,
    /// For each call about a host: the time, the host, and whether it has balls in flight.
    looks: Vec<(Time, HostId, bool)>,
}

impl Notebook {
    fn count(&self, wanted: impl Fn(PacketEvent) -> bool) -> u64 {
        self.notes.iter().filter(|note| wanted(note.1)).count() as u64
    }

    fn came_out_of(&self, wanted: LinkId) -> Vec<(Time, Via, Ball)> {
        let notes = self.notes.iter();
        notes
            .filter(|note| matches!(note.1, PacketEvent::Delivered { link, .. } if link == wanted))
            .map(|&(at, _, via, ball)| (at, via, ball))
            .collect()
    }
}

impl Observer<Player> for Notebook {
    fn see_packet(&mut self, sight: &Sight<'_, Ball>) {
        assert_eq!(sight.size as usize, sight.packet.size);
        self.notes.push((sight.now, sight.event, sight.via, *sight.packet));
    }

    fn see_host(&mut self, now: Time, host: HostId, protocol: &Player) {
        self.looks.push((now, host, matches!(protocol, Player::Pinger(_))));
    }
}

/// Runs two games for ten seconds over a core that loses one ball in fifty.
fn watched() -> (Dumbbell, Notebook) {
    let world = World::event_by_event();
    let mut dumbbell = Dumbbell::within(world, 2, 20, &lossy_core(), &Streams::new(1, 0));
    let mut notebook = Notebook::default();
    dumbbell.world.run_until_seen_by(&mut notebook, ten_seconds());
    (dumbbell, notebook)
}

#[test]
fn an_observer_sees_each_packet_that_a_link_delivers() {
    let (dumbbell, notebook) = watched();
    let counters = dumbbell.world.link_counters(dumbbell.core);
    assert!(counters.lost > 10, "{} lost", counters.lost);
    let notes = notebook.came_out_of(dumbbell.core);
    assert_eq!(notes.len() as u64, counters.delivered);
    assert!(notes.iter().all(|note| note.2.size == PING), "pongs come back over another link");
    assert!(notes.is_sorted_by_key(|note| note.0));
    // 12 us over the first access link, 1.2 ms over the core, 10 ms of delay.
    assert_eq!(notes[0].0, Time::from_nanos(12_000 + 1_200_000 + 10_000_000));
}

#[test]
fn an_observer_sees_source_and_destination_at_every_hop() {
    let (dumbbell, notebook) = watched();
    let notes = notebook.came_out_of(dumbbell.core);
    for game in 0..2 {
        let via = Via { local: Address::v4(10, game, 0, 1), remote: Address::v4(10, game, 0, 2) };
        assert!(notes.iter().filter(|note| note.1 == via).count() > 1000, "balls of game {game}");
    }
}

#[test]
fn observed_events_add_up_to_the_counters_of_hosts_and_links() {
    let (dumbbell, notebook) = watched();
    let world = &dumbbell.world;
    for host in world.hosts() {
        let counters = world.host_counters(host);
        let sent = notebook.count(|event| event == PacketEvent::Sent { host });
        let received = notebook.count(|event| event == PacketEvent::Received { host });
        assert_eq!((sent, received), (counters.sent, counters.received), "host {host:?}");
    }
    for id in world.links() {
        let counters = world.link_counters(id);
        let at = |event: PacketEvent| event.link().is_some_and(|(link, _)| link == id);
        let count = |wanted: &dyn Fn(PacketEvent) -> bool| {
            notebook.count(|event| at(event) && wanted(event))
        };
        let taken = count(&|event| matches!(event, PacketEvent::Queued { .. }));
        let full =
            count(&|event| matches!(event, PacketEvent::Dropped { reason: DropReason::Full, .. }));
        let lost =
            count(&|event| matches!(event, PacketEvent::Lost { cause: LossCause::Chance, .. }));
        assert_eq!((taken + full, full), (counters.arrived, counters.dropped()), "link {id:?}");
        assert_eq!(lost, counters.lost, "link {id:?}");
    }
}

#[test]
fn an_observer_receives_the_queue_length_at_every_arrival_and_departure() {
    let (dumbbell, notebook) = watched();
    let mut most = 0;
    for (_, event, ..) in &notebook.notes {
        let Some((link, waiting)) = event.link().filter(|&(link, _)| link == dumbbell.core) else {
            continue;
        };
        assert!(waiting < 40, "forty balls are in the air: {waiting} wait at {link:?}");
        most = most.max(waiting);
    }
    assert!(most > 10, "at most {most} wait");
}

#[test]
fn an_observer_is_called_before_and_after_a_host_sends() {
    let (dumbbell, notebook) = watched();
    let pingers = notebook.looks.iter().filter(|look| look.2).count();
    assert!(pingers > 1000 && pingers < notebook.looks.len());
    let received: u64 =
        dumbbell.world.hosts().map(|host| dumbbell.world.host_counters(host).received).sum();
    assert!(notebook.looks.len() as u64 >= 2 * received);
    assert!(notebook.looks.is_sorted_by_key(|look| look.0));
}

#[test]
fn an_observer_does_not_change_the_run() {
    let (seen, _) = watched();
    let mut unseen = Dumbbell::new(2, 20, &lossy_core(), &Streams::new(1, 0));
    unseen.world.run_until(ten_seconds());
    assert_eq!(seen.world.digest(), unseen.world.digest());
}

fn ten_seconds() -> Time {
    Time::ZERO + Span::from_secs(10)
}
