//! Output files of the program. They never replace an input, or a file that manypath did not write.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use manypath_pcapng::output_file::may_replace;

use crate::failure::Failure;
use crate::input::named;

/// The files that a task reads and writes.
#[derive(Debug)]
pub struct Outputs {
    inputs: Vec<PathBuf>,
    /// The checked files, with their options.
    named: Vec<(&'static str, PathBuf)>,
}

/// A kind of file, and how manypath's files of this kind are recognised by their first bytes.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    /// Its name in messages, with the article.
    pub name: &'static str,
    /// Whether manypath wrote a file with these first bytes.
    pub is_ours: fn(&[u8]) -> bool,
}

impl Outputs {
    /// A check against these input files.
    #[must_use]
    pub fn beside(inputs: Vec<PathBuf>) -> Self {
        Self { inputs, named: Vec::new() }
    }

    /// Checks the file of an option, without changing the disk. A program checks all of its outputs before it opens one.
    ///
    /// # Errors
    /// If the file cannot be written, is an input or another output, or was not written by manypath as this kind.
    pub fn check(&mut self, option: &'static str, file: &Path, kind: Kind) -> Result<(), Failure> {
        match self.objection(file, kind) {
            Ok(None) => {}
            Ok(Some(reason)) => return Err(refused(option, file, reason)),
            Err(error) => return Err(refused(option, file, error)),
        }
        self.named.push((option, file.to_owned()));
        Ok(())
    }

    fn objection(&self, file: &Path, kind: Kind) -> io::Result<Option<String>> {
        match file.metadata() {
            Ok(found) if found.is_dir() => {
                return Ok(Some("it is a folder, expected a file".to_owned()));
            }
            // Opening for appending does not change the file
            Ok(found) if found.is_file() => drop(File::options().append(true).open(file)?),
            Ok(found) if found.file_type().is_block_device() => {
                return Ok(Some(
                    "it is a disk, whose content would be lost: name a file".to_owned(),
                ));
            }
            // Other devices and pipes may be shared, and opening a pipe may block
            Ok(_) => return Ok(None),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                if let Some(reason) = objection_to_folder(folder_of(file)) {
                    return Ok(Some(reason));
                }
            }
            Err(error) => return Err(error),
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
#[must_use]
pub fn refused(option: &str, file: &Path, reason: impl std::fmt::Display) -> Failure {
    named(Some(option), &file.display().to_string(), reason)
}

/// Refuses a folder in which no file can be created.
///
/// # Errors
/// If the folder is missing, is no folder, or takes no file.
pub fn takes_files(option: &str, folder: &Path) -> Result<(), Failure> {
    objection_to_folder(folder).map_or(Ok(()), |reason| Err(refused(option, folder, reason)))
}

fn objection_to_folder(folder: &Path) -> Option<String> {
    if !folder.is_dir() {
        let reason = match folder.try_exists() {
            Ok(false) => "there is no such folder: make it first".to_owned(),
            Ok(true) => "it is no folder: name one".to_owned(),
            Err(error) => error.to_string(),
        };
        return Some(reason);
    }
    let error = tempfile::tempfile_in(folder).err()?;
    Some(format!("no file can be made there: {error}"))
}

/// The folder with a file.
fn folder_of(file: &Path) -> &Path {
    let folder = file.parent().filter(|folder| *folder != Path::new(""));
    folder.unwrap_or(Path::new("."))
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
    Some(folder_of(file).canonicalize().ok()?.join(file.file_name()?))
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
            (folder.path().to_owned(), "it is a folder, expected a file"),
            (at("missing/new"), "there is no such folder: make it first"),
            (at("note/new"), "Not a directory (os error 20)"),
            ("/proc/new".into(), "no file can be made there: "),
        ] {
            let message = said("--pcapng", file.clone()).expect("a refusal");
            assert!(message.starts_with("`--pcapng` is ") && message.contains(reason), "{message}");
        }
        assert_eq!(std::fs::read(at("note")).unwrap(), b"me");
    }
}
