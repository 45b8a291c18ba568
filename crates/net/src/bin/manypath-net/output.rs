//! Standard output with error handling, and standard error.

use std::io::{self, ErrorKind, Write, stderr, stdout};
use std::sync::OnceLock;

use crate::failure::Failure;

/// The first error of standard output; nothing is written afterwards.
static REFUSED: OnceLock<io::Error> = OnceLock::new();

/// Prints a line on standard output.
pub(crate) fn say(line: &str) {
    print(&format!("{line}\n"));
}

/// Prints text on standard output. [`finish`] returns the first error, unless the reader has closed the pipe.
pub(crate) fn print(text: &str) {
    if REFUSED.get().is_some() {
        return;
    }
    let mut out = stdout().lock();
    if let Err(error) = out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        // Another thread may have set an error already
        let _ = REFUSED.set(error);
    }
}

/// Prints a line on standard error. Control characters, such as those in the name of a file, are escaped.
pub(crate) fn tell(line: &str) {
    let escaped = |character: char| match character.is_control() {
        true => character.escape_default().to_string(),
        false => character.to_string(),
    };
    let line: String = line.chars().map(escaped).collect();
    // There is no other place for the message
    let _ = writeln!(stderr(), "{line}");
}

/// Returns an error if not everything was printed.
pub(crate) fn finish() -> Result<(), Failure> {
    match REFUSED.get() {
        Some(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::broken(format!("standard output: cannot be written: {error}")))
        }
        _ => Ok(()),
    }
}
