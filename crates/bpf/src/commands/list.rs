//! `list`: the available and the loaded algorithms.

use std::process::ExitCode;

use clap::Args;
use manypath_bpf::inventory::{self, Registered};
use manypath_bpf::{ALGORITHMS, Error};

use super::say;

/// Lists the algorithms, which of them sockets can choose, and which process or pin keeps those in the kernel
#[derive(Debug, Args)]
pub(crate) struct List {
    /// Print only the names. This does not query the kernel and does not need root
    #[arg(long)]
    names: bool,
}

impl List {
    pub(crate) fn run(&self) -> Result<ExitCode, Error> {
        if self.names {
            for algorithm in ALGORITHMS {
                say(algorithm.name)?;
            }
            return Ok(ExitCode::SUCCESS);
        }
        let registered = inventory::registered()?;
        for algorithm in ALGORITHMS {
            let name = algorithm.kernel_name();
            let found = registered.iter().find(|it| it.name == name);
            line(algorithm.name, &name, found, algorithm.summary)?;
        }
        for own in registered.iter().filter(|it| !is_ours(&it.name)) {
            line("", &own.name, Some(own), "loaded from a file")?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn is_ours(name: &str) -> bool {
    ALGORITHMS.iter().any(|algorithm| algorithm.kernel_name() == name)
}

/// Prints an algorithm, and below it the processes and pins that keep it in the kernel.
fn line(ours: &str, name: &str, found: Option<&Registered>, summary: &str) -> Result<(), Error> {
    let Some(found) = found else {
        return say(format_args!("{ours:<12} {name:<14} {:<24} {summary}", "-"));
    };
    let state = if found.pin.is_some() { "pinned" } else { "loaded" };
    let count = found.connections()?.len();
    let plural = if count == 1 { "" } else { "s" };
    let state = format!("{state}, {count} connection{plural}");
    say(format_args!("{ours:<12} {name:<14} {state:<24} {summary}"))?;
    say(format_args!("{:<12} kept by {}", "", found.kept_by()))
}
