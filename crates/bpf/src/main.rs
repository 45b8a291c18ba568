//! The command `manypath-kernel`: coupled congestion control for this machine's Multipath TCP.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use manypath_bpf::Error;

mod commands;

/// Coupled congestion control for the kernel's own Multipath TCP.
#[derive(Debug, Parser)]
#[command(name = "manypath-kernel", version, arg_required_else_help = false)]
#[command(subcommand_value_name = "check|list|load|status|default|run|unload")]
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
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return manypath_program::answer(&error, PREFIX),
    };
    let done = match arguments.command {
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

/// The beginning of each message.
const PREFIX: &str = "manypath-kernel";

fn report(error: &Error) -> ExitCode {
    manypath_program::tell(&format!("{PREFIX}: {error}"));
    ExitCode::from(error.exit_code())
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_usage_names_every_command_of_the_loader() {
        let mut command = Arguments::command();
        let names: Vec<_> = command.get_subcommands().map(|it| it.get_name().to_owned()).collect();
        let usage = command.render_usage().to_string();
        assert!(usage.contains(&format!("<{}>", names.join("|"))), "{usage}");
    }
}
