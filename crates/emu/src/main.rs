//! `manypath-emu`: emulates a network until it is stopped, or as long as a command runs in it.

mod arguments;
mod session;

use std::process::ExitCode;

use clap::Parser;

use arguments::{Arguments, Task};
use session::Failure;

fn main() -> ExitCode {
    let done = match Arguments::parse().task {
        Task::Run(run) => session::run(run),
        Task::Clean => clean(),
    };
    match done {
        Ok(code) => ExitCode::from(code),
        Err(Failure { message, code }) => {
            eprintln!("error: {message}");
            ExitCode::from(code)
        }
    }
}

/// Names what dead emulations left behind, once it is gone.
fn clean() -> Result<u8, Failure> {
    for name in manypath_emu::clean()? {
        println!("removed namespace {name}");
    }
    Ok(0)
}
