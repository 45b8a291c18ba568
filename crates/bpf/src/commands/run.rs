//! `run`: runs one command whose sockets use an algorithm.

use std::ffi::OsStr;
use std::process::ExitCode;
use std::thread;

use clap::Args;
use manypath_bpf::{Error, Group, Loaded, Object};
use manypath_program::{code_of, find};
use nix::sys::signal::{SigSet, Signal, kill};
use nix::unistd::Pid;

use super::{is_loaded, kernel_name};
use crate::PREFIX;

/// Runs a command whose TCP sockets, and those of its children, have an algorithm
#[derive(Debug, Args)]
pub(crate) struct Run {
    /// The algorithm, such as lia; loaded meanwhile if it is not loaded
    #[arg(long, value_name = "NAME")]
    cc: String,
    /// The command and its arguments, after --
    #[arg(required = true, last = true)]
    command: Vec<String>,
}

impl Run {
    pub(crate) fn run(&self) -> Result<ExitCode, Error> {
        let Some(program) = self.command.first() else {
            return Err(Error::usage("COMMAND is missing"));
        };
        if let Err(failure) = find(OsStr::new(program)) {
            return Ok(failure.end(PREFIX));
        }
        let name = kernel_name(&self.cc);
        let loaded =
            if is_loaded(&name)? { None } else { Some(Loaded::load(&Object::named(&self.cc)?)?) };
        // That of a file is in the file
        let name = loaded.as_ref().map_or(name, |loaded| loaded.name().to_owned());
        let group = Group::new(&name)?;
        let mut child = group
            .command(&self.command)
            .spawn()
            .map_err(|error| Error::failed(format!("sh cannot be started: {error}")))?;
        // The terminal sends the signal of Ctrl-C to the command itself; this process cleans up afterwards.
        let _ = SigSet::all().thread_block();
        let command = Pid::from_raw(child.id().cast_signed());
        thread::spawn(move || hand_on(command));
        let status =
            child.wait().map_err(|error| Error::failed(format!("the command is lost: {error}")))?;
        Ok(ExitCode::from(code_of(status)))
    }
}

/// Forwards termination signals to the command.
fn hand_on(command: Pid) {
    let signals: SigSet = [Signal::SIGHUP, Signal::SIGTERM].into_iter().collect();
    while let Ok(signal) = signals.wait() {
        // The command may have just ended.
        let _ = kill(command, signal);
    }
}
