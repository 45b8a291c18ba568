//! The command line arguments.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

/// Real packets over the links of manypath, driven by the clock.
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
    /// Remove the namespaces that emulations left behind when they were killed.
    Clean,
    /// Measure how exact emulations are on this machine, with and without load: one JSON object in each line.
    Calibrate {
        /// For a tenth of the time.
        #[arg(long)]
        quick: bool,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Run {
    /// The document, as JSON in base units; `-` for standard input.
    pub(crate) document: PathBuf,
    /// Where reports go, one JSON object in each line; standard output if no command runs.
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    /// Write packets that come out of links into this file, for Wireshark.
    #[arg(long, value_name = "FILE")]
    pub(crate) pcapng: Option<PathBuf>,
    /// Capture this link only; may be repeated.
    #[arg(long, value_name = "NAME", requires = "pcapng")]
    pub(crate) link: Vec<String>,
    /// Seconds between two reports.
    #[arg(long, value_name = "SECONDS", default_value_t = 1.0)]
    pub(crate) interval: f64,
    /// Compete with ordinary processes for the processor.
    #[arg(long)]
    pub(crate) no_realtime: bool,
    /// What to run in the left namespace of the first pair; the emulation ends with it.
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
}
