//! `manypath-emu`: emulates a network until it is stopped, or as long as a command runs in it.

mod arguments;
mod calibration;
mod session;

use std::cell::OnceCell;
use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Parser;
use manypath_program::Failure;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;

use arguments::{Arguments, Task};
use session::failure;

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return manypath_program::answer(&error, "error"),
    };
    let done = match arguments.task {
        Task::Run(run) => session::run(run),
        Task::Clean => clean(),
        Task::Calibrate { quick } => calibrate(quick),
    };
    match done {
        Ok(code) => ExitCode::from(code),
        Err(failure) => failure.end("error"),
    }
}

/// Prints one JSON object per measurement. A signal or a closed pipe ends it after the current measurement, which
/// removes its hosts.
fn calibrate(quick: bool) -> Result<u8, Failure> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGHUP, SIGINT, SIGTERM] {
        flag::register(signal, Arc::clone(&stop))
            .map_err(|error| Failure::broken(format!("signals: {error}")))?;
    }
    let refused = OnceCell::new();
    let done = calibration::calibrate(quick, |row| {
        let line = serde_json::to_string(row).unwrap_or_default();
        let written = writeln!(io::stdout(), "{line}").map_err(|error| refused.set(error));
        written.is_ok() && !stop.load(Ordering::Relaxed)
    });
    done.map_err(|error| failure(&error))?;
    if let Some(error) = refused.into_inner()
        && error.kind() != ErrorKind::BrokenPipe
    {
        return Err(Failure::broken(format!("standard output: it cannot be written: {error}")));
    }
    Ok(if stop.load(Ordering::Relaxed) { INTERRUPTED } else { 0 })
}

/// Removes the leftovers of killed emulations, and prints them.
fn clean() -> Result<u8, Failure> {
    for leftover in manypath_emu::clean().map_err(|error| failure(&error))? {
        // All leftovers are removed before the first line, so a closed output is no failure.
        let _ = writeln!(io::stdout(), "removed {leftover}");
    }
    Ok(0)
}

/// The exit code after Ctrl-C, as in shells.
const INTERRUPTED: u8 = 130;

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_usage_names_every_command_of_the_emulator() {
        let mut command = Arguments::command();
        let names: Vec<_> = command.get_subcommands().map(|it| it.get_name().to_owned()).collect();
        let usage = command.render_usage().to_string();
        assert!(usage.contains(&format!("<{}>", names.join("|"))), "{usage}");
    }
}
