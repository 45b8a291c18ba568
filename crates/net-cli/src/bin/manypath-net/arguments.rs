//! The command line arguments.

use std::net::IpAddr;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use manypath_net::{BoundAddress, Peer};

use crate::listen::Listen;
use crate::perf::Perf;
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
    /// Addresses of the receiver, separated by commas, in the order of attempts.
    #[arg(long, value_name = "ADDRESS,...", required = true, value_delimiter = ',', value_parser = address)]
    pub(crate) to: Vec<IpAddr>,
    /// UDP port of the receiver.
    #[arg(long, value_name = "PORT", default_value_t = Peer::ENCAPSULATION_PORT, allow_negative_numbers = true,
        value_parser = port)]
    pub(crate) udp: u16,
    /// Number of streams for the file.
    #[arg(long, value_name = "COUNT", default_value_t = 1, allow_negative_numbers = true,
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
    #[arg(long, value_name = "PORT", default_value_t = Peer::ENCAPSULATION_PORT, allow_negative_numbers = true,
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

/// The arguments of both sides.
#[derive(Clone, Debug, Args)]
pub(crate) struct Local {
    /// Local addresses, separated by commas; each makes a path. By default all addresses of the machine. Packets of
    /// ADDRESS%INTERFACE, such as 192.0.2.7%eth0, leave only on that interface.
    #[arg(long, value_name = "ADDRESS[%INTERFACE],...", value_delimiter = ',')]
    pub(crate) bind: Vec<BoundAddress>,
    /// SCTP port of the receiver.
    #[arg(long, value_name = "PORT", default_value_t = SCTP_PORT, allow_negative_numbers = true,
        value_parser = port)]
    pub(crate) port: u16,
    /// Send packets directly in IP instead of UDP: needs root or CAP_NET_RAW.
    #[arg(long, conflicts_with = "udp")]
    pub(crate) raw: bool,
    /// Congestion control; `manypath list` shows the names.
    #[arg(long, value_name = "NAME", default_value = "cmt-rpv2")]
    pub(crate) cc: String,
    /// Pace the packets of each path over its round-trip time, for fewer losses in short queues.
    #[arg(long)]
    pub(crate) pacing: bool,
    #[command(flatten)]
    pub(crate) watched: Watched,
}

/// An address of a peer.
pub(crate) fn address(text: &str) -> Result<IpAddr, String> {
    let expected =
        "expected an IPv4 or IPv6 address; `--bind` names the interface of a link-local one";
    text.parse().map_err(|_| expected.to_owned())
}

/// A port of a peer.
pub(crate) fn port(text: &str) -> Result<u16, String> {
    whole(text, 1..=65_535)
}

/// A local port; 0 selects a free one.
pub(crate) fn port_or_any(text: &str) -> Result<u16, String> {
    whole(text, 0..=65_535)
}

/// A whole number in a range.
pub(crate) fn whole<T: TryFrom<u64>>(text: &str, within: RangeInclusive<u64>) -> Result<T, String> {
    let number = text.parse().ok().filter(|number| within.contains(number));
    let number = number.and_then(|number| T::try_from(number).ok());
    let (least, most) = within.into_inner();
    number.ok_or_else(|| format!("expected a whole number, from {least} to {most}"))
}

/// Default SCTP port of a receiver.
const SCTP_PORT: u16 = 5001;
/// Largest number of streams of a receiver.
pub(crate) const MOST_STREAMS: u64 = 1024;
