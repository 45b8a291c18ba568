//! The metric families by name. The name of a family ends with its unit; the samples of a counter end with `_total`.

use super::Snapshot;
use crate::blocked_seconds;
use crate::{Path, PathState};

/// A metric family for subjects of type `T`.
pub(crate) struct Family<T> {
    /// The name, without the suffix of samples.
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    /// The unit; empty if the values have none.
    pub(crate) unit: &'static str,
    pub(crate) help: &'static str,
    /// Additional labels, with the value of each sample.
    pub(crate) values: fn(&T) -> Vec<(String, f64)>,
}

/// Types of metrics.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
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

/// A family with one sample per subject.
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
#[cfg(feature = "serve")]
pub(crate) use family;

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
pub(crate) const STATES: [(PathState, &str); 3] = [
    (PathState::Active, "up"),
    (PathState::PotentiallyFailed, "potentially_failed"),
    (PathState::Inactive, "down"),
];

fn of_state(path: &Path, state: PathState, name: &str) -> (String, f64) {
    (format!("manypath_path_state=\"{name}\""), f64::from(u8::from(path.stats.state == state)))
}
