//! How many packet-hops per second the event loop reaches with a protocol that does almost nothing.
//!
//! `cargo run --release -p manypath-sim --example hops [games] [seconds]`

#[path = "../tests/stories/toy/mod.rs"]
mod toy;

use manypath_core::{Streams, Time};
use toy::{Dumbbell, slow_core};

#[expect(clippy::disallowed_types, reason = "it measures real time")]
type Clock = std::time::Instant;

#[expect(clippy::disallowed_methods, reason = "the size of the world is an argument")]
fn main() {
    let mut arguments = std::env::args().skip(1).map(|text| text.parse::<u64>().expect("a number"));
    let games = arguments.next().map_or(1, |games| games.clamp(1, 255) as u8);
    let seconds = arguments.next().unwrap_or(20_000);
    let mut dumbbell =
        Dumbbell::new(games, 100 / u64::from(games) + 1, &slow_core(), &Streams::new(1, 0));

    let clock = Clock::now();
    dumbbell.world.run_until(Time::from_nanos(seconds * 1_000_000_000));
    let elapsed = clock.elapsed().as_secs_f64();

    dumbbell.world.check_conservation().expect("no packet gets lost in the machinery");
    let hops = dumbbell.world.totals().hops;
    println!(
        "{games} games, {} links: {hops} hops in {elapsed:.3} s = {:.1} M hops/s, {:.1} ns per hop, digest {:016x}",
        dumbbell.world.links().len(),
        hops as f64 / elapsed / 1e6,
        elapsed / hops as f64 * 1e9,
        dumbbell.world.digest(),
    );
}
