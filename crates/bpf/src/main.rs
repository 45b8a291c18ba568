//! The command `manypath-kernel`: coupled congestion control for this machine's Multipath TCP.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use manypath_bpf::Error;

mod commands;

/// Coupled congestion control for the kernel's own Multipath TCP.
#[derive(Debug, Parser)]
#[command(name = "manypath-kernel", version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Check(commands::check::Check),
    List(commands::list::List),
    Load(commands::load::Load),
    Status(commands::status::Status),
    Default(commands::default::Default),
    Run(commands::run::Run),
    Unload(commands::unload::Unload),
}

fn main() -> ExitCode {
    let done = match Arguments::parse().command {
        Command::Check(check) => check.run(),
        Command::List(list) => list.run(),
        Command::Load(load) => load.run(),
        Command::Status(status) => status.run(),
        Command::Default(default) => default.run(),
        Command::Run(run) => run.run(),
        Command::Unload(unload) => unload.run(),
    };
    match done {
        Ok(code) => code,
        Err(error) => report(&error),
    }
}

fn report(error: &Error) -> ExitCode {
    eprintln!("manypath-kernel: {error}");
    ExitCode::from(error.exit_code())
}
