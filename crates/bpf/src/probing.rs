//! BMC's proportion manager: measures the goodput of subflows and moves their weights. \[H09] §3.2
//!
//! The rules are those of `manypath-cc`, which also computes the new weights. An interval lasts at least ten seconds and
//! one congestion epoch of every subflow; it is extended up to twice as long while a subflow has no loss. An interval in
//! which the connection had too little to send is discarded. After a change nothing is measured for five round trips.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use libbpf_rs::{MapCore, MapFlags, ProgramInput};
use manypath_cc::algorithms::proportion::{
    LONGEST_INTERVAL, MOST_LIMITED, Measured, SETTLING_ROUNDS, shift,
};

use crate::{Connection, Error, Loaded, Slot};

/// J.
const INTERVAL: Duration = Duration::from_secs(10);

/// K: the gain of a change of weights.
const GAIN: f64 = 0.5;

/// One TCP in the weights of the kernel's program.
const ONE: f64 = (1_u32 << 24) as f64;

/// The proportion manager of all connections that have `mp_bmc`.
#[derive(Debug, Default)]
pub struct Probing {
    intervals: BTreeMap<u64, Interval>,
}

/// The state of a connection at the beginning of its interval.
#[derive(Clone, Debug)]
struct Interval {
    begin: Instant,
    slots: BTreeMap<usize, Slot>,
    /// Nothing is measured before this time; then the interval begins.
    settles: Option<Instant>,
}

impl Probing {
    /// Whether `loaded` is an algorithm that needs a manager.
    #[must_use]
    pub fn is_for(loaded: &Loaded) -> bool {
        loaded.name() == "mp_bmc"
    }

    /// Checks all connections once; it must be called about once per second.
    ///
    /// # Errors
    /// If the kernel refuses access to the numbers.
    pub fn look(&mut self, loaded: &mut Loaded, now: Instant) -> Result<(), Error> {
        let connections = loaded.connections()?;
        self.intervals.retain(|key, _| connections.iter().any(|connection| connection.key == *key));
        for connection in &connections {
            let Some((weights, settling)) = self.judge(connection, now) else { continue };
            for ((slot, _), weight) in connection.slots.iter().zip(weights) {
                weigh(loaded, connection.key, *slot, (weight * ONE).round() as u32)?;
            }
            self.begin(connection, now, Some(now + settling));
        }
        Ok(())
    }

    fn begin(&mut self, connection: &Connection, begin: Instant, settles: Option<Instant>) {
        let slots = connection.slots.iter().cloned().collect();
        self.intervals.insert(connection.key, Interval { begin, slots, settles });
    }

    /// The new weights and their settling time, if an interval has ended and the weights must change.
    fn judge(&mut self, connection: &Connection, now: Instant) -> Option<(Vec<f64>, Duration)> {
        let who = |(index, slot): (&usize, &Slot)| (*index, slot.local, slot.remote);
        let same = |interval: &&Interval| {
            let present = connection.slots.iter().map(|(index, slot)| who((index, slot)));
            present.eq(interval.slots.iter().map(who))
        };
        let Some(interval) = self.intervals.get(&connection.key).filter(same).cloned() else {
            self.begin(connection, now, None);
            return None;
        };
        if let Some(settles) = interval.settles {
            if now >= settles {
                self.begin(connection, now, None);
            }
            return None;
        }
        let elapsed = now - interval.begin;
        let slots = || connection.slots.iter().map(|(index, slot)| (&interval.slots[index], slot));
        let epochs = slots().map(|(_, slot)| epoch(slot, connection.slots.len()));
        let longest = Duration::from_nanos(LONGEST_INTERVAL.as_nanos());
        let least = epochs.max()?.min(longest).max(INTERVAL);
        let all_lost = slots().all(|(before, slot)| slot.losses != before.losses);
        if elapsed < least || (elapsed < 2 * least && !all_lost) {
            return None;
        }
        self.begin(connection, now, None);
        let counted = |of: fn(&Slot) -> u64| -> u64 {
            slots().map(|(before, slot)| of(slot).saturating_sub(of(before))).sum()
        };
        if counted(|it| it.limited) as f64 > MOST_LIMITED * counted(|it| it.delivered) as f64 {
            return None;
        }
        let equal = 1.0 / connection.slots.len() as f64;
        let measured: Vec<_> =
            slots().map(|(before, slot)| Some(measure(before, slot, elapsed))).collect();
        let mut weights: Vec<_> = slots().map(|(_, slot)| weight(slot, equal)).collect();
        let settling = slots().map(|(_, slot)| slot.srtt).max()?.mul_f64(SETTLING_ROUNDS);
        shift(&mut weights, &measured, GAIN, 1.0).then_some((weights, settling))
    }
}

