//! The metric families by name. The name of a family ends with its unit; the samples of a counter end with `_total`.

use super::snapshot::Snapshot;
use crate::blocked_seconds;
use crate::{Path, PathState};

/// A metric family for subjects of type `T`.
pub struct Family<T: ?Sized> {
    /// The name, without the suffix of samples.
    pub name: &'static str,
    /// The type of the metric.
    pub kind: Kind,
    /// The unit; empty if the values have none.
    pub unit: &'static str,
    /// The description for users.
    pub help: &'static str,
    /// Additional labels, with the value of each sample.
    pub values: fn(&T) -> Vec<(String, f64)>,
}

/// Types of metrics.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// A counter, which never decreases.
    Counter,
    /// A value that rises and falls.
    Gauge,
    /// Properties as labels.
    Info,
    /// A set of states; exactly one state is active.
    StateSet,
}

impl Kind {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Counter => "counter",
            Self::Gauge => "gauge",
            Self::Info => "info",
            Self::StateSet => "stateset",
        }
    }
}

/// A [`Family`] with one sample per subject.
///
/// ```
/// use manypath_net::metrics::{Family, end, family, write_family};
///
/// const LENGTH: Family<str> = family!(Gauge, "text_bytes", "bytes", "Length.", |it| it.len());
/// let mut text = String::new();
/// write_family(&mut text, &LENGTH, "four");
/// assert!(end(text).ends_with("text_bytes 4\n# EOF\n"));
/// ```
#[macro_export]
macro_rules! family {
    ($kind:ident, $name:literal, $unit:literal, $help:literal, |$it:ident| $value:expr) => {
        $crate::metrics::Family {
            name: $name,
            kind: $crate::metrics::Kind::$kind,
            unit: $unit,
            help: $help,
            values: |$it| vec![(String::new(), $value as f64)],
        }
    };
}

/// The only family of a host: its packets for ports without an endpoint.
pub(super) const HOST: Family<u64> = family!(
    Counter,
    "manypath_host_foreign_packets",
    "packets",
    "Packets received for SCTP ports without an endpoint: answered by ABORT inside UDP, ignored in raw IP.",
    |foreign| *foreign
);

/// Families of an endpoint, beside its counters.
pub(super) const ENDPOINT: &[Family<Snapshot>] =
    &[family!(Gauge, "manypath_endpoint_associations", "", "Established associations.", |it| it
        .associations
        .len())];

/// Families of a path, beside its counters.
pub(super) const PATH: &[Family<Path>] = &[
    Family {
        name: "manypath_path",
        kind: Kind::Info,
        unit: "",
        help: "Addresses of the path.",
        values: |it| vec![(format!("local=\"{}\",remote=\"{}\"", it.local, it.remote), 1.0)],
    },
    Family {
        name: "manypath_path_state",
        kind: Kind::StateSet,
        unit: "",
        help: "State of the path.",
        values: |it| STATES.map(|(state, name)| of_state(it, state, name)).to_vec(),
    },
    family!(
        Gauge,
        "manypath_path_primary",
        "",
        "1 for the primary path, which data prefers unless all paths carry data concurrently.",
        |it| u8::from(it.is_primary)
    ),
    family!(Gauge, "manypath_path_congestion_window_bytes", "bytes", "Congestion window.", |it| it
        .stats
        .window),
    family!(
        Gauge,
        "manypath_path_slow_start_threshold_bytes",
        "bytes",
        "Slow-start threshold.",
        |it| it.stats.ssthresh
    ),
    family!(
        Gauge,
        "manypath_path_outstanding_bytes",
        "bytes",
        "Bytes in flight as the congestion control counts them.",
        |it| it.stats.outstanding
    ),
    family!(
        Gauge,
        "manypath_path_smoothed_rtt_seconds",
        "seconds",
        "Smoothed round-trip time, 0 before the first sample.",
        |it| it.stats.srtt.as_secs_f64()
    ),
    family!(
        Gauge,
        "manypath_path_retransmission_timeout_seconds",
        "seconds",
        "Retransmission timeout.",
        |it| it.stats.rto.as_secs_f64()
    ),
    Family {
        name: "manypath_path_blocked_seconds",
        kind: Kind::Counter,
        unit: "seconds",
        help: "Time during which the path could not send new data, by limit.",
        values: |it| {
            let seconds = blocked_seconds(&it.blocked);
            seconds.map(|(limit, time)| (format!("limit=\"{limit}\""), time)).collect()
        },
    },
];

/// The states of a path by name.
pub const STATES: [(PathState, &str); 3] = [
    (PathState::Active, "up"),
    (PathState::PotentiallyFailed, "potentially_failed"),
    (PathState::Inactive, "down"),
];

fn of_state(path: &Path, state: PathState, name: &str) -> (String, f64) {
    (format!("manypath_path_state=\"{name}\""), f64::from(u8::from(path.stats.state == state)))
}
