//! The arguments that several commands have, and the forms of their values.

use std::net::{IpAddr, ToSocketAddrs};

use clap::Args;
use manypath_core::Address;
use manypath_net::BoundAddress;
use manypath_net::socket::source_to;
use manypath_program::whole;

use crate::failure::Failure;
use crate::watch::Watched;

/// The arguments of both sides.
#[derive(Clone, Debug, Args)]
pub(crate) struct Local {
    /// Local addresses, separated by commas; each makes a path. By default all addresses of the machine, for a sender
    /// those that the routing table selects. Packets of ADDRESS%INTERFACE, such as 192.0.2.7%eth0, leave only on that
    /// interface.
    #[arg(long, value_name = "ADDRESS[%INTERFACE],...", value_delimiter = ',')]
    pub(crate) bind: Vec<BoundAddress>,
    /// SCTP port of the receiver.
    #[arg(long, value_name = "PORT", default_value_t = SCTP_PORT, allow_hyphen_values = true,
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

/// A peer by an address, or by a name with all of its addresses.
#[derive(Clone, Debug)]
pub(crate) enum Host {
    Address(IpAddr),
    Name(Vec<IpAddr>),
}

impl Host {
    /// The address, if it is no name.
    pub(crate) fn address(&self) -> Option<IpAddr> {
        match self {
            Self::Address(address) => Some(*address),
            Self::Name(_) => None,
        }
    }

    /// The addresses of some hosts, each once. Of a name they are those that can be reached from the `local` addresses,
    /// or from any if there are none: a machine without IPv6 finds the IPv6 addresses of a name, too.
    pub(crate) fn addresses(hosts: &[Self], local: &[BoundAddress]) -> Vec<IpAddr> {
        let is_local = |address: &IpAddr| {
            local.is_empty() || local.iter().any(|it| it.address.is_ipv4() == address.is_ipv4())
        };
        let mut found = Vec::new();
        for host in hosts {
            let addresses = match host {
                Self::Address(address) => vec![*address],
                Self::Name(all) => {
                    let able = |it: &&IpAddr| is_local(it) && source_to(**it).is_some();
                    let able: Vec<_> = all.iter().filter(able).copied().collect();
                    if able.is_empty() { all.clone() } else { able }
                }
            };
            for address in addresses {
                if !found.contains(&address) {
                    found.push(address);
                }
            }
        }
        found
    }
}

/// A host: its address, or its name, which the system's resolver looks up.
pub(crate) fn host(text: &str) -> Result<Host, String> {
    if let Ok(address) = text.parse::<IpAddr>() {
        // An IPv4-mapped address is one of IPv4
        let address = address.to_canonical();
        let is_unicast = Address::from(address).is_unicast();
        return if is_unicast {
            Ok(Host::Address(address))
        } else {
            Err("expected a unicast address".to_owned())
        };
    }
    // The resolver would read a number as an address: 9899 as 0.0.38.171.
    let end = text.trim_end_matches('.').rsplit('.').next().unwrap_or_default();
    let is_number = end.starts_with("0x") || end.chars().all(|letter| letter.is_ascii_digit());
    if is_number || text.contains(['%', ':', '/', ' ']) {
        return Err("expected an IPv4 or IPv6 address or the name of a host, without a port; `--bind` names the interface \
                    of a link-local address"
            .to_owned());
    }
    let found = (text, 0).to_socket_addrs().map_err(|error| {
        format!(
            "expected an IPv4 or IPv6 address or the name of a host, and no host is found: {error}"
        )
    })?;
    Ok(Host::Name(found.map(|found| found.ip()).collect()))
}

/// Refuses a list of addresses that has one of them twice, because each stands for a path of its own.
pub(crate) fn each_once(
    option: &str,
    addresses: impl IntoIterator<Item = IpAddr>,
) -> Result<(), Failure> {
    let mut known = Vec::new();
    for address in addresses {
        if known.contains(&address) {
            let message = format!("`{option}` has {address} twice, expected each address once");
            return Err(Failure::input(message));
        }
        known.push(address);
    }
    Ok(())
}

/// A port of a peer.
pub(crate) fn port(text: &str) -> Result<u16, String> {
    whole(text, 1..=65_535)
}

/// A local port; 0 selects a free one.
pub(crate) fn port_or_any(text: &str) -> Result<u16, String> {
    whole(text, 0..=65_535)
}

/// Default SCTP port of a receiver.
const SCTP_PORT: u16 = 5001;
/// Largest number of streams of a receiver.
pub(crate) const MOST_STREAMS: u64 = 1024;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stands_for_all_of_its_addresses() {
        let hosts =
            ["localhost", "127.0.0.1", "192.0.2.7", "localhost"].map(|text| host(text).unwrap());
        let found = Host::addresses(&hosts, &[]);
        assert!(
            found
                .iter()
                .filter(|it| !it.is_loopback())
                .eq(["192.0.2.7".parse::<IpAddr>().unwrap()].iter())
        );
        assert_eq!(found.iter().filter(|it| it.to_string() == "127.0.0.1").count(), 1);
    }

    #[test]
    fn addresses_of_a_name_that_cannot_be_reached_are_left_out() {
        let all: Vec<IpAddr> = ["::1", "127.0.0.1"].map(|text| text.parse().unwrap()).to_vec();
        let named = [Host::Name(all.clone())];
        let local = ["127.0.0.1".parse().unwrap()];
        assert_eq!(Host::addresses(&named, &local), all[1..]);
        let given = all.iter().map(|it| Host::Address(*it)).collect::<Vec<_>>();
        assert_eq!(Host::addresses(&given, &local), all, "an address stays as it is given");
    }

    #[test]
    fn numbers_and_addresses_of_groups_are_no_hosts() {
        for text in
            ["", ".", "1", "9899", "0x7f", "127.1", "10.0.0", "224.0.0.1", "0.0.0.0", "ff02::1"]
        {
            assert!(host(text).is_err(), "{text}");
        }
    }
}
