//! `load`: into the kernel, until the end of this process or for good.

use std::process::ExitCode;

use clap::Args;
use manypath_bpf::{Error, Loaded, Object};
use nix::sys::signal::{SigSet, Signal};

/// Loads algorithms; without --pin they go with this process
#[derive(Debug, Args)]
pub(crate) struct Load {
    /// Names such as lia, or files of compiled programs such as mine.bpf.o
    #[arg(required = true)]
    names: Vec<String>,
    /// Keep them when this command ends: until `unload`, or until the machine restarts
    #[arg(long)]
    pin: bool,
}

impl Load {
    pub(crate) fn run(&self) -> Result<ExitCode, Error> {
        let programs: Vec<_> =
            self.names.iter().map(|it| Object::named(it)).collect::<Result<_, _>>()?;
        // Blocked before anything is loaded: whatever happens, it is unloaded in order.
        let ends = ends();
        let mut loaded = Vec::new();
        for program in &programs {
            loaded.push(Loaded::load(program)?);
        }
        for one in &mut loaded {
            let place = if self.pin {
                format!("pinned to {}", one.pin()?.display())
            } else {
                "loaded".into()
            };
            println!("{} is {place}", one.name());
        }
        if !self.pin {
            println!("until this command ends (Ctrl-C)");
            ends.wait()
                .map_err(|error| Error::failed(format!("cannot wait for signals: {error}")))?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// The signals that end a command in order, from now on blocked.
fn ends() -> SigSet {
    let mut signals = SigSet::empty();
    for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP] {
        signals.add(signal);
    }
    // Fails only for numbers that are no signals.
    let _ = signals.thread_block();
    signals
}
