//! The times for which a path could not send, by name.

use manypath_sctp::BlockedTime;

/// Seconds by reason, in the order in which the reasons are tested.
pub(crate) fn blocked_by(blocked: &BlockedTime) -> [(&'static str, f64); 6] {
    [
        ("path", blocked.path),
        ("window", blocked.window),
        ("send_buffer", blocked.send_buffer),
        ("split_share", blocked.split_share),
        ("receive_window", blocked.receive_window),
        ("pacing", blocked.pacing),
    ]
    .map(|(reason, span)| (reason, span.as_secs_f64()))
}
