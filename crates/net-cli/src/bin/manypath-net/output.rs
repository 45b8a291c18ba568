//! Standard output with error handling.

use std::io::{self, ErrorKind, Write, stdout};
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

/// Returns an error if not everything was printed.
pub(crate) fn finish() -> Result<(), Failure> {
    match REFUSED.get() {
        Some(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::broken(format!("standard output: cannot be written: {error}")))
        }
        _ => Ok(()),
    }
}
