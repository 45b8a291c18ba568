//! Output files of the program. They never replace an input, or a file that manypath did not write.

use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use manypath_net::output_file::may_replace;

use crate::failure::Failure;

/// The files that a task reads and writes.
#[derive(Debug)]
pub(crate) struct Outputs {
    inputs: Vec<PathBuf>,
    /// The checked files, with their options.
    named: Vec<(&'static str, PathBuf)>,
}

/// A kind of file, and how manypath's files of this kind are recognised by their first bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kind {
    pub(crate) name: &'static str,
    pub(crate) is_ours: fn(&[u8]) -> bool,
}

impl Outputs {
    /// A check against these input files.
    pub(crate) fn beside(inputs: Vec<PathBuf>) -> Self {
        Self { inputs, named: Vec::new() }
    }

    /// Checks the file of an option, without changing the disk.
    pub(crate) fn check(
        &mut self,
        option: &'static str,
        file: &Path,
        kind: Kind,
    ) -> Result<(), Failure> {
        match self.objection(file, kind) {
            Ok(None) => {}
            Ok(Some(reason)) => return Err(refused(option, file, reason)),
            Err(error) => return Err(refused(option, file, error)),
        }
        self.named.push((option, file.to_owned()));
        Ok(())
    }

    fn objection(&self, file: &Path, kind: Kind) -> io::Result<Option<String>> {
        // Devices and pipes may be shared
        if file.metadata().is_ok_and(|found| !found.is_file() && !found.is_dir()) {
            return Ok(None);
        }
        if self.inputs.iter().any(|input| is_same(input, file)) {
            return Ok(Some("it is a file that is read: choose another name".to_owned()));
        }
        if let Some((other, _)) = self.named.iter().find(|(_, named)| is_same(named, file)) {
            return Ok(Some(format!("it is the file of `{other}`, too: choose another name")));
        }
        if !may_replace(file, kind.is_ours)? {
            let name = kind.name;
            let reason = format!("it is there, and manypath did not write it as {name}");
            return Ok(Some(format!("{reason}: choose another name, or remove it first")));
        }
        Ok(None)
    }
}

/// The error for an output that the system or a rule forbids.
pub(crate) fn refused(
    option: &'static str,
    file: &Path,
    reason: impl std::fmt::Display,
) -> Failure {
    Failure::input(format!("`{option}` is {}: {reason}", file.display()))
}

/// Refuses a folder in which no file can be created.
pub(crate) fn takes_files(option: &'static str, folder: &Path) -> Result<(), Failure> {
    if !folder.is_dir() {
        let is_missing = matches!(folder.try_exists(), Ok(false));
        let reason = if is_missing {
            "there is no such folder: make it first"
        } else {
            "it is no folder: name one"
        };
        return Err(refused(option, folder, reason));
    }
    match tempfile::tempfile_in(folder) {
        Ok(_) => Ok(()),
        Err(error) => Err(refused(option, folder, format!("no file can be made there: {error}"))),
    }
}

/// Whether two paths refer to the same file, also through links.
fn is_same(one: &Path, other: &Path) -> bool {
    match (one.metadata(), other.metadata()) {
        (Ok(one), Ok(other)) => (one.dev(), one.ino()) == (other.dev(), other.ino()),
        (Err(_), Err(_)) => match (place(one), place(other)) {
            (Some(one), Some(other)) => one == other,
            _ => false,
        },
        _ => false,
    }
}

/// The path of a file that does not exist, in resolved form.
fn place(file: &Path) -> Option<PathBuf> {
    let folder = file.parent().filter(|folder| *folder != Path::new(""));
    let folder = folder.unwrap_or(Path::new(".")).canonicalize().ok()?;
    Some(folder.join(file.file_name()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const OURS: Kind = Kind { name: "events", is_ours: |head| head.starts_with(b"ours") };

    #[test]
    fn an_output_replaces_only_own_files_and_no_input_or_other_output() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for (name, content) in [("input", "ours"), ("old", "ours"), ("empty", ""), ("note", "me")] {
            std::fs::write(at(name), content).unwrap();
        }
        std::os::unix::fs::symlink(at("input"), at("link")).unwrap();
        let mut outputs = Outputs::beside(vec![at("input")]);
        let mut said = |option, file: PathBuf| {
            outputs.check(option, &file, OURS).err().map(|failure| failure.message)
        };
        for file in [at("new"), at("old"), at("empty"), "/dev/null".into()] {
            assert_eq!(said("--events", file), None);
        }
        for (file, reason) in [
            (at("input"), "it is a file that is read: choose another name"),
            (at("link"), "it is a file that is read: choose another name"),
            (at("./new"), "it is the file of `--events`, too: choose another name"),
            (at("old"), "it is the file of `--events`, too: choose another name"),
            (at("note"), "manypath did not write it as events: choose another name, or remove"),
            (folder.path().to_owned(), "Is a directory (os error 21)"),
        ] {
            let message = said("--pcapng", file.clone()).expect("a refusal");
            assert!(message.starts_with("`--pcapng` is ") && message.contains(reason), "{message}");
        }
        assert_eq!(std::fs::read(at("note")).unwrap(), b"me");
    }
}
