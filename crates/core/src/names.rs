//! The hint in the error message for an unknown name.

/// The hint for the unknown name `given`: the most similar of the `known` names, and all of them if they are few.
///
/// ```
/// let hint = manypath_core::remedy("soth", ["north", "south"]);
/// assert_eq!(hint, "did you mean \"south\"? (known: north, south)");
/// ```
pub fn remedy<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    let listed = &known[..known.len().min(MANY)];
    let more = match known.len() - listed.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let all = format!("known: {}{more}", listed.join(", "));
    match nearest(given, &known) {
        _ if known.is_empty() => "there is none".to_owned(),
        None => all,
        Some(nearest) if known.len() > FEW => format!("did you mean \"{nearest}\"?"),
        Some(nearest) => format!("did you mean \"{nearest}\"? ({all})"),
    }
}

/// Up to this number of names, a hint with a similar name also lists all names.
const FEW: usize = 8;
/// Largest number of names in a list.
const MANY: usize = 30;

/// The name of `known` that is most similar to `given`, if there is a similar one; case does not matter.
///
/// Two names are similar if one begins with the other, or if at least half of the longer one is equal.
#[must_use]
pub fn nearest<'a>(given: &str, known: &[&'a str]) -> Option<&'a str> {
    let given: Vec<char> = given.chars().collect();
    let ranked = known.iter().filter_map(|name| Some((similarity(&given, name)?, *name)));
    // Of equally similar names, the first one.
    let best = ranked.rev().max_by(|left, right| left.0.total_cmp(&right.0));
    best.map(|(_, name)| name)
}

/// The part of the longer name that is equal in both names, plus 1 if `name` begins with `given`; `None` if they are not
/// similar.
fn similarity(given: &[char], name: &str) -> Option<f64> {
    let name: Vec<char> = name.chars().collect();
    let (shorter, longer) = (given.len().min(name.len()), given.len().max(name.len()));
    let begins = given.iter().zip(&name).all(|(left, right)| left.eq_ignore_ascii_case(right));
    let equal = longer - distance(given, &name);
    let similar = shorter > 0 && (begins || 2 * equal >= longer);
    let completes = begins && given.len() == shorter;
    similar.then(|| equal as f64 / longer as f64 + f64::from(u8::from(completes)))
}

/// The number of characters to add, remove, replace, or exchange with the next one (Damerau and Levenshtein, optimal
/// string alignment).
fn distance(from: &[char], to: &[char]) -> usize {
    let equal = |i: usize, j: usize| from[i - 1].eq_ignore_ascii_case(&to[j - 1]);
    let mut rows: Vec<Vec<usize>> = vec![(0..=to.len()).collect()];
    for i in 1..=from.len() {
        let mut row = vec![i];
        for j in 1..=to.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(!equal(i, j));
            let mut least = replaced.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && equal(i, j - 1) && equal(i - 1, j) {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[from.len()][to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_the_most_similar_one() {
        assert_eq!(nearest("soth", &["north", "access", "south"]), Some("south"));
        assert_eq!(nearest("SOUTH", &["north", "south"]), Some("south"));
        assert_eq!(nearest("cmt-rpv3", &["cmt-rpv1", "cmt-rpv2"]), Some("cmt-rpv1"));
        assert_eq!(nearest("minimum", &["initial", "min"]), Some("min"));
        assert_eq!(nearest("mptcp", &["ewtcp", "mptcp-like"]), Some("mptcp-like"));
        assert_eq!(nearest("cc:2013", &["cc", "cc:2011"]), Some("cc:2011"));
        assert_eq!(nearest("quantum-on-ice", &["lia-eunice"]), None);
        assert_eq!((nearest("x", &["north"]), nearest("", &["north", ""])), (None, None));
    }

    #[test]
    fn a_hint_lists_few_names_whole_and_many_in_part() {
        let names: Vec<String> = (1..=60).map(|number| format!("south-{number:02}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let few = |given| remedy(given, names[..2].iter().copied());
        let many = |given| remedy(given, names.iter().copied());
        assert_eq!(few("south-1"), "did you mean \"south-01\"? (known: south-01, south-02)");
        assert_eq!(few("x"), "known: south-01, south-02");
        assert_eq!(many("south-1"), "did you mean \"south-10\"?");
        let listed = many("x");
        assert!(listed.starts_with("known: south-01, south-02, "), "{listed}");
        assert!(listed.ends_with(", south-30 and 30 more"), "{listed}");
        assert_eq!(remedy("x", []), "there is none");
    }

    #[test]
    fn distances_equal_calculated_ones() {
        let distance = |from: &str, to: &str| {
            distance(&from.chars().collect::<Vec<_>>(), &to.chars().collect::<Vec<_>>())
        };
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("same", "SAME"), 0);
        assert_eq!(distance("ila", "lia"), 1);
        assert_eq!(distance("lenght", "length"), 1);
    }
}
