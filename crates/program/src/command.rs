//! The programs that a user names: their files, and their exit codes.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

use crate::failure::Failure;

/// A program that exists and is executable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Its name on the command line.
    pub name: OsString,
    /// Its file.
    pub file: PathBuf,
}

/// The program of a command line, as `execvp` finds it: a name with a slash is a path, another one is searched in the
/// folders of PATH. It is found before anything else is done, so that a mistake changes nothing.
///
/// # Errors
/// With the exit codes of shells: 127 if there is no such program, 126 if it is not executable. POSIX.1-2024, XCU
/// 2.8.2
pub fn find(name: &OsStr) -> Result<Found, Failure> {
    find_in(name, std::env::var_os("PATH").as_deref().unwrap_or(OsStr::new(USUAL)))
}

fn find_in(name: &OsStr, folders: &OsStr) -> Result<Found, Failure> {
    let wrong = |reason: &str, code| {
        let message = format!("COMMAND is {name:?}: {reason}");
        Err(Failure { message, code })
    };
    let found = |file: PathBuf| Ok(Found { name: name.to_owned(), file });
    if name.is_empty() {
        return wrong("expected the name of a program", MISSING);
    }
    if name.as_bytes().contains(&b'/') {
        return match state(Path::new(name)) {
            Ok(()) => found(name.into()),
            Err(reason) => wrong(&reason.to_string(), code(&reason)),
        };
    }
    let mut first_refusal = None;
    for folder in std::env::split_paths(folders) {
        // An empty folder is the current one
        let file = Path::new(".").join(folder).join(name);
        match state(&file) {
            Ok(()) => return found(file),
            Err(reason) if code(&reason) == REFUSED => {
                first_refusal.get_or_insert(format!("{}: {reason}", file.display()));
            }
            Err(_) => {}
        }
    }
    match first_refusal {
        Some(reason) => wrong(&reason, REFUSED),
        None => wrong("no folder of PATH has this program", MISSING),
    }
}

impl Found {
    /// The failure of starting the program, although its file is executable: such as a file of another machine.
    #[must_use]
    pub fn refused(&self, error: &io::Error) -> Failure {
        Failure { message: format!("COMMAND is {:?}: {error}", self.name), code: code(error) }
    }
}

/// Whether a file can be executed.
fn state(file: &Path) -> io::Result<()> {
    let metadata = fs::metadata(file)?;
    if metadata.is_dir() {
        return Err(io::Error::other("it is a folder, expected a program"));
    }
    match metadata.permissions().mode() & EXECUTABLE {
        0 => Err(io::Error::other("it is not executable, expected a program")),
        _ => Ok(()),
    }
}

/// The exit code of shells for a program that cannot be started.
fn code(error: &io::Error) -> u8 {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => MISSING,
        _ => REFUSED,
    }
}

/// The exit code of shells for the end of a program: its own, or 128 and the number of the signal that killed it.
#[must_use]
pub fn code_of(status: ExitStatus) -> u8 {
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX)
}

/// The permissions of the owner, the group and others to execute a file. chmod(2)
const EXECUTABLE: u32 = 0o111;
/// The exit code of shells for a program that does not exist.
const MISSING: u8 = 127;
/// The exit code of shells for a program that cannot be executed.
const REFUSED: u8 = 126;
/// The folders of programs without PATH. execvp(3)
const USUAL: &str = "/bin:/usr/bin";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_found_as_by_a_shell() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for folder in ["one", "two", "two/folder"] {
            fs::create_dir(at(folder)).unwrap();
        }
        let file = |name: &str, mode| {
            fs::write(at(name), "#!/bin/sh\n").unwrap();
            fs::set_permissions(at(name), fs::Permissions::from_mode(mode)).unwrap();
        };
        file("one/text", 0o644);
        file("one/twice", 0o644);
        file("two/twice", 0o755);
        let path = std::env::join_paths([at("missing"), at("one"), at("two")]).unwrap();
        let found = |name: &OsStr| find_in(name, &path).map(|found| found.file);
        let code = |name: &OsStr| found(name).map_err(|failure| failure.code);
        let words = |name: &str| code(OsStr::new(name));
        assert_eq!(words("twice"), Ok(at("two/twice")));
        assert_eq!(code(at("two/twice").as_os_str()), Ok(at("two/twice")));
        for missing in ["", "nothing", "./nothing", "/dev/null/nothing"] {
            assert_eq!(words(missing), Err(127), "{missing:?}");
        }
        for refused in ["text", "folder", "/etc", "/dev/null"] {
            assert_eq!(words(refused), Err(126), "{refused:?}");
        }
        let said = found(OsStr::new("nothing")).unwrap_err().message;
        assert_eq!(said, "COMMAND is \"nothing\": no folder of PATH has this program");
        let said = found(OsStr::new("/etc")).unwrap_err().message;
        assert_eq!(said, "COMMAND is \"/etc\": it is a folder, expected a program");
    }

    #[test]
    fn codes_are_those_of_shells() {
        // wait(2): the exit code is in the second byte, the signal in the first
        assert_eq!(code_of(ExitStatus::from_raw(3 << 8)), 3);
        assert_eq!(code_of(ExitStatus::from_raw(15)), 143);
    }
}
