//! The pages with the tests of each rule of RFC 9260.

use super::{Chapter, Rule, Status, Tests};
use std::fmt::Write as _;

/// The page of all chapters, as Markdown.
pub(super) fn overview(chapters: &[Chapter]) -> String {
    let mut out = String::from(
        "# RFC 9260: implemented rules and their tests\n\n\
         The pages of the chapters list every MUST and SHOULD of chapters 5 to 9 in our own words, and the main procedures\n\
         that the standard states without a keyword (*plain*). With MUST NOT and SHOULD NOT, the rule is the forbidden\n\
         action. The standard's text is binding. *Untested* rules are implemented without a test. Rules that are *not ours*\n\
         bind something outside this stack, or an alternative that it does not use. `spec/rfc9260/` has the rules as\n\
         data; `cargo xtask rfc9260` checks that their tests exist.\n\n",
    );
    summary(&mut out, chapters);
    out
}

/// The page of a chapter, as Markdown.
pub(super) fn of_chapter(chapter: &Chapter, tests: &Tests) -> String {
    let mut out = format!(
        "# RFC 9260, {}\n\n[All chapters](../rfc9260.md), and the meaning of the columns.\n\n\
         | section | level | rule | covered by |\n| --- | --- | --- | --- |\n",
        chapter.title
    );
    for rule in &chapter.rule {
        let says = rule.says.replace('|', "\\|");
        let level = rule.level.words();
        let _ = writeln!(out, "| {} | {level} | {says} | {} |", rule.at, coverage(rule, tests));
    }
    out
}

fn summary(out: &mut String, chapters: &[Chapter]) {
    out.push_str("| chapter | rules | covered | untested | not built | not ours |\n| --- | --- | --- | --- | --- | --- |\n");
    let all = chapters.iter().flat_map(|chapter| &chapter.rule).collect();
    let rows = chapters.iter().map(|chapter| {
        let link = format!("[{}](rfc9260/{}.md)", chapter.title, chapter.name());
        (link, chapter.rule.iter().collect::<Vec<_>>())
    });
    for (title, rules) in rows.chain([("all".to_owned(), all)]) {
        let count = |status| rules.iter().filter(|rule| rule.status == status).count();
        let _ = writeln!(
            out,
            "| {title} | {} | {} | {} | {} | {} |",
            rules.len(),
            count(None),
            count(Some(Status::Untested)),
            count(Some(Status::NotBuilt)),
            count(Some(Status::NotOurs)),
        );
    }
}

fn coverage(rule: &Rule, tests: &Tests) -> String {
    let mut parts: Vec<String> = rule
        .tests
        .iter()
        .map(|name| match tests.find(name).first() {
            Some(test) => format!("[{}](../../../{})", test.name, test.file),
            None => name.clone(),
        })
        .collect();
    parts.extend(rule.status.map(|status| {
        let words = match status {
            Status::NotBuilt => "not built",
            Status::Untested => "untested",
            Status::NotOurs => "not ours",
        };
        format!("*{words}*")
    }));
    let cell = parts.join(", ");
    match &rule.note {
        Some(note) => format!("{cell}: {note}"),
        None => cell,
    }
}
