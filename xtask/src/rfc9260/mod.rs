//! The rules of RFC 9260: the tests of each MUST and SHOULD, and the rules that are not implemented.

mod page;
mod tests_by_name;

use crate::tree::{Finding, Tree};
use crate::{Findings, Page, rfc9260::tests_by_name::Tests};
use serde::Deserialize;

const FOLDER: &str = "spec/rfc9260/";

/// Checks the rules.
pub(crate) fn check(tree: &Tree) -> Findings {
    Ok(broken(&chapters(tree)?, &Tests::of(tree)?))
}

/// The page of all chapters, and a page of each.
pub(crate) fn pages(tree: &Tree) -> Result<Vec<Page>, String> {
    let (chapters, tests) = (chapters(tree)?, Tests::of(tree)?);
    let overview =
        Page { place: "reference/rfc9260.md".to_owned(), text: page::overview(&chapters) };
    let each = chapters.iter().map(|chapter| Page {
        place: format!("reference/rfc9260/{}.md", chapter.name()),
        text: page::of_chapter(chapter, &tests),
    });
    Ok([overview].into_iter().chain(each).collect())
}

/// One file of `spec/rfc9260`: one chapter of the standard.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Chapter {
    #[serde(skip)]
    file: String,
    title: String,
    rule: Vec<Rule>,
}

impl Chapter {
    /// The name of its file, without the folder and the ending.
    fn name(&self) -> &str {
        self.file.trim_start_matches(FOLDER).trim_end_matches(".toml")
    }
}

/// A MUST or SHOULD in our own words.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Rule {
    /// The section of the rule.
    at: String,
    level: Level,
    says: String,
    /// Names of its tests, as `function`, or `file::function` if the function name is not unique.
    #[serde(default)]
    tests: Vec<String>,
    /// The reason why there is no test.
    status: Option<Status>,
    /// Details about the status, or about the limits of the tests.
    note: Option<String>,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
enum Level {
    #[serde(rename = "MUST")]
    Must,
    #[serde(rename = "MUST NOT")]
    MustNot,
    #[serde(rename = "SHOULD")]
    Should,
    #[serde(rename = "SHOULD NOT")]
    ShouldNot,
    /// Expressed in the plain present tense, like most rules about timers.
    #[serde(rename = "plain")]
    Plain,
}

impl Level {
    const fn words(self) -> &'static str {
        match self {
            Self::Must => "MUST",
            Self::MustNot => "MUST NOT",
            Self::Should => "SHOULD",
            Self::ShouldNot => "SHOULD NOT",
            Self::Plain => "plain",
        }
    }
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
enum Status {
    /// Not implemented.
    #[serde(rename = "not built")]
    NotBuilt,
    /// Implemented, but not tested.
    #[serde(rename = "untested")]
    Untested,
    /// Binds something outside this stack: the network layer, the user, or another option of a choice.
    #[serde(rename = "not ours")]
    NotOurs,
}

fn chapters(tree: &Tree) -> Result<Vec<Chapter>, String> {
    let texts = tree.texts(&[".toml"])?;
    let mut chapters = Vec::new();
    for (file, text) in texts.into_iter().filter(|(file, _)| file.starts_with(FOLDER)) {
        let chapter: Chapter = toml::from_str(&text).map_err(|error| format!("{file}: {error}"))?;
        chapters.push(Chapter { file: file.to_owned(), ..chapter });
    }
    chapters.sort_by_key(|chapter| chapter.rule.first().map(|rule| numbers(&rule.at)));
    Ok(chapters)
}

/// Rules that name an unknown test, have both or neither of tests and status, or are out of order.
fn broken(chapters: &[Chapter], tests: &Tests) -> Vec<Finding> {
    let mut findings = Vec::new();
    for chapter in chapters {
        let mut before = Vec::new();
        for rule in &chapter.rule {
            let mut report = |says: String| {
                findings.push(Finding::on(&chapter.file, format!("{} {says}", about(rule))));
            };
            if rule.tests.is_empty() == rule.status.is_none() {
                report("needs either tests or a status".to_owned());
            }
            for name in &rule.tests {
                match tests.find(name).len() {
                    0 => report(format!("names the test `{name}`, which does not exist")),
                    1 => {}
                    _ => report(format!(
                        "names the test `{name}`, which exists twice: write `file::{name}`"
                    )),
                }
            }
            let section = numbers(&rule.at);
            if section < before {
                report("stands after a later section".to_owned());
            }
            before = section;
        }
    }
    findings
}

