//! The command line arguments.

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::NonEmptyStringValueParser;
use clap::{Args, Parser, Subcommand};
use manypath_program::time;

/// Carry real packets over emulated links in real time.
#[derive(Debug, Parser)]
#[command(version, arg_required_else_help = false, subcommand_value_name = "run|clean|calibrate")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) task: Task,
}

/// The task.
#[derive(Debug, Subcommand)]
pub(crate) enum Task {
    /// Emulate the network of a document until stopped by Ctrl-C or SIGTERM, or until the command ends.
    Run(Run),
    /// Remove the namespaces of killed emulations.
    Clean,
    /// Measure the accuracy of emulations on this machine, with and without load; print one JSON object per line.
    Calibrate {
        /// Measure for a tenth of the time.
        #[arg(long)]
        quick: bool,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Run {
    /// The document, as JSON in base units; `-` for standard input.
    pub(crate) document: PathBuf,
    /// The name of the document in messages, if it was made from another file.
    #[arg(long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) source: Option<String>,
    /// File for reports, one JSON object per line; standard output by default if no command runs.
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    /// Write packets that links deliver into this file, for Wireshark.
    #[arg(long, value_name = "FILE")]
    pub(crate) pcapng: Option<PathBuf>,
    /// Capture only this link; may be repeated.
    #[arg(long, value_name = "NAME", requires = "pcapng")]
    pub(crate) link: Vec<String>,
    /// Interval of reports, in seconds without a unit.
    #[arg(long, value_name = "TIME", default_value = "1", allow_hyphen_values = true, value_parser = interval)]
    pub(crate) interval: Duration,
    /// Run with ordinary instead of real-time priority.
    #[arg(long)]
    pub(crate) no_realtime: bool,
    /// Command to run in the left namespace of the first pair; the emulation ends with it.
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
}

fn interval(text: &str) -> Result<Duration, String> {
    time(text, 0.01..=3600.0, ["10 ms", "3600 s"])
}
