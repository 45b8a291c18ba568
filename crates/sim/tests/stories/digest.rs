//! The digest identifies a run: it is reproducible, and any difference of runs changes it.
#![expect(clippy::disallowed_methods, reason = "a digest does not depend on the threads")]

use std::thread;

use crate::toy::{Dumbbell, lossy_core};
use manypath_core::{Rate, Span, Streams, Time};
use manypath_link::queue::{CoDelConfig, FqCoDelConfig};
use manypath_link::{LinkConfig, QueueConfig};
use manypath_sim::Probe;

fn seconds(seconds: u64) -> Time {
    Time::ZERO + Span::from_secs(seconds)
}

fn digest_of(seed: u64, replication: u64) -> u64 {
    let mut dumbbell = Dumbbell::new(3, 20, &lossy_core(), &Streams::new(seed, replication));
    dumbbell.world.run_until(seconds(30));
    dumbbell.world.check_conservation().unwrap();
    dumbbell.world.digest()
}

#[test]
fn equal_seeds_give_equal_digests() {
    assert_eq!(digest_of(1, 0), digest_of(1, 0));
}

#[test]
fn another_seed_or_replication_gives_another_digest() {
    let digests = [digest_of(1, 0), digest_of(2, 0), digest_of(1, 1)];
    assert!(digests[0] != digests[1] && digests[0] != digests[2] && digests[1] != digests[2]);
}

#[test]
fn a_run_in_two_halves_has_the_same_digest() {
    let mut dumbbell = Dumbbell::new(3, 20, &lossy_core(), &Streams::new(1, 0));
    for second in 1..=30 {
        dumbbell.world.run_until(seconds(second));
    }
    assert_eq!(dumbbell.world.digest(), digest_of(1, 0));
}

#[test]
fn reading_a_world_does_not_change_the_digest() {
    let mut dumbbell = Dumbbell::new(3, 20, &lossy_core(), &Streams::new(1, 0));
    let mut longest = 0;
    Probe::new(Time::from_nanos(77), Span::from_micros(1234)).run(
        &mut dumbbell.world,
        seconds(30),
        |world| longest = longest.max(world.queue_len(dumbbell.core)),
    );
    assert!(longest > 10, "a queue of {longest}");
    assert_eq!(dumbbell.world.digest(), digest_of(1, 0));
}

/// Queues that drop a packet when they would send it do so at the same events, whether they are read or not.
#[test]
fn reading_a_queue_that_drops_at_its_head_does_not_change_the_digest() {
    let queues = [
        QueueConfig::CoDel(CoDelConfig::default()),
        QueueConfig::FqCoDel(FqCoDelConfig::default()),
    ];
    for queue in queues {
        let core = LinkConfig { queue, ..lossy_core() };
        let run = |looks_every: Option<Span>| {
            let mut dumbbell = Dumbbell::new(3, 20, &core, &Streams::new(1, 0));
            match looks_every {
                None => dumbbell.world.run_until(seconds(30)),
                Some(every) => Probe::new(Time::from_nanos(77), every).run(
                    &mut dumbbell.world,
                    seconds(30),
                    |world| {
                        world.queue_len(dumbbell.core);
                    },
                ),
            }
            let late = dumbbell.world.link_counters(dumbbell.core).dropped_late;
            assert!(late > 10, "{late} packets dropped late");
            dumbbell.world.check_conservation().unwrap();
            dumbbell.world.digest()
        };
        let unseen = run(None);
        for micros in [100, 1234, 100_000] {
            assert_eq!(run(Some(Span::from_micros(micros))), unseen, "looks every {micros} us");
        }
    }
}

#[test]
fn an_unused_link_does_not_change_the_digest() {
    let streams = Streams::new(1, 0);
    let mut dumbbell = Dumbbell::new(3, 20, &lossy_core(), &streams);
    let idle = LinkConfig::new(Rate::from_bits_per_second(1_000_000), Span::ZERO);
    dumbbell.world.add_link(&idle, &streams, "idle");
    dumbbell.world.run_until(seconds(30));
    assert_eq!(dumbbell.world.digest(), digest_of(1, 0));
}

#[test]
fn a_nanosecond_more_delay_changes_the_digest() {
    let core = LinkConfig { delay: Span::from_nanos(10_000_001), ..lossy_core() };
    let mut dumbbell = Dumbbell::new(3, 20, &core, &Streams::new(1, 0));
    dumbbell.world.run_until(seconds(30));
    assert_ne!(dumbbell.world.digest(), digest_of(1, 0));
}

#[test]
fn worlds_on_two_threads_equal_worlds_run_one_after_another() {
    let serial: Vec<_> = (0..8).map(|seed| digest_of(seed, 0)).collect();
    let parallel: Vec<_> = thread::scope(|scope| {
        let halves = [0..4, 4..8].map(|seeds| {
            scope.spawn(move || seeds.map(|seed| digest_of(seed, 0)).collect::<Vec<_>>())
        });
        halves.into_iter().flat_map(|half| half.join().unwrap()).collect()
    });
    assert_eq!(parallel, serial);
}

/// A recorded digest, which every build on every machine must reproduce.
#[test]
fn the_digest_is_the_same_on_every_machine() {
    assert_eq!(digest_of(1, 0), 0x08d0_e947_529c_dc47);
}
