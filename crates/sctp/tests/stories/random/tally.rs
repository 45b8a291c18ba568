//! What random stories have reached, counted by subject and name.

use std::collections::BTreeMap;

/// How often each item was reached.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally(BTreeMap<(Subject, String), u64>);

/// The kind of an item.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) enum Subject {
    State,
    Transition,
    TimerSet,
    TimerFired,
    TimerCancelled,
    ChunkSent,
    ChunkReceived,
    Fault,
    Switch,
    Event,
    End,
}

impl Tally {
    pub(crate) fn add(&mut self, subject: Subject, name: impl Into<String>, count: u64) {
        *self.0.entry((subject, name.into())).or_default() += count;
    }

    pub(crate) fn merge(&mut self, other: Self) {
        for ((subject, name), count) in other.0 {
            self.add(subject, name, count);
        }
    }

    pub(crate) fn of(&self, subject: Subject, name: &str) -> u64 {
        self.0.get(&(subject, name.to_owned())).copied().unwrap_or(0)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (Subject, &str, u64)> {
        self.0.iter().map(|((subject, name), count)| (*subject, name.as_str(), *count))
    }
}
