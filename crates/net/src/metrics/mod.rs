//! Counters of an endpoint, its associations and their paths as OpenMetrics text, and an HTTP server for it.
//!
//! Source: <https://prometheus.io/docs/specs/om/open_metrics_spec/>, version 1.0.0.

mod families;
mod http;

use std::fmt::Write;
use std::net::SocketAddr;

use manypath_sctp::Stats;

#[cfg(feature = "program")]
pub(crate) use families::STATES;
pub use http::serve;

use crate::{Counters, Endpoint, Path};
use families::{ASSOCIATION, ENDPOINT, Family, Kind, PATH};

/// The state of an endpoint at one instant.
#[derive(Debug)]
pub(crate) struct Snapshot {
    pub(crate) counters: Counters,
    pub(crate) associations: Vec<AssociationSnapshot>,
}

/// An established association.
#[derive(Debug)]
pub(crate) struct AssociationSnapshot {
    /// The peer's first address, and its SCTP port.
    pub(crate) peer: SocketAddr,
    pub(crate) stats: Stats,
    pub(crate) paths: Vec<Path>,
}

/// All metrics of an endpoint as OpenMetrics text.
///
/// Associations are labelled with the peer's first address and SCTP port, paths with their number from 0.
#[must_use]
pub fn text(endpoint: &Endpoint) -> String {
    let snapshot = endpoint.snapshot();
    let mut out = String::new();
    for family in ENDPOINT {
        begin(&mut out, family);
        sample(&mut out, family, "", &snapshot);
    }
    for family in ASSOCIATION {
        begin(&mut out, family);
        for association in &snapshot.associations {
            let labels = format!("association=\"{}\"", association.peer);
            sample(&mut out, family, &labels, association);
        }
    }
    for family in PATH {
        begin(&mut out, family);
        for association in &snapshot.associations {
            for (number, path) in association.paths.iter().enumerate() {
                let labels = format!("association=\"{}\",path=\"{number}\"", association.peer);
                sample(&mut out, family, &labels, path);
            }
        }
    }
    out.push_str("# EOF\n");
    out
}

/// Writes the description of a family.
fn begin<T>(out: &mut String, family: &Family<T>) {
    let Family { name, kind, unit, help, .. } = *family;
    // Writing to a string cannot fail
    let _ = writeln!(out, "# TYPE {name} {}", kind.name());
    if !unit.is_empty() {
        let _ = writeln!(out, "# UNIT {name} {unit}");
    }
    let _ = writeln!(out, "# HELP {name} {help}");
}

/// Writes the samples of a family for one subject.
fn sample<T>(out: &mut String, family: &Family<T>, labels: &str, subject: &T) {
    let suffix = match family.kind {
        Kind::Counter => "_total",
        Kind::Gauge | Kind::StateSet => "",
        Kind::Info => "_info",
    };
    for (label, value) in (family.values)(subject) {
        let comma = if labels.is_empty() || label.is_empty() { "" } else { "," };
        let labels = match format!("{labels}{comma}{label}") {
            all if all.is_empty() => all,
            all => format!("{{{all}}}"),
        };
        let _ = writeln!(out, "{}{suffix}{labels} {value}", family.name);
    }
}
