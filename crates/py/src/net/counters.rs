//! Counters as Python dictionaries, with their names in Rust.

use manypath_net::{Blocked, Counters, Stats};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The counters of an association.
pub(crate) fn of_association<'py>(py: Python<'py>, stats: &Stats) -> PyResult<Bound<'py, PyDict>> {
    let rows = [
        ("packets_sent", stats.packets_sent),
        ("packets_received", stats.packets_received),
        ("data_packets_sent", stats.data_packets_sent),
        ("data_chunks_sent", stats.data_chunks_sent),
        ("data_chunks_sent_again", stats.data_chunks_sent_again),
        ("messages_sent", stats.messages_sent),
        ("messages_received", stats.messages_received),
        ("messages_expired", stats.messages_expired),
        ("bytes_sent", stats.bytes_sent),
        ("bytes_received", stats.bytes_received),
        ("sacks_sent", stats.sacks_sent),
        ("sacks_received", stats.sacks_received),
        ("stale_sacks", stats.stale_sacks),
        ("timeouts", stats.timeouts),
        ("timer_retransmissions", stats.timer_retransmissions),
        ("fast_retransmissions", stats.fast_retransmissions),
        ("spurious_fast_retransmissions", stats.spurious_fast_retransmissions),
        ("probe_retransmissions", stats.probe_retransmissions),
        ("drop_report_retransmissions", stats.drop_report_retransmissions),
        ("rescheduled", stats.rescheduled),
        ("duplicates_received", stats.duplicates_received),
        ("dropped_no_buffer", stats.dropped_no_buffer),
        ("given_up", stats.given_up),
        ("damaged_received", stats.damaged_received),
        ("drop_reports_sent", stats.drop_reports_sent),
        ("drop_reports_received", stats.drop_reports_received),
    ];
    dictionary(py, &rows)
}

/// The counters of an endpoint.
pub(crate) fn of_endpoint<'py>(
    py: Python<'py>,
    counters: &Counters,
) -> PyResult<Bound<'py, PyDict>> {
    let rows = [
        ("sent", counters.sent),
        ("dropped", counters.dropped),
        ("received", counters.received),
        ("foreign", counters.foreign),
        ("malformed", counters.malformed),
    ];
    dictionary(py, &rows)
}

/// The times for which a path could not send, in nanoseconds by reason.
pub(crate) fn of_waiting<'py>(py: Python<'py>, blocked: &Blocked) -> PyResult<Bound<'py, PyDict>> {
    let rows = [
        ("path", blocked.path.as_nanos()),
        ("window", blocked.window.as_nanos()),
        ("send_buffer", blocked.send_buffer.as_nanos()),
        ("split_share", blocked.split_share.as_nanos()),
        ("receive_window", blocked.receive_window.as_nanos()),
        ("pacing", blocked.pacing.as_nanos()),
    ];
    dictionary(py, &rows)
}

fn dictionary<'py>(py: Python<'py>, rows: &[(&str, u64)]) -> PyResult<Bound<'py, PyDict>> {
    let dictionary = PyDict::new(py);
    for (name, value) in rows {
        dictionary.set_item(name, value)?;
    }
    Ok(dictionary)
}
