//! The times for which a path could not send, by name.

use manypath_core::BlockedTime;

/// Seconds by reason, in the order in which the reasons are tested.
pub fn blocked_seconds(blocked: &BlockedTime) -> impl Iterator<Item = (&'static str, f64)> {
    let reasons = BlockedTime::COUNTERS.iter();
    reasons.map(|reason| (reason.name, (reason.get)(blocked).as_secs_f64()))
}
