//! The arguments that several commands have, and the forms of their values.

use std::net::IpAddr;
use std::ops::RangeInclusive;

use clap::Args;
use manypath_net::BoundAddress;

use crate::watch::Watched;

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
