//! What the network of a random story does to packets: single blows, storms that last, and darkness.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use manypath_core::{Random, Span, Streams};

use super::setting::PATHS;
use crate::pair::{Fate, Network, Sent, Side};

/// How often in a thousand times a packet meets each fate.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Storm {
    pub(crate) lose: u16,
    pub(crate) duplicate: u16,
    pub(crate) delay: u16,
    pub(crate) damage: u16,
}

/// The weather on every path, each way; shared between the story and its network.
#[derive(Clone)]
pub(crate) struct Weather(Rc<RefCell<Skies>>);

struct Skies {
    /// By sending side, then by path.
    skies: [[Sky; PATHS]; 2],
    random: Random,
    /// How many packets met each fate.
    fates: BTreeMap<&'static str, u64>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Sky {
    /// What the next packets meet, the latest word first; and how many these are.
    blow: Option<(Fate, usize)>,
    storm: Storm,
    dark: bool,
}

impl Weather {
    pub(crate) fn over(network: &mut Network, seed: u64) -> Self {
        let random = Streams::new(seed, 0).stream("weather");
        let skies = Skies { skies: Default::default(), random, fates: BTreeMap::new() };
        let weather = Self(Rc::new(RefCell::new(skies)));
        let decides = weather.clone();
        network.rule(move |sent| decides.0.borrow_mut().meets(sent));
        weather
    }

    pub(crate) fn strike(&self, side: Side, path: usize, packets: usize, fate: Fate) {
        self.0.borrow_mut().skies[side as usize][path].blow = Some((fate, packets));
    }

    pub(crate) fn blow(&self, side: Side, path: usize, storm: Storm) {
        self.0.borrow_mut().skies[side as usize][path].storm = storm;
    }

    pub(crate) fn darken(&self, side: Side, path: usize) {
        self.0.borrow_mut().skies[side as usize][path].dark = true;
    }

    pub(crate) fn clear_path(&self, path: usize) {
        for skies in &mut self.0.borrow_mut().skies {
            skies[path] = Sky::default();
        }
    }

    /// How many packets met each fate.
    pub(crate) fn fates(&self) -> BTreeMap<&'static str, u64> {
        self.0.borrow().fates.clone()
    }
}

impl Skies {
    fn meets(&mut self, sent: &Sent) -> Fate {
        let sky = &mut self.skies[sent.from as usize][sent.path];
        let struck = sky.blow.map(|(fate, _)| fate);
        sky.blow = sky.blow.and_then(|(fate, left)| (left > 1).then_some((fate, left - 1)));
        let (dark, storm) = (sky.dark, sky.storm);
        let (fate, name) = match struck {
            _ if dark => (Fate::Lose, "blackout"),
            Some(fate) => (fate, name(fate)),
            None => {
                let fate = self.drawn(storm, sent.size);
                (fate, name(fate))
            }
        };
        *self.fates.entry(name).or_default() += 1;
        fate
    }

    fn drawn(&mut self, storm: Storm, size: usize) -> Fate {
        let Storm { lose, duplicate, delay, damage } = storm;
        let mut drawn = self.random.below(1000);
        let mut falls_on = |share: u16| {
            let falls = drawn < u64::from(share);
            drawn = drawn.saturating_sub(u64::from(share));
            falls
        };
        if falls_on(lose) {
            Fate::Lose
        } else if falls_on(duplicate) {
            Fate::Duplicate
        } else if falls_on(delay) {
            Fate::Delay(Span::from_millis(self.random.between(1, 300)))
        } else if falls_on(damage) {
            Fate::Damage(self.random.below(size as u64) as u32)
        } else {
            Fate::Pass
        }
    }
}

/// Every fate that [`Weather`] has, by name.
pub(crate) const FATES: [&str; 7] =
    ["pass", "lose", "duplicate", "delay", "hold", "damage", "blackout"];

fn name(fate: Fate) -> &'static str {
    match fate {
        Fate::Pass => "pass",
        Fate::Lose => "lose",
        Fate::Duplicate => "duplicate",
        Fate::Delay(_) => "delay",
        Fate::Hold => "hold",
        Fate::Damage(_) => "damage",
    }
}
