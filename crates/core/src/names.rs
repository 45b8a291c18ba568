//! The search for names that are similar to a wrong one, for error messages.

/// The `known` name that is most similar to `given`, if there is a similar one.
pub fn nearest<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    similar(given, known).first().copied()
}

/// The `known` names that are similar to `given`, most similar first; case does not matter.
///
/// Two names are similar if one begins with the other, or if at least half of the longer one is equal.
pub fn similar<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let given: Vec<char> = given.chars().collect();
    let ranked = known.into_iter().filter_map(|name| Some((similarity(&given, name)?, name)));
    let mut ranked: Vec<_> = ranked.collect();
    ranked.sort_by(|left, right| right.0.total_cmp(&left.0));
    ranked.into_iter().map(|(_, name)| name).collect()
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
    fn similar_names_are_listed_by_similarity() {
        assert_eq!(similar("soth", ["north", "access", "south"]), ["south", "north"]);
        assert_eq!(similar("SOUTH", ["north", "south"]), ["south", "north"]);
        assert_eq!(similar("cmt-rpv3", ["cmt-rpv1", "cmt-rpv2"]), ["cmt-rpv1", "cmt-rpv2"]);
        assert_eq!(similar("minimum", ["initial", "min"]), ["min"]);
        assert_eq!(similar("mptcp", ["ewtcp", "mptcp-like"]), ["mptcp-like", "ewtcp"]);
        assert_eq!(nearest("cc:2013", ["cc", "cc:2011"]), Some("cc:2011"));
        assert_eq!(nearest("quantum-on-ice", ["lia-eunice"]), None);
        assert!(similar("x", ["north"]).is_empty() && similar("", ["north", ""]).is_empty());
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
