//! One file per command.

pub(crate) mod check;
pub(crate) mod default;
pub(crate) mod list;
pub(crate) mod load;
pub(crate) mod run;
pub(crate) mod status;
pub(crate) mod unload;

use std::fmt::Display;
use std::io::{self, ErrorKind, Write};

use manypath_bpf::{Algorithm, Error, inventory};

/// Prints a line; a closed pipe is no error, but ends the output.
fn say(line: impl Display) -> Result<(), Error> {
    match writeln!(io::stdout(), "{line}") {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Error::failed(format!("standard output cannot be written: {error}")))
        }
        _ => Ok(()),
    }
}

/// The kernel's name of one of our algorithms, or of a user's own algorithm.
fn kernel_name(name: &str) -> String {
    Algorithm::by_name(name).map_or_else(|_| name.to_owned(), Algorithm::kernel_name)
}

/// Whether sockets can choose `name` now.
fn is_loaded(name: &str) -> Result<bool, Error> {
    Ok(inventory::registered()?.iter().any(|it| it.name == name))
}
