//! The algorithms by name: one line each.

use std::fmt;

use crate::Algorithm;
use crate::algorithms::{Balia, CmtRpV1, CmtRpV2, Coupled, Ewtcp, Lia, MptcpLike, NewReno, Olia};

macro_rules! registry {
    ($($name:literal => $value:expr, $summary:literal;)*) => {
        static ENTRIES: &[Entry] =
            &[$(Entry { name: $name, summary: $summary, make: || Box::new($value) }),*];
    };
}

registry! {
    "newreno" => NewReno, "each path for itself: standard SCTP on one path, plain CMT on several";
    "cmt-rpv1" => CmtRpV1::default(), "resource pooling by slow-start threshold: a loss takes half of all windows";
    "cmt-rpv2" => CmtRpV2::default(), "resource pooling by rate: a loss takes half of the flow's rate";
    "mptcp-like" => MptcpLike::BYTES, "linked increases of RFC 6356 in bytes, linked in slow start too";
    "mptcp-like:2011" => MptcpLike::OF_2011, "linked increases as printed in 2011: slow start is linear";
    "mptcp-like:2012" => MptcpLike::OF_2012, "linked increases as printed in 2012: the bound of one segment decides";
    "lia" => Lia::default(), "linked increases of RFC 6356 as TCP runs them: the growth of all paths is linked";
    "olia" => Olia::default(), "opportunistic linked increases: windows move to the paths that lose least";
    "balia" => Balia::default(), "balanced linked adaptation: growth and cuts follow the ratio of the rates";
    "coupled" => Coupled::default(), "fully coupled: the flow grows and backs off as one TCP; one path may take it all";
    "ewtcp" => Ewtcp, "equally weighted: each of n paths is worth 1/n of a TCP, whatever the others do";
}

/// One algorithm of the registry.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Name in scenarios.
    pub name: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    make: fn() -> Box<dyn Algorithm>,
}

/// A name that is not in a registry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownName {
    /// What was looked for: `congestion control`.
    pub kind: &'static str,
    /// The name that was given.
    pub name: String,
    /// The right name that it resembles most, if it resembles one.
    pub nearest: Option<&'static str>,
    /// All right names.
    pub known: Vec<&'static str>,
}

/// The algorithm called `name`, fresh.
///
/// # Errors
/// If there is none; the error knows the nearest right name.
pub fn algorithm(name: &str) -> Result<Box<dyn Algorithm>, UnknownName> {
    let entry = ENTRIES.iter().find(|entry| entry.name == name);
    let unknown =
        || UnknownName::new("congestion control", name, ENTRIES.iter().map(|entry| entry.name));
    entry.map(Entry::make).ok_or_else(unknown)
}

/// All algorithms.
#[must_use]
pub fn algorithms() -> &'static [Entry] {
    ENTRIES
}

impl Entry {
    /// The algorithm, fresh.
    #[must_use]
    pub fn make(&self) -> Box<dyn Algorithm> {
        (self.make)()
    }
}

impl UnknownName {
    pub(crate) fn new(
        kind: &'static str,
        name: &str,
        known: impl IntoIterator<Item = &'static str>,
    ) -> Self {
        let known: Vec<_> = known.into_iter().collect();
        let lower = name.to_lowercase();
        // The beginning of a right name resembles it more than its length says.
        let rank = |right: &str| (!right.starts_with(&lower), distance(&lower, right));
        let nearest = known.iter().copied().min_by_key(|right| rank(right));
        let nearest = nearest.filter(|right| distance(&lower, right) <= right.len() / 2);
        Self { kind, name: name.to_owned(), nearest, known }
    }
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no {} {:?}", self.kind, self.name)?;
        if let Some(nearest) = self.nearest {
            write!(f, "; did you mean {nearest:?}?")?;
        }
        write!(f, " (known: {})", self.known.join(", "))
    }
}

impl std::error::Error for UnknownName {}

/// How many characters must be added, removed or replaced to make one text of the other (Levenshtein).
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.chars().count()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.chars().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.chars().count()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_name_leads_to_the_right_one() {
        let nearest = |name: &str| algorithm(name).unwrap_err().nearest;
        assert_eq!(nearest("cmt-rpv3"), Some("cmt-rpv1"));
        assert_eq!(nearest("CMT_RPv2"), Some("cmt-rpv2"));
        assert_eq!(nearest("new-reno"), Some("newreno"));
        assert_eq!(nearest("mptcp"), Some("mptcp-like"));
        assert_eq!(nearest("bbr"), None);
    }

    #[test]
    fn the_error_is_one_line_with_the_remedy() {
        let error = algorithm("newrena").unwrap_err().to_string();
        let known: Vec<_> = algorithms().iter().map(|entry| entry.name).collect();
        let remedy = "there is no congestion control \"newrena\"; did you mean \"newreno\"? (known: newreno, ";
        assert!(error.starts_with(remedy) && !error.contains('\n'), "{error}");
        assert!(error.ends_with(&format!("{})", known.join(", "))), "{error}");
    }

    #[test]
    fn names_are_unique_and_summaries_fit_a_line() {
        for (index, entry) in algorithms().iter().enumerate() {
            assert!(algorithms()[..index].iter().all(|other| other.name != entry.name));
            assert!(!entry.summary.is_empty() && entry.summary.len() <= 80, "{}", entry.name);
        }
    }

    #[test]
    fn distances_by_hand() {
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("same", "same"), 0);
    }
}
