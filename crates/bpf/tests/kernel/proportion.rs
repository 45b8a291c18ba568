//! BMC's proportion manager with real subflows: what it reads, and what it writes. \[H09] §3.2

use std::time::{Duration, Instant};

use manypath_bpf::testbed::{Family, Network, Transfer};
use manypath_bpf::{Probing, Slot};

use crate::needs;
use crate::patience::found_within;

/// One standard TCP in the kernel's weights.
const ONE: u32 = 1 << 24;

/// Twice the longest interval: 60 seconds for an epoch of a large window, and twice that if a subflow had no loss.
/// Windows of 10^9 packets were observed on a busy machine with Linux 6.18: the threshold had not been set by `cut`.
const PATIENCE: Duration = Duration::from_secs(240);

/// Two separate links. On the second one a subflow fills a queue of four times the size, so that its rate times its
/// round-trip time divided by its weight (T_wr of [H09]) is about four times as large.
#[test]
fn weight_moves_to_the_subflow_with_the_larger_normalised_goodput() {
    let Some(_turn) = needs::kernel() else { return };
    let mut bmc = needs::load("bmc");
    let links = ["rate 4mbit burst 3100 limit 15000", "rate 20mbit burst 3100 limit 60000"];
    let network = Network::disjoint(Family::V4, &links.map(Some)).unwrap();
    let running = Transfer::new(bmc.name()).start(&network).unwrap();
    let mut probing = Probing::default();
    let begin = Instant::now();
    // The weights after each epoch, by path; none before the first epoch.
    let mut weights = || {
        probing.look(&mut bmc, Instant::now()).unwrap();
        let [connection] = &bmc.connections().unwrap()[..] else { return Err(Vec::new()) };
        let slots: Vec<Slot> = connection.slots.iter().map(|(_, slot)| slot.clone()).collect();
        let of_path = |host: &str| slots.iter().find(|slot| slot.local.ip().to_string() == host);
        let of_paths =
            ["10.77.1.1", "10.77.2.1"].map(|host| of_path(host).map_or(0, |slot| slot.weight));
        if of_paths.contains(&0) { Err(slots) } else { Ok(of_paths) }
    };
    let mut first = found_within(PATIENCE, "weights", &mut weights);
    assert!(begin.elapsed() >= Duration::from_secs(10), "before its interval was over");
    // On a busy machine the sender is too late to fill the queue of the second path in some epochs, so that the first
    // path has the larger T_wr in them.
    found_within(PATIENCE, "more weight for the second path", || match weights() {
        Ok([poor, rich]) if rich > poor => Ok(()),
        seen => Err(seen),
    });
    running.stop().unwrap();

    // Half of D - D² with D = 1/2 moves to the subflow with the larger T_wr: 3/8 and 5/8.
    first.sort_unstable();
    assert_eq!(first, [ONE / 8 * 3, ONE / 8 * 5]);
}
