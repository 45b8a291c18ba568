//! The locked versions of the packages that a package depends on.

use std::collections::BTreeSet;

/// Returns the entries of `lock`, a `Cargo.lock`, for the package `root` and all that it depends on, in the file's
/// order.
///
/// So a version that is computed from them does not change with packages that only other programs need.
pub(crate) fn below(root: &str, lock: &str) -> String {
    let entries: Vec<&str> = lock.split("[[package]]\n").skip(1).collect();
    let mut wanted = BTreeSet::new();
    let mut open = vec![root];
    while let Some(name) = open.pop() {
        for (index, entry) in entries.iter().enumerate() {
            if is_of(entry, name) && wanted.insert(index) {
                open.extend(dependencies(entry));
            }
        }
    }
    wanted.into_iter().map(|index| entries[index]).collect()
}

/// Whether an entry is for `name`: the name alone, or the name, a space and its version.
fn is_of(entry: &str, name: &str) -> bool {
    let mut words = name.split(' ');
    value(entry, "name") == words.next()
        && words.next().is_none_or(|version| value(entry, "version") == Some(version))
}

fn value<'a>(entry: &'a str, field: &str) -> Option<&'a str> {
    let line = entry.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(" = \""))?;
    line.strip_suffix('"')
}

fn dependencies(entry: &str) -> impl Iterator<Item = &str> {
    let list = entry.split_once("dependencies = [\n").map_or("", |(_, list)| list);
    list.lines().take_while(|line| *line != "]").map(|line| line.trim_matches([' ', '"', ',']))
}
