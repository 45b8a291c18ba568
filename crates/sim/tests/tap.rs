//! A tap sees what comes out of the links that it watches, and changes nothing.

mod toy;

use manypath_core::{Address, Span, Streams, Time, Via};
use manypath_link::loss::BernoulliConfig;
use manypath_link::{LinkConfig, LossConfig};
use manypath_sim::{LinkId, Sight, Tap};
use toy::{Ball, Dumbbell, PING, slow_core};

/// Writes down what it sees on one link.
struct Notebook {
    link: LinkId,
    notes: Vec<(Time, Via, Ball)>,
}

impl Tap<Ball> for Notebook {
    fn watches(&self, link: LinkId) -> bool {
        link == self.link
    }

    fn see(&mut self, sight: Sight<'_, Ball>) {
        assert_eq!(sight.link, self.link);
        self.notes.push((sight.now, sight.via, *sight.packet));
    }
}

/// Two games over a core that loses one ball in fifty, for ten seconds, watched where balls leave the core.
fn watched() -> (Dumbbell, Notebook) {
    let mut dumbbell = Dumbbell::new(2, 20, &lossy_core(), &Streams::new(1, 0));
    let mut notebook = Notebook { link: dumbbell.core, notes: Vec::new() };
    dumbbell.world.run_until_seen_by(&mut notebook, ten_seconds());
    (dumbbell, notebook)
}

#[test]
fn a_tap_sees_each_packet_that_its_link_delivers() {
    let (dumbbell, Notebook { notes, .. }) = watched();
    let counters = dumbbell.world.link(dumbbell.core).counters();
    assert!(counters.lost > 10, "{} lost", counters.lost);
    assert_eq!(notes.len() as u64, counters.delivered);
    assert!(notes.iter().all(|note| note.2.size == PING), "pongs come back over another link");
    assert!(notes.is_sorted_by_key(|note| note.0));
    // 12 us over the first access link, 1.2 ms over the core, 10 ms of delay.
    assert_eq!(notes[0].0, Time::from_nanos(12_000 + 1_200_000 + 10_000_000));
}

#[test]
fn a_tap_knows_both_ends_of_the_journey_halfway() {
    let (_, Notebook { notes, .. }) = watched();
    for game in 0..2 {
        let via = Via { local: Address::v4(10, game, 0, 1), remote: Address::v4(10, game, 0, 2) };
        assert!(notes.iter().filter(|note| note.1 == via).count() > 1000, "balls of game {game}");
    }
}

#[test]
fn being_seen_changes_nothing() {
    let (seen, _) = watched();
    let mut unseen = Dumbbell::new(2, 20, &lossy_core(), &Streams::new(1, 0));
    unseen.world.run_until(ten_seconds());
    assert_eq!(seen.world.digest(), unseen.world.digest());
}

fn lossy_core() -> LinkConfig {
    LinkConfig { loss: LossConfig::Bernoulli(BernoulliConfig { p: 0.02 }), ..slow_core() }
}

fn ten_seconds() -> Time {
    Time::ZERO + Span::from_secs(10)
}
