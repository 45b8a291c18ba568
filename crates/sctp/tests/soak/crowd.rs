//! Runs many stories on all cores.
#![expect(clippy::disallowed_types, reason = "the progress report shows the elapsed time")]

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{self, ScopedJoinHandle};
use std::time::{Duration, Instant};

use manypath_sctp::{Hit, take_hits};

use crate::random::{self, Subject, Tally, place_of};

/// Runs stories from a number on; returns what they reached together.
///
/// Returns `None` if one failed, after printing it. After a few failures no more stories are run.
pub(crate) fn tell_all(from: u64, stories: u64) -> Option<Tally> {
    let begun = Instant::now();
    let (next, told) = (AtomicU64::new(from), AtomicU64::new(0));
    let (all, failures) = (Mutex::new(Tally::default()), AtomicU64::new(0));
    // Only the first failure at each place is shrunk
    let places = Mutex::new(BTreeSet::new());
    let work = || {
        let mut reached = Tally::default();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= from + stories || failures.load(Ordering::Relaxed) >= ENOUGH_FAILURES {
                break;
            }
            match random::try_one(number) {
                Ok(tally) => reached.merge(tally),
                Err(complaint) => {
                    println!("\nstory {number} fails: {complaint}");
                    failures.fetch_add(1, Ordering::Relaxed);
                    let place = place_of(&complaint).to_owned();
                    if places.lock().expect("no story panics outside").insert(place)
                        && let Err(failure) = random::run(number)
                    {
                        println!("\n{failure}\n");
                    }
                }
            }
            note_hits(&mut reached);
            told.fetch_add(1, Ordering::Relaxed);
        }
        all.lock().expect("no story panics outside").merge(reached);
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..cores()).map(|_| scope.spawn(work)).collect();
        let mut last_report = begun;
        while !workers.iter().all(ScopedJoinHandle::is_finished) {
            thread::sleep(PAUSE);
            if last_report.elapsed() >= PROGRESS {
                last_report = Instant::now();
                report(told.load(Ordering::Relaxed), stories, begun.elapsed());
            }
        }
    });
    report(told.into_inner(), stories, begun.elapsed());
    (failures.into_inner() == 0).then(|| all.into_inner().expect("no story panics outside"))
}

pub(crate) fn cores() -> usize {
    thread::available_parallelism().map_or(1, Into::into)
}

fn report(told: u64, stories: u64, elapsed: Duration) {
    let seconds = elapsed.as_secs_f64();
    println!(
        "{told} of {stories} stories in {seconds:.0} s, {:.0} a second",
        told as f64 / seconds
    );
}

/// Counts the transitions and timers inside the associations of this thread.
fn note_hits(reached: &mut Tally) {
    for (hit, count) in take_hits() {
        match hit {
            Hit::Transition(from, to) => {
                reached.add(Subject::State, to, count);
                reached.add(Subject::Transition, format!("{from} -> {to}"), count);
            }
            Hit::Set(timer) => reached.add(Subject::TimerSet, timer, count),
            Hit::Fired(timer) => reached.add(Subject::TimerFired, timer, count),
            Hit::Cancelled(timer) => reached.add(Subject::TimerCancelled, timer, count),
        }
    }
}

const PROGRESS: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(50);
const ENOUGH_FAILURES: u64 = 10;
