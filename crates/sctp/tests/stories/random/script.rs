//! The description of a random story: setting, steps, and end.

use std::fmt;

use proptest::prelude::*;

use super::setting::{Setting, setting};
use super::step::{Step, step};
use crate::pair::Side;

/// Everything that determines a story; shrinks towards fewer and simpler steps.
#[derive(Clone, Debug)]
pub(crate) struct Script {
    pub(crate) setting: Setting,
    pub(crate) steps: Vec<Step>,
    /// A number of one-byte messages after the last step, enough to wrap stream sequence numbers.
    pub(crate) flood: Option<Flood>,
    /// The side that closes the association if neither side has done so.
    pub(crate) closes: Side,
}

impl fmt::Display for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Setting { links, ends, both_open, seed } = &self.setting;
        for (path, link) in links.iter().enumerate() {
            writeln!(f, "path {path}: {link:?}")?;
        }
        writeln!(f, "A: {:?}\nZ: {:?}", ends[0], ends[1])?;
        writeln!(f, "both open: {both_open}, seed {seed}")?;
        for step in &self.steps {
            writeln!(f, "    {step:?}")?;
        }
        write!(f, "flood: {:?}, closes: {:?}", self.flood, self.closes)
    }
}

/// Ordered messages of one stream, one byte each.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flood {
    pub(crate) side: Side,
    pub(crate) stream: u16,
    pub(crate) messages: usize,
}

prop_compose! {
    pub(crate) fn script()(
        setting in setting(),
        steps in prop::collection::vec(step(), 1..120),
        flood in prop::option::weighted(0.004, flood()),
        closes in super::step::side(),
    ) -> Script {
        Script { setting, steps, flood, closes }
    }
}

prop_compose! {
    fn flood()(
        side in super::step::side(),
        stream in 0..4_u16,
        messages in Just(66_000_usize),
    ) -> Flood {
        Flood { side, stream, messages }
    }
}
