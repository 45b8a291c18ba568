//! The selection of events.

use crate::{Event, NAMES};

/// A selection of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Selection([bool; NAMES.len()]);

/// The name is neither an event nor a category.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownName(pub String);

impl Selection {
    /// Every event.
    pub const ALL: Self = Self([true; NAMES.len()]);

    /// Events by name, such as `transport:packet_sent`, or all events of a category, such as `transport`. All events if
    /// the list is empty.
    ///
    /// # Errors
    /// If a name is unknown.
    pub fn only(names: &[String]) -> Result<Self, UnknownName> {
        let is_meant = |given: &str, name: &str| name == given || category(name) == given;
        let is_known = |given: &str| NAMES.iter().any(|name| is_meant(given, name));
        match names.iter().find(|given| !is_known(given)) {
            Some(unknown) => Err(UnknownName(unknown.clone())),
            None if names.is_empty() => Ok(Self::ALL),
            None => Ok(Self(NAMES.map(|name| names.iter().any(|given| is_meant(given, name))))),
        }
    }

    /// Whether an event is selected.
    #[must_use]
    pub const fn has(&self, event: &Event<'_>) -> bool {
        self.0[event.index()]
    }
}

/// The categories of [`NAMES`], without duplicates.
#[must_use]
pub fn categories() -> Vec<&'static str> {
    let mut categories: Vec<_> = NAMES.iter().map(|name| category(name)).collect();
    categories.dedup();
    categories
}

fn category(name: &str) -> &str {
    name.split_once(':').map_or(name, |(category, _)| category)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Count, Nothing};

    #[test]
    fn events_are_chosen_by_name_and_by_category() {
        let cut = Event::WindowCut(Count { count: 1 });
        let (timeout, started) =
            (Event::LossTimerExpired(Count { count: 1 }), Event::ConnectionStarted(Nothing {}));
        let only = |names: &[&str]| {
            let names: Vec<_> = names.iter().map(|&name| name.to_owned()).collect();
            Selection::only(&names)
        };
        let table: [(&[&str], [bool; 3]); 4] = [
            (&[], [true; 3]),
            (&["recovery"], [true, true, false]),
            (&["recovery:window_cut"], [true, false, false]),
            (&["recovery:window_cut", "connectivity"], [true, false, true]),
        ];
        for (names, expected) in table {
            let chosen = only(names).unwrap();
            assert_eq!([&cut, &timeout, &started].map(|event| chosen.has(event)), expected);
        }
        let unknown = Err(UnknownName("recovery:cut".to_owned()));
        assert_eq!(only(&["recovery", "recovery:cut"]), unknown);
        assert_eq!(categories(), ["connectivity", "transport", "recovery", "link"]);
    }
}
