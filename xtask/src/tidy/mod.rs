//! Sizes, doc lines, names, words and blanks, which no other tool checks.

mod functions;
mod report;
mod words;

use crate::Findings;
use crate::mask;
use crate::tree::{Finding, Tree};
use std::path::Path;

pub(crate) use report::report;

/// The endings of the files to which the rules apply.
const TEXTS: &[&str] = &[
    ".rs", ".py", ".pyi", ".toml", ".md", ".html", ".j2", ".css", ".js", ".sh", ".yml", ".yaml",
    ".cff", ".ci/run", "Makefile",
];

/// The largest number of lines of a file.
const MOST_LINES: usize = 800;

/// Names that say nothing about the content.
const EMPTY_NAMES: &[&str] = &["base", "common", "helpers", "manager", "misc", "util", "utils"];

/// Marks of unfinished work.
const MARKS: &[&str] = &["TODO", "FIXME", "XXX"];

/// Every violation of the rules.
pub(crate) fn check(tree: &Tree) -> Findings {
    let mut findings = Vec::new();
    for (file, text) in tree.texts(TEXTS)? {
        findings.extend(check_file(file, &text));
    }
    Ok(findings)
}

fn check_file(file: &str, text: &str) -> Vec<Finding> {
    let mut findings: Vec<Finding> =
        [size(file, text), name(file), doc_line(file, text)].into_iter().flatten().collect();
    findings.extend(blanks(file, text));
    findings.extend(marks(file, text));
    findings.extend(functions::check(file, text));
    findings.extend(words::check(file, text));
    findings
}

fn size(file: &str, text: &str) -> Option<Finding> {
    let lines = text.lines().count();
    (lines > MOST_LINES)
        .then(|| Finding::on(file, format!("{lines} lines, more than {MOST_LINES}: split it")))
}

fn name(file: &str) -> Option<Finding> {
    let path = Path::new(file);
    let is_code = path.extension().is_some_and(|ending| ending == "rs" || ending == "py");
    let parts = path.with_extension("");
    let mut names = parts.iter().filter_map(|part| part.to_str());
    let empty = names.find(|name| EMPTY_NAMES.contains(name)).filter(|_| is_code)?;
    Some(Finding::on(file, format!("`{empty}` says nothing: name the thing that lives there")))
}

/// Checks that the first line of a source file describes its content.
fn doc_line(file: &str, text: &str) -> Option<Finding> {
    let wanted = match file.rsplit_once('.')?.1 {
        "rs" => "//!",
        "py" => "\"\"\"",
        _ => return None,
    };
    let first = text.lines().find(|line| !line.starts_with("#!/"));
    let good = first
        .is_none_or(|line| line.strip_prefix(wanted).is_some_and(|says| !says.trim().is_empty()));
    (!good).then(|| {
        Finding::at(
            file,
            1,
            format!("the first line must be a doc line: `{wanted} What lives here`"),
        )
    })
}

fn blanks(file: &str, text: &str) -> Vec<Finding> {
    let tabs_allowed = file.ends_with("Makefile");
    let mut findings = Vec::new();
    for (at, line) in text.split('\n').enumerate() {
        if line.ends_with([' ', '\t', '\r']) {
            findings.push(Finding::at(file, at + 1, "blank at the end of the line"));
        }
        if !tabs_allowed && line.contains('\t') {
            findings.push(Finding::at(file, at + 1, "tab: use spaces"));
        }
    }
    if !text.is_empty() && (!text.ends_with('\n') || text.ends_with("\n\n")) {
        findings.push(Finding::on(file, "must end with one line break"));
    }
    findings
}

/// Finds unfinished work in comments.
fn marks(file: &str, text: &str) -> Vec<Finding> {
    let comments = match file.rsplit_once('.').map(|(_, ending)| ending) {
        Some("rs") => mask::comments(text),
        Some("md" | "html" | "j2") => return Vec::new(),
        _ => text.to_owned(),
    };
    let mut findings = Vec::new();
    for (at, line) in comments.lines().enumerate() {
        let words = || line.split(|c: char| !c.is_alphanumeric());
        if let Some(mark) = MARKS.iter().find(|mark| words().any(|word| word == **mark)) {
            findings.push(Finding::at(
                file,
                at + 1,
                format!("{mark}: finish it, or open an issue and say nothing"),
            ));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{Fixture, lines};

    fn found(file: &str, text: &str) -> Vec<String> {
        let fixture = Fixture::new(&[(file, text)]);
        lines(&check(&fixture.tree()).expect("files can be read"))
    }

    #[test]
    fn a_good_file_passes() {
        assert_eq!(
            found("crates/cc/src/paths.rs", "//! The paths.\n\npub fn n() -> u8 {\n    2\n}\n"),
            [""; 0]
        );
        assert_eq!(
            found("python/run.py", "#!/usr/bin/env python3\n\"\"\"Run it.\"\"\"\n"),
            [""; 0]
        );
        assert_eq!(found("python/__init__.py", ""), [""; 0]);
        assert_eq!(found("Makefile", "all:\n\techo\n"), [""; 0]);
    }

    #[test]
    fn a_file_of_eight_hundred_lines_passes_and_one_more_does_not() {
        let lines_of = |n: usize| format!("//! Doc.\n{}", "//\n".repeat(n - 1));
        assert_eq!(found("a.rs", &lines_of(800)), [""; 0]);
        assert_eq!(found("a.rs", &lines_of(801)), ["a.rs: 801 lines, more than 800: split it"]);
    }

    #[test]
    fn a_missing_doc_line_is_found() {
        assert_eq!(found("a.rs", "use std::fmt;\n").len(), 1);
        assert_eq!(found("a.rs", "//!\n").len(), 1);
        assert_eq!(found("a.py", "import os\n").len(), 1);
    }

    #[test]
    fn empty_names_are_found_in_files_and_folders() {
        assert_eq!(found("a/util.rs", "//! Doc.\n").len(), 1);
        assert_eq!(found("helpers/mod.rs", "//! Doc.\n").len(), 1);
        assert_eq!(found("docs/misc.md", "Text.\n"), [""; 0]);
    }

    #[test]
    fn blanks_tabs_and_line_ends_are_found() {
        assert_eq!(found("a.toml", "a = 1 \n"), ["a.toml:1: blank at the end of the line"]);
        assert_eq!(found("a.md", "a\tb\n"), ["a.md:1: tab: use spaces"]);
        assert_eq!(found("a.md", "a"), ["a.md: must end with one line break"]);
        assert_eq!(found("a.md", "a\n\n"), ["a.md: must end with one line break"]);
    }

    #[test]
    fn unfinished_work_is_found_in_comments_only() {
        assert_eq!(found("a.rs", "//! Doc.\n// TODO later\n").len(), 1);
        assert_eq!(found("a.rs", "//! Doc.\nconst A: &str = \"TODO\";\n"), [""; 0]);
        assert_eq!(found("a.py", "\"\"\"Doc.\"\"\"\n# FIXME\n").len(), 1);
    }
}
