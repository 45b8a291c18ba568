//! The times for which a path could not send, by name.

use manypath_core::BlockedTime;

/// Seconds by limit, in the order in which the limits are tested.
pub fn blocked_seconds(blocked: &BlockedTime) -> impl Iterator<Item = (&'static str, f64)> {
    blocked.iter().map(|(limit, time)| (limit, time.as_secs_f64()))
}
