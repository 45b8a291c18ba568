//! The version of the engine changes with everything that can change a result, and only with that.

#[path = "../../build/locked.rs"]
mod locked;
#[path = "../../build/tokens.rs"]
mod tokens;

const SOURCE: &str = r##"
//! A queue.

/// Its length.
pub fn length(&self) -> usize {
    self.bytes / 1_500 // in packets
}

#[cfg(test)]
mod tests {
    #[test]
    fn an_empty_queue_has_no_length() {}
}

#[inline]
fn name() -> &'static str { "// no comment" }
"##;

#[test]
fn comments_documentation_layout_and_unit_tests_do_not_change_the_version() {
    let same = r##"#![doc = "Another text."]
    pub fn length(&self) -> usize { /* packets */ self.bytes
        / 1_500 }
    #[cfg(test)] mod tests;
    #[cfg(test)] use std::fmt;
    #[inline] fn name() -> &'static str { "// no comment" }"##;
    assert_eq!(tokens::of(SOURCE), tokens::of(same));
    assert!(!tokens::of(SOURCE).contains("tests"), "{}", tokens::of(SOURCE));
}

#[test]
fn every_token_of_the_code_changes_the_version() {
    let changes = [
        ("1_500", "1_501"),
        ("self.bytes /", "self.bytes *"),
        ("// no comment", "// a comment"),
        ("#[inline]", "#[inline(never)]"),
        ("#[inline]", "#[cfg(debug_assertions)]"),
        ("#[inline]", ""),
        ("pub fn", "fn"),
        ("usize {", "usize { return 0;"),
    ];
    for (from, to) in changes {
        let changed = SOURCE.replacen(from, to, 1);
        assert_ne!(changed, SOURCE, "{from} is in the source");
        assert_ne!(tokens::of(&changed), tokens::of(SOURCE), "{from} -> {to}");
    }
}

#[test]
fn groups_and_other_flows_are_distinguished() {
    let different = ["f(a, b)", "f((a, b))", "f[a, b]", "f(a), b", "fa, b", "f! (a, b)"];
    for (index, one) in different.iter().enumerate() {
        for other in &different[index + 1..] {
            assert_ne!(tokens::of(one), tokens::of(other), "{one} and {other}");
        }
    }
}

#[test]
fn a_source_that_is_not_rust_is_hashed_unchanged() {
    assert_eq!(tokens::of("fn f( { \"open"), "fn f( { \"open");
}

const LOCK: &str = r#"version = 4

[[package]]
name = "engine"
version = "0.1.0"
dependencies = [
 "hash",
 "syn 2.0.1",
]

[[package]]
name = "hash"
version = "1.0.0"
checksum = "aa"

[[package]]
name = "program"
version = "0.1.0"
dependencies = [
 "engine",
 "socket",
 "syn 3.0.0",
]

[[package]]
name = "socket"
version = "0.6.0"

[[package]]
name = "syn"
version = "2.0.1"
dependencies = [
 "engine",
]

[[package]]
name = "syn"
version = "3.0.0"
"#;

#[test]
fn packages_that_only_other_programs_need_do_not_change_the_version() {
    let engine = locked::below("engine", LOCK);
    for other in [
        LOCK.replace("0.6.0", "0.7.0"),
        LOCK.replace("3.0.0", "3.0.1"),
        LOCK.replace(" \"socket\",\n", ""),
    ] {
        assert_ne!(other, LOCK);
        assert_eq!(locked::below("engine", &other), engine);
    }
    for other in [LOCK.replace("aa", "bb"), LOCK.replace("2.0.1", "2.0.2")] {
        assert_ne!(locked::below("engine", &other), engine);
    }
}

#[test]
fn the_repositorys_own_lock_names_what_the_engine_needs_and_not_what_sockets_need() {
    let lock = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.lock"))
        .expect("the repository has a lock");
    let engine = locked::below("manypath-lab", &lock);
    for name in ["manypath-sctp", "rand_pcg", "itoa"] {
        assert!(engine.contains(&format!("name = \"{name}\"")), "{name}");
    }
    for name in ["manypath-net", "tokio", "clap"] {
        assert!(!engine.contains(&format!("name = \"{name}\"")), "{name}");
    }
}
