//! BMC's proportion manager: measures what subflows deliver and moves their weights. \[H09] §3.2
//!
//! As in `manypath-cc`, an interval lasts at least ten seconds and one congestion epoch of every subflow, twice as long
//! while a subflow had no loss; one in which the connection had too little to send tells nothing; and five round trips
//! after a change are not measured.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use libbpf_rs::{MapCore, MapFlags, ProgramInput};

use crate::proportion::{Measured, shift};
use crate::{Connection, Error, Loaded, Slot};

/// J.
const INTERVAL: Duration = Duration::from_secs(10);

/// An interval is not made longer than this for the sake of congestion epochs.
const LONGEST: Duration = Duration::from_secs(60);

/// More packets than this part acknowledged while the window was not used make an interval worthless.
const MOST_LIMITED: f64 = 0.1;

/// Round trips that are not measured after a change.
const SETTLING: u32 = 5;

/// One TCP in the weights of the kernel's program.
const ONE: f64 = (1_u32 << 24) as f64;

/// The proportion manager of all connections that have `mp_bmc`.
#[derive(Debug, Default)]
pub struct Probing {
    intervals: BTreeMap<u64, Interval>,
}

/// What a connection was when its interval began.
#[derive(Clone, Debug)]
struct Interval {
    begin: Instant,
    slots: BTreeMap<usize, Slot>,
}

impl Probing {
    /// Whether `loaded` is an algorithm that needs a manager.
    #[must_use]
    pub fn is_for(loaded: &Loaded) -> bool {
        loaded.name() == "mp_bmc"
    }

    /// Looks at all connections once; to be called about once per second.
    ///
    /// # Errors
    /// If the kernel does not give or take the numbers.
    pub fn look(&mut self, loaded: &mut Loaded, now: Instant) -> Result<(), Error> {
        let connections = loaded.connections()?;
        self.intervals.retain(|key, _| connections.iter().any(|connection| connection.key == *key));
        for connection in &connections {
            let Some((weights, settling)) = self.judge(connection, now) else { continue };
            for ((slot, _), weight) in connection.slots.iter().zip(weights) {
                weigh(loaded, connection.key, *slot, (weight * ONE).round() as u32)?;
            }
            self.begin(connection, now + settling);
        }
        Ok(())
    }

    fn begin(&mut self, connection: &Connection, begin: Instant) {
        let slots = connection.slots.iter().cloned().collect();
        self.intervals.insert(connection.key, Interval { begin, slots });
    }

    /// New weights and how long they need to settle, where an interval has ended and says that others are right.
    fn judge(&mut self, connection: &Connection, now: Instant) -> Option<(Vec<f64>, Duration)> {
        let same = |interval: &&Interval| {
            connection.slots.iter().map(|it| it.0).eq(interval.slots.keys().copied())
        };
        let Some(interval) = self.intervals.get(&connection.key).filter(same).cloned() else {
            self.begin(connection, now);
            return None;
        };
        if now < interval.begin + Duration::from_secs(1) {
            // Settled just now: the counters count from here.
            self.begin(connection, interval.begin.max(now));
            return None;
        }
        let elapsed = now - interval.begin;
        let slots = || connection.slots.iter().map(|(index, slot)| (&interval.slots[index], slot));
        let epochs = slots().map(|(_, slot)| epoch(slot, connection.slots.len()));
        let least = epochs.max()?.min(LONGEST).max(INTERVAL);
        let all_lost = slots().all(|(before, slot)| slot.losses != before.losses);
        if elapsed < least || (elapsed < 2 * least && !all_lost) {
            return None;
        }
        self.begin(connection, now);
        let counted = |of: fn(&Slot) -> u64| -> u64 {
            slots().map(|(before, slot)| of(slot).saturating_sub(of(before))).sum()
        };
        if counted(|it| it.limited) as f64 > MOST_LIMITED * counted(|it| it.delivered) as f64 {
            return None;
        }
        let equal = 1.0 / connection.slots.len() as f64;
        let measured: Vec<_> =
            slots().map(|(before, slot)| measure(before, slot, elapsed, equal)).collect();
        let settling = slots().map(|(_, slot)| slot.srtt).max()? * SETTLING;
        shift(&measured).map(|weights| (weights, settling))
    }
}

fn measure(before: &Slot, after: &Slot, elapsed: Duration, equal: f64) -> Measured {
    let samples = after.rtt_samples.wrapping_sub(before.rtt_samples);
    let sum = after.rtt_sum.saturating_sub(before.rtt_sum);
    let rtt = if samples > 0 { sum / samples } else { after.srtt };
    Measured {
        weight: weight(after, equal),
        goodput: (after.delivered - before.delivered) as f64 / elapsed.as_secs_f64(),
        rtt: rtt.as_secs_f64(),
    }
}

fn weight(slot: &Slot, equal: f64) -> f64 {
    if slot.weight == 0 { equal } else { f64::from(slot.weight) / ONE }
}

/// From a loss to the next: half a window in steps of D² packets, and one round trip.
fn epoch(slot: &Slot, count: usize) -> Duration {
    let weight = weight(slot, 1.0 / count as f64);
    let rounds = 0.5 * f64::from(slot.lost_at) / (weight * weight) + 1.0;
    slot.srtt.mul_f64(rounds)
}

/// Lets the kernel write a weight.
fn weigh(loaded: &mut Loaded, connection: u64, slot: usize, weight: u32) -> Result<(), Error> {
    let refused = |error| Error::failed(format!("the kernel did not take a weight: {error}"));
    let object = loaded.object_mut();
    for map in object.maps().filter(|map| map.name().to_string_lossy().ends_with(".bss")) {
        let mut wish = connection.to_ne_bytes().to_vec();
        wish.extend((slot as u32).to_ne_bytes());
        wish.extend(weight.to_ne_bytes());
        map.update(&0_u32.to_ne_bytes(), &wish, MapFlags::ANY).map_err(refused)?;
    }
    for program in object.progs_mut().filter(|program| program.name() == "weigh") {
        program.test_run(ProgramInput::default()).map_err(refused)?;
    }
    Ok(())
}
