//! Creates endpoints from the command line.

use manypath_net::{Association, Builder, Endpoint};
use manypath_program::tell;

use crate::local::{Local, MOST_STREAMS};

/// The settings of both sides; `udp` is the local UDP port, if UDP encapsulation is used.
pub(crate) fn builder(local: &Local, udp: u16) -> Builder {
    let builder = Endpoint::builder();
    let builder =
        if local.raw { builder.without_encapsulation() } else { builder.encapsulation(udp) };
    builder
        .bound(&local.bind)
        .streams(MOST_STREAMS as u16)
        .concurrent(local.cc.clone())
        .pacing(local.pacing)
        .notice_dead_peers()
}

/// Prints where an endpoint listens.
pub(crate) fn tell_waiting(endpoint: &Endpoint) {
    let addresses: Vec<_> = endpoint.local_addresses().iter().map(ToString::to_string).collect();
    let below = match endpoint.encapsulation_port() {
        0 => "directly in IP".to_owned(),
        port => format!("UDP port {port}"),
    };
    tell(&format!("waiting on {}, SCTP port {}, {below}", addresses.join(","), endpoint.port()));
    let (used, all) = (Endpoint::MOST_ADDRESSES, addresses.len());
    if all > used {
        tell(&format!(
            "warning: peers learn {used} of these {all} addresses, no more: `--bind` chooses"
        ));
    }
}

/// The paths of an association, with the share of the data that each carried, as text.
pub(crate) fn shares(
    association: &Association,
    bytes: impl Fn(&manypath_net::Path) -> u64,
) -> String {
    let paths = association.paths();
    let total: u64 = paths.iter().map(&bytes).sum();
    let share = |path: &manypath_net::Path| {
        let percent = bytes(path) as f64 * 100.0 / total.max(1) as f64;
        format!("{} -> {} {percent:.0} %", path.local, path.remote)
    };
    paths.iter().map(share).collect::<Vec<_>>().join(", ")
}
