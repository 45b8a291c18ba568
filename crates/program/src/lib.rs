//! Shared parts of the programs of manypath: lines on standard error, failures with exit codes, values of the command
//! line, and the opening of inputs, of outputs and of the programs that a user names.
//!
//! A message about a file or a value begins with the option or argument that names it, or with the file.

mod command;
mod failure;
mod input;
mod line;
mod outputs;
mod values;

pub use command::{Found, code_of, find};
pub use failure::{Failure, INVALID};
pub use input::{STANDARD_INPUT, bytes, name_of, regular, text};
pub use line::{answer, tell};
pub use outputs::{Kind, Outputs, refused, takes_files};
pub use values::{seconds, time, whole};
