//! The tests of the crates by the names of their functions.

use crate::mask;
use crate::tree::Tree;

/// Every `#[test]` below `crates/`.
pub(super) struct Tests {
    all: Vec<Test>,
}

/// The place of a test.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Test {
    /// The path of its file, relative to the root.
    pub(super) file: String,
    /// Its function.
    pub(super) name: String,
}

impl Tests {
    /// Reads the sources of all crates.
    pub(super) fn of(tree: &Tree) -> Result<Self, String> {
        let mut all = Vec::new();
        for (file, text) in tree.texts(&[".rs"])? {
            if file.starts_with("crates/") {
                let names = names(&text).into_iter();
                all.extend(names.map(|name| Test { file: file.to_owned(), name }));
            }
        }
        Ok(Self { all })
    }

    /// The tests with the name `function` or `file::function`; a valid name has one.
    pub(super) fn find(&self, name: &str) -> Vec<&Test> {
        let (file, function) = match name.rsplit_once("::") {
            Some((file, function)) => (Some(format!("{}.rs", file.replace("::", "/"))), function),
            None => (None, name),
        };
        let in_file = |test: &Test| {
            file.as_ref().is_none_or(|file| {
                test.file.strip_suffix(file.as_str()).is_some_and(|rest| rest.ends_with('/'))
            })
        };
        self.all.iter().filter(|test| test.name == function && in_file(test)).collect()
    }
}

/// The functions that follow `#[test]` and further attributes.
fn names(text: &str) -> Vec<String> {
    let code = mask::code(text);
    let mut names = Vec::new();
    for (at, attribute) in code.match_indices("#[test]") {
        let rest = &code[at + attribute.len()..];
        let Some(place) = rest.find("fn ") else { continue };
        if rest[..place].contains("#[test]") {
            continue;
        }
        let name = rest[place + 3..].trim_start();
        names.push(name.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect());
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Fixture;

    #[test]
    fn only_tests_are_found() {
        let text = "//! Doc.\n#[test]\n#[ignore = \"slow\"]\nfn one() {}\nfn not_one() {}\n// #[test] fn no() {}\n";
        assert_eq!(names(text), ["one"]);
    }

    #[test]
    fn a_file_tells_two_tests_of_one_name_apart() {
        let fixture = Fixture::new(&[
            ("crates/sctp/tests/loss.rs", "#[test]\nfn twice() {}\n"),
            ("crates/sctp/tests/setup.rs", "#[test]\nfn twice() {}\n"),
        ]);
        let tests = Tests::of(&fixture.tree()).expect("files can be read");
        assert_eq!(tests.find("twice").len(), 2);
        assert_eq!(tests.find("setup::twice").len(), 1);
        assert_eq!(tests.find("up::twice").len(), 0);
    }
}