fn about(rule: &Rule) -> String {
    let says: String = rule.says.chars().take(40).collect();
    format!("§{} \"{says}…\"", rule.at)
}

fn numbers(section: &str) -> Vec<u32> {
    section.split('.').filter_map(|number| number.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{Fixture, lines};

    const TEST: &str = "//! Doc.\n#[test]\nfn four_way_handshake() {}\n";

    fn found(rules: &str) -> Vec<String> {
        let spec = format!("title = \"Setup\"\n{rules}");
        let fixture =
            Fixture::new(&[("spec/rfc9260/5.toml", &spec), ("crates/sctp/tests/setup.rs", TEST)]);
        lines(&check(&fixture.tree()).expect("the specification can be read"))
    }

    #[test]
    fn rules_with_a_test_or_a_status_pass() {
        let covered = "[[rule]]\nat = \"5.1\"\nlevel = \"MUST\"\nsays = \"a\"\ntests = [\"four_way_handshake\"]\n";
        let open = "[[rule]]\nat = \"5.10\"\nlevel = \"SHOULD NOT\"\nsays = \"b\"\nstatus = \"not built\"\n";
        assert_eq!(found(&format!("{covered}{open}")), [""; 0]);
    }

    #[test]
    fn a_test_that_does_not_exist_is_found() {
        assert_eq!(
            found("[[rule]]\nat = \"5.1\"\nlevel = \"MUST\"\nsays = \"a\"\ntests = [\"gone\"]\n"),
            ["spec/rfc9260/5.toml: §5.1 \"a…\" names the test `gone`, which does not exist"]
        );
    }

    #[test]
    fn a_rule_that_says_nothing_of_its_test_is_found() {
        assert_eq!(
            found("[[rule]]\nat = \"5.1\"\nlevel = \"MUST\"\nsays = \"a\"\n"),
            ["spec/rfc9260/5.toml: §5.1 \"a…\" needs either tests or a status"]
        );
    }

    #[test]
    fn sections_stand_in_order() {
        let rule = |at: &str| {
            format!(
                "[[rule]]\nat = \"{at}\"\nlevel = \"MUST\"\nsays = \"a\"\nstatus = \"untested\"\n"
            )
        };
        assert_eq!(found(&format!("{}{}", rule("5.10"), rule("5.9"))).len(), 1);
        assert_eq!(found(&format!("{}{}", rule("5.9"), rule("5.10"))), [""; 0]);
    }

    #[test]
    fn an_unknown_level_is_an_error_that_names_the_file() {
        let fixture = Fixture::new(&[(
            "spec/rfc9260/5.toml",
            "title = \"x\"\n[[rule]]\nat = \"5\"\nlevel = \"MAY\"\nsays = \"a\"\n",
        )]);
        let error = check(&fixture.tree()).expect_err("MAY is not a level");
        assert!(error.starts_with("spec/rfc9260/5.toml: "), "{error}");
    }
    #[test]
    fn a_chapter_has_a_page_with_links_to_its_tests() {
        let rule = "[[rule]]\nat = \"5.1\"\nlevel = \"MUST\"\nsays = \"a|b\"\ntests = [\"four_way_handshake\"]\n";
        let spec = format!("title = \"5 Setup\"\n{rule}");
        let files =
            [("spec/rfc9260/5-setup.toml", &spec[..]), ("crates/sctp/tests/setup.rs", TEST)];
        let pages = pages(&Fixture::new(&files).tree()).expect("the specification can be read");
        assert_eq!(pages[0].place, "reference/rfc9260.md");
        assert!(pages[0].text.contains("| [5 Setup](rfc9260/5-setup.md) | 1 | 1 | 0 | 0 | 0 |"));
        assert_eq!(pages[1].place, "reference/rfc9260/5-setup.md");
        let row =
            "| 5.1 | MUST | a\\|b | [four_way_handshake](../../../crates/sctp/tests/setup.rs) |\n";
        assert!(pages[1].text.ends_with(row), "{}", pages[1].text);
    }
}