fn measure(before: &Slot, after: &Slot, elapsed: Duration) -> Measured {
    let samples = after.rtt_samples.wrapping_sub(before.rtt_samples);
    let sum = after.rtt_sum.saturating_sub(before.rtt_sum);
    let rtt = if samples > 0 { sum / samples } else { after.srtt };
    Measured {
        goodput: after.delivered.saturating_sub(before.delivered) as f64 / elapsed.as_secs_f64(),
        rtt: rtt.as_secs_f64(),
    }
}

fn weight(slot: &Slot, equal: f64) -> f64 {
    if slot.weight == 0 { equal } else { f64::from(slot.weight) / ONE }
}

/// The time from a loss to the next: half a window in steps of D² packets, and one round trip.
fn epoch(slot: &Slot, count: usize) -> Duration {
    let weight = weight(slot, 1.0 / count as f64);
    let rounds = 0.5 * f64::from(slot.lost_at) / (weight * weight) + 1.0;
    slot.srtt.mul_f64(rounds)
}

/// Writes a weight into the kernel.
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

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;

    use super::*;

    /// A subflow with 20 packets and 100 ms, and these numbers of delivered packets and losses.
    fn slot(delivered: u64, losses: u32) -> Slot {
        let address = SocketAddr::from(([10, 0, 0, 1], 80));
        Slot {
            local: address,
            remote: address,
            segment: 1448,
            window: 20,
            threshold: 20,
            srtt: Duration::from_millis(100),
            weight: 0,
            delivered,
            limited: 0,
            rtt_sum: Duration::from_millis(100) * delivered as u32,
            rtt_samples: delivered as u32,
            losses,
            timeouts: 0,
            lost_at: 20,
        }
    }

    fn connection(slots: [Slot; 2]) -> Connection {
        Connection { key: 1, token: 2, slots: slots.into_iter().enumerate().collect() }
    }

    fn second(
        probing: &mut Probing,
        begin: Instant,
        slots: [Slot; 2],
        at: u64,
    ) -> Option<Vec<f64>> {
        let judged = probing.judge(&connection(slots), begin + Duration::from_secs(at));
        judged.map(|(weights, _)| weights)
    }

    #[test]
    fn weight_moves_to_the_subflow_that_delivers_after_an_interval_with_losses() {
        let (mut probing, begin) = (Probing::default(), Instant::now());
        assert_eq!(second(&mut probing, begin, [slot(0, 0), slot(0, 0)], 0), None);
        let early = [slot(900, 1), slot(2700, 1)];
        assert_eq!(second(&mut probing, begin, early, 9), None, "ten seconds are not over");
        let weights = second(&mut probing, begin, [slot(1000, 1), slot(3000, 1)], 11).unwrap();
        // D − (D − D²)·K of a half is three eighths.
        assert_eq!(weights, [0.375, 0.625]);
    }

    #[test]
    fn a_subflow_without_a_loss_makes_the_interval_twice_as_long() {
        let (mut probing, begin) = (Probing::default(), Instant::now());
        second(&mut probing, begin, [slot(0, 0), slot(0, 0)], 0);
        let without = || [slot(1000, 1), slot(3000, 0)];
        assert_eq!(second(&mut probing, begin, without(), 19), None);
        assert!(second(&mut probing, begin, without(), 20).is_some());
    }

    #[test]
    fn an_interval_with_too_little_data_is_discarded() {
        let (mut probing, begin) = (Probing::default(), Instant::now());
        second(&mut probing, begin, [slot(0, 0), slot(0, 0)], 0);
        let limited = Slot { limited: 500, ..slot(1000, 1) };
        assert_eq!(second(&mut probing, begin, [limited, slot(3000, 1)], 30), None);
    }

    #[test]
    fn a_subflow_that_joins_begins_a_new_interval() {
        let (mut probing, begin) = (Probing::default(), Instant::now());
        let alone = Connection { key: 1, token: 2, slots: vec![(0, slot(0, 0))] };
        assert!(probing.judge(&alone, begin).is_none());
        assert_eq!(second(&mut probing, begin, [slot(5000, 3), slot(10, 0)], 15), None);
        assert_eq!(second(&mut probing, begin, [slot(6000, 4), slot(9000, 1)], 20), None);
        assert!(second(&mut probing, begin, [slot(6000, 4), slot(9000, 1)], 26).is_some());
    }
}
