//! The metrics of the daemon, with those of its endpoints.

use manypath_net::Host;
use manypath_net::metrics::{self, Family, Kind, Source, family};

use super::daemon::Daemon;
use super::limits::Counts;
use super::parts::Parts;
use super::socket::Phase;

/// The state of the daemon at one instant.
struct Reading {
    /// Sockets by phase.
    phases: [(&'static str, usize); PHASES.len()],
    opened: u64,
    associations: usize,
    refusals: Vec<(&'static str, u64)>,
    calls: usize,
    draining: usize,
}

impl Source for Daemon {
    fn metrics(&self) -> String {
        let mut out = String::new();
        let reading = Reading::of(self.parts());
        for family in DAEMON {
            metrics::write_family(&mut out, family, &reading);
        }
        let hosts = self.parts().ports.hosts();
        let hosts: Vec<_> = hosts.into_iter().map(|host| (of_host(&host), host)).collect();
        metrics::write_hosts(&mut out, &hosts);
        metrics::end(out)
    }
}

impl Reading {
    fn of(parts: &Parts) -> Self {
        let Parts { table, usage, associations: all, .. } = parts;
        let mut phases = PHASES.map(|name| (name, 0));
        let mut associations = 0;
        for socket in table.sockets() {
            phases[place(&socket.state().phase)].1 += 1;
            associations += socket.associations().len();
        }
        let Counts { calls, .. } = usage.all();
        Self {
            phases,
            opened: table.opened(),
            associations,
            refusals: usage.refusals().collect(),
            calls,
            draining: all.draining(),
        }
    }
}

/// The phases of a socket. `many` is a one-to-many socket that listens or has opened an association.
const PHASES: [&str; 6] = ["closed", "listening", "connecting", "connected", "many", "ended"];

/// The place of a phase in [`PHASES`].
fn place(phase: &Phase) -> usize {
    match phase {
        Phase::Closed => 0,
        Phase::Listening(..) => 1,
        Phase::Connecting(_) => 2,
        Phase::Connected(_) => 3,
        Phase::Many(_) => 4,
        Phase::Ended => 5,
    }
}

const DAEMON: &[Family<Reading>] = &[
    Family {
        name: "manypath_daemon_sockets",
        kind: Kind::Gauge,
        unit: "",
        help: "Open sockets of programs, by phase.",
        values: |it| {
            let sample = |(phase, count): &(&str, usize)| (of(PHASE, phase), *count as f64);
            it.phases.iter().map(sample).collect()
        },
    },
    family!(
        Counter,
        "manypath_daemon_opened_sockets",
        "sockets",
        "Sockets that programs opened, accepted or peeled off.",
        |it| it.opened
    ),
    Family {
        name: "manypath_daemon_refusals",
        kind: Kind::Counter,
        unit: "",
        help: "Refused sockets, associations of one-to-many sockets, and calls, by reason.",
        values: |it| {
            let sample = |(reason, count): &(&str, u64)| (of(REASON, reason), *count as f64);
            it.refusals.iter().map(sample).collect()
        },
    },
    family!(
        Gauge,
        "manypath_daemon_associations",
        "associations",
        "Associations of open sockets.",
        |it| it.associations
    ),
    family!(
        Gauge,
        "manypath_daemon_calls",
        "",
        "Calls that wait for their result, and connections that have not sent a record.",
        |it| it.calls
    ),
    family!(
        Gauge,
        "manypath_daemon_draining_associations",
        "associations",
        "Associations of closed sockets that have not ended.",
        |it| it.draining
    ),
];

/// The label of a host: a daemon has two after a program that had its UDP port has ended.
fn of_host(host: &Host) -> String {
    of("udp_port", &host.encapsulation_port().to_string())
}

fn of(label: &str, value: &str) -> String {
    format!("{label}=\"{value}\"")
}

const PHASE: &str = "phase";
const REASON: &str = "reason";
