//! The soak: many random stories, what they reached, and whether they find seeded bugs.
#![expect(clippy::disallowed_methods, reason = "the program has arguments and threads")]

mod arguments;
mod bugs;
mod crowd;
mod table;

#[path = "../stories/pair/mod.rs"]
#[expect(dead_code, reason = "the other stories use more of the fixture than random ones")]
mod pair;
#[path = "../stories/random/mod.rs"]
mod random;

use std::process::ExitCode;

use arguments::Arguments;

fn main() -> ExitCode {
    let arguments = match Arguments::parse(std::env::args().skip(1)) {
        Ok(arguments) => arguments,
        Err(complaint) => {
            eprintln!("{complaint}");
            return ExitCode::from(2);
        }
    };
    let well = match arguments {
        Arguments::One(number) => run(number),
        Arguments::Many { from, stories } => soak(from, stories),
    };
    if well { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Runs one story. If it fails, prints the shortest story with the same failure, packet by packet.
fn run(number: u64) -> bool {
    match random::run(number) {
        Ok(_) => {
            random::narrate(number, |line| println!("{line}"));
            println!("story {number} ends well");
        }
        Err(failure) => {
            failure.narrate(|line| println!("{line}"));
            println!("{failure}");
            return false;
        }
    }
    true
}

fn soak(from: u64, stories: u64) -> bool {
    let Some(reached) = crowd::tell_all(from, stories) else { return false };
    let complete = table::print(&reached);
    let found = bugs::find_all();
    complete && found
}
