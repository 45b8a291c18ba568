//! The command line arguments.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use manypath_net::Peer;
use manypath_program::whole;
use nix::sys::signal::Signal;

use crate::failure::Failure;
use crate::listen::Listen;
use crate::local::{Host, Local, MOST_STREAMS, each_once, host, port, port_or_any};
use crate::perf::Perf;
use crate::signals;
use crate::sockets::{Run, Serve};
use crate::watch::Watched;

/// SCTP between real machines, over several paths at once.
#[derive(Debug, Parser)]
#[command(name = "manypath-net", version, arg_required_else_help = false)]
#[command(subcommand_value_name = "listen|send|receive|perf|serve|run")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) task: Task,
}

/// The task.
#[derive(Debug, Subcommand)]
pub(crate) enum Task {
    /// Receive messages of any peer, on many associations at once.
    Listen(Box<Listen>),
    /// Send a file over all paths to a `receive` on another machine, which verifies it.
    Send(Send),
    /// Receive a file from `send` and write it into a folder.
    Receive(Receive),
    /// Measure throughput like iperf3: serve tests, or run one.
    Perf(Box<Perf>),
    /// Run the daemon that gives unmodified programs SCTP sockets.
    Serve(Box<Serve>),
    /// Run an unmodified program with SCTP sockets of this stack.
    Run(Box<Run>),
}

impl Task {
    /// The requested outputs.
    pub(crate) fn watched(&self) -> Watched {
        match self {
            Self::Listen(listen) => listen.local.watched.clone(),
            Self::Send(send) => send.local.watched.clone(),
            Self::Receive(receive) => receive.local.watched.clone(),
            Self::Perf(perf) => perf.local.watched.clone(),
            Self::Serve(serve) => serve.watched(),
            Self::Run(run) => run.watched(),
        }
    }

    /// Whether the task runs in one thread. Sockets for programs need no more: packets and records alternate.
    pub(crate) fn has_one_thread(&self) -> bool {
        match self {
            Self::Serve(_) | Self::Run(_) => true,
            Self::Perf(perf) => perf.one_thread,
            Self::Listen(_) | Self::Send(_) | Self::Receive(_) => false,
        }
    }

    /// Refuses addresses that are given twice. Those of a name may be given, too.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        let (local, to): (_, &[Host]) = match self {
            Self::Listen(listen) => (("--bind", &listen.local.bind), &[]),
            Self::Send(send) => (("--bind", &send.local.bind), &send.to),
            Self::Receive(receive) => (("--bind", &receive.local.bind), &[]),
            Self::Perf(perf) => (("--bind", &perf.local.bind), &perf.to),
            Self::Serve(serve) => (("--local", serve.local()), &[]),
            Self::Run(run) => (("--local", run.local()), &[]),
        };
        let (option, local) = local;
        each_once(option, local.iter().map(|bound| bound.address))?;
        each_once("--to", to.iter().filter_map(Host::address))
    }

    /// Signals that the task handles.
    pub(crate) fn signals(&self) -> &'static [Signal] {
        if matches!(self, Self::Run(_)) { &signals::PASSED } else { &signals::ENDING }
    }

    /// Files that the task reads.
    pub(crate) fn inputs(&self) -> Vec<PathBuf> {
        match self {
            Self::Send(send) => vec![send.file.clone()],
            Self::Serve(serve) => serve.config.iter().cloned().collect(),
            Self::Listen(_) | Self::Receive(_) | Self::Perf(_) | Self::Run(_) => Vec::new(),
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct Send {
    /// File to send.
    pub(crate) file: PathBuf,
    /// Addresses or names of the receiver, separated by commas, in the order of attempts; a name stands for all of its
    /// addresses.
    #[arg(long, value_name = "HOST,...", required = true, value_delimiter = ',', value_parser = host)]
    pub(crate) to: Vec<Host>,
    /// UDP port of the receiver.
    #[arg(long, value_name = "PORT", default_value_t = Peer::ENCAPSULATION_PORT, allow_hyphen_values = true,
        value_parser = port)]
    pub(crate) udp: u16,
    /// Number of streams for the file.
    #[arg(long, value_name = "COUNT", default_value_t = 1, allow_hyphen_values = true,
        value_parser = |text: &str| whole::<u16>(text, 1..=MOST_STREAMS))]
    pub(crate) streams: u16,
    #[command(flatten)]
    pub(crate) local: Local,
}

#[derive(Debug, Args)]
pub(crate) struct Receive {
    /// Folder for received files.
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    pub(crate) into: PathBuf,
    /// Local UDP port; 0 selects a free one.
    #[arg(long, value_name = "PORT", default_value_t = Peer::ENCAPSULATION_PORT, allow_hyphen_values = true,
        value_parser = port_or_any)]
    pub(crate) udp: u16,
    /// Replace existing files.
    #[arg(long)]
    pub(crate) overwrite: bool,
    /// Continue after a file, until stopped by Ctrl-C or SIGTERM.
    #[arg(long)]
    pub(crate) keep: bool,
    #[command(flatten)]
    pub(crate) local: Local,
}
