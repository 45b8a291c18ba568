//! A report of sizes: median size of a file, share of small files, largest files, and longest Python functions.

use super::functions;
use crate::tree::Tree;
use std::fmt::Write as _;

/// A file with at most this number of lines is small.
const SMALL: usize = 400;

/// Lines per file for Rust and Python, and per function for Python.
pub(crate) fn report(tree: &Tree) -> Result<String, String> {
    let mut out = String::new();
    for (language, ending) in [("Rust", ".rs"), ("Python", ".py")] {
        let texts = tree.texts(&[ending])?;
        let mut sizes: Vec<(usize, &str)> = texts
            .iter()
            .map(|(file, text)| (text.lines().count(), *file))
            .filter(|(lines, _)| *lines > 0)
            .collect();
        sizes.sort_unstable_by(|a, b| b.cmp(a));
        let mut longest: Vec<(usize, String)> = texts
            .iter()
            .flat_map(|(file, text)| {
                functions::all(file, text)
                    .into_iter()
                    .map(move |f| (f.lines, format!("{file}: {}", f.name)))
            })
            .collect();
        longest.sort_unstable_by(|a, b| b.cmp(a));
        summary(&mut out, language, &sizes);
        largest(&mut out, "largest files", sizes.iter().map(|(lines, file)| (*lines, *file)));
        if !longest.is_empty() {
            let rows = longest.iter().map(|(lines, name)| (*lines, name.as_str()));
            largest(&mut out, "longest functions", rows);
        }
    }
    Ok(out)
}

fn summary(out: &mut String, language: &str, sizes: &[(usize, &str)]) {
    let total: usize = sizes.iter().map(|(lines, _)| lines).sum();
    let median = sizes.get(sizes.len() / 2).map_or(0, |(lines, _)| *lines);
    let small = sizes.iter().filter(|(lines, _)| *lines <= SMALL).count();
    let share = if sizes.is_empty() { 100 } else { 100 * small / sizes.len() };
    let _ = writeln!(
        out,
        "{language}: {} files, {total} lines, median {median}, {share} % of the files have at most {SMALL} lines",
        sizes.len()
    );
}

fn largest<'a>(out: &mut String, title: &str, rows: impl Iterator<Item = (usize, &'a str)>) {
    let _ = writeln!(out, "  {title}");
    for (lines, name) in rows.take(5) {
        let _ = writeln!(out, "  {lines:>5}  {name}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Fixture;

    #[test]
    fn the_report_counts_what_is_there() {
        let large = "//! Doc.\n".repeat(500);
        let fixture = Fixture::new(&[
            ("a.rs", "//! A.\nfn f() {\n}\n"),
            ("b.rs", &large),
            ("c.rs", "//! C.\n"),
            ("d.py", "def f():\n    return 1\n"),
        ]);
        let report = report(&fixture.tree()).expect("files can be read");
        assert!(
            report.starts_with("Rust: 3 files, 504 lines, median 3, 66 % of the files"),
            "{report}"
        );
        assert!(report.contains("    2  d.py: f\n"), "{report}");
    }
}
