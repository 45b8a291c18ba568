//! Purity: pure crates must not use clocks, sockets, threads, files, global randomness, or mathematical functions that
//! depend on the platform.

use crate::Findings;
use crate::layers::LAYERS;
use crate::mask;
use crate::tree::{Finding, Tree};

/// Types that are not pure, wherever they are imported from.
const TYPES: &[&str] = &[
    "HashMap",
    "HashSet",
    "Instant",
    "RandomState",
    "SystemTime",
    "TcpListener",
    "TcpStream",
    "UdpSocket",
    "UnixStream",
    "thread_rng",
];

/// Modules of the standard library that are not pure. `std::net` is allowed, because its address types are plain
/// values.
const MODULES: &[&str] = &["env", "fs", "io", "os", "process", "thread"];

/// Methods of `f64` whose last bit depends on the platform; `libm` has portable versions.
const METHODS: &[&str] = &[
    "acos", "asin", "atan", "atan2", "cbrt", "cos", "cosh", "exp", "exp2", "exp_m1", "hypot", "ln",
    "ln_1p", "log10", "log2", "powf", "powi", "sin", "sinh", "tan", "tanh",
];

/// The begin of a file's unit tests, which are exempt.
const TESTS: &str = "#[cfg(test)]\nmod tests {";

/// Every forbidden word in the sources of pure crates.
pub(crate) fn check(tree: &Tree) -> Findings {
    let mut findings = Vec::new();
    for layer in LAYERS.iter().filter(|layer| layer.pure) {
        let folder = format!("crates/{}/src/", layer.name);
        for (file, text) in tree.texts(&[".rs"])? {
            if file.starts_with(&folder) {
                findings.extend(forbidden_words(file, &text));
            }
        }
    }
    Ok(findings)
}

fn forbidden_words(file: &str, text: &str) -> Vec<Finding> {
    let code = mask::code(text);
    let code = code.split(TESTS).next().unwrap_or_default();
    let words = words(code);
    let mut findings = Vec::new();
    let mut report = |line, word: &str, remedy| {
        findings.push(Finding::at(
            file,
            line,
            format!("a pure crate must not know `{word}`: {remedy}"),
        ));
    };
    for (at, word) in words.iter().enumerate() {
        if TYPES.contains(&word.text) {
            report(word.line, word.text, "it comes from the caller");
        }
        if METHODS.contains(&word.text)
            && code[..word.start].ends_with('.')
            && code[word.end..].starts_with('(')
        {
            report(word.line, word.text, "use `libm`");
        }
        if word.text == "std" {
            for module in
                modules_after(code, &words, at).filter(|word| MODULES.contains(&word.text))
            {
                report(module.line, module.text, "input and output belong above");
            }
        }
    }
    findings
}

struct Word<'a> {
    text: &'a str,
    start: usize,
    end: usize,
    line: usize,
}

/// The names directly below `std`: one in `std::fs::File`, two in `std::{fs, thread::Builder}`.
fn modules_after<'a, 'b>(
    code: &'a str,
    words: &'b [Word<'a>],
    at: usize,
) -> impl Iterator<Item = &'b Word<'a>> {
    let path = code[words[at].end..].strip_prefix("::").unwrap_or("");
    let end = match path.strip_prefix('{') {
        Some(group) => words[at].end + 3 + group.find(';').unwrap_or(0),
        None if path.is_empty() => words[at].end,
        None => words[at].end + 3,
    };
    words[at + 1..].iter().take_while(move |word| word.start < end).filter(|word| {
        let before = code[..word.start].trim_end();
        before.ends_with(['{', ',']) || before.ends_with("std::")
    })
}

/// Identifiers with their positions.
fn words(code: &str) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    let (mut line, mut start) = (1, None);
    for (at, c) in code.char_indices().chain([(code.len(), ' ')]) {
        let inside = c.is_alphanumeric() || c == '_';
        match start {
            None if inside => start = Some(at),
            Some(begun) if !inside => {
                words.push(Word { text: &code[begun..at], start: begun, end: at, line });
                start = None;
            }
            _ => {}
        }
        line += usize::from(c == '\n');
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{Fixture, lines};

    fn found(text: &str) -> Vec<String> {
        let fixture = Fixture::new(&[("crates/core/src/lib.rs", text)]);
        lines(&check(&fixture.tree()).expect("files can be read"))
    }

    #[test]
    fn addresses_and_square_roots_are_pure() {
        assert_eq!(
            found(
                "//! `Instant` in prose.\nuse std::net::IpAddr;\nfn f(x: f64) -> f64 { x.sqrt() }\n"
            ),
            [""; 0]
        );
    }

    #[test]
    fn a_clock_is_found() {
        assert_eq!(
            found("use std::time::Instant;\n"),
            [
                "crates/core/src/lib.rs:1: a pure crate must not know `Instant`: it comes from the caller"
            ]
        );
    }

    #[test]
    fn modules_are_found_alone_and_in_groups() {
        assert_eq!(found("fn f() { std::fs::read(\"x\"); }\n").len(), 1);
        assert_eq!(found("use std::{fmt, fs::File,\n    thread};\n").len(), 2);
        assert_eq!(found("use std::fmt;\nmod fs { pub(crate) fn io() {} }\n"), [""; 0]);
    }

    #[test]
    fn platform_mathematics_is_found() {
        assert_eq!(found("fn f(x: f64) -> f64 { x.powf(0.5) + libm::exp(x) }\n").len(), 1);
    }

    #[test]
    fn unit_tests_may_do_what_they_need() {
        let code =
            "fn f() {}\n\n#[cfg(test)]\nmod tests {\n    fn g(x: f64) -> f64 { x.powi(2) }\n}\n";
        assert_eq!(found(code), [""; 0]);
    }

    #[test]
    fn other_crates_may_do_what_they_need() {
        let fixture = Fixture::new(&[("crates/lab/src/lib.rs", "use std::time::Instant;\n")]);
        assert_eq!(check(&fixture.tree()).expect("files can be read"), []);
    }
}
