//! Random settings, networks and applications. Every message must arrive once, unchanged, and in order if requested;
//! counters must add up; the association must come to rest and end. Debug builds check the invariants of both endpoints
//! after every event.

mod counters;
mod ending;
mod faults;
mod ledger;
mod numbered;
mod party;
mod script;
mod setting;
mod step;
mod story;
mod switches;
mod tally;

pub(crate) use faults::FAULTS;
pub(crate) use numbered::{narrate, place_of, run, try_one};
pub(crate) use switches::positions;
pub(crate) use tally::{Subject, Tally};
