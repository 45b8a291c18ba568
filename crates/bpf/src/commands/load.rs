//! `load`: loads algorithms, until the end of this process or permanently.

use std::collections::BTreeSet;
use std::io;
use std::process::ExitCode;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;
use manypath_bpf::{Error, Loaded, Object, Probing};
use nix::sys::signal::{SigSet, Signal};

use super::{kernel_name, say};

/// Loads algorithms; without --pin they are unloaded when this process ends
#[derive(Debug, Args)]
pub(crate) struct Load {
    /// Names such as lia, or files of compiled programs such as mine.bpf.o
    #[arg(required = true)]
    names: Vec<String>,
    /// Keep them when this command ends: until `unload`, or until the machine restarts
    #[arg(long)]
    pin: bool,
    /// Unload them when standard input ends too, for example because the process at its other end has ended
    #[arg(long, conflicts_with = "pin")]
    until_eof: bool,
    /// Aggressiveness of each subflow of `weighted`, in TCPs, from 0.01 to 100
    #[arg(long, allow_hyphen_values = true, value_parser = weight)]
    weight: Option<f64>,
}

fn weight(text: &str) -> Result<f64, String> {
    let weight = text.parse::<f64>().ok().filter(|weight| (0.01..=100.0).contains(weight));
    weight.ok_or_else(|| "expected a number from 0.01 to 100".to_owned())
}

/// Interval of updates of weights.
const LOOK: Duration = Duration::from_secs(1);

impl Load {
    pub(crate) fn run(&self) -> Result<ExitCode, Error> {
        if let Some(twice) = repeated(&self.names) {
            return Err(Error::usage(format!("{twice:?} is given twice, expected it once")));
        }
        let programs: Vec<_> =
            self.names.iter().map(|it| Object::named(it)).collect::<Result<_, _>>()?;
        // Signals are blocked before anything is loaded, so that the programs are always unloaded.
        let ends = ends();
        let mut loaded = Vec::new();
        for program in &programs {
            let mut one = Loaded::load(program)?;
            if let Some(weight) = self.weight {
                one.set_weight(weight)?;
            }
            if self.pin && Probing::is_for(&one) {
                let why = "its proportion manager lives in this command";
                return Err(Error::usage(format!("{} cannot be pinned: {why}", one.name())));
            }
            loaded.push(one);
        }
        for one in &mut loaded {
            let place = if self.pin {
                format!("pinned to {}", one.pin()?.display())
            } else {
                "loaded".into()
            };
            say(format_args!("{} is {place}", one.name()))?;
        }
        if !self.pin {
            say("until this command ends (Ctrl-C)")?;
            attend(&mut loaded, ends, self.until_eof)?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// The first name that another one before it repeats.
fn repeated(names: &[String]) -> Option<&str> {
    let mut known = BTreeSet::new();
    names.iter().find(|name| !known.insert(kernel_name(name))).map(String::as_str)
}

/// Updates weights until a signal arrives, or until standard input ends.
fn attend(loaded: &mut [Loaded], ends: SigSet, until_eof: bool) -> Result<(), Error> {
    let (tell, told) = mpsc::channel();
    if until_eof {
        let tell = tell.clone();
        thread::spawn(move || {
            // An error also means the end of the input.
            let _ = io::copy(&mut io::stdin(), &mut io::sink());
            tell.send(())
        });
    }
    thread::spawn(move || {
        let _ = ends.wait();
        tell.send(())
    });
    let mut probing = Probing::default();
    while told.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
        for one in loaded.iter_mut().filter(|one| Probing::is_for(one)) {
            probing.look(one, Instant::now())?;
        }
    }
    Ok(())
}

/// Blocks the signals that end a command gracefully, and returns them.
fn ends() -> SigSet {
    let mut signals = SigSet::empty();
    for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP] {
        signals.add(signal);
    }
    // Fails only for invalid signal numbers.
    let _ = signals.thread_block();
    signals
}
