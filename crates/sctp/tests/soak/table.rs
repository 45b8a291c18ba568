//! The table of what the stories reached. No expected row may be empty or missing.

use manypath_sctp::Config;

use crate::random::{FAULTS, Subject, Tally, positions};

/// Prints everything that was reached; returns whether all expected rows were reached and no others.
pub(crate) fn print(reached: &Tally) -> bool {
    let mut complete = true;
    for (subject, title, rows) in expected() {
        println!("\n{title}");
        for row in &rows {
            let count = reached.of(subject, row);
            complete &= count > 0;
            println!("  {row:<40} {count:>14}{}", if count > 0 { "" } else { "  never" });
        }
        for (_, row, count) in reached.iter().filter(|(of, ..)| *of == subject) {
            if !rows.iter().any(|known| known == row) {
                complete = false;
                println!("  {row:<40} {count:>14}  not in the table of the soak");
            }
        }
    }
    if !complete {
        println!("\nsome row was never reached, or is not expected");
    }
    complete
}

/// All rows that must not be empty.
fn expected() -> Vec<(Subject, &'static str, Vec<String>)> {
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let faults: Vec<&str> = FAULTS.iter().copied().chain(["overflow"]).collect();
    vec![
        (Subject::State, "states, how often entered", owned(&STATES)),
        (Subject::Transition, "transitions", owned(&TRANSITIONS)),
        (Subject::TimerSet, "timers set", owned(&TIMERS)),
        (Subject::TimerFired, "timers that ran out", owned(&TIMERS)),
        (Subject::TimerCancelled, "timers cancelled", owned(&TIMERS)),
        (Subject::ChunkSent, "chunks sent", owned(&CHUNKS)),
        (Subject::ChunkReceived, "chunks received", owned(&CHUNKS)),
        (Subject::Fault, "faults of packets", owned(&faults)),
        (Subject::Event, "events of applications", owned(&EVENTS)),
        (Subject::End, "ends of associations", owned(&ENDS)),
        (Subject::Switch, "switches of endpoints", switches()),
    ]
}

fn switches() -> Vec<String> {
    let switches = positions(&Config::default());
    let rows = switches.into_iter().flat_map(|switch| {
        switch.positions.into_iter().map(move |position| format!("{} {position}", switch.name))
    });
    rows.collect()
}

/// RFC 9260 §4, figure 3; of paths RFC 9260 §8.2 and RFC 7829 §3.2.
const STATES: [&str; 11] = [
    "CLOSED",
    "COOKIE-WAIT",
    "COOKIE-ECHOED",
    "ESTABLISHED",
    "SHUTDOWN-PENDING",
    "SHUTDOWN-SENT",
    "SHUTDOWN-RECEIVED",
    "SHUTDOWN-ACK-SENT",
    "path ACTIVE",
    "path POTENTIALLY-FAILED",
    "path INACTIVE",
];

/// RFC 9260 §4, figure 3, and §5.2.4 for simultaneous opening. A transition from a state to itself repeats its chunk.
/// Paths: RFC 9260 §8.2, RFC 7829 §3.2.
const TRANSITIONS: [&str; 29] = [
    "CLOSED -> COOKIE-WAIT",
    "CLOSED -> ESTABLISHED",
    "COOKIE-WAIT -> COOKIE-ECHOED",
    "COOKIE-WAIT -> ESTABLISHED",
    "COOKIE-WAIT -> SHUTDOWN-PENDING",
    "COOKIE-WAIT -> CLOSED",
    "COOKIE-ECHOED -> COOKIE-WAIT",
    "COOKIE-ECHOED -> ESTABLISHED",
    "COOKIE-ECHOED -> SHUTDOWN-PENDING",
    "COOKIE-ECHOED -> CLOSED",
    "ESTABLISHED -> SHUTDOWN-PENDING",
    "ESTABLISHED -> SHUTDOWN-RECEIVED",
    "ESTABLISHED -> CLOSED",
    "SHUTDOWN-PENDING -> SHUTDOWN-SENT",
    "SHUTDOWN-PENDING -> SHUTDOWN-RECEIVED",
    "SHUTDOWN-PENDING -> CLOSED",
    "SHUTDOWN-SENT -> SHUTDOWN-SENT",
    "SHUTDOWN-SENT -> SHUTDOWN-ACK-SENT",
    "SHUTDOWN-SENT -> CLOSED",
    "SHUTDOWN-RECEIVED -> SHUTDOWN-RECEIVED",
    "SHUTDOWN-RECEIVED -> SHUTDOWN-ACK-SENT",
    "SHUTDOWN-RECEIVED -> CLOSED",
    "SHUTDOWN-ACK-SENT -> SHUTDOWN-ACK-SENT",
    "SHUTDOWN-ACK-SENT -> CLOSED",
    "path ACTIVE -> path POTENTIALLY-FAILED",
    "path ACTIVE -> path INACTIVE",
    "path POTENTIALLY-FAILED -> path ACTIVE",
    "path POTENTIALLY-FAILED -> path INACTIVE",
    "path INACTIVE -> path ACTIVE",
];

const TIMERS: [&str; 10] = [
    "T1 setup",
    "T2 shutdown",
    "T3 retransmit",
    "T5 shutdown guard",
    "SACK",
    "pause",
    "window probe",
    "pacing",
    "MTU search",
    "heartbeat",
];

const CHUNKS: [&str; 18] = [
    "DATA",
    "INIT",
    "INIT ACK",
    "SACK",
    "NR-SACK",
    "HEARTBEAT",
    "HEARTBEAT ACK",
    "ABORT",
    "ABORT (T)",
    "SHUTDOWN",
    "SHUTDOWN ACK",
    "SHUTDOWN COMPLETE",
    "SHUTDOWN COMPLETE (T)",
    "ERROR",
    "COOKIE ECHO",
    "COOKIE ACK",
    "PKTDROP",
    "PAD",
];

const EVENTS: [&str; 8] = [
    "Connected",
    "Readable",
    "Writable",
    "PathPotentiallyFailed",
    "PathDown",
    "PathUp",
    "Restarted",
    "Closed",
];

const ENDS: [&str; 4] = ["Shutdown", "AbortedByPeer", "AbortedHere", "Unreachable"];
