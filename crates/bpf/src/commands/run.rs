//! `run`: runs one command whose sockets use an algorithm.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitCode;
use std::thread;

use clap::Args;
use manypath_bpf::{Error, Group, Loaded, Object};
use nix::sys::signal::{SigSet, Signal, kill};
use nix::unistd::Pid;

use super::{is_loaded, kernel_name};

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
        let name = kernel_name(&self.cc);
        let _loaded =
            if is_loaded(&name)? { None } else { Some(Loaded::load(&Object::named(&self.cc)?)?) };
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
        let code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or_default());
        Ok(ExitCode::from(code as u8))
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
