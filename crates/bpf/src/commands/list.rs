//! `list`: which algorithms there are, and which are in the kernel.

use std::process::ExitCode;

use clap::Args;
use manypath_bpf::{ALGORITHMS, Error, inventory};

/// Lists the algorithms, and which of them sockets can choose now
#[derive(Debug, Args)]
pub(crate) struct List {}

impl List {
    pub(crate) fn run(&self) -> Result<ExitCode, Error> {
        let registered = inventory::registered()?;
        for algorithm in ALGORITHMS {
            let name = algorithm.kernel_name();
            let state = match registered.iter().find(|it| it.name == name) {
                Some(it) => state(it)?,
                None => "-".to_owned(),
            };
            println!("{:<12} {:<14} {state:<28} {}", algorithm.name, name, algorithm.summary);
        }
        for own in registered.iter().filter(|it| !is_ours(&it.name)) {
            println!("{:<12} {:<14} {:<28} loaded from a file", "", own.name, state(own)?);
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn is_ours(name: &str) -> bool {
    ALGORITHMS.iter().any(|algorithm| algorithm.kernel_name() == name)
}

fn state(registered: &inventory::Registered) -> Result<String, Error> {
    let keeps = if registered.pin.is_some() { "pinned" } else { "loaded" };
    let count = registered.connections()?.len();
    let plural = if count == 1 { "" } else { "s" };
    Ok(format!("{keeps}, {count} connection{plural}"))
}
