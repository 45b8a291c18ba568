//! Counters of endpoints, their associations and paths as OpenMetrics text, and an HTTP server for it.
//!
//! Source: <https://prometheus.io/docs/specs/om/open_metrics_spec/>, version 1.0.0.

mod families;
mod http;
mod snapshot;

use std::fmt::Write;
use std::net::{IpAddr, SocketAddr};

use manypath_core::Counter;
use manypath_sctp::{PathStats, Stats};

pub use families::{Family, Kind, STATES};
pub use http::serve;
pub(crate) use snapshot::{AssociationSnapshot, Snapshot};

pub use crate::family;

use crate::counters::Counters;
use crate::{Endpoint, Host};
use families::{ENDPOINT, HOST, PATH};

/// An object with metrics: an endpoint, a host or the daemon.
pub trait Source: Send + Sync + 'static {
    /// All metrics as OpenMetrics text.
    fn metrics(&self) -> String;
}

impl Source for Endpoint {
    fn metrics(&self) -> String {
        text(self)
    }
}

/// The metrics of the host and of all endpoints, each labelled with its first address and SCTP port.
impl Source for Host {
    fn metrics(&self) -> String {
        let mut out = String::new();
        write_hosts(&mut out, &[(String::new(), self.clone())]);
        end(out)
    }
}

/// Writes the metrics of hosts and of their endpoints. The packets of a host have its labels, an endpoint is labelled
/// with its first address and SCTP port.
pub fn write_hosts(out: &mut String, hosts: &[(String, Host)]) {
    let foreign: Vec<_> =
        hosts.iter().map(|(labels, host)| (labels.clone(), host.foreign())).collect();
    write_foreign(out, &foreign);
    let endpoints: Vec<_> = hosts.iter().flat_map(|(_, host)| labelled(host)).collect();
    write(out, &endpoints);
}

/// The endpoints of a host, each with its first address and SCTP port as label.
fn labelled(host: &Host) -> Vec<(String, Snapshot)> {
    let named = |(address, port, snapshot)| {
        let name = SocketAddr::new(IpAddr::from(address), port);
        (format!("endpoint=\"{name}\""), snapshot)
    };
    host.snapshots().into_iter().map(named).collect()
}

/// All metrics of an endpoint and of its host as OpenMetrics text.
///
/// Associations are labelled with the peer's first address and SCTP port, paths with their number from 0.
#[must_use]
pub fn text(endpoint: &Endpoint) -> String {
    let mut out = String::new();
    let snapshot = endpoint.snapshot();
    write_foreign(&mut out, &[(String::new(), snapshot.foreign_packets)]);
    write(&mut out, &[(String::new(), snapshot)]);
    end(out)
}

/// The complete text.
#[must_use]
pub fn end(mut out: String) -> String {
    out.push_str("# EOF\n");
    out
}

/// Writes the number of foreign packets of each host, with its own labels.
fn write_foreign(out: &mut String, hosts: &[(String, u64)]) {
    begin(out, &HOST);
    for (labels, foreign) in hosts {
        sample(out, &HOST, labels, foreign);
    }
}

/// Writes the metrics of endpoints, each with its own labels.
fn write(out: &mut String, endpoints: &[(String, Snapshot)]) {
    for family in ENDPOINT {
        begin(out, family);
        for (labels, snapshot) in endpoints {
            sample(out, family, labels, snapshot);
        }
    }
    for counter in Counters::COUNTERS {
        let counters = endpoints.iter().map(|(labels, it)| (labels.clone(), &it.counters));
        count(out, "endpoint", counter, counters);
    }
    let associations = || {
        endpoints.iter().flat_map(|(labels, snapshot)| {
            let label = move |it: &AssociationSnapshot| {
                join(labels, &format!("association=\"{}\"", it.peer))
            };
            snapshot.associations.iter().map(move |it| (label(it), it))
        })
    };
    let paths = || {
        associations().flat_map(|(labels, association)| {
            let numbered = association.paths.iter().enumerate();
            numbered.map(move |(number, path)| (format!("{labels},path=\"{number}\""), path))
        })
    };
    for counter in Stats::COUNTERS {
        let stats = associations().map(|(labels, it)| (labels, &it.stats));
        count(out, "association", counter, stats);
    }
    for counter in PathStats::COUNTERS {
        count(out, "path", counter, paths().map(|(labels, it)| (labels, &it.stats)));
    }
    for family in PATH {
        begin(out, family);
        for (labels, path) in paths() {
            sample(out, family, &labels, path);
        }
    }
}

/// Labels of both texts, which may be empty.
fn join(one: &str, other: &str) -> String {
    let comma = if one.is_empty() || other.is_empty() { "" } else { "," };
    format!("{one}{comma}{other}")
}

/// Writes a counter of the engine by its name, with a sample for each labelled subject.
fn count<'a, T: 'a>(
    out: &mut String,
    of: &str,
    counter: &Counter<T>,
    subjects: impl Iterator<Item = (String, &'a T)>,
) {
    let Counter { name, doc, get, .. } = *counter;
    // Writing to a string cannot fail
    let _ = writeln!(out, "# TYPE manypath_{of}_{name} counter\n# HELP manypath_{of}_{name} {doc}");
    for (labels, subject) in subjects {
        let _ = writeln!(out, "manypath_{of}_{name}_total{} {}", braced(&labels), get(subject));
    }
}

/// Writes a family for one subject.
pub fn write_family<T: ?Sized>(out: &mut String, family: &Family<T>, subject: &T) {
    begin(out, family);
    sample(out, family, "", subject);
}

/// Writes the description of a family.
fn begin<T: ?Sized>(out: &mut String, family: &Family<T>) {
    let Family { name, kind, unit, help, .. } = *family;
    // Writing to a string cannot fail
    let _ = writeln!(out, "# TYPE {name} {}", kind.name());
    if !unit.is_empty() {
        let _ = writeln!(out, "# UNIT {name} {unit}");
    }
    let _ = writeln!(out, "# HELP {name} {help}");
}

/// Writes the samples of a family for one subject.
fn sample<T: ?Sized>(out: &mut String, family: &Family<T>, labels: &str, subject: &T) {
    let suffix = match family.kind {
        Kind::Counter => "_total",
        Kind::Gauge | Kind::StateSet => "",
        Kind::Info => "_info",
    };
    for (label, value) in (family.values)(subject) {
        let labels = braced(&join(labels, &label));
        let _ = writeln!(out, "{}{suffix}{labels} {value}", family.name);
    }
}

/// Labels in braces; empty without labels.
fn braced(labels: &str) -> String {
    if labels.is_empty() { String::new() } else { format!("{{{labels}}}") }
}
