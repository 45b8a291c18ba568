//! Counters of an endpoint, its associations and their paths as OpenMetrics text, and an HTTP server for it.
//!
//! Source: <https://prometheus.io/docs/specs/om/open_metrics_spec/>, version 1.0.0.

mod families;
mod http;

use std::fmt::Write;
use std::net::SocketAddr;

use manypath_core::Counter;
use manypath_sctp::{PathStats, Stats};

#[cfg(feature = "program")]
pub(crate) use families::STATES;
pub use http::serve;

use crate::{Counters, Endpoint, Path};
use families::{ENDPOINT, Family, Kind, PATH};

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
    for counter in Counters::COUNTERS {
        count(&mut out, "endpoint", counter, [(String::new(), &snapshot.counters)].into_iter());
    }
    let associations =
        || snapshot.associations.iter().map(|it| (format!("association=\"{}\"", it.peer), it));
    let paths = || {
        associations().flat_map(|(labels, association)| {
            let numbered = association.paths.iter().enumerate();
            numbered.map(move |(number, path)| (format!("{labels},path=\"{number}\""), path))
        })
    };
    for counter in Stats::COUNTERS {
        count(
            &mut out,
            "association",
            counter,
            associations().map(|(labels, it)| (labels, &it.stats)),
        );
    }
    for counter in PathStats::COUNTERS {
        count(&mut out, "path", counter, paths().map(|(labels, it)| (labels, &it.stats)));
    }
    for family in PATH {
        begin(&mut out, family);
        for (labels, path) in paths() {
            sample(&mut out, family, &labels, path);
        }
    }
    out.push_str("# EOF\n");
    out
}

/// Writes a counter of the engine by its name, with a sample for each labelled subject.
fn count<'a, T: 'a>(
    out: &mut String,
    of: &str,
    counter: &Counter<T>,
    subjects: impl Iterator<Item = (String, &'a T)>,
) {
    let Counter { name, doc, get } = *counter;
    // Writing to a string cannot fail
    let _ = writeln!(out, "# TYPE manypath_{of}_{name} counter\n# HELP manypath_{of}_{name} {doc}");
    for (labels, subject) in subjects {
        let _ = writeln!(out, "manypath_{of}_{name}_total{} {}", braced(&labels), get(subject));
    }
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
        let labels = braced(&format!("{labels}{comma}{label}"));
        let _ = writeln!(out, "{}{suffix}{labels} {value}", family.name);
    }
}

/// Labels in braces; empty without labels.
fn braced(labels: &str) -> String {
    if labels.is_empty() { String::new() } else { format!("{{{labels}}}") }
}
