//! Citations in comments: each tag needs an entry in REFERENCES.md, and each RFC section is listed with the files that
//! cite it.

use crate::mask;
use crate::tree::{Finding, Tree};
use crate::{Findings, Page};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

const REFERENCES: &str = "REFERENCES.md";

/// Files with citations: sources, whose comments count, and pages.
const SOURCES: &[&str] = &[".rs", ".py", ".pyi", ".toml", ".md"];

/// Checks the tags.
pub(crate) fn check(tree: &Tree) -> Findings {
    undefined(tree, &citations(tree)?)
}

/// The page of citations.
pub(crate) fn page_of(tree: &Tree) -> Result<Page, String> {
    Ok(Page { place: "reference/citations.md".to_owned(), text: page(&citations(tree)?) })
}

/// A citation: `[D11]`, or `RFC 9260` with or without a section.
struct Citation {
    file: String,
    line: usize,
    tag: String,
    section: Option<String>,
}

fn citations(tree: &Tree) -> Result<Vec<Citation>, String> {
    let mut citations = Vec::new();
    for (file, text) in tree.texts(SOURCES)? {
        if file == REFERENCES || file.starts_with("xtask/") {
            continue;
        }
        let text = if file.ends_with(".rs") { mask::comments(&text) } else { text };
        for (at, line) in text.lines().enumerate() {
            for (tag, section) in tags(line) {
                citations.push(Citation { file: file.to_owned(), line: at + 1, tag, section });
            }
        }
    }
    Ok(citations)
}

/// Tags without an entry in REFERENCES.md. An entry begins with its tag in bold: `- **[D11]** ...`.
fn undefined(tree: &Tree, citations: &[Citation]) -> Findings {
    let references = tree.read(REFERENCES)?;
    let entries = references.lines().filter_map(|line| line.strip_prefix("- **")?.split_once("**"));
    let known: BTreeSet<&str> = entries.map(|(tag, _)| tag.trim_matches(['[', ']'])).collect();
    let unknown = citations.iter().filter(|citation| !known.contains(citation.tag.as_str()));
    Ok(unknown
        .map(|c| Finding::at(&c.file, c.line, format!("{} has no entry in {REFERENCES}", c.tag)))
        .collect())
}

/// The tags of a line, in order, with the section after an RFC number.
fn tags(line: &str) -> Vec<(String, Option<String>)> {
    let mut found = Vec::new();
    for (at, _) in line.match_indices('[') {
        let tag: String = line[at + 1..].chars().take_while(char::is_ascii_alphanumeric).collect();
        let closed = line[at + 1 + tag.len()..].trim_start_matches('\\').starts_with(']');
        if closed && is_paper(&tag) {
            found.push((tag, None));
        }
    }
    for (at, _) in line.match_indices("RFC ") {
        let rest = &line[at + 4..];
        let number: String = rest.chars().take_while(char::is_ascii_digit).collect();
        if (3..=5).contains(&number.len()) {
            found.push((format!("RFC {number}"), section(&rest[number.len()..])));
        }
    }
    found
}

/// A capital letter and two digits of the year.
fn is_paper(tag: &str) -> bool {
    let bytes = tag.as_bytes();
    bytes.len() == 3 && bytes[0].is_ascii_uppercase() && bytes[1..].iter().all(u8::is_ascii_digit)
}

/// `§6.3.3`, `section 6.3.3`, `6.3.3` or `(2.3)` directly after the number.
fn section(rest: &str) -> Option<String> {
    let rest = rest.trim_start_matches([',', ':', ' ']);
    let rest = ["§", "Section", "section", "sec."]
        .iter()
        .find_map(|word| rest.strip_prefix(word))
        .unwrap_or(rest);
    let number: String = rest
        .trim_start_matches([' ', '('])
        .chars()
        .take_while(|c| c.is_ascii_digit() || *c == '.')
        .collect();
    let number = number.trim_end_matches('.');
    let is_year = number.len() == 4 && !number.contains('.');
    (!number.is_empty() && !is_year).then(|| number.to_owned())
}

/// The files that cite each section of each RFC. Without line numbers, so that the page only changes with citations.
fn page(citations: &[Citation]) -> String {
    let mut by_tag: BTreeMap<&str, BTreeMap<Vec<u32>, BTreeSet<&str>>> = BTreeMap::new();
    for citation in citations.iter().filter(|citation| !citation.file.ends_with(".md")) {
        let numbers = citation.section.iter().flat_map(|section| section.split('.'));
        let key = numbers.filter_map(|number| number.parse().ok()).collect();
        by_tag.entry(&citation.tag).or_default().entry(key).or_default().insert(&citation.file);
    }
    let mut out = String::from(
        "# What is cited where\n\n\
         Sections of papers and standards, and the source files whose comments cite them. [References](../../REFERENCES.md) has\n\
         the works.\n",
    );
    for (tag, sections) in by_tag {
        let _ = write!(out, "\n## {tag}\n\n| section | cited in |\n| --- | --- |\n");
        for (key, files) in sections {
            let section: Vec<String> = key.iter().map(u32::to_string).collect();
            let section = if section.is_empty() { "(whole)".to_owned() } else { section.join(".") };
            let links: Vec<String> =
                files.iter().map(|file| format!("[{file}](../../{file})")).collect();
            let _ = writeln!(out, "| {section} | {} |", links.join(", "));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{Fixture, lines};

    const LIST: &str = "# References\n\n- **[D11]** A paper.\n- **RFC 9260** A standard.\n";

    fn found(source: &str) -> Vec<String> {
        let fixture = Fixture::new(&[("REFERENCES.md", LIST), ("a.rs", source)]);
        lines(&check(&fixture.tree()).expect("files can be read"))
    }

    #[test]
    fn known_tags_pass() {
        assert_eq!(
            found("//! [D11] eq. 2, RFC 9260 §6.3.3 R2\nconst A: &str = \"RFC 1\";\n"),
            [""; 0]
        );
    }

    #[test]
    fn unknown_tags_are_found_with_their_line() {
        assert_eq!(
            found("//! Doc.\n// [D99] and RFC 1234\n"),
            [
                "a.rs:2: D99 has no entry in REFERENCES.md",
                "a.rs:2: RFC 1234 has no entry in REFERENCES.md"
            ]
        );
    }

    #[test]
    fn sections_are_read_in_every_spelling() {
        let sections =
            |line: &str| tags(line).into_iter().map(|(_, section)| section).collect::<Vec<_>>();
        for line in
            ["RFC 9260 §6.3.3 R2", "RFC 9260, section 6.3.3.", "RFC 9260 6.3.3", "RFC 9260 (6.3.3)"]
        {
            assert_eq!(sections(line), [Some("6.3.3".to_owned())], "{line}");
        }
        assert_eq!(sections("RFC 9260 says"), [None]);
        assert_eq!(tags("/// \\[D11\\] eq. 2"), [("D11".to_owned(), None)]);
        assert_eq!(sections("an array [u8] and [D1]"), []);
    }

    #[test]
    fn the_page_sorts_sections_by_number() {
        let source = "//! Doc.\n// RFC 9260 §6.10\n// RFC 9260 §6.2\n";
        let fixture = Fixture::new(&[("REFERENCES.md", LIST), ("a.rs", source)]);
        let page = page_of(&fixture.tree()).expect("files can be read").text;
        assert!(page.find("| 6.2 |") < page.find("| 6.10 |"), "{page}");
        assert!(page.contains("| 6.2 | [a.rs](../../a.rs) |"), "{page}");
    }
}
