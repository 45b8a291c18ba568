//! Faults of the network in random stories: for the next packets, with given probabilities, or for all packets.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use manypath_core::{Random, Span, Streams};

use super::setting::PATHS;
use crate::pair::{Fault, Network, Sent, Side};

/// The probability of each fault, per thousand packets.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FaultRates {
    pub(crate) lose: u16,
    pub(crate) duplicate: u16,
    pub(crate) delay: u16,
    pub(crate) damage: u16,
}

/// The faults on every path and direction; shared between the story and its network.
#[derive(Clone)]
pub(crate) struct Faults(Rc<RefCell<AllPaths>>);

struct AllPaths {
    /// By sending side, then by path.
    paths: [[PathFaults; PATHS]; 2],
    random: Random,
    /// Number of packets per fault, and of those without a fault.
    packets: BTreeMap<&'static str, u64>,
}

#[derive(Clone, Copy, Debug, Default)]
struct PathFaults {
    /// The fault of the next packets, and the number of these packets; a later call replaces it.
    next: Option<(Fault, usize)>,
    rates: FaultRates,
    cut: bool,
}

impl Faults {
    pub(crate) fn over(network: &mut Network, seed: u64) -> Self {
        let random = Streams::new(seed, 0).stream("weather");
        let paths = AllPaths { paths: Default::default(), random, packets: BTreeMap::new() };
        let faults = Self(Rc::new(RefCell::new(paths)));
        let decides = faults.clone();
        network.rule(move |sent| decides.0.borrow_mut().fault_of(sent));
        faults
    }

    pub(crate) fn apply_to_next(&self, side: Side, path: usize, packets: usize, fault: Fault) {
        self.0.borrow_mut().paths[side as usize][path].next = Some((fault, packets));
    }

    pub(crate) fn set_rates(&self, side: Side, path: usize, rates: FaultRates) {
        self.0.borrow_mut().paths[side as usize][path].rates = rates;
    }

    pub(crate) fn cut(&self, side: Side, path: usize) {
        self.0.borrow_mut().paths[side as usize][path].cut = true;
    }

    pub(crate) fn clear_path(&self, path: usize) {
        for paths in &mut self.0.borrow_mut().paths {
            paths[path] = PathFaults::default();
        }
    }

    /// Number of packets per fault, and of those without a fault.
    pub(crate) fn packets(&self) -> BTreeMap<&'static str, u64> {
        self.0.borrow().packets.clone()
    }
}

impl AllPaths {
    fn fault_of(&mut self, sent: &Sent) -> Fault {
        let path = &mut self.paths[sent.from as usize][sent.path];
        let forced = path.next.map(|(fault, _)| fault);
        path.next = path.next.and_then(|(fault, left)| (left > 1).then_some((fault, left - 1)));
        let (cut, rates) = (path.cut, path.rates);
        let (fault, name) = match forced {
            _ if cut => (Fault::Lose, "blackout"),
            Some(fault) => (fault, name(fault)),
            None => {
                let fault = self.draw(rates, sent.size);
                (fault, name(fault))
            }
        };
        *self.packets.entry(name).or_default() += 1;
        fault
    }

    fn draw(&mut self, rates: FaultRates, size: usize) -> Fault {
        let FaultRates { lose, duplicate, delay, damage } = rates;
        let mut drawn = self.random.below(1000);
        let mut falls_on = |share: u16| {
            let falls = drawn < u64::from(share);
            drawn = drawn.saturating_sub(u64::from(share));
            falls
        };
        if falls_on(lose) {
            Fault::Lose
        } else if falls_on(duplicate) {
            Fault::Duplicate
        } else if falls_on(delay) {
            Fault::Delay(Span::from_millis(self.random.between(1, 300)))
        } else if falls_on(damage) {
            Fault::Damage(self.random.below(size as u64) as u32)
        } else {
            Fault::None
        }
    }
}

/// The names of all faults that [`Faults`] can cause, and of their absence.
pub(crate) const FAULTS: [&str; 7] =
    ["none", "lose", "duplicate", "delay", "hold", "damage", "blackout"];

fn name(fault: Fault) -> &'static str {
    match fault {
        Fault::None => "none",
        Fault::Lose => "lose",
        Fault::Duplicate => "duplicate",
        Fault::Delay(_) => "delay",
        Fault::Hold => "hold",
        Fault::Damage(_) => "damage",
    }
}
