//! Any settings, any network, any applications: every message arrives once, unchanged, in order where that was asked
//! for; counters add up; the association comes to rest, and to its end. Debug builds check the books of both ends
//! after every event.

mod books;
mod ending;
mod ledger;
mod numbered;
mod party;
mod script;
mod setting;
mod step;
mod story;
mod switches;
mod tally;
mod weather;

pub(crate) use numbered::{narrate, place_of, tell, try_one};
pub(crate) use switches::positions;
pub(crate) use tally::{Subject, Tally};
pub(crate) use weather::FATES;
