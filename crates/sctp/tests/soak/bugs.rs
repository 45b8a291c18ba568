//! Checks that the random stories find each seeded bug, by running stories with the bug until one fails.

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{self, ScopedJoinHandle};

use manypath_sctp::{SeededBug, switch_bug, take_hits};

use crate::crowd::cores;
use crate::random;

/// Searches for every bug and prints after how many stories it was found; returns whether all were found.
pub(crate) fn find_all() -> bool {
    println!("\nseeded bugs                    found by story");
    let mut found_all = true;
    for bug in SeededBug::ALL {
        let name = format!("{bug:?}");
        match find(bug) {
            Some((number, complaint)) => {
                println!("{name:<30} {number:>14}  {}", shortened(&complaint));
            }
            None => {
                found_all = false;
                println!("{name:<30} {:>14}  within {PATIENCE} stories", "not found");
            }
        }
    }
    found_all
}

/// The first characters of the first line.
fn shortened(complaint: &str) -> String {
    complaint.lines().next().unwrap_or_default().chars().take(LONG_ENOUGH).collect()
}

/// The number of the first story that fails with the bug enabled, and its failure.
fn find(bug: SeededBug) -> Option<(u64, String)> {
    let (next, first) = (AtomicU64::new(0), AtomicU64::new(PATIENCE));
    let work = || {
        switch_bug(Some(bug));
        let mut complaints = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= first.load(Ordering::Relaxed) {
                break;
            }
            if let Err(complaint) = random::try_one(number) {
                first.fetch_min(number, Ordering::Relaxed);
                complaints.push((number, complaint));
            }
            take_hits();
        }
        complaints
    };
    let complaints = thread::scope(|scope| {
        let workers: Vec<_> = (0..cores()).map(|_| scope.spawn(work)).collect();
        let joined = workers.into_iter().map(ScopedJoinHandle::join);
        joined
            .flat_map(|complaints| complaints.expect("a story keeps its panics to itself"))
            .collect::<Vec<_>>()
    });
    complaints.into_iter().min_by_key(|(number, _)| *number)
}

/// A bug must be found within this number of stories.
const PATIENCE: u64 = 20_000;
/// Printed length of a failure, in characters.
const LONG_ENOUGH: usize = 120;
