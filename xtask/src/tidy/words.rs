//! Words that CONTRIBUTING.md refuses, because the standard term or a plain sentence is always better.

use crate::mask;
use crate::tree::Finding;

/// Refused words, with what to write instead.
const WORDS: &[(&str, &str)] = &[
    ("anew", "write again"),
    ("everybody", "name the components"),
    ("foretell", "write predict"),
    ("for ever", "write forever"),
    ("hitherto", "write until then"),
    ("in vain", "name the result"),
    ("likest", "write most similar"),
    ("nobody", "name the component"),
    ("of which", "write two sentences"),
    ("oftener", "write more often"),
    ("somebody", "name the component"),
    ("stranger", "write unknown peer or out of the blue"),
    ("strangers", "write unknown peers or out of the blue"),
    ("whoever", "name the component"),
    ("whomever", "name the component"),
    ("without a word", "write silently, or name the missing message"),
];

/// The page that lists the words.
const RULES: &str = "CONTRIBUTING.md";

/// Refused words in comments and identifiers of Rust, and anywhere in other texts.
pub(super) fn check(file: &str, text: &str) -> Vec<Finding> {
    if file == RULES {
        return Vec::new();
    }
    let is_rust = file.ends_with(".rs");
    let (prose, code) = match is_rust {
        true => (mask::comments(text), mask::code(text)),
        false => (text.to_owned(), String::new()),
    };
    let mut findings = Vec::new();
    for (at, (prose, code)) in
        prose.lines().zip(code.lines().chain(std::iter::repeat(""))).enumerate()
    {
        let prose = spaced(prose);
        let code = spaced(code);
        for (word, instead) in WORDS {
            let padded = format!(" {word} ");
            if prose.contains(&padded) || code.contains(&padded) {
                findings.push(Finding::at(file, at + 1, format!("\"{word}\": {instead}")));
            }
        }
    }
    findings
}

/// The line in lower case with one blank between words and at both ends; parts of identifiers are words.
fn spaced(line: &str) -> String {
    let words = line.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.fold(" ".to_owned(), |line, word| line + &word.to_lowercase() + " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(file: &str, text: &str) -> Vec<String> {
        crate::fixture::lines(&check(file, text))
    }

    #[test]
    fn refused_words_are_found_in_comments_and_names_of_rust() {
        let text = "//! Whoever reads.\nfn nobody_reads() {}\nlet s = \"nobody\";\n";
        assert_eq!(
            found("a.rs", text),
            ["a.rs:1: \"whoever\": name the component", "a.rs:2: \"nobody\": name the component",]
        );
    }

    #[test]
    fn refused_words_are_found_anywhere_in_other_texts() {
        assert_eq!(found("a.py", "x = 'in  vain'\n"), ["a.py:1: \"in vain\": name the result"]);
        assert_eq!(found("a.md", "A newer one is stranger-free.\n").len(), 1);
        assert_eq!(found("a.md", "Renewed.\n"), [""; 0]);
    }

    #[test]
    fn the_page_with_the_rules_may_name_the_words() {
        assert_eq!(found(RULES, "Not *whoever*.\n"), [""; 0]);
    }
}
